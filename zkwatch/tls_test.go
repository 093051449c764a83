package zkwatch_test

import (
	"crypto/tls"
	"strings"
	"testing"

	"electop/demo/zktest"
	"electop/model"
	"electop/model/doctor"
	"electop/zkwatch/candidate"
	"electop/zkwatch/client"
	"electop/zkwatch/internal/electiontest"
)

func loadTLS(c *zktest.Certificates, serverName string) *tls.Config {
	return zktest.Must(client.LoadTLS(c.CA, c.Cert, c.Key, serverName))
}

func TestTLSToApache(t *testing.T) {
	t.Parallel()
	certs := zktest.NewCertificates(t)
	server := zktest.NewApache(t, zktest.WithTLS(certs))
	path := electiontest.ElectionPath(t)

	t.Run("election over TLS", func(t *testing.T) {
		cfg := electiontest.Config(t, server.Secure)
		cfg.TLS = loadTLS(certs, "")
		w := electiontest.Observe(t, cfg, model.Config{Path: path, AckPath: path + "-leader"})
		w.Await(t, "absence of the election znode", func(s *doctor.State) bool { return s.Phase == model.NoParent })
		a := electiontest.RunCandidate(t, candidate.Config{Conn: cfg, Path: path, Create: true, Ack: path + "-leader"})
		a.AwaitBelief(t, model.Leading)
		cfg.TLS = loadTLS(certs, zktest.ServerName)
		b := electiontest.RunCandidate(t, candidate.Config{Conn: cfg, Path: path, Ack: path + "-leader"})
		b.AwaitBelief(t, model.Waiting)
		w.Await(t, "queue of two with an acknowledgement", func(s *doctor.State) bool { return s.Queue.Len() == 2 && s.Acknowledged() })
		a.Kill()
		b.AwaitBelief(t, model.Leading)
	})

	otherCA := zktest.NewCertificates(t)
	for name, c := range map[string]struct {
		addr string
		tls  *tls.Config
		want []string
	}{
		"server cert of another CA":   {server.Secure, loadTLS(otherCA, ""), []string{"TLS handshake", "unknown authority"}},
		"other server name":           {server.Secure, loadTLS(certs, "elsewhere.example"), []string{"TLS handshake", "elsewhere.example"}},
		"no client cert":              {server.Secure, zktest.Must(client.LoadTLS(certs.CA, "", "", "")), []string{"client certificate"}},
		"client cert of another CA":   {server.Secure, zktest.Must(client.LoadTLS(certs.CA, otherCA.Cert, otherCA.Key, "")), []string{"client certificate"}},
		"TLS to the port without TLS": {server.Addr, loadTLS(certs, ""), []string{"TLS handshake", "secureClientPort"}},
		"no TLS to the port with TLS": {server.Secure, nil, []string{server.Secure}},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := electiontest.Config(t, c.addr)
			cfg.TLS = c.tls
			conn := electiontest.Connect(t, cfg)
			defer conn.Close()
			s := electiontest.Wait(t, conn, "a connection or an error", func(s client.Status) bool { return s.Err != nil || s.State == client.Connected })
			if s.State == client.Connected {
				t.Fatal("got a connection, want an error")
			}
			for _, want := range c.want {
				if !strings.Contains(s.Err.Error(), want) {
					t.Errorf("got error %q, want %q in the text", s.Err, want)
				}
			}
			t.Log(s.Err)
		})
	}
}
