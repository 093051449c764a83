package cli_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/zkwatch/client"
	"electop/zkwatch/sasl"
)

func configured(t *testing.T, text string) []string {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "electop"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "electop", "config.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"XDG_CONFIG_HOME=" + dir}
}

func TestSecuredClusterByName(t *testing.T) {
	zktest.SecondTier(t)
	t.Parallel()
	certs := zktest.NewCertificates(t)
	server := zktest.NewApache(t, zktest.WithTLS(certs))
	authFile := secretFile(t, "digest:operator:sesame\n")
	c := session(t, server.Addr)
	if err := c.AddAuth("digest", []byte("operator:sesame")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Create("/private", nil, 0, zk.AuthACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Create("/private/n_", []byte("amber"), contender, zk.AuthACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	status := func(env []string, code int, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "electop", append([]string{"status", "--connect-timeout", "1m", "--admin", "off"}, args...)...)
		cmd.Env = slices.Concat(os.Environ(), env)
		out, err := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != code {
			t.Errorf("electop %q with %q: exit code %d, want %d: %v\n%s", args, env, got, code, err, out)
		}
		return string(out)
	}
	file := configured(t, fmt.Sprintf("[clusters.prod]\nservers = %q\nauth-file = %q\ntls-ca = %q\ntls-cert = %q\ntls-key = %q\npaths = [\"/private\"]\n",
		server.Secure, authFile, certs.CA, certs.Cert, certs.Key))
	if out := status(file, 0, "--cluster", "prod"); !strings.Contains(out, "amber") {
		t.Errorf("status with the cluster of the file does not show amber: %s", out)
	}
	if out := status(file, 1, "-s", server.Addr, "/private"); !strings.Contains(out, "ACL") {
		t.Errorf("status without the cluster's credentials has no error about the ACL: %s", out)
	}
	variables := []string{
		"ELECTOP_SERVERS=" + server.Secure, "ELECTOP_AUTH_FILE=" + authFile,
		"ELECTOP_TLS_CA=" + certs.CA, "ELECTOP_TLS_CERT=" + certs.Cert, "ELECTOP_TLS_KEY=" + certs.Key,
	}
	if out := status(variables, 0, "/private"); !strings.Contains(out, "amber") {
		t.Errorf("status with the settings of the environment does not show amber: %s", out)
	}
	if out := status(append(file, "ELECTOP_TLS_CA="+authFile), 2, "--cluster", "prod"); strings.Contains(out, "sesame") {
		t.Errorf("the password is shown: %s", out)
	}
}

func TestDashboardOnNamedCluster(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	c := zktest.Client(t, addr)
	for _, name := range []string{"one", "two"} {
		create(t, c, "/"+name, "", 0)
		create(t, c, "/"+name+"/n_", "who-"+name, contender)
	}
	env := configured(t, fmt.Sprintf("[defaults]\ncluster = \"prod\"\n[clusters.prod]\nservers = %q\npaths = [\"/one\", \"/two\"]\n", addr))
	for _, args := range [][]string{{"--cluster", "prod"}, nil} {
		x := openTerminalWith(t, env, 140, 40, args...)
		x.sees("/one", "who-one", "leads", "prod "+addr)
		x.press("ej\r")
		x.sees("/two", "who-two", "leads")
		x.quits("\x03")
	}
	x := openTerminalWith(t, env, 140, 40, "/two", "--cluster", "prod")
	x.sees("/two", "who-two", "leads")
	x.quits("\x03")
}

func TestSwitchCluster(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		c := session(t, addr)
		root := unique("turn")
		for _, name := range []string{"", "/one", "/two", "/one/e", "/two/e"} {
			create(t, c, root+name, "", 0)
		}
		create(t, c, root+"/one/e/n_", "amber", contender)
		create(t, c, root+"/two/e/n_", "birch", contender)
		env := configured(t, fmt.Sprintf("[clusters.first]\nservers = %q\npaths = [\"/e\"]\n[clusters.second]\nservers = %q\n"+
			"[clusters.dead]\nservers = \"127.0.0.1:1\"\nconnect-timeout = \"100ms\"\n", addr+root+"/one", addr+root+"/two"))
		x := openTerminalWith(t, env, 120, 36, "--cluster", "first")
		x.sees("amber", "leads")
		x.press(":cluster d")
		x.sees("cluster dead", "watch the elections of cluster")
		x.press("\r")
		x.sees("amber", "leads", "Can't switch to cluster dead: no server of 127.0.0.1:1 reached")
		x.press(":cluster s")
		x.sees("cluster second", "watch the elections of cluster")
		x.press("\r")
		x.sees("birch", "leads", "second ")
		x.quits("q")
	})
}

func TestSecuredCluster(t *testing.T) {
	zktest.SecondTier(t)
	t.Parallel()
	const secret = "correct-horse"
	certs := zktest.NewCertificates(t)
	server := zktest.NewApache(t, zktest.WithTLS(certs))
	setup := session(t, server.Addr)
	if err := setup.AddAuth("digest", []byte("operator:"+secret)); err != nil {
		t.Fatal(err)
	}
	create(t, setup, "/team", "", 0)
	if _, err := setup.Create("/team/private", nil, 0, zk.AuthACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	where := []string{"--servers", server.Secure + "/team", "--connect-timeout", "1m"}
	tls := []string{"--tls-ca", certs.CA, "--tls-cert", certs.Cert, "--tls-key", certs.Key}
	auth := []string{"--auth-file", secretFile(t, "# ours\ndigest:operator:"+secret+"\n")}
	log := filepath.Join(t.TempDir(), "log")
	all := slices.Concat(where, tls, auth, []string{"--log-file", log})

	campaign := func(name string) *command {
		return run(t, slices.Concat([]string{"campaign", "/private", "--json", "--name", name}, all)...)
	}
	amber := campaign("amber")
	head := awaitBelief(t, amber, "leading")
	birch := campaign("birch")
	awaitBelief(t, birch, "waiting")
	acl, _, err := setup.GetACL("/team" + head)
	for _, a := range acl {
		if want := map[string]int32{"digest": zk.PermAll, "x509": zk.PermAll, "world": zk.PermRead}[a.Scheme]; a.Perms != want {
			t.Errorf("ACL of electop's znode: got %v, want all permissions for the creator, read for others", acl)
		}
	}
	if err != nil || len(acl) != 3 {
		t.Errorf("ACL of electop's znode: got %v, error %v; want 3 entries", acl, err)
	}

	record := filepath.Join(t.TempDir(), "recording")
	events := run(t, slices.Concat([]string{"events", "/private", "--json", "--record", record}, all)...)
	events.out.await(t, "the first state", func(s string) bool { return strings.Contains(s, "\n") })
	for _, flags := range [][]string{nil, {"--tls-server-name", zktest.ServerName}} {
		s := decode[statusJSON](t, printed(t, 0, slices.Concat([]string{"status", "/private", "--json", "--admin", "4lw"}, all, flags)...))
		if len(s.Candidates) != 2 || text(s.Leader) != head || s.Candidates[1].WatchState != "verified" {
			t.Errorf("status with TLS: got %+v, want 2 candidates, the leader %s and a verified watch", s, head)
		}
	}
	amber.cancel()
	amber.finish(t)
	awaitBelief(t, birch, "leading")
	events.out.await(t, "the handoff", func(s string) bool { return strings.Contains(s, `"type":"handoff"`) })
	events.cancel()
	events.finish(t)
	hasNoSecret(t, secret, []string{log, record}, amber, birch, events)
	wrongSettings(t, server.Secure+"/team", tls, auth)
}

func hasNoSecret(t *testing.T, secret string, files []string, commands ...*command) {
	t.Helper()
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil || len(b) == 0 || strings.Contains(string(b), secret) {
			t.Errorf("%s: got %d bytes, error %v; want a file with content, and without the password", filepath.Base(file), len(b), err)
		}
	}
	for _, c := range commands {
		if output := c.out.all() + c.errs.all(); strings.Contains(output, secret) {
			t.Errorf("the password is in the output: %s", output)
		}
	}
}

func wrongSettings(t *testing.T, servers string, tls, auth []string) {
	for what, x := range map[string]struct {
		code  int
		want  string
		flags []string
	}{
		"no credentials":      {1, "ACL", tls},
		"no certificate":      {3, "", slices.Concat(tls[:2], auth)},
		"no authority":        {3, "certificate", slices.Concat([]string{"--tls"}, tls[2:], auth)},
		"another server name": {3, "certificate", slices.Concat(tls, auth, []string{"--tls-server-name", "other.example"})},
		"no TLS":              {3, "needs TLS", auth},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			errs, timeouts := "", []string{"1s", "10s"} // a busy machine may need longer than a second to connect
			if x.code == 1 {                            // this error needs a connection
				timeouts = []string{"1m"}
			}
			for _, timeout := range timeouts {
				_, errs = once(t, x.code, slices.Concat([]string{"status", "/private", "--servers", servers, "--connect-timeout", timeout}, x.flags)...)
				if strings.Contains(errs, x.want) {
					return
				}
			}
			t.Errorf("error %q, want %q", errs, x.want)
		})
	}
}

func TestAnswersOfAnotherEnsembleAreIgnored(t *testing.T) {
	zktest.SecondTier(t)
	t.Parallel()
	server, other := zktest.NewApache(t), zktest.NewApache(t, zktest.WithAdmin())
	c := session(t, server.Addr)
	create(t, c, "/e", "", 0)
	addCandidate(t, c, "/e", "")
	for _, command := range []string{"doctor", "status"} {
		out := printed(t, 0, command, "/e", "--json", "-s", server.Addr, "--admin", "http", "--admin-url", "http://"+other.Admin+"/commands")
		if strings.Contains(out, "zombie-leader") || strings.Contains(out, `"expires_within_ms":0`) {
			t.Errorf("%s uses the answers of another ensemble: %s", command, out)
		}
	}
}

func TestSchemeThatServersRefuse(t *testing.T) {
	t.Parallel()
	const secret = "correct-horse"
	server := zktest.NewApache(t)
	// Servers close the connection of a client with an unknown authentication scheme.
	c := run(t, "status", "/e", "-s", server.Addr, "--connect-timeout", "1h", "--auth-file", secretFile(t, "martian:operator:"+secret+"\n"))
	code := c.finish(t)
	if errs := c.errs.all(); code != 1 || !strings.Contains(errs, "refuses this client: ") || !strings.Contains(errs, "scheme martian") ||
		strings.Contains(errs, secret) {
		t.Errorf("exit code %d, want 1; error %q, want the refused scheme without the password", code, errs)
	}
}

func secretFile(t *testing.T, lines string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "credentials")
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func refusedWithoutRetry(t *testing.T, path, want, secret string, flags ...string) {
	t.Helper()
	for _, command := range []string{"status", "events", "discover", "campaign"} {
		args := []string{command, "--connect-timeout", "1h"}
		if command != "discover" {
			args = append(args, path)
		}
		if command == "campaign" {
			args = append(args, "--yes")
		}
		c := run(t, slices.Concat(args, flags)...)
		if code := c.finish(t); code != 1 || !strings.Contains(c.errs.all(), want) || strings.Contains(c.errs.all(), secret) {
			t.Errorf("%s: exit code %d, want 1; error %q, want %q without the password", command, code, c.errs.all(), want)
		}
	}
}

func TestClusterThatRequiresSASL(t *testing.T) {
	zktest.SecondTier(t)
	t.Parallel()
	const secret = "correct-horse"
	certs := zktest.NewCertificates(t)
	server := zktest.NewApache(t, zktest.WithTLS(certs), zktest.WithProperty("zookeeper.sessionRequireClientSASLAuth", "true"),
		zktest.WithSASL(zktest.DigestUsers(map[string]string{"operator": secret, "reader": "r"})))
	operator := client.NewAuth("sasl", "operator:"+secret)
	servers, err := client.ParseConnectString(server.Addr)
	if err != nil {
		t.Fatal(err)
	}
	setup, err := client.Connect(client.Config{Servers: servers, Auth: []client.Auth{operator}})
	if err != nil {
		t.Fatal(err)
	}
	defer setup.Close()
	if !setup.AwaitConnected(t.Context()) {
		t.Fatal(setup.Status().Err)
	}
	if _, err := setup.Create(t.Context(), "/private", nil, 0, []zk.ACL{{Perms: zk.PermAll, Scheme: "sasl", ID: "operator"}}); err != nil {
		t.Fatal(err)
	}

	tls := []string{"-s", server.Secure, "--tls-ca", certs.CA, "--tls-cert", certs.Cert, "--tls-key", certs.Key}
	plain := []string{"-s", server.Addr}
	log := filepath.Join(t.TempDir(), "log")
	auth := []string{"--auth-file", secretFile(t, "# ours\nsasl:operator:"+secret+"\n"), "--log-file", log, "--connect-timeout", "1m"}
	campaign := run(t, slices.Concat([]string{"campaign", "/private", "--json"}, plain, auth)...)
	head := awaitBelief(t, campaign, "leading")
	if _, stat, err := setup.Get(t.Context(), head); err != nil || stat.EphemeralOwner == 0 {
		t.Errorf("the leader %s: stat %+v, error %v; want an ephemeral znode", head, stat, err)
	}
	for _, how := range [][]string{plain, tls} {
		out := printed(t, 0, slices.Concat([]string{"status", "/private", "--json", "--admin", "off"}, how, auth)...)
		if s := decode[statusJSON](t, out); text(s.Leader) != head {
			t.Errorf("status %+v, want the leader %s", s, head)
		}
	}
	campaign.cancel()
	campaign.finish(t)

	c := run(t, slices.Concat([]string{"status", "/private", "--auth-file", secretFile(t, "sasl:reader:r\n")}, plain)...)
	if code := c.finish(t); code != 1 || !strings.Contains(c.errs.all(), "ACL") {
		t.Errorf("another account: exit code %d, want 1; error %q, want one about the ACL", code, c.errs.all())
	}
	refusedWithoutRetry(t, "/private", "requires authentication", secret, plain...)
	refusedWithoutRetry(t, "/private", "user or password is wrong", "wrong-horse", append(plain, "--auth-file", secretFile(t, "sasl:operator:wrong-horse\n"))...)

	x := openTerminal(t, 120, 36, slices.Concat([]string{"/private"}, plain)...)
	x.sees("The servers refuse this client", "requires authentication", "electop help authentication")
	x.quits("\x03")

	hasNoSecret(t, secret, []string{log}, campaign)
}

func TestKerberisedCluster(t *testing.T) {
	zktest.SecondTier(t)
	t.Parallel()
	k := newKDC(t)
	server := zktest.NewApache(t, append(k.serverOptions(t), zktest.WithProperty("zookeeper.sessionRequireClientSASLAuth", "true"))...)
	where := strings.Replace(server.Addr, "127.0.0.1", "localhost", 1)
	operator, reader := k.keytab(t, "operator"), k.keytab(t, "reader/host")
	createElectionAndReconnect(t, k, server, where, operator)

	env := []string{"KRB5_CONFIG=" + k.config, "KRB5CCNAME="}
	electop := func(env []string, code int, want string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "electop", args...)
		cmd.Env = slices.Concat(os.Environ(), env)
		out, _ := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != code || !strings.Contains(string(out), want) {
			t.Errorf("electop %q with %q: exit code %d, want %d, and %q:\n%s", args, env, got, code, want, out)
		}
	}
	at := []string{"-s", where, "--connect-timeout", "1m"}
	status := func(variables []string, code int, want string, flags ...string) {
		t.Helper()
		electop(slices.Concat(env, variables), code, want, slices.Concat([]string{"status", "/private", "--admin", "off"}, at, flags)...)
	}
	tickets := func(file string) []string { return []string{"KRB5CCNAME=" + file} }
	cache := k.login(t, operator, "operator", "1h")
	none := filepath.Join(t.TempDir(), "none")

	status(nil, 0, "amber", "--krb5-keytab", operator)
	status(nil, 0, "amber", "--krb5-keytab", operator, "--krb5-principal", "operator", "--krb5-service", "zookeeper/localhost@"+realm)
	status(tickets("FILE:"+cache), 0, "amber", "--krb5")
	status(append(tickets(cache), "ELECTOP_KRB5=true"), 0, "amber")
	file := configured(t, fmt.Sprintf("[clusters.prod]\nservers = %q\nkrb5-keytab = %q\nkrb5-principal = \"operator\"\nkrb5-service = \"zookeeper\"\n", where, operator))
	electop(slices.Concat(env, file), 0, "amber", "status", "/private", "--admin", "off", "--cluster", "prod", "--connect-timeout", "1m")
	electop(slices.Concat(env, file), 0, "operator", "info", "--cluster", "prod")
	electop(env, 7, "", slices.Concat([]string{"campaign", "/ours", "--create"}, at, []string{"--krb5-keytab", operator, "--", "sh", "-c", "exit 7"})...)

	status(nil, 1, "ACL", "--krb5-keytab", reader)
	status(nil, 1, "requires authentication")
	status(nil, 1, "does not offer DIGEST-MD5", "--auth-file", secretFile(t, "sasl:u:p\n"))
	status(nil, 2, "more than one account for SASL", "--krb5-keytab", operator, "--auth-file", secretFile(t, "sasl:u:p\n"))
	status(nil, 2, "no such file", "--krb5-keytab", none)
	status(nil, 2, "malformed", "--krb5-keytab", secretFile(t, "\x05\x02\x00\x00\x00\x40x"))
	status(nil, 2, "no key of nobody@"+realm, "--krb5-keytab", operator, "--krb5-principal", "nobody")
	status(tickets(none), 2, "run kinit", "--krb5")
	status(tickets("KCM:0"), 2, "reads only files", "--krb5")
	status(tickets(cache), 2, "not of reader@", "--krb5-principal", "reader")
	status(tickets(secretFile(t, "\x05\x04\x00")), 2, "malformed", "--krb5")
	status([]string{"KRB5_CONFIG=" + none}, 2, "configuration of Kerberos", "--krb5")
	checkRetryableErrors(t, k, operator)

	// After the errors below, electop does not try again.
	brief := k.login(t, operator, "operator", "1s")
	zktest.Await(t, "the end of the ticket", func() bool { return exec.Command("klist", "-s", "-c", brief).Run() != nil })
	status(tickets(brief), 1, "expired at", "--krb5")
	k.admin(t, "delprinc -force reader/host")
	status(nil, 1, "does not know this principal", "--krb5-keytab", reader)
	k.keytab(t, "operator")
	status(nil, 1, "was the password changed", "--krb5-keytab", operator)
	k.keytab(t, "zookeeper/localhost")
	status(nil, 1, "does not accept the ticket of operator@"+realm+" for zookeeper/localhost@"+realm, "--krb5-keytab", k.keytab(t, "operator"))
}

func createElectionAndReconnect(t *testing.T, k *kdc, server *zktest.Server, where, operator string) {
	t.Helper()
	servers, err := client.ParseConnectString(where)
	if err != nil {
		t.Fatal(err)
	}
	account, err := sasl.NewKerberos(sasl.KerberosOptions{Keytab: operator, Getenv: krb5Env(k.config)})
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.Connect(client.Config{Servers: servers, SASL: account, SessionTimeout: time.Minute, DialTimeout: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if !c.AwaitConnected(t.Context()) {
		t.Fatal(c.Status().Err)
	}
	acl := []zk.ACL{{Perms: zk.PermAll, Scheme: "sasl", ID: "operator@" + realm}}
	if _, err := c.Create(t.Context(), "/private", nil, 0, acl); err != nil {
		t.Fatal(err)
	}
	session := c.Status().SessionID
	server.Kill(t)
	for st := range c.Subscribe(t.Context()) {
		if st.State == client.Disconnected {
			break
		}
	}
	server.Start(t)
	if _, _, err := c.Get(t.Context(), "/private"); !c.AwaitConnected(t.Context()) {
		t.Fatal(c.Status().Err, err)
	}
	if _, err := c.Create(t.Context(), "/private/n_", []byte("amber"), contender, acl); err != nil || c.Status().SessionID != session {
		t.Fatalf("session %#x after the reconnect, want %#x; error %v", c.Status().SessionID, session, err)
	}
}

func checkRetryableErrors(t *testing.T, k *kdc, operator string) {
	t.Helper()
	for want, o := range map[string]sasl.KerberosOptions{
		"does not know the server as other/localhost@" + realm: {Service: "other", Getenv: krb5Env(k.config)},
		"cannot reach the KDC":                                 {Getenv: krb5Env(secretFile(t, krb5Config(zktest.FreeAddr(t))))},
	} {
		o.Keytab = operator
		account, err := sasl.NewKerberos(o)
		if err == nil {
			_, err = account.Begin(t.Context(), "localhost")
		}
		if err == nil || errors.Is(err, sasl.ErrRejected) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want a retryable error with %q", err, want)
		}
	}
}

func krb5Env(config string) func(string) string {
	return func(name string) string { return map[string]string{"KRB5_CONFIG": config}[name] }
}

func TestListBeyondTheReplyLimit(t *testing.T) {
	zktest.SecondTier(t)
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	c := zktest.Client(t, addr)
	create(t, c, "/large", "", 0)
	create(t, c, "/small", "", 0)
	create(t, c, "/small/n_", "", contender)
	const children, long = 40, 450_000 // 18 MB in total
	for range children {
		create(t, c, "/large/"+strings.Repeat("x", long)+"-n_", "", contender)
	}

	out, errs := once(t, 0, "status", "/large", "-s", addr, "--admin", "off", "--json", "--connect-timeout", "2m")
	if a := decode[statusJSON](t, out); len(a.Candidates) != children || errs != "" {
		t.Errorf("%d candidates, want %d; %s", len(a.Candidates), children, errs)
	}
	out, _ = once(t, 0, "discover", "-s", addr, "--connect-timeout", "2m", "--rate", "10000", "--json")
	if a := decode[discoverJSON](t, out); len(a.Elections) != 1 || !strings.Contains(out, `"skipped":[{"path":"/large","znodes":1,"why":"its list of children does not fit in a reply of 16777216 bytes`) {
		t.Errorf("discover --json does not list /large as skipped: %s", out)
	}
	out, _ = once(t, 0, "discover", "-s", addr, "--connect-timeout", "2m", "--rate", "10000")
	if !strings.Contains(out, "; 1 skipped.") || !strings.Contains(out, "  /large, 1 znode: its list of children does not fit") {
		t.Errorf("discover does not list /large as skipped: %s", out)
	}
}

func TestReplyBeyondAllLimits(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	defer running.Wait()
	defer l.Close()
	running.Go(func() { // announces a reply of 1.3 GB, except to connect, sync and exists
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer c.Close()
				first := true
				for {
					var prefix [4]byte
					if _, err := io.ReadFull(c, prefix[:]); err != nil {
						return
					}
					body := make([]byte, binary.BigEndian.Uint32(prefix[:]))
					if _, err := io.ReadFull(c, body); err != nil {
						return
					}
					reply := []byte{0, 0, 0, 36, 0, 0, 0, 0, 0, 0, 0x27, 0x10, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 16}
					switch {
					case first:
						reply = append(reply, make([]byte, 16)...)
					case binary.BigEndian.Uint32(body[4:]) == 9: // sync
						reply = append([]byte{0, 0, 0, 22}, body[:4]...)
						reply = append(reply, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, '/', 'e')
					case binary.BigEndian.Uint32(body[4:]) == 3: // exists: no such znode
						reply = append([]byte{0, 0, 0, 16}, body[:4]...)
						reply = append(reply, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0x9b)
					default:
						reply = []byte{0x50, 0, 0, 0}
					}
					first = false
					if _, err := c.Write(reply); err != nil {
						return
					}
				}
			})
		}
	})
	_, errs := once(t, 1, "status", "/e", "-s", l.Addr().String(), "--admin", "off", "--connect-timeout", "20s")
	if !strings.Contains(errs, "getChildren /e") || !strings.Contains(errs, "reply too large: 1342177280 bytes, the limit is 1073741824") {
		t.Errorf("status does not name the request and both sizes: %s", errs)
	}
}

const realm = "ELECTOP.TEST"

type kdc struct {
	config string // path of krb5.conf

	dir string
	env []string
}

func newKDC(t testing.TB) *kdc {
	t.Helper()
	zktest.Require(t, "krb5-kdc", "/usr/sbin/krb5kdc", "/usr/sbin/kdb5_util")
	zktest.Require(t, "krb5-admin-server", "/usr/sbin/kadmin.local")
	zktest.Require(t, "krb5-user", "kinit")
	dir := t.TempDir()
	addr := zktest.FreeAddr(t)
	k := &kdc{config: filepath.Join(dir, "krb5.conf"), dir: dir}
	profile := filepath.Join(dir, "kdc.conf")
	k.env = []string{"KRB5_CONFIG=" + k.config, "KRB5_KDC_PROFILE=" + profile}
	k.write(t, k.config, krb5Config(addr))
	k.write(t, profile, fmt.Sprintf(`[kdcdefaults]
  kdc_listen = %[1]s
  kdc_tcp_listen = %[1]s
[realms]
  %[2]s = {
    database_name = %[3]s/principal
    key_stash_file = %[3]s/stash
    supported_enctypes = aes256-sha2:normal aes128-cts:normal
    max_renewable_life = 1d
  }
`, addr, realm, dir))
	k.run(t, "", "/usr/sbin/kdb5_util", "create", "-s", "-r", realm, "-P", "master")
	p := zktest.Run(t, "env", append(k.env, "/usr/sbin/krb5kdc", "-n", "-r", realm, "-P", filepath.Join(dir, "pid"))...)
	zktest.Await(t, "the KDC listens", func() bool {
		if p.Ended() {
			t.Fatalf("the KDC has ended:\n%s", p.Output())
		}
		c, err := net.Dial("tcp", addr)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	return k
}

func krb5Config(addr string) string {
	return fmt.Sprintf(`[libdefaults]
  default_realm = %[1]s
  dns_lookup_kdc = false
  dns_lookup_realm = false
  dns_canonicalize_hostname = false
  rdns = false
[realms]
  %[1]s = {
    kdc = %[2]s
  }
`, realm, addr)
}

func (k *kdc) keytab(t testing.TB, principal string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "keytab")
	k.admin(t, "addprinc -randkey "+principal, "ktadd -k "+file+" "+principal)
	if err := os.Chmod(file, 0o600); err != nil {
		t.Fatalf("keytab: %v", err)
	}
	return file
}

func (k *kdc) admin(t testing.TB, commands ...string) {
	t.Helper()
	k.run(t, strings.Join(commands, "\n")+"\n", "/usr/sbin/kadmin.local", "-r", realm)
}

func (k *kdc) login(t testing.TB, keytab, principal, lifetime string) string {
	t.Helper()
	cache := filepath.Join(t.TempDir(), "cache")
	k.run(t, "", "kinit", "-k", "-t", keytab, "-c", "FILE:"+cache, "-l", lifetime, principal)
	return cache
}

func (k *kdc) serverOptions(t testing.TB) []zktest.Option {
	t.Helper()
	principal := "zookeeper/localhost@" + realm
	return []zktest.Option{
		zktest.WithProperty("java.security.krb5.conf", k.config),
		zktest.WithSASL(fmt.Sprintf("com.sun.security.auth.module.Krb5LoginModule required\n  useKeyTab=true storeKey=true useTicketCache=false keyTab=%q principal=%q;",
			k.keytab(t, principal), principal)),
	}
}

func (k *kdc) run(t testing.TB, input, command string, args ...string) {
	t.Helper()
	cmd := exec.Command(command, args...)
	cmd.Env = append(os.Environ(), k.env...)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	has := func(text string) bool { return bytes.Contains(out, []byte(text)) }
	if err != nil || has("kadmin.local: ") && has(" while ") && !has("already exists") {
		t.Fatalf("%s %q: %v\n%s", command, args, err, out)
	}
}

func (k *kdc) write(t testing.TB, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatalf("KDC: %v", err)
	}
}
