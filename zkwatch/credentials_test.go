package zkwatch_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zktest"
	"electop/model"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/zkwatch/candidate"
	"electop/zkwatch/client"
	"electop/zkwatch/discover"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/observer"
)

func TestElectionWithCredentials(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		path := electiontest.ElectionPath(t)
		auth := zktest.Must(client.ReadAuthFile(electiontest.File(t, "digest:ann:s3cret\n")))
		cfg := electiontest.Config(t, addr)
		cfg.Auth = auth
		s := electiontest.RunCandidate(t, candidate.Config{Conn: cfg, Path: path, Create: true, Ack: path + "-leader"})
		m := s.AwaitBelief(t, model.Leading)
		ours := append(zk.DigestACL(zk.PermAll, "ann", "s3cret"), zk.WorldACL(zk.PermRead)...)
		c := zktest.Client(t, addr)
		if err := c.AddAuth("digest", []byte("ann:s3cret")); err != nil { // otherwise the server hides digests
			t.Fatal(err)
		}
		for _, p := range []string{path, znode.Join(path, m.Znode), path + "-leader"} {
			acl, _, err := c.GetACL(p)
			if err != nil || len(acl) != 2 || fmt.Sprint(acl) != fmt.Sprint(ours) {
				t.Errorf("%s: got ACL %v, error %v; want %v", p, acl, err, ours)
			}
		}
		stranger := zktest.Client(t, addr)
		if _, _, err := stranger.Children(path); err != nil {
			t.Errorf("list without credentials: got error %v, want none", err)
		}
		if _, err := stranger.Set(path+"-leader", nil, -1); !errors.Is(err, zk.ErrNoAuth) {
			t.Errorf("write without credentials: got error %v, want %v", err, zk.ErrNoAuth)
		}

		if _, err := c.SetACL(path, zk.DigestACL(zk.PermAll, "ann", "s3cret"), -1); err != nil {
			t.Fatal(err)
		}
		without := electiontest.Observe(t, electiontest.Config(t, addr), model.Config{Path: path})
		without.Await(t, "forbidden without credentials", func(s *doctor.State) bool { return s.Phase == model.Forbidden })
		with := electiontest.Observe(t, cfg, model.Config{Path: path})
		with.Await(t, "readable with credentials", electiontest.QueueOf(1))
		unauthenticated := candidate.New(candidate.Config{Conn: electiontest.Config(t, addr), Path: path})
		if err := unauthenticated.Run(t.Context()); !errors.Is(err, zk.ErrNoAuth) {
			t.Errorf("Run without credentials: got error %v, want %v", err, zk.ErrNoAuth)
		}
	})
}

func failingConfigs(authority, secret string, random *rand.Rand) map[string]func(*client.Config) {
	return map[string]func(*client.Config){
		"refused":   func(c *client.Config) { c.Auth = append(c.Auth, client.NewAuth("nonsense", secret)) },
		"malformed": func(c *client.Config) { c.Auth = []client.Auth{client.NewAuth(strings.ToUpper(secret), "x")} },
		"large": func(c *client.Config) {
			c.Auth = []client.Auth{client.NewAuth("digest", strings.Repeat(secret, 10000))}
		},
		"no server": func(c *client.Config) { c.Servers.Servers = []string{"127.0.0.1:1"} },
		"TLS": func(c *client.Config) {
			c.TLS = zktest.Must(client.LoadTLS(authority, "", "", ""))
		},
		"chroot": func(c *client.Config) { c.Servers.Chroot = "x" },
		"write failing": func(c *client.Config) {
			writes := random.IntN(4)
			electiontest.WrapConns(c, func(conn net.Conn) net.Conn { return &electiontest.FailingConn{Conn: conn, Writes: writes} })
		},
	}
}

func TestCredentialsAreNeverPrinted(t *testing.T) {
	t.Parallel()
	authority := zktest.NewCertificates(t).CA
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		seed := rand.Uint64()
		random := rand.New(rand.NewPCG(seed, 0))
		secret := fmt.Sprintf("secret%x", random.Uint64())
		var output safeBuffer
		write := func(values ...any) {
			for _, v := range values {
				for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
					fmt.Fprintf(&output, verb+"\n", v)
				}
				if b, err := json.Marshal(v); err == nil {
					output.Write(b)
				} else {
					fmt.Fprintln(&output, err)
				}
			}
		}
		auth := zktest.Must(client.ParseAuth("digest:ann:" + secret))
		logger := slog.New(slog.NewTextHandler(&output, &slog.HandlerOptions{Level: slog.LevelDebug}))
		base := electiontest.Config(t, addr)
		base.Logger = logger
		base.Auth = []client.Auth{auth}

		ctx, cancel := context.WithTimeout(t.Context(), electiontest.WaitFor)
		defer cancel()
		for name, change := range failingConfigs(authority, secret, random) {
			cfg := base
			cfg.SessionTimeout, cfg.DialTimeout = 400*time.Millisecond, 200*time.Millisecond
			change(&cfg)
			conn, err := client.Connect(cfg)
			write(name, cfg, &cfg, err)
			if err != nil {
				continue
			}
			write(electiontest.Wait(t, conn, "a connection or an error", func(s client.Status) bool { return s.Err != nil || s.State == client.Connected }))
			_, _, err = conn.Get(ctx, "/nowhere")
			write(err)
			conn.Close()
			write(conn.Status(), conn)
		}
		conn := electiontest.Connected(t, base)
		for _, try := range []func() error{
			func() error { _, _, err := conn.Get(ctx, "/nowhere"); return err },
			func() error {
				_, err := conn.Create(ctx, "/nowhere/at/all", nil, 0, zk.DigestACL(zk.PermAll, "ann", "other"))
				return err
			},
			func() error { _, err := conn.Create(ctx, "x", nil, 0, electiontest.Open); return err },
			func() error { return conn.Delete(ctx, "/zookeeper", -1) },
			func() error { _, err := observer.ReadOnce(ctx, conn, "/nowhere", time.Now); return err },
			func() error { _, err := discover.Walk(ctx, conn, discover.Config{Root: "/nowhere"}); return err },
			func() error { _, err := conn.EnsembleConfig(ctx); return err },
		} {
			write(try())
		}
		cc := candidate.Config{Conn: base, Path: "/nowhere"}
		candidate := candidate.New(cc)
		write(cc, candidate, candidate.Run(ctx), candidate)
		oc := observer.Config{Conn: base, Path: "/nowhere"}
		write(oc, observer.New(oc), observer.NewGroup(base))

		all := output.String()
		if !strings.Contains(all, "digest:(hidden)") || !strings.Contains(all, "nonsense") {
			t.Fatal("the output lacks digest:(hidden) or nonsense: the test checks nothing")
		}
		for _, form := range []string{
			secret, strings.ToUpper(secret), fmt.Sprintf("%x", secret), strings.Trim(fmt.Sprint([]byte(secret)), "[]"),
			strings.TrimPrefix(strings.TrimSuffix(fmt.Sprintf("%#v", []byte(secret)), "}"), "[]byte{"),
		} {
			if i := strings.Index(all, form); i >= 0 {
				t.Errorf("seed %d: got the secret as %q in output ...%.300s", seed, form, all[max(0, i-200):])
			}
		}
	})
}

type safeBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
