package admin_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/model"
	"electop/model/session"
	"electop/zkwatch/admin"
	"electop/zkwatch/client"
	"electop/zkwatch/internal/electiontest"
)

const patience = 30 * time.Second

func connect(t *testing.T, addr string, timeout time.Duration) (*client.Conn, uint64) {
	t.Helper()
	return connectTLS(t, addr, timeout, nil)
}

func connectTLS(t *testing.T, addr string, timeout time.Duration, cfg *tls.Config) (*client.Conn, uint64) {
	t.Helper()
	c := electiontest.Connect(t, client.Config{Servers: zktest.Must(client.ParseConnectString(addr)), SessionTimeout: timeout, TLS: cfg})
	return c, electiontest.WaitState(t, c, client.Connected).SessionID
}

func create(t *testing.T, c *client.Conn, path string, flags int32) string {
	t.Helper()
	name, err := c.Create(t.Context(), path, nil, flags, zk.WorldACL(zk.PermAll))
	if err != nil {
		t.Fatal(err)
	}
	return name
}

type queue struct {
	conns    []*client.Conn
	sessions []uint64
	paths    []string
}

func joinElection(t *testing.T, path string, addrs ...string) (q queue) {
	t.Helper()
	for i, addr := range addrs {
		c, session := connect(t, addr, 5*time.Second)
		if i == 0 {
			create(t, c, path, zk.FlagPersistent)
		} else if err := c.Sync(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		q.conns, q.sessions = append(q.conns, c), append(q.sessions, session)
		q.paths = append(q.paths, create(t, c, path+"/n_", zk.FlagEphemeralSequential))
		if i > 0 {
			if _, _, _, err := c.GetW(t.Context(), q.paths[i-1]); err != nil {
				t.Fatal(err)
			}
		}
	}
	return q
}

func anchors(c *client.Conn) func() []session.Anchor {
	return func() []session.Anchor {
		a, _ := c.Anchor()
		return []session.Anchor{a}
	}
}

func touch(t *testing.T, c *client.Conn) func(context.Context) {
	return func(ctx context.Context) {
		began := time.Now()
		err := c.Touch(ctx)
		if a, ok := c.Anchor(); err != nil && ctx.Err() == nil || err == nil && (!ok || a.Sent.Before(began.UTC().Round(0))) {
			t.Errorf("touch at %v: %v, anchor %+v; want a later anchor", began, err, a)
		}
	}
}

func ensembleConfig(c *client.Conn) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		b, _, err := c.Get(ctx, "/zookeeper/config")
		return string(b), err
	}
}

// awaitAdmin waits for the first answer, which can take seconds in a Java process.
func awaitAdmin(t *testing.T, url string) {
	t.Helper()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	zktest.Await(t, "an answer of "+url, func() bool {
		resp, err := client.Get(url + "/server_stats")
		if err == nil {
			resp.Body.Close()
		}
		return err == nil
	})
}

// pollWithDeadlines polls until each session has a deadline, because a dump can lack a session. If
// an event arrives on gone first, pollWithDeadlines returns nil.
func pollWithDeadlines(t *testing.T, cfg admin.Config, path string, sessions []uint64, gone <-chan zk.Event) (*session.Table, map[uint64]session.Deadline) {
	t.Helper()
	for limit := time.Now().Add(patience); ; {
		table := poll(t, cfg, path)
		deadlines := make(map[uint64]session.Deadline)
		for _, s := range table.Servers {
			for _, d := range s.Deadlines {
				deadlines[d.Session] = d
			}
		}
		if !slices.ContainsFunc(sessions, func(id uint64) bool { _, ok := deadlines[id]; return !ok }) {
			return table, deadlines
		}
		select {
		case <-gone:
			return nil, nil
		default:
			if time.Now().After(limit) {
				t.Fatalf("got deadlines %v, want one of each session of %#x", deadlines, sessions)
			}
		}
	}
}

func poll(t *testing.T, cfg admin.Config, path string) *session.Table {
	t.Helper()
	p := admin.New(cfg)
	var table *session.Table
	defer p.Subscribe(admin.Election{Path: path, Put: func(_ context.Context, o model.Observation) { table = o.(*session.Table) }})()
	if err := p.Poll(t.Context(), admin.Want{Watches: true, Sessions: true}); err != nil {
		t.Fatal(err)
	}
	return table
}

func wantTable(t *testing.T, cfg admin.Config, via string, q queue, ours uint64) *session.Table {
	t.Helper()
	table, deadlines := pollWithDeadlines(t, cfg, "/election", q.sessions, nil)
	if !table.Whole || table.Unwhole != "" {
		t.Errorf("not whole: %s", table.Unwhole)
	}
	connected, watched := make(map[uint64]string), make(map[string][]uint64)
	for _, s := range table.Servers {
		for what, a := range map[string]session.Answer{"basic": s.Basic, "connections": s.Connections, "sessions": s.Sessions, "watches": s.Watches} {
			if a.State != session.Answered || a.Via != via || a.At.IsZero() {
				t.Errorf("%s of %s: %+v, want Answered via %s", what, s.Addr, a, via)
			}
		}
		if s.Version == "" || s.Tick == 0 || s.Mode == "" || s.WatchCount < s.DataWatches || s.DataWatches < len(s.Watched) || s.Leftover {
			t.Errorf("%s: %+v, want a version, a tick, a mode and plausible counts", s.Addr, s)
		}
		for _, c := range s.Clients {
			connected[c.Session] = c.Addr
			if c.Timeout == 0 || c.Established.IsZero() || c.Received == 0 {
				t.Errorf("connection %+v, want Timeout, Established and Received", c)
			}
		}
		for _, w := range s.Watched {
			watched[w.Path] = append(watched[w.Path], w.Sessions...)
		}
		if len(s.Deadlines) > 0 && s.Mode != session.ModeLeader && s.Mode != session.ModeStandalone {
			t.Errorf("%s is a %s with deadlines, want deadlines only from a leader or a standalone server", s.Addr, s.Mode)
		}
		if len(s.Ephemerals) != len(q.paths) {
			t.Errorf("%s has %d ephemerals, want %d: %v", s.Addr, len(s.Ephemerals), len(q.paths), s.Ephemerals)
		}
		for i, path := range q.paths {
			if !slices.Contains(s.Ephemerals, session.Ephemeral{Session: q.sessions[i], Path: path}) {
				t.Errorf("ephemerals of %s: want %s of session %#x among %v", s.Addr, path, q.sessions[i], s.Ephemerals)
			}
		}
	}
	for i, session := range q.sessions {
		if deadlines[session].Wall != (via == "4lw") {
			t.Errorf("deadline %+v via %s, want Wall only via 4lw", deadlines[session], via)
		}
		if host, _, err := net.SplitHostPort(connected[session]); err != nil || !net.ParseIP(host).IsLoopback() {
			t.Errorf("session %#x is connected from %q, want a loopback address", session, connected[session])
		}
		if i > 0 && !slices.Equal(watched[q.paths[i-1]], []uint64{session}) {
			t.Errorf("%s is watched by sessions %#x, want only %#x", q.paths[i-1], watched[q.paths[i-1]], session)
		}
	}
	if len(watched) != len(q.paths)-1 {
		t.Errorf("watches %v, want watches on %d paths", watched, len(q.paths)-1)
	}
	if len(table.Anchors) != 1 || table.Anchors[0].Session != ours {
		t.Errorf("anchors %+v, want one of session %#x", table.Anchors, ours)
	}
	return table
}

func TestTableOfAStandaloneServer(t *testing.T) {
	t.Parallel()
	servers := map[string]func(*testing.T) (addr, url string){
		"embedded": func(t *testing.T) (string, string) {
			s, addr := zkserver.Start(t, zkserver.Options{})
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			served := make(chan error, 1)
			go func() { served <- s.ServeAdmin(l) }()
			t.Cleanup(func() {
				s.Close()
				<-served
			})
			return addr, "http://" + l.Addr().String() + "/commands"
		},
		"apache": func(t *testing.T) (string, string) {
			s := zktest.NewApache(t, zktest.WithAdmin())
			return s.Addr, "http://" + s.Admin + "/commands"
		},
	}
	for name, start := range servers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr, url := start(t)
			awaitAdmin(t, url)
			observer, ours := connect(t, addr, 10*time.Second)
			q := joinElection(t, "/election", addr, addr, addr)
			cfg := admin.Config{
				URL: url, Servers: []string{addr}, Ensemble: ensembleConfig(observer),
				Anchors: anchors(observer), Touch: touch(t, observer),
			}
			for mode, via := range map[admin.Mode]string{admin.Auto: "http", admin.HTTP: "http", admin.FourLetter: "4lw"} {
				cfg.Mode = mode
				wantTable(t, cfg, via, q, ours)
				for timeout := 2 * time.Second; !expiresAfterDeadline(t, cfg, addr, observer, ours, timeout); timeout *= 2 {
					t.Logf("a session of %v ended before the server reported its deadline", timeout)
				}
			}
			cfg.Chroot = "/election"
			s := poll(t, cfg, strings.TrimPrefix(q.paths[0], "/election")).Servers[0]
			if len(s.Ephemerals) != 1 || len(s.Watched) != 1 || "/election"+s.Watched[0].Path != q.paths[0] {
				t.Errorf("below a chroot: %+v, want one znode and the watch on it", s)
			}
		})
	}
}

// expiresAfterDeadline returns false if the session ends before the server reports when it expires.
func expiresAfterDeadline(t *testing.T, cfg admin.Config, addr string, observer *client.Conn, ours uint64, timeout time.Duration) bool {
	t.Helper()
	crashing, sessionID := connect(t, addr, timeout)
	path := create(t, crashing, "/crashing-", zk.FlagEphemeralSequential)
	exists, _, gone, err := observer.ExistsW(t.Context(), path)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	crashing.Cut()
	if !exists {
		return false
	}
	table, deadlines := pollWithDeadlines(t, cfg, path, []uint64{ours, sessionID}, gone)
	if table == nil {
		return false
	}
	s, a, crashed, mine := table.Servers[0], table.Anchors[0], deadlines[sessionID], deadlines[ours]
	// The server rounds deadlines up to a tick, and dates in dump down to a second.
	notBefore := a.Sent.Add(crashed.At - mine.At + a.Timeout)
	if crashed.Wall {
		notBefore = notBefore.Add(-time.Second)
	}
	select {
	case <-gone:
	case <-time.After(patience + timeout):
		t.Fatalf("%s is still there, want it deleted when its session expires", path)
	}
	if now := time.Now(); now.Before(notBefore) {
		t.Errorf("%s: %s was deleted at %v, %v before its deadline on %s", cfg.Mode, path, now, notBefore.Sub(now), s.Addr)
	}
	return true
}

func TestDefaultWhitelistOfApache(t *testing.T) {
	t.Parallel()
	s := zktest.NewApache(t, zktest.WithWords("")) // permits only srvr
	noServer := "http://{host}:" + freePort(t) + "/commands"
	for mode, hint := range map[admin.Mode]string{
		admin.FourLetter: "4lw.commands.whitelist=srvr,mntr,conf,wchs,cons,dump,wchp",
		admin.Auto:       "admin.enableServer=true, or 4lw.commands.whitelist=srvr,mntr,conf,wchs,cons,dump,wchp",
	} {
		table := poll(t, admin.Config{Mode: mode, URL: noServer, Servers: []string{s.Addr}}, "/election")
		got := table.Servers[0]
		if got.Basic.State != session.Answered || got.Mode != session.ModeStandalone || !table.Whole || len(table.Servers) != 1 {
			t.Errorf("%s: %+v, whole %v %q; want one standalone server and a whole table", mode, got, table.Whole, table.Unwhole)
		}
		for _, a := range []session.Answer{got.Connections, got.Sessions} {
			if a.State != session.Refused || a.Hint != hint {
				t.Errorf("%s: %+v, want Refused with hint %q", mode, a, hint)
			}
		}
		if a := got.Watches; a.State != session.Refused || !strings.Contains(a.Hint, "4lw.commands.whitelist=") {
			t.Errorf("%s: watches %+v, want Refused with a hint at the whitelist", mode, a)
		}
	}
	table := poll(t, admin.Config{Mode: admin.HTTP, URL: noServer, Servers: []string{s.Addr}}, "/election")
	if b := table.Servers[0].Basic; b.State != session.Failed || b.Hint != "admin.enableServer=true" || table.Whole {
		t.Errorf("HTTP: %+v, want Failed and not whole", table)
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

func TestTableOfAnEnsemble(t *testing.T) {
	zktest.SecondTier(t)
	t.Parallel()
	e := zktest.NewEnsemble(t, 3, zktest.WithAdmin())
	var addrs []string
	for _, m := range e.Members {
		awaitAdmin(t, "http://"+m.Admin+"/commands")
		addrs = append(addrs, m.Addr)
	}
	observer, ours := connect(t, addrs[0], 10*time.Second)
	q := joinElection(t, "/election", addrs...)
	cfg := admin.Config{
		URL: e.AdminURL(), Servers: addrs, Ensemble: ensembleConfig(observer),
		Anchors: anchors(observer), Touch: touch(t, observer),
	}
	for mode, via := range map[admin.Mode]string{admin.Auto: "http", admin.FourLetter: "4lw"} {
		cfg.Mode = mode
		// A follower may apply a write after the writing client has its answer.
		for _, c := range q.conns {
			if err := c.Sync(t.Context(), "/"); err != nil {
				t.Fatal(err)
			}
		}
		table := wantTable(t, cfg, via, q, ours)
		modes := make(map[session.Mode]int)
		for i, s := range table.Servers {
			modes[s.Mode]++
			if len(s.Clients) == 0 || !slices.ContainsFunc(s.Clients, func(c session.Client) bool { return c.Session == q.sessions[i] }) {
				t.Errorf("%s: clients %+v, want %#x among them", s.Addr, s.Clients, q.sessions[i])
			}
		}
		if modes[session.ModeLeader] != 1 || modes[session.ModeFollower] != 2 {
			t.Errorf("modes %v, want one leader and two followers", modes)
		}
		cfg := cfg
		cfg.Servers = addrs[:2]
		table = poll(t, cfg, "/election")
		if table.Whole || !strings.Contains(table.Unwhole, "server.3 (127.0.0.3)") || len(table.Servers) != 2 {
			t.Errorf("connect string without server.3: %+v, want two servers, and not whole because of server.3", table)
		}
	}
	killed := 1 // neither the observer's server nor the ensemble leader
	if e.Leader(t) == e.Members[killed] {
		killed = 2
	}
	e.Members[killed].Kill(t)
	table := poll(t, cfg, "/election")
	if b := table.Servers[killed].Basic; b.State != session.Failed || table.Whole || !strings.Contains(fmt.Sprint(b), "refused") {
		t.Errorf("after a server was killed: %+v, want Failed (connection refused) and not whole", table)
	}
}

func clientsOf(s session.Server) (all []uint64) {
	for _, c := range s.Clients {
		all = append(all, c.Session)
	}
	return all
}

func TestBothPortsOfApache(t *testing.T) {
	zktest.SecondTier(t)
	t.Parallel()
	certs := zktest.NewCertificates(t)
	s := zktest.NewApache(t, zktest.WithTLS(certs), zktest.WithAdmin())
	secure, err := client.LoadTLS(certs.CA, certs.Cert, certs.Key, "")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + s.Admin + "/commands"
	awaitAdmin(t, url)
	plain, first := connect(t, s.Addr, patience)
	create(t, plain, "/election", zk.FlagPersistent)
	create(t, plain, "/election/n_", zk.FlagEphemeralSequential)

	other, second := connectTLS(t, s.Secure, patience, secure)
	create(t, other, "/election/n_", zk.FlagEphemeralSequential)
	for name, c := range map[string]admin.Config{
		"plain": {Servers: []string{s.Addr}},
		"TLS":   {Servers: []string{s.Secure}, DialTLS: secure},
	} {
		c.URL, c.Mode = url, admin.FourLetter
		got := poll(t, c, "/election").Servers[0]
		if len(got.Clients) != 1 || got.Watches.State != session.Answered || len(got.Ephemerals) != 2 {
			t.Errorf("%s: %+v, want one client, watches and two ephemeral znodes", name, got)
		}
		if a := got.Connections; a.State != session.Refused || !strings.Contains(a.Hint, "admin.enableServer=true") {
			t.Errorf("%s: connections %+v, want Refused with a hint at the AdminServer", name, a)
		}
		c.Mode = admin.Auto
		got = poll(t, c, "/election").Servers[0]
		all := clientsOf(got)
		if got.Connections.State != session.Answered || got.Connections.Via != "http" || !slices.Contains(all, first) || !slices.Contains(all, second) {
			t.Errorf("%s, by HTTP: connections %+v, clients %#x, want %#x and %#x", name, got.Connections, all, first, second)
		}
	}
}

func tlsConfigs(t *testing.T) (server, caller *tls.Config) {
	t.Helper()
	a := zktest.NewCertificates(t)
	caller, err := client.LoadTLS(a.CA, a.Cert, a.Key, "")
	if err != nil {
		t.Fatal(err)
	}
	return a.ServerConfig([]string{"localhost"}, net.IPv4(127, 0, 0, 1)), caller
}

func TestRequestsOverTLS(t *testing.T) {
	server, caller := tlsConfigs(t)
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
	c, _ := connectTLS(t, addr, patience, caller)
	create(t, c, "/election", zk.FlagPersistent)
	if _, _, _, err := c.GetW(t.Context(), create(t, c, "/election/n_", zk.FlagEphemeralSequential)); err != nil {
		t.Fatal(err)
	}
	unknown, without, elsewhere := caller.Clone(), caller.Clone(), caller.Clone()
	_, other := tlsConfigs(t)
	unknown.RootCAs, without.Certificates, elsewhere.ServerName = other.RootCAs, nil, "elsewhere.example"
	for name, x := range map[string]struct {
		addr string
		tls  *tls.Config
		why  string
	}{
		"an address":                     {addr, caller, ""},
		"a name":                         {"localhost:" + ports[0], caller, ""},
		"an unknown authority":           {addr, unknown, "unknown authority"},
		"a certificate for another name": {addr, elsewhere, "elsewhere.example"},
		"no client certificate":          {addr, without, "certificate"},
	} {
		for mode, via := range map[admin.Mode]string{admin.FourLetter: "4lw", admin.HTTP: "http"} {
			got := poll(t, admin.Config{Mode: mode, URL: "https://{host}:" + ports[1], Servers: []string{x.addr}, DialTLS: x.tls}, "/election").Servers[0]
			if x.why != "" {
				if got.Basic.State != session.Failed || got.Connections.State != session.Failed || !strings.Contains(got.Basic.Why, x.why) {
					t.Errorf("%s, %s: %+v, want Failed with reason %q", name, mode, got.Basic, x.why)
				}
				continue
			}
			for _, a := range []session.Answer{got.Basic, got.Connections, got.Sessions, got.Watches} {
				if a.State != session.Answered || a.Via != via {
					t.Errorf("%s, %s: %+v, want Answered via %s", name, mode, a, via)
				}
			}
			if len(got.Clients) != 1 || len(got.Watched) != 1 || len(got.Ephemerals) != 1 {
				t.Errorf("%s, %s: %+v, want one client, watch and ephemeral znode", name, mode, got)
			}
		}
	}
}
