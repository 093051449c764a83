package transport

import (
	"crypto/tls"
	"testing"
)

func TestCertificateName(t *testing.T) {
	for addr, want := range map[string]string{"zk1:2181": "zk1", "[2001:db8::1]:2181": "2001:db8::1", "[fe80::1%eth0]:2181": "fe80::1"} {
		if c := forHost(&tls.Config{}, addr); c.ServerName != want {
			t.Errorf("%s: the certificate is for %q, want %q", addr, c.ServerName, want)
		}
	}
	if c := forHost(&tls.Config{ServerName: "zk"}, "zk1:2181"); c.ServerName != "zk" {
		t.Errorf("a configured name is replaced by %q", c.ServerName)
	}
}
