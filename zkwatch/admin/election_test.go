package admin

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"electop/model"
	"electop/model/session"
)

func TestTableOfAnElection(t *testing.T) {
	conn := func(s uint64) session.Client {
		return session.Client{Session: s, Addr: fmt.Sprintf("10.0.0.9:%d", s)}
	}
	line := func(s uint64) session.Deadline {
		return session.Deadline{Session: s, At: time.Duration(s) * time.Second}
	}
	results := []result{
		{
			Server: session.Server{Addr: "a:1", Version: "3.8.0", ConnectionCount: 5},
			conns:  []session.Client{conn(9), conn(1), conn(2), conn(0), conn(5)},
			ephemerals: []session.Ephemeral{{Session: 1, Path: "/app/e/n_1"}, {Session: 3, Path: "/app/e/n_3"}, {Session: 7, Path: "/app/other/n_7"},
				{Session: 7, Path: "/e/n_7"}, {Session: 7, Path: "/app/e/n_1/below"}, {Session: 4, Path: "/app/leader"}},
			watches: []session.Watch{{Path: "/app/e/n_1", Sessions: []uint64{3, 2, 3}}, {Path: "/app/e", Sessions: []uint64{5}}, {Path: "/app/elsewhere", Sessions: []uint64{9}},
				{Path: "/zookeeper/config", Sessions: []uint64{9}}},
		},
		{
			Server:    session.Server{Addr: "b:1"},
			conns:     []session.Client{conn(3), conn(7), conn(8), conn(6)},
			deadlines: []session.Deadline{line(9), line(7), line(6), line(5), line(4), line(3), line(2), line(1), {Session: 6, At: time.Second}},
		},
	}
	at := time.Unix(1000, 0)
	election := Election{Path: "/e", Ack: "/leader", Sessions: func() []uint64 { return []uint64{8, 0} }}
	got := election.table(session.Table{At: at, Whole: true, Anchors: []session.Anchor{{Session: 6}}}, results, "/app")
	equal(t, "the table", got, &session.Table{
		At: at, Whole: true, Anchors: []session.Anchor{{Session: 6}},
		Servers: []session.Server{
			{
				Addr: "a:1", Version: "3.8.0", ConnectionCount: 5,
				Clients:    []session.Client{conn(1), conn(2), conn(5)},
				Ephemerals: []session.Ephemeral{{Session: 1, Path: "/e/n_1"}, {Session: 3, Path: "/e/n_3"}, {Session: 4, Path: "/leader"}},
				Watched:    []session.Watch{{Path: "/e", Sessions: []uint64{5}}, {Path: "/e/n_1", Sessions: []uint64{2, 3}}},
			},
			{
				Addr:      "b:1",
				Clients:   []session.Client{conn(3), conn(6), conn(8)},
				Deadlines: []session.Deadline{line(1), line(2), line(3), line(4), line(5), line(6)},
			},
		},
	})
	// All of a host, unless it has very many.
	results[0].conns[0].Addr, results[1].conns[1].Addr = "10.0.0.1:4000", "10.0.0.1:4001"
	election.Hosts = func() []string { return []string{"10.0.0.1"} }
	got = election.table(session.Table{At: at}, results, "/app")
	if a, b := got.Servers[0].Clients, got.Servers[1].Clients; len(a) != 4 || len(b) != 3 || b[1].Session != 7 || len(got.Hosts) != 1 {
		t.Errorf("with a host: %+v and %+v of %q", a, b, got.Hosts)
	}
	for range maxFromHost {
		results[0].conns = append(results[0].conns, session.Client{Session: 99, Addr: "10.0.0.1:1"})
	}
	got = election.table(session.Table{At: at}, results, "/app")
	if a := got.Servers[0].Clients; len(a) != 3 || len(got.Hosts) != 0 {
		t.Errorf("with the host of a proxy: %d clients, %q", len(a), got.Hosts)
	}
	for _, c := range []struct {
		chroot, path, full string
		in                 bool
	}{
		{"", "/e", "/e", true}, {"", "/e", "/e/x", true}, {"", "/e", "/e/x/y", false}, {"", "/e", "/ex", false}, {"", "/e", "/e/", false},
		{"", "/", "/x", true}, {"", "/", "/", true}, {"", "/", "/x/y", false},
		{"/app", "/", "/app", true}, {"/app", "/", "/app/x", true}, {"/app", "/", "/apple", false}, {"/app", "/e", "/e/x", false},
	} {
		e := Election{Path: c.path}
		if _, in := e.inner(c.chroot, c.full); in != c.in {
			t.Errorf("%+v: %v", c, in)
		}
	}
}

func TestTablesAreBounded(t *testing.T) {
	var r result
	for i := range uint64(maxListed + 10) {
		path := fmt.Sprintf("/e/n_%010d", i)
		r.conns = append(r.conns, session.Client{Session: i + 1})
		r.deadlines = append(r.deadlines, session.Deadline{Session: i + 1})
		r.ephemerals = append(r.ephemerals, session.Ephemeral{Session: i + 1, Path: path})
		r.watches = append(r.watches, session.Watch{Path: path, Sessions: []uint64{i + 1}})
	}
	many := result{watches: []session.Watch{{Path: "/e/x", Sessions: make([]uint64, maxWatchers+1)}, {Path: "/e/" + strings.Repeat("y", maxPath)}}}
	election := Election{Path: "/e"}
	got := election.table(session.Table{}, []result{r, many, {}}, "")
	s := got.Servers[0]
	if len(s.Clients) != maxListed || len(s.Deadlines) != maxListed || len(s.Ephemerals) != maxListed || len(s.Watched) != maxListed || !s.Leftover {
		t.Errorf("%d clients, %d deadlines, %d ephemerals, %d watches, leftover %v", len(s.Clients), len(s.Deadlines), len(s.Ephemerals), len(s.Watched), s.Leftover)
	}
	if s := got.Servers[1]; len(s.Watched) != 0 || !s.Leftover {
		t.Errorf("too many sessions, too long a path: %d, %v", len(s.Watched), s.Leftover)
	}
	if got.Servers[2].Leftover {
		t.Error("an empty result has a leftover")
	}
}

func TestEachElectionGetsItsOwn(t *testing.T) {
	alone(t, func(n *fakeNet, s *fakeServer, c *Config) {
		c.Mode, c.Chroot = FourLetter, "/app/"
		s.replies["wchp"] = "/app/a/n_1\n\t0x1\n/app/b/n_1\n\t0x2\n/a/n_1\n\t0x3\n\n"
	}, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
		got := make(map[string]*session.Table)
		for _, path := range []string{"/a", "/b"} {
			defer a.Subscribe(Election{Path: path, Put: func(_ context.Context, o model.Observation) { got[path] = o.(*session.Table) }})()
		}
		askNow(t, a, l)
		for path, want := range map[string]string{"/a": "[{/a/n_1 [1]}]", "/b": "[{/b/n_1 [2]}]"} {
			if w := fmt.Sprint(got[path].Servers[0].Watched); w != want {
				t.Errorf("%s: %s", path, w)
			}
		}
	})
}
