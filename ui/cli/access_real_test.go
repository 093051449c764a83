package cli_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-zookeeper/zk"

	"electop/demo/zktest"
)

// TestSecuredCluster goes through TLS with a client certificate, a chroot and
// digest credentials to an election that nobody else may list.
func TestSecuredCluster(t *testing.T) {
	t.Parallel()
	const secret = "correct-horse"
	certs := zktest.NewCertificates(t)
	server := zktest.NewApache(t, zktest.WithTLS(certs))
	authFile := filepath.Join(t.TempDir(), "credentials")
	if err := os.WriteFile(authFile, []byte("# ours\ndigest:operator:"+secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	setup := session(t, server.Addr)
	if err := setup.AddAuth("digest", []byte("operator:"+secret)); err != nil {
		t.Fatal(err)
	}
	if _, err := setup.Create("/team", nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	if _, err := setup.Create("/team/private", nil, 0, zk.AuthACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	where := []string{"--servers", server.Secure + "/team", "--connect-timeout", "1m"}
	tls := []string{"--tls-ca", certs.CA, "--tls-cert", certs.Cert, "--tls-key", certs.Key}
	auth := []string{"--auth-file", authFile}
	log := filepath.Join(t.TempDir(), "log")
	all := slices.Concat(where, tls, auth, []string{"--log-file", log})

	campaign := func(name string) *command {
		return run(t, slices.Concat([]string{"campaign", "/private", "--json", "--name", name}, all)...)
	}
	amber := campaign("amber")
	head := believes(t, amber, "leading")
	birch := campaign("birch")
	believes(t, birch, "waiting")
	// The creator's are all the identities that the session has.
	acl, _, err := setup.GetACL("/team" + head)
	for _, a := range acl {
		if want := map[string]int32{"digest": zk.PermAll, "x509": zk.PermAll, "world": zk.PermRead}[a.Scheme]; a.Perms != want {
			t.Errorf("the ACL of our znode: %v", acl)
		}
	}
	if err != nil || len(acl) != 3 {
		t.Errorf("the ACL of our znode: %v, %v", acl, err)
	}

	record := filepath.Join(t.TempDir(), "recording")
	events := run(t, slices.Concat([]string{"events", "/private", "--json", "--record", record}, all)...)
	events.out.await(t, "the first state", func(s string) bool { return strings.Contains(s, "\n") })

	for _, name := range []string{"", zktest.ServerName} {
		args := slices.Concat([]string{"status", "/private", "--json", "--admin", "4lw"}, all)
		if name != "" {
			args = append(args, "--tls-server-name", name)
		}
		s := decode[statusJSON](t, printed(t, 0, args...))
		if len(s.Candidates) != 2 || text(s.Leader) != head || s.Candidates[1].WatchState != "verified" {
			t.Errorf("status with TLS: %+v", s)
		}
	}

	amber.cancel()
	amber.finish(t)
	believes(t, birch, "leading")
	events.out.await(t, "the handoff", func(s string) bool { return strings.Contains(s, `"type":"handoff"`) })
	events.cancel()
	events.finish(t)

	for what, refused := range map[string]struct {
		code  int
		says  string
		flags []string
	}{
		"no credentials":      {1, "ACL", tls},
		"no certificate":      {3, "", slices.Concat(tls[:2], auth)},
		"no authority":        {3, "certificate", slices.Concat([]string{"--tls"}, tls[2:], auth)},
		"another server name": {3, "certificate", slices.Concat(tls, auth, []string{"--tls-server-name", "other.example"})},
		"no TLS":              {3, "want TLS", auth},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			c := run(t, slices.Concat([]string{"status", "/private", "--servers", server.Secure + "/team", "--connect-timeout", "10s"}, refused.flags)...)
			if code := c.finish(t); code != refused.code || !strings.Contains(c.errs.all(), refused.says) {
				t.Errorf("exit code %d, want %d; it said %q, want %q", code, refused.code, c.errs.all(), refused.says)
			}
		})
	}

	for _, file := range []string{log, record} {
		b, err := os.ReadFile(file)
		if err != nil || len(b) == 0 {
			t.Errorf("%s: %d bytes, %v", file, len(b), err)
		}
		if strings.Contains(string(b), secret) {
			t.Errorf("the password is in %s", filepath.Base(file))
		}
	}
	for _, c := range []*command{amber, birch, events} {
		if said := c.out.all() + c.errs.all(); strings.Contains(said, secret) {
			t.Errorf("the password is in what was printed: %s", said)
		}
	}
}

// An AdminServer of another ensemble may answer at the URL that was given. It
// knows none of the candidates, which is no sign that any is in trouble.
func TestAdminServerOfAnotherEnsemble(t *testing.T) {
	zktest.Second(t)
	t.Parallel()
	server, other := zktest.NewApache(t), zktest.NewApache(t, zktest.WithAdmin())
	c := session(t, server.Addr)
	if _, err := c.Create("/e", nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	stand(t, c, "/e", "")
	for _, command := range []string{"doctor", "status"} {
		out := printed(t, 0, command, "/e", "--json", "-s", server.Addr, "--admin", "http", "--admin-url", "http://"+other.Admin+"/commands")
		if strings.Contains(out, "zombie-leader") || strings.Contains(out, `"expires_within_ms":0`) {
			t.Errorf("%s believes a stranger: %s", command, out)
		}
	}
}

// Servers drop a client whose scheme they do not know, each time that it comes: electop
// says so at once.
func TestSchemeThatServersRefuse(t *testing.T) {
	t.Parallel()
	const secret = "correct-horse"
	server := zktest.NewApache(t)
	file := filepath.Join(t.TempDir(), "credentials")
	if err := os.WriteFile(file, []byte("martian:operator:"+secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := run(t, "status", "/e", "-s", server.Addr, "--connect-timeout", "1h", "--auth-file", file)
	code := c.finish(t)
	if errs := c.errs.all(); code != 1 || !strings.Contains(errs, "refuses this client: ") || !strings.Contains(errs, "scheme martian") || strings.Contains(errs, secret) {
		t.Errorf("exit code %d: %s", code, errs)
	}
}
