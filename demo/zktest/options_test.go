package zktest_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"electop/demo/zktest"
)

// TestEnsemble has AdminServers and the four-letter words that it was given, and elects
// another leader.
func TestEnsemble(t *testing.T) {
	t.Parallel()
	e := zktest.NewEnsemble(t, 3, zktest.WithAdmin(), zktest.WithWords("mntr"))
	if n := strings.Count(e.ConnectString(), ":"); n != 3 {
		t.Fatalf("connect string %q, want three servers", e.ConnectString())
	}
	for i, s := range e.Members {
		host, _, _ := strings.Cut(s.Addr, ":")
		r, err := http.Get(strings.Replace(e.AdminURL(), "{host}", host, 1) + "/voting_view")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		// The entry of a member has its own address for clients.
		if err != nil || !strings.Contains(string(body), s.Addr) {
			t.Errorf("member %d at %s: %v\n%s", i+1, s.Addr, err, body)
		}
		if said := s.Ask(t, "mntr"); !strings.Contains(said, "zk_server_state") {
			t.Errorf("mntr: %q", said)
		}
		if said := s.Ask(t, "wchp"); !strings.Contains(said, "not in the whitelist") {
			t.Errorf("wchp: %q", said)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	old := e.Leader(t)
	old.Kill(t)
	if next := e.Leader(t); next == old {
		t.Fatalf("%s leads after it was killed", old.Addr)
	}
	old.Start(t)
	if !old.Serving() {
		t.Errorf("no answer from %s after its restart", old.Addr)
	}
}

func TestServerWithTLS(t *testing.T) {
	t.Parallel()
	c := zktest.NewCertificates(t)
	s := zktest.NewApache(t, zktest.WithTLS(c), zktest.WithTick(50*time.Millisecond))
	if conf := s.Ask(t, "conf"); !strings.Contains(conf, "tickTime=50\n") {
		t.Errorf("another tick: %s", conf)
	}
	authority, err := os.ReadFile(c.CA)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(authority)
	pair, err := tls.LoadX509KeyPair(c.Cert, c.Key)
	if err != nil {
		t.Fatal(err)
	}
	says := func(cfg *tls.Config) (string, error) {
		conn, err := tls.Dial("tcp", s.Secure, cfg)
		if err != nil {
			return "", err
		}
		defer conn.Close()
		conn.SetDeadline(time.Now().Add(20 * time.Second))
		io.WriteString(conn, "ruok")
		said, err := io.ReadAll(conn)
		return string(said), err
	}
	for _, name := range []string{"", zktest.ServerName} {
		if said, err := says(&tls.Config{RootCAs: pool, ServerName: name, Certificates: []tls.Certificate{pair}}); said != "imok" {
			t.Errorf("as %q: %q, %v", name, said, err)
		}
	}
	if said, _ := says(&tls.Config{RootCAs: pool}); said == "imok" {
		t.Error("a client without a certificate is served")
	}
}
