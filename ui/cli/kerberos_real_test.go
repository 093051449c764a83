package cli_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zktest"
	"electop/zkwatch/client"
	"electop/zkwatch/sasl"
)

// TestKerberisedCluster has one KDC and one server, which serves only those who have
// authenticated.
func TestKerberisedCluster(t *testing.T) {
	zktest.Second(t)
	t.Parallel()
	centre := newKDC(t)
	server := zktest.NewApache(t, append(centre.serve(t), zktest.WithProperty("zookeeper.sessionRequireClientSASLAuth", "true"))...)
	where := strings.Replace(server.Addr, "127.0.0.1", "localhost", 1)
	operator, reader := centre.keytab(t, "operator"), centre.keytab(t, "reader/host")
	env := []string{"KRB5_CONFIG=" + centre.config, "KRB5CCNAME="}

	in := func(config string) func(string) string {
		return func(name string) string { return map[string]string{"KRB5_CONFIG": config}[name] }
	}
	servers, err := client.ParseConnectString(where)
	if err != nil {
		t.Fatal(err)
	}
	account, err := sasl.NewKerberos(sasl.KerberosOptions{Keytab: operator, Getenv: in(centre.config)})
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.Connect(client.Config{Servers: servers, SASL: account, SessionTimeout: time.Minute, DialTimeout: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if !c.AwaitConnected(t.Context()) {
		t.Fatal(c.Status().Err)
	}
	ours := []zk.ACL{{Perms: zk.PermAll, Scheme: "sasl", ID: "operator@" + realm}}
	if _, err := c.Create(t.Context(), "/private", nil, 0, ours); err != nil {
		t.Fatal(err)
	}
	// The session goes on over another connection, which authenticates with the same ticket.
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
	if _, err := c.Create(t.Context(), "/private/n_", []byte("amber"), contender, ours); err != nil || c.Status().SessionID != session {
		t.Fatalf("session %#x after %#x: %v", c.Status().SessionID, session, err)
	}

	electop := func(env []string, code int, says string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "electop", args...)
		cmd.Env = slices.Concat(os.Environ(), env)
		out, _ := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != code || !strings.Contains(string(out), says) {
			t.Errorf("electop %q with %q: exit code %d, want %d, and %q:\n%s", args, env, got, code, says, out)
		}
	}
	status := func(env []string, code int, says string, flags ...string) {
		t.Helper()
		electop(env, code, says, append([]string{"status", "/private", "--admin", "off"}, flags...)...)
	}
	at := []string{"-s", where, "--connect-timeout", "1m"}
	with := func(flags ...string) []string { return slices.Concat(at, flags) }
	cache := centre.login(t, operator, "operator", "1h")

	status(env, 0, "amber", with("--krb5-keytab", operator)...)
	status(env, 0, "amber", with("--krb5-keytab", operator, "--krb5-principal", "operator", "--krb5-service", "zookeeper/localhost@"+realm)...)
	status(append(env, "KRB5CCNAME=FILE:"+cache), 0, "amber", with("--krb5")...)
	status(append(env, "KRB5CCNAME="+cache, "ELECTOP_KRB5=true"), 0, "amber", at...)
	file := configured(t, fmt.Sprintf("[clusters.prod]\nservers = %q\nkrb5-keytab = %q\nkrb5-principal = \"operator\"\nkrb5-service = \"zookeeper\"\n", where, operator))
	status(slices.Concat(env, file), 0, "amber", "--cluster", "prod", "--connect-timeout", "1m")
	electop(slices.Concat(env, file), 0, "operator", "info", "--cluster", "prod")
	electop(env, 7, "", append([]string{"campaign", "/ours", "--create"}, with("--krb5-keytab", operator, "--", "sh", "-c", "exit 7")...)...)

	status(env, 1, "ACL", with("--krb5-keytab", reader)...)
	status(env, 1, "requires authentication", at...)
	status(env, 1, "does not offer DIGEST-MD5", with("--auth-file", secretFile(t, "sasl:u:p\n"))...)
	status(env, 2, "more than one account for SASL", with("--krb5-keytab", operator, "--auth-file", secretFile(t, "sasl:u:p\n"))...)
	status(env, 2, "no such file", with("--krb5-keytab", filepath.Join(t.TempDir(), "none"))...)
	status(env, 2, "malformed", with("--krb5-keytab", secretFile(t, "\x05\x02\x00\x00\x00\x40x"))...)
	status(env, 2, "no key of nobody@"+realm, with("--krb5-keytab", operator, "--krb5-principal", "nobody")...)
	status(append(env, "KRB5CCNAME="+filepath.Join(t.TempDir(), "none")), 2, "run kinit", with("--krb5")...)
	status(append(env, "KRB5CCNAME=KCM:0"), 2, "reads only files", with("--krb5")...)
	status(append(env, "KRB5CCNAME="+cache), 2, "not of reader@", with("--krb5-principal", "reader")...)
	status(append(env, "KRB5CCNAME="+secretFile(t, "\x05\x04\x00")), 2, "malformed", with("--krb5")...)
	status([]string{"KRB5_CONFIG=" + filepath.Join(t.TempDir(), "none")}, 2, "configuration of Kerberos", with("--krb5")...)

	// What may be different on the next attempt is not final.
	for says, o := range map[string]sasl.KerberosOptions{
		"does not know the server as other/localhost@" + realm: {Service: "other", Getenv: in(centre.config)},
		"KDC is not reached": {Getenv: in(secretFile(t, krb5Config(zktest.FreeAddr(t))))},
	} {
		o.Keytab = operator
		account, err := sasl.NewKerberos(o)
		if err == nil {
			_, err = account.Begin(t.Context(), "localhost")
		}
		if err == nil || errors.Is(err, sasl.ErrRejected) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}

	// The rest is final. A ticket that lasts a second expires.
	brief := centre.login(t, operator, "operator", "1s")
	for valid := true; valid; time.Sleep(50 * time.Millisecond) {
		valid = exec.Command("klist", "-s", "-c", brief).Run() == nil
	}
	status(append(env, "KRB5CCNAME="+brief), 1, "expired at", with("--krb5")...)
	centre.admin(t, "delprinc -force reader/host")
	status(env, 1, "does not know this principal", with("--krb5-keytab", reader)...)
	centre.keytab(t, "operator")
	status(env, 1, "was the password changed", with("--krb5-keytab", operator)...)
	centre.keytab(t, "zookeeper/localhost")
	status(env, 1, "does not accept the ticket of operator@"+realm+" for zookeeper/localhost@"+realm, with("--krb5-keytab", centre.keytab(t, "operator"))...)
}
