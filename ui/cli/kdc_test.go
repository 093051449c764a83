package cli_test

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"electop/demo/zktest"
)

// realm is the realm of a kdc.
const realm = "ELECTOP.TEST"

// A kdc is a Kerberos key distribution centre of MIT's, with a database, a configuration
// and a port of its own. It ends with the test.
type kdc struct {
	config string // krb5.conf

	dir string
	env []string
}

// newKDC starts a KDC that knows nobody yet.
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

// krb5Config is a krb5.conf for a realm whose KDC is at addr. Nothing is asked of DNS.
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

// keytab adds a principal, gives it new keys if it exists, and returns a keytab with
// them.
func (k *kdc) keytab(t testing.TB, principal string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "keytab")
	k.admin(t, "addprinc -randkey "+principal, "ktadd -k "+file+" "+principal)
	if err := os.Chmod(file, 0o600); err != nil {
		t.Fatalf("keytab: %v", err)
	}
	return file
}

// admin runs commands of kadmin.
func (k *kdc) admin(t testing.TB, commands ...string) {
	t.Helper()
	k.run(t, strings.Join(commands, "\n")+"\n", "/usr/sbin/kadmin.local", "-r", realm)
}

// login gets a ticket of a keytab's principal, for a time as in 1h, and returns the
// ticket cache.
func (k *kdc) login(t testing.TB, keytab, principal, lifetime string) string {
	t.Helper()
	cache := filepath.Join(t.TempDir(), "cache")
	k.run(t, "", "kinit", "-k", "-t", keytab, "-c", "FILE:"+cache, "-l", lifetime, principal)
	return cache
}

// serve is what zktest.WithSASL needs for Kerberos: the principal of the server, zookeeper on
// localhost.
func (k *kdc) serve(t testing.TB) []zktest.Option {
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
	if out, err := cmd.CombinedOutput(); err != nil || bytes.Contains(out, []byte("kadmin.local: ")) && bytes.Contains(out, []byte(" while ")) && !bytes.Contains(out, []byte("already exists")) {
		t.Fatalf("%s %q: %v\n%s", command, args, err, out)
	}
}

func (k *kdc) write(t testing.TB, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatalf("KDC: %v", err)
	}
}
