package zkwatch_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zktest"
	"electop/model"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/zkwatch"
)

func TestParseAuth(t *testing.T) {
	for line, scheme := range map[string]string{
		"digest:ann:s3cret":       "digest",
		"digest:ann:s3:cr:et\r\n": "digest",
		"super:x":                 "super",
	} {
		if a, err := zkwatch.ParseAuth(line); err != nil || a.Scheme != scheme {
			t.Errorf("%q: %v, %v", line, a, err)
		}
	}
	for _, line := range []string{
		"", "S3cret", "digest", "digest:", "digest:S3cret", "digest::S3cret", "digest:ann:", ":ann:S3cret",
		"S3cret:ann", "dig est:S3cret", "digest:ann:S3cret" + strings.Repeat("x", 64<<10), strings.Repeat("s", 40) + ":S3cret",
	} {
		if a, err := zkwatch.ParseAuth(line); err == nil {
			t.Errorf("%.40q: accepted as %v", line, a)
		} else if strings.Contains(err.Error(), "S3cret") {
			t.Errorf("%.40q: %v", line, err)
		}
	}
}

func TestReadAuthFile(t *testing.T) {
	good := file(t, "# who we are\n\n  \ndigest:ann:s3cret\nsuper:x\n")
	auths, err := zkwatch.ReadAuthFile(good)
	if err != nil || len(auths) != 2 || auths[0].Scheme != "digest" || auths[1].Scheme != "super" {
		t.Errorf("%v, %v", auths, err)
	}
	for name, c := range map[string]struct{ path, want string }{
		"missing":     {filepath.Join(t.TempDir(), "none"), "none"},
		"a directory": {t.TempDir(), "directory"},
		"empty":       {file(t, "# nothing\n"), "no credential"},
		"malformed":   {file(t, "digest:ann:S3cret\nS3cret\n"), "line 2"},
		"a long line": {file(t, "digest:ann:S3cret\n"+strings.Repeat("S3cret", 20<<10)), "line 2"},
		"endless":     {file(t, strings.Repeat("digest:ann:S3cret\n", 60<<10)), "larger than"},
	} {
		_, err := zkwatch.ReadAuthFile(c.path)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "S3cret") {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	for _, mode := range []os.FileMode{0o640, 0o604, 0o620, 0o666} {
		if err := os.Chmod(good, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := zkwatch.ReadAuthFile(good); err == nil || !strings.Contains(err.Error(), good) || !strings.Contains(err.Error(), "chmod 600") {
			t.Errorf("mode %o: %v", mode, err)
		}
	}
	if err := os.Chmod(good, 0o400); err != nil {
		t.Fatal(err)
	}
	if _, err := zkwatch.ReadAuthFile(good); err != nil {
		t.Error(err)
	}
}

// A candidate with credentials makes znodes that all may read and only it may
// change; an election that is closed to strangers opens to credentials.
func TestElectionWithCredentials(t *testing.T) {
	zktest.Each(t, func(t *testing.T, addr string) {
		path := electionPath(t)
		auth := must(zkwatch.ReadAuthFile(file(t, "digest:ann:s3cret\n")))
		cfg := config(t, addr)
		cfg.Auth = auth
		s := stand(t, zkwatch.CandidateConfig{Conn: cfg, Path: path, Create: true, Ack: path + "-leader"})
		m := s.believes(t, model.Leading)
		ours := append(zk.DigestACL(zk.PermAll, "ann", "s3cret"), zk.WorldACL(zk.PermRead)...)
		c := raw(t, addr)
		if err := c.AddAuth("digest", []byte("ann:s3cret")); err != nil { // ACLs are shown to who may change them
			t.Fatal(err)
		}
		for _, p := range []string{path, znode.Join(path, m.Znode), path + "-leader"} {
			acl, _, err := c.GetACL(p)
			if err != nil || len(acl) != 2 || fmt.Sprint(acl) != fmt.Sprint(ours) {
				t.Errorf("%s: ACL %v, want %v (%v)", p, acl, ours, err)
			}
		}
		stranger := raw(t, addr)
		if _, _, err := stranger.Children(path); err != nil {
			t.Errorf("strangers cannot look on: %v", err)
		}
		if _, err := stranger.Set(path+"-leader", nil, -1); !errors.Is(err, zk.ErrNoAuth) {
			t.Errorf("a stranger writes: %v", err)
		}

		if _, err := c.SetACL(path, zk.DigestACL(zk.PermAll, "ann", "s3cret"), -1); err != nil {
			t.Fatal(err)
		}
		without := observe(t, config(t, addr), model.Config{Path: path})
		without.await(t, "forbidden to strangers", func(s *doctor.State) bool { return s.Phase == model.Forbidden })
		with := observe(t, cfg, model.Config{Path: path})
		with.await(t, "open to us", queueOf(1))
		foreign := zkwatch.NewCandidate(zkwatch.CandidateConfig{Conn: config(t, addr), Path: path})
		if err := foreign.Run(t.Context()); !errors.Is(err, zk.ErrNoAuth) {
			t.Errorf("a stranger stands: %v", err)
		}
	})
}

// TestCredentialsNeverShow: whatever goes wrong, and however what holds the
// credentials is written, they do not show.
func TestCredentialsNeverShow(t *testing.T) {
	certs := newAuthority(t)
	zktest.Each(t, func(t *testing.T, addr string) {
		seed := rand.Uint64()
		random := rand.New(rand.NewPCG(seed, 0))
		secret := fmt.Sprintf("geheim%x", random.Uint64())
		var said said
		say := func(what ...any) {
			for _, w := range what {
				for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
					fmt.Fprintf(&said, verb+"\n", w)
				}
				if b, err := json.Marshal(w); err == nil {
					said.Write(b)
				} else {
					fmt.Fprintln(&said, err)
				}
			}
		}
		auth := must(zkwatch.ParseAuth("digest:ann:" + secret))
		logger := slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{Level: slog.LevelDebug}))
		base := config(t, addr)
		base.Logger = logger
		base.Auth = []zkwatch.Auth{auth}

		ctx, cancel := context.WithTimeout(t.Context(), waitFor)
		defer cancel()
		failing := map[string]func(*zkwatch.Config){
			"refused":   func(c *zkwatch.Config) { c.Auth = append(c.Auth, zkwatch.NewAuth("nonsense", secret)) },
			"malformed": func(c *zkwatch.Config) { c.Auth = []zkwatch.Auth{zkwatch.NewAuth(strings.ToUpper(secret), "x")} },
			"large": func(c *zkwatch.Config) {
				c.Auth = []zkwatch.Auth{zkwatch.NewAuth("digest", strings.Repeat(secret, 10000))}
			},
			"nobody": func(c *zkwatch.Config) { c.Servers.Servers = []string{"127.0.0.1:1"} },
			"TLS": func(c *zkwatch.Config) {
				c.TLS = must(zkwatch.LoadTLS(pemFile(t, "CERTIFICATE", certs.cert.Raw), "", "", ""))
			},
			"chroot":        func(c *zkwatch.Config) { c.Servers.Chroot = "x" },
			"write failing": func(c *zkwatch.Config) { c.Dial = failingDial(random.IntN(4)) },
		}
		for name, change := range failing {
			cfg := base
			cfg.SessionTimeout, cfg.DialTimeout = 400*time.Millisecond, 200*time.Millisecond
			change(&cfg)
			conn, err := zkwatch.Connect(cfg)
			say(name, cfg, &cfg, err)
			if err != nil {
				continue
			}
			say(awaitStatus(t, conn, func(s zkwatch.Status) bool { return s.Err != nil || s.State == zkwatch.Connected }))
			_, _, err = conn.Get(ctx, "/nowhere")
			say(err)
			conn.Close()
			say(conn.Status(), conn)
		}
		conn := connect(t, base)
		waitState(t, conn, zkwatch.Connected)
		for _, try := range []func() error{
			func() error { _, _, err := conn.Get(ctx, "/nowhere"); return err },
			func() error {
				_, err := conn.Create(ctx, "/nowhere/at/all", nil, 0, zk.DigestACL(zk.PermAll, "ann", "other"))
				return err
			},
			func() error { _, err := conn.Create(ctx, "x", nil, 0, world); return err },
			func() error { return conn.Delete(ctx, "/zookeeper", -1) },
			func() error { _, err := zkwatch.ReadElection(ctx, conn, "/nowhere", time.Now); return err },
			func() error { _, err := zkwatch.Walk(ctx, conn, zkwatch.WalkConfig{Root: "/nowhere"}); return err },
			func() error { _, err := conn.EnsembleConfig(ctx); return err },
		} {
			say(try())
		}
		cc := zkwatch.CandidateConfig{Conn: base, Path: "/nowhere"}
		candidate := zkwatch.NewCandidate(cc)
		say(cc, candidate, candidate.Run(ctx), candidate)
		oc := zkwatch.ObserverConfig{Conn: base, Path: "/nowhere"}
		say(oc, zkwatch.NewObserver(oc), zkwatch.NewPost(base))

		all := said.String()
		if !strings.Contains(all, "digest:(hidden)") || !strings.Contains(all, "nonsense") {
			t.Fatal("nothing was said: the test shows nothing")
		}
		for _, form := range []string{secret, strings.ToUpper(secret), fmt.Sprintf("%x", secret), strings.Trim(fmt.Sprint([]byte(secret)), "[]"), strings.TrimPrefix(strings.TrimSuffix(fmt.Sprintf("%#v", []byte(secret)), "}"), "[]byte{")} {
			if i := strings.Index(all, form); i >= 0 {
				t.Errorf("seed %d: %q shows in ...%.300s", seed, form, all[max(0, i-200):])
			}
		}
	})
}

// said is what was said, by any goroutine.
type said struct {
	mu sync.Mutex
	b  strings.Builder
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// failingDial dials connections that fail at the n-th write.
func failingDial(n int) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return &failingConn{c, n}, nil
	}
}
