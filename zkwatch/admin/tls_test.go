package admin_test

import (
	"crypto/tls"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/model/session"
	"electop/zkwatch/admin"
	"electop/zkwatch/client"
)

// clientsOf are the sessions of a server's clients.
func clientsOf(s session.Server) (all []uint64) {
	for _, c := range s.Clients {
		all = append(all, c.Session)
	}
	return all
}

// connectTLS is connect to a port with TLS.
func connectTLS(t *testing.T, addr string, cfg *tls.Config) (*client.Conn, uint64) {
	t.Helper()
	cs, err := client.ParseConnectString(addr)
	if err != nil {
		t.Fatal(err)
	}
	return connectWith(t, client.Config{Servers: cs, SessionTimeout: patience, TLS: cfg})
}

// TestBothPortsOfApache has candidates at both ports of one server. By words
// none may seem to be gone, whichever port is asked; the AdminServer lists all.
func TestBothPortsOfApache(t *testing.T) {
	t.Parallel()
	certs := zktest.NewCertificates(t)
	s := zktest.NewApache(t, zktest.WithTLS(certs), zktest.WithAdmin())
	secure, err := client.LoadTLS(certs.CA, certs.Cert, certs.Key, "")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + s.Admin + "/commands"
	warm(t, url)
	plain, first := connect(t, s.Addr, patience)
	create(t, plain, "/election", 0)
	create(t, plain, "/election/n_", 3)

	other, second := connectTLS(t, s.Secure, secure)
	create(t, other, "/election/n_", 3)
	for name, c := range map[string]admin.Config{
		"plain": {Servers: []string{s.Addr}},
		"TLS":   {Servers: []string{s.Secure}, DialTLS: secure},
	} {
		c.URL, c.Mode = url, admin.FourLetter
		got := ask(t, c, "/election").Servers[0]
		if len(got.Clients) != 1 || got.Watches.State != session.Answered || len(got.Ephemerals) != 2 {
			t.Errorf("%s: %+v", name, got)
		}
		if a := got.Connections; a.State != session.Refused || !strings.Contains(a.Hint, "admin.enableServer=true") {
			t.Errorf("%s: %+v", name, a)
		}
		c.Mode = admin.Auto
		got = ask(t, c, "/election").Servers[0]
		if all := clientsOf(got); got.Connections.State != session.Answered || got.Connections.Via != "http" || !slices.Contains(all, first) || !slices.Contains(all, second) {
			t.Errorf("%s, by HTTP: %+v, clients %#x, want %#x and %#x", name, got.Connections, all, first, second)
		}
	}
}

// certified is the configuration of a server with a certificate for the loopback, which
// wants one of clients too, and that of its client.
func certified(t *testing.T) (server, caller *tls.Config) {
	t.Helper()
	a := zktest.NewCertificates(t)
	caller, err := client.LoadTLS(a.CA, a.Cert, a.Key, "")
	if err != nil {
		t.Fatal(err)
	}
	return a.ServerConfig([]string{"localhost"}, net.IPv4(127, 0, 0, 1)), caller
}

// TestOverTLS asks a server whose ports speak TLS, by words and by HTTP.
func TestOverTLS(t *testing.T) {
	server, caller := certified(t)
	s := zkserver.New(zkserver.Options{})
	var ports []string
	var serving sync.WaitGroup
	for _, serve := range []func(net.Listener) error{s.Serve, s.ServeAdmin} {
		l, err := tls.Listen("tcp", "127.0.0.1:0", server)
		if err != nil {
			t.Fatal(err)
		}
		_, port, _ := net.SplitHostPort(l.Addr().String())
		ports = append(ports, port)
		serving.Go(func() { serve(l) })
	}
	t.Cleanup(func() { s.Close(); serving.Wait() })
	addr := "127.0.0.1:" + ports[0]
	c, _ := connectTLS(t, addr, caller)
	create(t, c, "/election", zk.FlagPersistent)
	if _, _, _, err := c.GetW(t.Context(), create(t, c, "/election/n_", zk.FlagEphemeralSequential)); err != nil {
		t.Fatal(err)
	}
	stranger, without, elsewhere := caller.Clone(), caller.Clone(), caller.Clone()
	_, other := certified(t)
	stranger.RootCAs, without.Certificates, elsewhere.ServerName = other.RootCAs, nil, "elsewhere.example"
	for name, x := range map[string]struct {
		addr string
		tls  *tls.Config
		why  string // "": it works
	}{
		"an address":                   {addr, caller, ""},
		"a name":                       {"localhost:" + ports[0], caller, ""},
		"of an unknown authority":      {addr, stranger, "unknown authority"},
		"for another name":             {addr, elsewhere, "elsewhere.example"},
		"without a client certificate": {addr, without, "certificate"},
	} {
		for mode, via := range map[admin.Mode]string{admin.FourLetter: "4lw", admin.HTTP: "http"} {
			got := ask(t, admin.Config{Mode: mode, URL: "https://{host}:" + ports[1], Servers: []string{x.addr}, DialTLS: x.tls}, "/election").Servers[0]
			if x.why != "" {
				if got.Basic.State != session.Failed || got.Connections.State != session.Failed || !strings.Contains(got.Basic.Why, x.why) {
					t.Errorf("%s, %s: %+v", name, mode, got.Basic)
				}
				continue
			}
			for _, a := range []session.Answer{got.Basic, got.Connections, got.Sessions, got.Watches} {
				if a.State != session.Answered || a.Via != via {
					t.Errorf("%s, %s: %+v", name, mode, a)
				}
			}
			if len(got.Clients) != 1 || len(got.Watched) != 1 || len(got.Ephemerals) != 1 {
				t.Errorf("%s, %s: %+v", name, mode, got)
			}
		}
	}
}
