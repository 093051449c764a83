package admin

import (
	"crypto/tls"
	"strings"
	"testing"
)

func TestCheckURL(t *testing.T) {
	for _, good := range []string{DefaultURL, "https://{host}/commands", "http://[::1]:8080/commands", "http://user:secret@{host}:8080/commands/"} {
		if err := CheckURL(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{"", "localhost:8080", "ftp://{host}/", "http://", "http://{host}:8080/commands?x=1", "http://us\x7fer:secret@{host}", "/commands", "{host}"} {
		if err := CheckURL(bad); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for _, short := range []string{"http://{host}:8080", "http://{host}:8080/"} {
		if u, err := expand(short, "zk1"); u != "http://zk1:8080/commands" {
			t.Errorf("%s: %s, %v", short, u, err)
		}
	}
	if u, err := expand(DefaultURL, "2001:db8::1"); u != "http://[2001:db8::1]:8080/commands" {
		t.Errorf("IPv6: %s, %v", u, err)
	}
	if u, err := expand(DefaultURL, "fe80::1%eth0"); u != "http://[fe80::1%25eth0]:8080/commands" {
		t.Errorf("IPv6 with a zone: %s, %v", u, err)
	}
}

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
