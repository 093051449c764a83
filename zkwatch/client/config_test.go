package client_test

import (
	"crypto/tls"
	"errors"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/zkwatch/client"
	"electop/zkwatch/internal/electiontest"
)

func TestTLS(t *testing.T) {
	a := zktest.NewCertificates(t)
	ca, cert, key := a.CA, a.Cert, a.Key
	ipv6 := serveTLS(t, "::1", a.ServerConfig(nil, net.IPv6loopback))
	ipv4 := serveTLS(t, "127.0.0.1", a.ServerConfig(nil, net.IPv4(127, 0, 0, 1)))
	otherName := serveTLS(t, "127.0.0.1", a.ServerConfig([]string{"elsewhere.example"}))
	fails := func(t *testing.T, cfg client.Config, want string) {
		s := electiontest.Wait(t, electiontest.Connect(t, cfg), "connected or with an error", func(s client.Status) bool {
			return s.Err != nil || s.State == client.Connected
		})
		if s.Err == nil || !strings.Contains(s.Err.Error(), want) {
			t.Errorf("status %+v, want an error with %q", s, want)
		}
	}

	t.Run("a server with a certificate for another host is skipped", func(t *testing.T) {
		cfg := electiontest.Config(t, strings.Join([]string{otherName, ipv6, ipv4}, ","))
		cfg.TLS = zktest.Must(client.LoadTLS(ca, cert, key, ""))
		cfg.Shuffle = func(int, func(int, int)) {}
		c := electiontest.Connect(t, cfg)
		if s := electiontest.WaitState(t, c, client.Connected); s.Server != ipv6 {
			t.Errorf("connected to %s, want %s", s.Server, ipv6)
		}
		if _, err := c.Create(t.Context(), "/a", nil, 0, electiontest.Open); err != nil {
			t.Error(err)
		}
	})
	t.Run("ServerName replaces the host", func(t *testing.T) {
		cfg := electiontest.Config(t, strings.Join([]string{ipv6, ipv4, otherName}, ","))
		cfg.TLS = zktest.Must(client.LoadTLS(ca, cert, key, "elsewhere.example"))
		if s := electiontest.WaitState(t, electiontest.Connect(t, cfg), client.Connected); s.Server != otherName {
			t.Errorf("connected to %s, want %s", s.Server, otherName)
		}
	})
	t.Run("no client certificate", func(t *testing.T) {
		cfg := electiontest.Config(t, ipv4)
		cfg.TLS = zktest.Must(client.LoadTLS(ca, "", "", ""))
		fails(t, cfg, "client certificate")
	})
	t.Run("a server without TLS 1.2", func(t *testing.T) {
		old := a.ServerConfig(nil, net.IPv4(127, 0, 0, 1))
		old.MinVersion, old.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
		cfg := electiontest.Config(t, serveTLS(t, "127.0.0.1", old))
		cfg.TLS = zktest.Must(client.LoadTLS(ca, cert, key, ""))
		cfg.TLS.MinVersion = tls.VersionTLS10 // Connect raises it to TLS 1.2
		fails(t, cfg, "does not support TLS 1.2")
	})
	t.Run("Cut and Close", func(t *testing.T) {
		cfg := electiontest.Config(t, ipv4)
		cfg.TLS = zktest.Must(client.LoadTLS(ca, cert, key, ""))
		c, other := electiontest.Connected(t, cfg), electiontest.Connected(t, cfg)
		for _, p := range []string{"/cut", "/closed"} {
			if _, err := c.Create(t.Context(), p, nil, zk.FlagEphemeral, electiontest.Open); err != nil {
				t.Fatal(err)
			}
			if p == "/cut" {
				c.Cut()
				if ok, _, err := other.Exists(t.Context(), p); err != nil || !ok {
					t.Errorf("after Cut: the znode exists: %v, %v; want true", ok, err)
				}
				c = electiontest.Connected(t, cfg)
				continue
			}
			c.Close()
			if ok, _, err := other.Exists(t.Context(), p); err != nil || ok {
				t.Errorf("after Close: the znode exists: %v, %v; want false", ok, err)
			}
		}
	})
}

func TestTLSHandshakeIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &electiontest.Peer{Intercept: func(_ int, c net.Conn) bool {
			for b := make([]byte, 100); ; {
				if _, err := c.Read(b); err != nil {
					return true
				}
			}
		}}
		began := time.Now()
		c := p.Connect(t, func(cfg *client.Config) { cfg.TLS = &tls.Config{}; cfg.DialTimeout = 2 * time.Second })
		s := electiontest.Wait(t, c, "with an error", func(s client.Status) bool { return s.Err != nil })
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("the attempt took %v, want 2s", took)
		}
		if !errors.Is(s.Err, os.ErrDeadlineExceeded) || !strings.Contains(s.Err.Error(), "TLS handshake: no answer within 2s") {
			t.Errorf("error %q, want no answer within 2s", s.Err)
		}
	})
}

func TestLoadTLSNamesTheFile(t *testing.T) {
	a := zktest.NewCertificates(t)
	ca, cert, key, otherKey := a.CA, a.Cert, a.Key, zktest.NewCertificates(t).Key
	const secret = "c2VjcmV0IHRleHQ"
	broken := electiontest.File(t, secret)
	badCert := electiontest.File(t, "-----BEGIN CERTIFICATE-----\n"+secret+"\n-----END CERTIFICATE-----\n")
	badKey := electiontest.File(t, "-----BEGIN "+strings.ToUpper(secret)+"-----\n"+secret+"\n-----END "+strings.ToUpper(secret)+"-----\n"+
		"-----BEGIN PRIVATE KEY-----\n"+secret+"\n-----END PRIVATE KEY-----\n")
	locked := electiontest.File(t, "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"+secret+"\n-----END ENCRYPTED PRIVATE KEY-----\n")
	large := electiontest.File(t, strings.Repeat("x", 5<<20))
	dir, missing := t.TempDir(), filepath.Join(t.TempDir(), "missing.pem")
	for name, c := range map[string]struct{ ca, cert, key, server, bad string }{
		"CA file: missing":                      {missing, cert, key, "", missing},
		"CA file: no PEM block":                 {broken, cert, key, "", broken},
		"CA file: a key":                        {key, cert, key, "", key},
		"CA file: a malformed certificate":      {badCert, cert, key, "", badCert},
		"CA file: too large":                    {large, cert, key, "", large},
		"CA file: a directory":                  {dir, cert, key, "", dir},
		"certificate file: missing":             {ca, missing, key, "", missing},
		"certificate file: a key":               {ca, key, key, "", key},
		"certificate file: malformed":           {ca, badCert, key, "", badCert},
		"key file: missing":                     {ca, cert, missing, "", missing},
		"key file: a certificate":               {ca, cert, cert, "", cert},
		"key file: malformed":                   {ca, cert, badKey, "", badKey},
		"key file: encrypted":                   {ca, cert, locked, "", locked},
		"key file: key of another certificate":  {ca, cert, otherKey, "", otherKey},
		"a certificate file without a key file": {ca, cert, "", "", cert},
		"a key file without a certificate file": {ca, "", key, "", key},
		"server name: not a host name":          {ca, cert, key, "a b", "server name"},
	} {
		_, err := client.LoadTLS(c.ca, c.cert, c.key, c.server)
		switch {
		case err == nil:
			t.Errorf("%s: accepted, want an error", name)
		case !strings.Contains(err.Error(), c.bad):
			t.Errorf("%s: %q does not name %s", name, err, c.bad)
		case strings.Contains(strings.ToUpper(err.Error()), strings.ToUpper(secret)):
			t.Errorf("%s: %q shows the contents of the file", name, err)
		}
	}
	if os.Getuid() > 0 { // root (0) and Windows (-1) ignore mode 0
		if err := os.Chmod(key, 0); err != nil {
			t.Fatal(err)
		}
		if _, err := client.LoadTLS(ca, cert, key, ""); !errors.Is(err, os.ErrPermission) || !strings.Contains(err.Error(), key) {
			t.Errorf("unreadable key file: got %v, want ErrPermission and the file's name", err)
		}
	}
	cfg, err := client.LoadTLS("", "", "", "")
	if err != nil || cfg.MinVersion != tls.VersionTLS12 || cfg.RootCAs != nil {
		t.Errorf("without files: got %+v, %v; want TLS 1.2 and the system's authorities", cfg, err)
	}
}

func serveTLS(t *testing.T, host string, cfg *tls.Config) string {
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

func TestParseAuth(t *testing.T) {
	for line, scheme := range map[string]string{
		"digest:ann:s3cret":       "digest",
		"digest:ann:s3:cr:et\r\n": "digest",
		"super:x":                 "super",
		"sasl:ann:s3:cret":        "sasl",
	} {
		if a, err := client.ParseAuth(line); err != nil || a.Scheme != scheme {
			t.Errorf("ParseAuth(%q) = %v, %v; want scheme %s", line, a, err, scheme)
		}
	}
	for _, line := range []string{
		"", "S3cret", "digest", "digest:", "digest:S3cret", "digest::S3cret", "digest:ann:", ":ann:S3cret",
		"S3cret:ann", "dig est:S3cret", "sasl:S3cret", "sasl::S3cret", "sasl:ann:", "sasl:ann:S3cret\xff",
		"digest:ann:S3cret" + strings.Repeat("x", 64<<10), strings.Repeat("s", 40) + ":S3cret",
	} {
		if a, err := client.ParseAuth(line); err == nil {
			t.Errorf("ParseAuth(%.40q) = %v, want an error", line, a)
		} else if strings.Contains(err.Error(), "S3cret") {
			t.Errorf("ParseAuth(%.40q): the error shows the password: %v", line, err)
		}
	}
}

func TestReadAuthFile(t *testing.T) {
	good := electiontest.File(t, "# who we are\n\n  \ndigest:ann:s3cret\nsuper:x\n")
	auths, err := client.ReadAuthFile(good)
	if err != nil || len(auths) != 2 || auths[0].Scheme != "digest" || auths[1].Scheme != "super" {
		t.Errorf("ReadAuthFile = %v, %v; want the schemes digest and super", auths, err)
	}
	for name, c := range map[string]struct{ path, want string }{
		"missing":     {filepath.Join(t.TempDir(), "none"), "none"},
		"a directory": {t.TempDir(), "directory"},
		"a comment":   {electiontest.File(t, "# nothing\n"), "no credential"},
		"malformed":   {electiontest.File(t, "digest:ann:S3cret\nS3cret\n"), "line 2"},
		"a long line": {electiontest.File(t, "digest:ann:S3cret\n"+strings.Repeat("S3cret", 20<<10)), "line 2"},
		"too large":   {electiontest.File(t, strings.Repeat("digest:ann:S3cret\n", 60<<10)), "larger than"},
	} {
		_, err := client.ReadAuthFile(c.path)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "S3cret") {
			t.Errorf("%s: error %v, want %q and no password", name, err, c.want)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	for _, mode := range []os.FileMode{0o640, 0o604, 0o620, 0o666} {
		if err := os.Chmod(good, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := client.ReadAuthFile(good); err == nil || !strings.Contains(err.Error(), good) || !strings.Contains(err.Error(), "chmod 600") {
			t.Errorf("mode %o: error %v, want the file's name and chmod 600", mode, err)
		}
	}
	if err := os.Chmod(good, 0o400); err != nil {
		t.Fatal(err)
	}
	if _, err := client.ReadAuthFile(good); err != nil {
		t.Error(err)
	}
}

func TestParseConnectString(t *testing.T) {
	for _, tt := range []struct {
		in      string
		servers string
		chroot  string
	}{
		{"localhost", "localhost:2181", ""},
		{"localhost:2182", "localhost:2182", ""},
		{"a:1,b:2,c", "a:1 b:2 c:2181", ""},
		{" a:1 , b:2 ", "a:1 b:2", ""},
		{"a:1/", "a:1", ""},
		{"a:1/app", "a:1", "/app"},
		{"a,b/app/sub dir", "a:2181 b:2181", "/app/sub dir"},
		{"10.0.0.1:02181", "10.0.0.1:2181", ""},
		{"[::1]:2182", "[::1]:2182", ""},
		{"[::1]", "[::1]:2181", ""},
		{"::1", "[::1]:2181", ""},
		{"::1/app", "[::1]:2181", "/app"},
		{"fe80::a:b,[fe80::1%eth0]:1", "[fe80::a:b]:2181 [fe80::1%eth0]:1", ""},
		{"1:2:3:4:5:6:7:8", "[1:2:3:4:5:6:7:8]:2181", ""},
		{"::1:12181", "[::1]:12181", ""}, // a group of an address has at most four digits
		{"a,a", "a:2181 a:2181", ""},
	} {
		got, err := client.ParseConnectString(tt.in)
		want := client.ConnectString{Servers: strings.Fields(tt.servers), Chroot: tt.chroot}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("ParseConnectString(%q) = %v, %v; want %v", tt.in, got, err, want)
		}
	}
}

func TestParseConnectStringErrors(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", "it is empty"},
		{"  ", "it is empty"},
		{"/app", `server "": it is empty`},
		{"a,,b", `server "": it is empty`},
		{"a,", `server "": it is empty`},
		{"a:", `port ""`},
		{"a:0", `port "0"`},
		{"a:65536", `port "65536"`},
		{"a:x", `port "x"`},
		{"a:+1", `port "+1"`},
		{":2181", "no host"},
		{"zk://a:1", "empty name"},
		{"[::1", "no closing bracket"},
		{"[a]:1", `"a" is not an IPv6 address`},
		{"[::1]x", `"x" after the bracket`},
		{"[::1]:", `port ""`},
		{"::1:2181", "Write [::1:2181] or [::1]:2181"},
		{"a:b:1", "more than one colon"},
		{"a b:1", `character ' '`},
		{"a\x1b[m:1", `character '\x1b'`},
		{"\xff:1", "not valid UTF-8"},
		{strings.Repeat("a", 254), "too long"},
		{"a/b/", "empty name"},
		{"a//b", "empty name"},
		{"a/./b", `relative name "."`},
		{"a/..", `relative name ".."`},
		{"a/b\x00c", "character U+0000"},
		{"a/b\u009bc", "character U+009B"},
		{"a/b\ue000c", "character U+E000"},
		{"a/b😀c", "character U+1F600"},
		{"a/\xff", "not valid UTF-8"},
	} {
		got, err := client.ParseConnectString(tt.in)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("ParseConnectString(%q) = %v, %v; want an error with %s", tt.in, got, err, tt.want)
		}
	}
}

func FuzzParseConnectString(f *testing.F) {
	for _, s := range []string{"a:1,b/c", "[::1]:2,::1", "fe80::1%x", "a/.b/...", " a , b /c ", "::ffff:1.2.3.4", "a:1/\u00e9"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		cs, err := client.ParseConnectString(s)
		if err != nil {
			return
		}
		if len(cs.Servers) == 0 || cs.Chroot == "/" {
			t.Fatalf("ParseConnectString(%q) = %#v, want servers and no chroot /", s, cs)
		}
		again, err := client.ParseConnectString(cs.String())
		if err != nil || !reflect.DeepEqual(again, cs) {
			t.Fatalf("ParseConnectString(%q) = %#v, but its String is parsed as %#v, %v", s, cs, again, err)
		}
	})
}
