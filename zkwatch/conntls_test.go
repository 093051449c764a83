package zkwatch_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/model"
	"electop/model/doctor"
	"electop/zkwatch"
)

// loadTLS is LoadTLS with what the authority gave the client.
func loadTLS(t *testing.T, c *zktest.Certificates, serverName string) *tls.Config {
	t.Helper()
	cfg, err := zkwatch.LoadTLS(c.CA, c.Cert, c.Key, serverName)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func TestTLSToApache(t *testing.T) {
	certs := zktest.NewCertificates(t)
	server := zktest.NewApache(t, zktest.WithTLS(certs))
	path := electionPath(t)

	t.Run("works", func(t *testing.T) {
		cfg := config(t, server.Secure)
		cfg.TLS = loadTLS(t, certs, "")
		w := observe(t, cfg, model.Config{Path: path, AckPath: path + "-leader"})
		w.await(t, "absent", func(s *doctor.State) bool { return s.Phase == model.NoParent })
		a := stand(t, zkwatch.CandidateConfig{Conn: cfg, Path: path, Create: true, Ack: path + "-leader"})
		a.believes(t, model.Leading)
		cfg.TLS = loadTLS(t, certs, zktest.ServerName)
		b := stand(t, zkwatch.CandidateConfig{Conn: cfg, Path: path, Ack: path + "-leader"})
		b.believes(t, model.Waiting)
		w.await(t, "both", func(s *doctor.State) bool { return len(s.Queue) == 2 && s.Acknowledged() })
		a.Kill()
		b.believes(t, model.Leading)
	})

	stranger := zktest.NewCertificates(t)
	for name, c := range map[string]struct {
		addr string
		tls  func(t *testing.T) *tls.Config
		want []string
	}{
		"another authority": {server.Secure, func(t *testing.T) *tls.Config { return loadTLS(t, stranger, "") }, []string{"TLS handshake", "unknown authority"}},
		"another name":      {server.Secure, func(t *testing.T) *tls.Config { return loadTLS(t, certs, "elsewhere.example") }, []string{"TLS handshake", "elsewhere.example"}},
		"no client cert":    {server.Secure, func(t *testing.T) *tls.Config { return must(zkwatch.LoadTLS(certs.CA, "", "", "")) }, []string{"client certificate"}},
		"a stranger's cert": {server.Secure, func(t *testing.T) *tls.Config {
			return must(zkwatch.LoadTLS(certs.CA, stranger.Cert, stranger.Key, ""))
		}, []string{"client certificate"}},
		"the port without TLS": {server.Addr, func(t *testing.T) *tls.Config { return loadTLS(t, certs, "") }, []string{"TLS handshake", "secureClientPort"}},
		"without TLS":          {server.Secure, func(*testing.T) *tls.Config { return nil }, []string{server.Secure}},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := config(t, c.addr)
			cfg.TLS = c.tls(t)
			conn := connect(t, cfg)
			defer conn.Close()
			s := awaitStatus(t, conn, func(s zkwatch.Status) bool { return s.Err != nil || s.State == zkwatch.Connected })
			if s.State == zkwatch.Connected {
				t.Fatal("connected")
			}
			for _, want := range c.want {
				if !strings.Contains(s.Err.Error(), want) {
					t.Errorf("%q does not say %q", s.Err, want)
				}
			}
			t.Log(s.Err)
		})
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// awaitStatus waits for a status that holds.
func awaitStatus(t *testing.T, c *zkwatch.Conn, holds func(zkwatch.Status) bool) zkwatch.Status {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), waitFor)
	defer cancel()
	for s := range c.Subscribe(ctx) {
		if holds(s) {
			return s
		}
	}
	t.Fatalf("never: status %+v", c.Status())
	return zkwatch.Status{}
}

// authority is a certificate authority of a test's own.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	a := &authority{}
	a.cert, a.key = a.sign(t, &x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign})
	return a
}

func (a *authority) sign(t *testing.T, template *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template.SerialNumber, template.Subject = big.NewInt(time.Now().UnixNano()), pkix.Name{CommonName: "test"}
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = template, key
	}
	der := must(x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer))
	return must(x509.ParseCertificate(der)), key
}

// serverConfig is that of a server whose certificate is for these names and
// addresses, and who wants one of the client.
func (a *authority) serverConfig(t *testing.T, names []string, addrs ...net.IP) *tls.Config {
	cert, key := a.sign(t, &x509.Certificate{DNSNames: names, IPAddresses: addrs, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}})
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{cert.Raw}, PrivateKey: key}},
		ClientCAs:    pool, ClientAuth: tls.RequireAndVerifyClientCert,
	}
}

// files are the PEM files of a client: the CA's, its certificate's, its key's.
func (a *authority) files(t *testing.T) (ca, cert, key string) {
	t.Helper()
	c, k := a.sign(t, &x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	return pemFile(t, "CERTIFICATE", a.cert.Raw), pemFile(t, "CERTIFICATE", c.Raw), pemFile(t, "PRIVATE KEY", must(x509.MarshalPKCS8PrivateKey(k)))
}

func pemFile(t *testing.T, kind string, der []byte) string {
	t.Helper()
	return file(t, string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})))
}

func file(t *testing.T, content string) string {
	t.Helper()
	f := must(os.CreateTemp(t.TempDir(), "f"))
	defer f.Close()
	must(f.WriteString(content))
	return f.Name()
}

// secure serves an embedded server with TLS at a loopback address.
func secure(t *testing.T, host string, cfg *tls.Config) string {
	t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Skipf("SKIP: no loopback address %s: %v", host, err)
	}
	s := zkserver.New(zkserver.Options{})
	var wg sync.WaitGroup
	wg.Go(func() { s.Serve(tls.NewListener(l, cfg)) })
	t.Cleanup(func() { s.Close(); l.Close(); wg.Wait() })
	return l.Addr().String()
}

// Each server's certificate has to be for its own host, in brackets or not, and
// one that is not is passed over. TLS 1.3 tells of a refused client certificate
// only after the handshake.
func TestTLSServerNames(t *testing.T) {
	a := newAuthority(t)
	ca, cert, key := a.files(t)
	six := secure(t, "::1", a.serverConfig(t, nil, net.IPv6loopback))
	four := secure(t, "127.0.0.1", a.serverConfig(t, nil, net.IPv4(127, 0, 0, 1)))
	wrong := secure(t, "127.0.0.1", a.serverConfig(t, []string{"elsewhere.example"}))
	connected := func(s zkwatch.Status) bool { return s.State == zkwatch.Connected }

	t.Run("several", func(t *testing.T) {
		cfg := config(t, strings.Join([]string{wrong, six, four}, ","))
		cfg.TLS = must(zkwatch.LoadTLS(ca, cert, key, ""))
		cfg.Shuffle = func(int, func(int, int)) {}
		c := connect(t, cfg)
		if s := awaitStatus(t, c, connected); s.Server != six {
			t.Errorf("connected to %s, want %s", s.Server, six)
		}
		if _, err := c.Create(t.Context(), "/a", nil, 0, world); err != nil {
			t.Error(err)
		}
	})
	t.Run("one name for all", func(t *testing.T) {
		cfg := config(t, strings.Join([]string{six, four, wrong}, ","))
		cfg.TLS = must(zkwatch.LoadTLS(ca, cert, key, "elsewhere.example"))
		if s := awaitStatus(t, connect(t, cfg), connected); s.Server != wrong {
			t.Errorf("connected to %s, want %s", s.Server, wrong)
		}
	})
	t.Run("no client certificate", func(t *testing.T) {
		cfg := config(t, four)
		cfg.TLS = must(zkwatch.LoadTLS(ca, "", "", ""))
		s := awaitStatus(t, connect(t, cfg), func(s zkwatch.Status) bool { return s.Err != nil || s.State == zkwatch.Connected })
		if s.Err == nil || !strings.Contains(s.Err.Error(), "client certificate") {
			t.Errorf("status %+v", s)
		}
	})
	t.Run("an old server", func(t *testing.T) {
		old := a.serverConfig(t, nil, net.IPv4(127, 0, 0, 1))
		old.MinVersion, old.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
		cfg := config(t, secure(t, "127.0.0.1", old))
		cfg.TLS = must(zkwatch.LoadTLS(ca, cert, key, ""))
		cfg.TLS.MinVersion = 0 // whoever made it
		s := awaitStatus(t, connect(t, cfg), func(s zkwatch.Status) bool { return s.Err != nil || s.State == zkwatch.Connected })
		if s.Err == nil || !strings.Contains(s.Err.Error(), "TLS") {
			t.Errorf("status %+v", s)
		}
	})
	t.Run("cut", func(t *testing.T) {
		cfg := config(t, four)
		cfg.TLS = must(zkwatch.LoadTLS(ca, cert, key, ""))
		c, other := connect(t, cfg), connect(t, cfg)
		awaitStatus(t, c, connected)
		awaitStatus(t, other, connected)
		for _, p := range []string{"/cut", "/closed"} {
			if _, err := c.Create(t.Context(), p, nil, zk.FlagEphemeral, world); err != nil {
				t.Fatal(err)
			}
			if p == "/cut" {
				c.Cut()
				if ok, _, err := other.Exists(t.Context(), p); err != nil || !ok {
					t.Errorf("a cut Conn's znode: %v, %v", ok, err)
				}
				c = connect(t, cfg)
				awaitStatus(t, c, connected)
				continue
			}
			c.Close()
			if ok, _, err := other.Exists(t.Context(), p); err != nil || ok {
				t.Errorf("a closed Conn's znode: %v, %v", ok, err)
			}
		}
	})
}

// A server that says nothing costs the time for one attempt and no more.
func TestTLSHandshakeIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &peer{accept: func(_ int, c net.Conn) bool {
			for b := make([]byte, 100); ; {
				if _, err := c.Read(b); err != nil {
					return true
				}
			}
		}}
		began := time.Now()
		c := p.connect(t, func(cfg *zkwatch.Config) { cfg.TLS = &tls.Config{}; cfg.DialTimeout = 2 * time.Second })
		s := awaitStatus(t, c, func(s zkwatch.Status) bool { return s.Err != nil })
		if took := time.Since(began); took != 2*time.Second { // virtual
			t.Errorf("an attempt took %v", took)
		}
		if !errors.Is(s.Err, os.ErrDeadlineExceeded) || !strings.Contains(s.Err.Error(), "TLS handshake: no answer within 2s") {
			t.Errorf("error %q", s.Err)
		}
	})
}

func TestLoadTLSNamesTheFile(t *testing.T) {
	a := newAuthority(t)
	ca, cert, key := a.files(t)
	_, _, otherKey := a.files(t)
	const secret = "c2VjcmV0IHRleHQ" // in every broken file
	broken := file(t, secret)
	rotten := file(t, "-----BEGIN CERTIFICATE-----\n"+secret+"\n-----END CERTIFICATE-----\n")
	rottenKey := file(t, "-----BEGIN "+strings.ToUpper(secret)+"-----\n"+secret+"\n-----END "+strings.ToUpper(secret)+"-----\n-----BEGIN PRIVATE KEY-----\n"+secret+"\n-----END PRIVATE KEY-----\n")
	locked := file(t, "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"+secret+"\n-----END ENCRYPTED PRIVATE KEY-----\n")
	large := file(t, strings.Repeat("x", 5<<20))
	missing := filepath.Join(t.TempDir(), "missing.pem")
	for name, c := range map[string]struct{ ca, cert, key, server, bad string }{
		"no such CA":           {missing, cert, key, "", missing},
		"no CA in it":          {broken, cert, key, "", broken},
		"a key for a CA":       {key, cert, key, "", key},
		"a rotten CA":          {rotten, cert, key, "", rotten},
		"a large CA":           {large, cert, key, "", large},
		"a folder":             {t.TempDir(), cert, key, "", "CA file"},
		"no such certificate":  {ca, missing, key, "", missing},
		"a key for it":         {ca, key, key, "", key},
		"a rotten certificate": {ca, rotten, key, "", rotten},
		"no such key":          {ca, cert, missing, "", missing},
		"no key in it":         {ca, cert, cert, "", cert},
		"a rotten key":         {ca, cert, rottenKey, "", rottenKey},
		"an encrypted key":     {ca, cert, locked, "", locked},
		"another's key":        {ca, cert, otherKey, "", otherKey},
		"no key":               {ca, cert, "", "", cert},
		"no certificate":       {ca, "", key, "", key},
		"no server name":       {ca, cert, key, "a b", "server name"},
	} {
		_, err := zkwatch.LoadTLS(c.ca, c.cert, c.key, c.server)
		switch {
		case err == nil:
			t.Errorf("%s: accepted", name)
		case !strings.Contains(err.Error(), c.bad):
			t.Errorf("%s: %q does not name %s", name, err, c.bad)
		case strings.Contains(strings.ToUpper(err.Error()), strings.ToUpper(secret)):
			t.Errorf("%s: %q shows what is in it", name, err)
		}
	}
	if os.Getuid() != 0 { // nothing is unreadable for root
		if err := os.Chmod(key, 0); err != nil {
			t.Fatal(err)
		}
		if _, err := zkwatch.LoadTLS(ca, cert, key, ""); !errors.Is(err, os.ErrPermission) || !strings.Contains(err.Error(), key) {
			t.Errorf("an unreadable key: %v", err)
		}
	}
	cfg, err := zkwatch.LoadTLS("", "", "", "")
	if err != nil || cfg.MinVersion != tls.VersionTLS12 || cfg.RootCAs != nil {
		t.Errorf("the system's authorities: %+v, %v", cfg, err)
	}
}
