package cli_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-zookeeper/zk"

	"electop/demo/zktest"
	"electop/zkwatch/client"
)

// secretFile writes a file of credentials.
func secretFile(t *testing.T, lines string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "credentials")
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// refusedAtOnce runs commands that the servers refuse: they end long before
// --connect-timeout, and no secret is in what they say.
func refusedAtOnce(t *testing.T, path, says, secret string, flags ...string) {
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
		if code := c.finish(t); code != 1 || !strings.Contains(c.errs.all(), says) || strings.Contains(c.errs.all(), secret) {
			t.Errorf("%s: exit code %d; it said %q, want %q", command, code, c.errs.all(), says)
		}
	}
}

// TestClusterThatDemandsSASL is on a cluster that serves only those who have
// authenticated with SASL, with and without TLS.
func TestClusterThatDemandsSASL(t *testing.T) {
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
	head := believes(t, campaign, "leading")
	if _, stat, err := setup.Get(t.Context(), head); err != nil || stat.EphemeralOwner == 0 {
		t.Errorf("%s: %+v, %v", head, stat, err)
	}
	for _, how := range [][]string{plain, tls} {
		out := printed(t, 0, slices.Concat([]string{"status", "/private", "--json", "--admin", "off"}, how, auth)...)
		if s := decode[statusJSON](t, out); text(s.Leader) != head {
			t.Errorf("status: %+v", s)
		}
	}
	campaign.cancel()
	campaign.finish(t)

	c := run(t, slices.Concat([]string{"status", "/private", "--auth-file", secretFile(t, "sasl:reader:r\n")}, plain)...)
	if code := c.finish(t); code != 1 || !strings.Contains(c.errs.all(), "ACL") {
		t.Errorf("another account: exit code %d, %s", code, c.errs.all())
	}
	refusedAtOnce(t, "/private", "requires authentication", secret, plain...)
	refusedAtOnce(t, "/private", "user or password is wrong", "wrong-horse", append(plain, "--auth-file", secretFile(t, "sasl:operator:wrong-horse\n"))...)

	x := openTerminal(t, 120, 36, slices.Concat([]string{"/private"}, plain)...)
	x.sees("The servers refuse this client", "requires authentication", "electop help authentication")
	x.quits("\x03")

	b, err := os.ReadFile(log)
	if err != nil || len(b) == 0 || strings.Contains(string(b), secret) || strings.Contains(campaign.out.all()+campaign.errs.all(), secret) {
		t.Errorf("the log has %d bytes, and perhaps the password: %v", len(b), err)
	}
}
