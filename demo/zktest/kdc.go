package zktest

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Realm is the realm of a [KDC].
const Realm = "ELECTOP.TEST"

// A KDC is a Kerberos key distribution centre of MIT's, with a database, a configuration
// and a port of its own. It ends with the test.
type KDC struct {
	Config string // krb5.conf

	dir string
	env []string
}

// NewKDC starts a KDC that knows nobody yet.
func NewKDC(t testing.TB) *KDC {
	t.Helper()
	Require(t, "krb5-kdc", "/usr/sbin/krb5kdc", "/usr/sbin/kdb5_util")
	Require(t, "krb5-admin-server", "/usr/sbin/kadmin.local")
	Require(t, "krb5-user", "kinit")
	dir := t.TempDir()
	addrs, held, err := freeAddrs(loopback)
	if err != nil {
		t.Fatalf("KDC: %v", err)
	}
	defer held.release()
	k := &KDC{Config: filepath.Join(dir, "krb5.conf"), dir: dir}
	profile := filepath.Join(dir, "kdc.conf")
	k.env = []string{"KRB5_CONFIG=" + k.Config, "KRB5_KDC_PROFILE=" + profile}
	k.write(t, k.Config, ClientConfig(addrs[0]))
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
`, addrs[0], Realm, dir))
	k.run(t, "", "/usr/sbin/kdb5_util", "create", "-s", "-r", Realm, "-P", "master")
	held.release() // it listens on the UDP port too
	p := Run(t, "env", append(k.env, "/usr/sbin/krb5kdc", "-n", "-r", Realm, "-P", filepath.Join(dir, "pid"))...)
	for deadline := time.Now().Add(startTimeout); !listens(addrs[0]); time.Sleep(pollInterval) {
		if p.hasEnded() || time.Now().After(deadline) {
			t.Fatalf("the KDC does not listen on %s:\n%s", addrs[0], p.Output())
		}
	}
	return k
}

// ClientConfig is a krb5.conf for a realm whose KDC is at addr. Nothing is asked of DNS.
func ClientConfig(addr string) string {
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
`, Realm, addr)
}

// Keytab adds a principal, gives it new keys if it exists, and returns a keytab with
// them.
func (k *KDC) Keytab(t testing.TB, principal string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "keytab")
	k.Admin(t, "addprinc -randkey "+principal, "ktadd -k "+file+" "+principal)
	if err := os.Chmod(file, 0o600); err != nil {
		t.Fatalf("keytab: %v", err)
	}
	return file
}

// Admin runs commands of kadmin.
func (k *KDC) Admin(t testing.TB, commands ...string) {
	t.Helper()
	k.run(t, strings.Join(commands, "\n")+"\n", "/usr/sbin/kadmin.local", "-r", Realm)
}

// Login gets a ticket of a keytab's principal, for a time as in 1h, and returns the
// ticket cache.
func (k *KDC) Login(t testing.TB, keytab, principal, lifetime string) string {
	t.Helper()
	cache := filepath.Join(t.TempDir(), "cache")
	k.run(t, "", "kinit", "-k", "-t", keytab, "-c", "FILE:"+cache, "-l", lifetime, principal)
	return cache
}

// Serve is what [WithSASL] needs for Kerberos: the principal of the server, zookeeper on
// localhost.
func (k *KDC) Serve(t testing.TB) []Option {
	t.Helper()
	principal := "zookeeper/localhost@" + Realm
	return []Option{
		WithProperty("java.security.krb5.conf", k.Config),
		WithSASL(fmt.Sprintf("com.sun.security.auth.module.Krb5LoginModule required\n  useKeyTab=true storeKey=true useTicketCache=false keyTab=%q principal=%q;",
			k.Keytab(t, principal), principal)),
	}
}

func (k *KDC) run(t testing.TB, input, command string, args ...string) {
	t.Helper()
	cmd := exec.Command(command, args...)
	cmd.Env = append(os.Environ(), k.env...)
	cmd.Stdin = strings.NewReader(input)
	if out, err := cmd.CombinedOutput(); err != nil || bytes.Contains(out, []byte("kadmin.local: ")) && bytes.Contains(out, []byte(" while ")) && !bytes.Contains(out, []byte("already exists")) {
		t.Fatalf("%s %q: %v\n%s", command, args, err, out)
	}
}

func (k *KDC) write(t testing.TB, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatalf("KDC: %v", err)
	}
}

// ClosedPort is an address of this machine on which nobody listens.
func ClosedPort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort(loopback, "0"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
