package admin_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

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

// wordsOver serves four-letter words over TLS, and counts who asked for what.
func wordsOver(t *testing.T, cfg *tls.Config, words map[string]string) (addr string) {
	t.Helper()
	l, err := tls.Listen("tcp", "127.0.0.1:0", cfg)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer c.Close()
				b := make([]byte, 4)
				if _, err := io.ReadFull(c, b); err != nil {
					return
				}
				io.WriteString(c, words[string(b)])
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		wg.Wait()
	})
	return l.Addr().String()
}

// certified is a server with a certificate for the loopback that wants one of
// clients too, and its client.
func certified(t *testing.T) (server *tls.Config, caller *tls.Config) {
	t.Helper()
	certs := zktest.NewCertificates(t)
	caller, err := client.LoadTLS(certs.CA, certs.Cert, certs.Key, "")
	if err != nil {
		t.Fatal(err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	own, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	server = &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
		ClientAuth:   tls.RequireAndVerifyClientCert, ClientCAs: caller.RootCAs,
	}
	caller.RootCAs = x509.NewCertPool()
	caller.RootCAs.AddCert(own)
	return server, caller
}

var scripted = map[string]string{
	"srvr": "Zookeeper version: 3.8.0-x, built on y\nConnections: 2\nZxid: 0x5\nMode: standalone\n",
	"mntr": "zk_version\t3.8.0\nzk_watch_count\t3\n",
	"wchs": "1 connections watching 1 paths\nTotal watches:1\n",
	"conf": "clientPort=-1\nsecureClientPort=2281\ntickTime=2000\nserverId=0\n",
	"cons": " /10.9.9.9:5[1](queued=0,recved=1,sent=1,sid=0x7,lop=PING,est=1,to=10000,lresp=5)\n /10.9.9.9:6[0](queued=0,recved=1,sent=0)\n\n",
	"dump": "SessionTracker dump:\nephemeral nodes dump:\n0x7:\n\t/election/n_0000000000\nConnections dump:\n",
	"wchp": "/election/n_0000000000\n\t0x7\n\n",
}

func TestWordsOverTLS(t *testing.T) {
	server, client := certified(t)
	addr := wordsOver(t, server, scripted)
	_, port, _ := net.SplitHostPort(addr)
	stranger := client.Clone()
	_, other := certified(t)
	stranger.RootCAs = other.RootCAs
	without := client.Clone()
	without.Certificates = nil
	elsewhere := client.Clone()
	elsewhere.ServerName = "elsewhere.example"

	for name, c := range map[string]struct {
		addr string
		tls  *tls.Config
		why  string // "": it works
	}{
		"an address":                   {addr, client, ""},
		"a name":                       {"localhost:" + port, client, ""},
		"of an unknown authority":      {addr, stranger, "unknown authority"},
		"for another name":             {addr, elsewhere, "elsewhere.example"},
		"without a client certificate": {addr, without, "certificate"},
	} {
		got := ask(t, admin.Config{Mode: admin.FourLetter, Servers: []string{c.addr}, DialTLS: c.tls}, "/election").Servers[0]
		if c.why == "" {
			for _, a := range []session.Answer{got.Basic, got.Connections, got.Sessions, got.Watches} {
				if a.State != session.Answered || a.Via != "4lw" {
					t.Errorf("%s: %+v", name, a)
				}
			}
			if len(got.Clients) != 1 || len(got.Watched) != 1 || len(got.Ephemerals) != 1 {
				t.Errorf("%s: %+v", name, got)
			}
			continue
		}
		if got.Basic.State != session.Failed || got.Connections.State != session.Failed || !strings.Contains(got.Basic.Why, c.why) {
			t.Errorf("%s: %+v", name, got.Basic)
		}
	}
}

// TestAdminServerOverTLS is an AdminServer behind https.
func TestAdminServerOverTLS(t *testing.T) {
	server, client := certified(t)
	answers := map[string]string{
		"server_stats":    `"version":"3.8.0-x","server_stats":{"server_state":"standalone","num_alive_client_connections":1}`,
		"configuration":   `"client_port":-1,"tick_time":2000,"server_id":0`,
		"monitor":         `"watch_count":3`,
		"watch_summary":   `"num_total_watches":1`,
		"connections":     `"connections":[],"secure_connections":[{"remote_socket_address":"10.9.9.9:5","session_id":7,"session_timeout":10000}]`,
		"dump":            `"expiry_time_to_session_ids":{},"session_id_to_ephemeral_paths":{"7":["/election/n_0000000000"]}`,
		"watches_by_path": `"path_to_session_ids":{"/election/n_0000000000":[7]}`,
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/commands/")
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"command":%q,"error":null,%s}`, name, answers[name])
	}))
	s.TLS = server
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	_, other := certified(t)
	for name, c := range map[string]struct {
		tls *tls.Config
		why string
	}{
		"its own":              {client, ""},
		"of another authority": {other, "unknown authority"},
		"none":                 {nil, "certificate"},
	} {
		got := ask(t, admin.Config{Mode: admin.HTTP, URL: "https://{host}:" + port + "/commands", Servers: []string{"127.0.0.1:1"}, DialTLS: c.tls}, "/election").Servers[0]
		if c.why != "" {
			if got.Basic.State != session.Failed || !strings.Contains(got.Basic.Why, c.why) {
				t.Errorf("%s: %+v", name, got.Basic)
			}
			continue
		}
		for _, a := range []session.Answer{got.Basic, got.Connections, got.Sessions, got.Watches} {
			if a.State != session.Answered || a.Via != "http" {
				t.Errorf("%s: %+v", name, a)
			}
		}
		if len(got.Clients) != 1 || len(got.Watched) != 1 || len(got.Ephemerals) != 1 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
