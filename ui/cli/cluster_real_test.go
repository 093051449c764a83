package cli_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/demo/zktest"
)

// configured writes a configuration and returns the environment that has it.
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

// TestSecuredClusterByName reaches a cluster with TLS and credentials by its name alone,
// and by the environment alone.
func TestSecuredClusterByName(t *testing.T) {
	zktest.Second(t)
	t.Parallel()
	certs := zktest.NewCertificates(t)
	server := zktest.NewApache(t, zktest.WithTLS(certs))
	authFile := filepath.Join(t.TempDir(), "credentials")
	if err := os.WriteFile(authFile, []byte("digest:operator:sesame\n"), 0o600); err != nil {
		t.Fatal(err)
	}
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
		t.Errorf("by the file: %s", out)
	}
	// The servers alone get nothing of the cluster.
	if out := status(file, 1, "-s", server.Addr, "/private"); !strings.Contains(out, "ACL") {
		t.Errorf("without the cluster: %s", out)
	}
	variables := []string{
		"ELECTOP_SERVERS=" + server.Secure, "ELECTOP_AUTH_FILE=" + authFile,
		"ELECTOP_TLS_CA=" + certs.CA, "ELECTOP_TLS_CERT=" + certs.Cert, "ELECTOP_TLS_KEY=" + certs.Key,
	}
	if out := status(variables, 0, "/private"); !strings.Contains(out, "amber") {
		t.Errorf("by the environment: %s", out)
	}
	// What the environment has beats the file.
	if out := status(append(file, "ELECTOP_TLS_CA="+authFile), 2, "--cluster", "prod"); strings.Contains(out, "sesame") {
		t.Errorf("the password is shown: %s", out)
	}
}

// TestDashboardOnACluster watches the paths of the cluster, which is also the default one.
func TestDashboardOnACluster(t *testing.T) {
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

// TestTurnToAnotherCluster from the list of actions of the dashboard, and back from one that
// is not reached.
func TestTurnToAnotherCluster(t *testing.T) {
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
		x.sees("cluster dead", "leave these elections")
		x.press("\r")
		x.sees("amber", "leads", "Can't turn to cluster dead: no server of 127.0.0.1:1 reached")
		x.press(":cluster s")
		x.sees("cluster second", "leave these elections")
		x.press("\r")
		x.sees("birch", "leads", "second ")
		x.quits("q")
	})
}
