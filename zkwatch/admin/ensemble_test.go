package admin

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"electop/model"
	"electop/model/session"
)

const (
	threeConfig   = "server.1=10.0.0.1:2888:3888:participant\nserver.2=10.0.0.2:2888:3888:participant\nserver.3=10.0.0.3:2888:3888:participant\nversion=0"
	oneHostConfig = "server.1=127.0.0.1:2881:3881\nserver.2=127.0.0.1:2882:3882\nserver.3=127.0.0.1:2883:3883"
)

var dynamicConfig = strings.ReplaceAll(threeConfig, "participant", "participant;2181")

func TestParseEnsemble(t *testing.T) {
	got, why := parseEnsemble("server.1=zk1:2888:3888:participant;0.0.0.0:2181\n" +
		"server.2=zk2:2888:3888:observer;2182\n" +
		"server.3=zk3:2888:3888:participant\n" +
		"server.4=[2001:db8::4]:2888:3888:participant;[::]:2181\n" +
		"server.5=zk5:2888:3888|zk5b:2888:3888:participant;clients5:2181\n" +
		"server.6=10.0.0.6:2888:3888\r\n" +
		"group.1=1:2\nversion=100000000")
	equal(t, "configuration", got, []configuredServer{
		{1, "zk1", "zk1:2181"}, {2, "zk2", "zk2:2182"}, {3, "zk3", ""}, {4, "2001:db8::4", "[2001:db8::4]:2181"},
		{5, "zk5", "clients5:2181"}, {6, "10.0.0.6", ""},
	})
	if why != "" {
		t.Errorf("got the reason %q for missing servers, want none", why)
	}
	for _, bad := range []string{"server.=a:1:2", "server.x=a:1:2", "server.1=", "server.1=[::1:2:3", "server.1=a b:1:2;2181", "server.1=a:1:2;99999",
		"server.1=a:1:2;\x1b[31m:2181", "server.1=../x:1:2", "server.1"} {
		if got, why := parseEnsemble(bad + "\nserver.7=b:1:2;2181"); why == "" || len(got) != 1 || strings.Contains(why, "\x1b") {
			t.Errorf("%q: got %v, why %q; want only server.7 and a safe reason", bad, got, why)
		}
	}
}

func FuzzEnsemble(f *testing.F) {
	f.Add("server.1=zk1:2888:3888:participant;0.0.0.0:2181\nversion=0")
	f.Add("server.4=[::1]:2888:3888|b:1:2;[::]:2181")
	many := ""
	for i := range maxMembers + 9 {
		many += fmt.Sprintf("server.%d=a:1:2\n", i)
	}
	f.Add("server.1=b:1:2\n" + many)
	f.Fuzz(func(t *testing.T, s string) {
		cfg := Config{Servers: []string{"a:1"}, Ensemble: always(s)}.withDefaults()
		e := newEnsemble(&cfg)
		e.readConfig(t.Context(), true)
		if len(e.config) > maxMembers {
			t.Errorf("%d members, want %d at most", len(e.config), maxMembers)
		}
		for _, c := range e.config {
			if host, _, err := net.SplitHostPort(c.client); c.host == "" || c.client != "" && (err != nil || host == "") {
				t.Errorf("%q: server without a valid host or address: %+v", s, c)
			}
		}
		results := []result{{number: 1}}
		for _, s := range e.targets() {
			results = append(results, newResult(s.addr))
		}
		e.members(results)
	})
}

func TestResultsOfMembers(t *testing.T) {
	const add = ":PORT to the connect string"
	for name, c := range map[string]struct {
		// Each result is an address, then =N for the server's number, then ! for no answer.
		results, config string
		kept            string
		missing         string
	}{
		"by address":                   {"10.0.0.1:2181=1 10.0.0.2:2181=2 10.0.0.3:2181=3", dynamicConfig, "10.0.0.1:2181 10.0.0.2:2181 10.0.0.3:2181", ""},
		"no numbers":                   {"10.0.0.1:2181 10.0.0.2:2181 10.0.0.3:2181", dynamicConfig, "10.0.0.1:2181 10.0.0.2:2181 10.0.0.3:2181", ""},
		"server.2 does not answer":     {"10.0.0.1:2181=1 10.0.0.2:2181! 10.0.0.3:2181=3", dynamicConfig, "10.0.0.1:2181 10.0.0.2:2181 10.0.0.3:2181", "server.2 did not answer"},
		"a fourth address, no number":  {"a:1 10.0.0.1:2181=1 10.0.0.2:2181=2 10.0.0.3:2181=3", dynamicConfig, "a:1 10.0.0.1:2181 10.0.0.2:2181 10.0.0.3:2181", ""},
		"a second address of server.2": {"lb:2181=2 10.0.0.1:2181=1 10.0.0.2:2181=2 10.0.0.3:2181=3", dynamicConfig, "10.0.0.1:2181 10.0.0.2:2181 10.0.0.3:2181", ""},
		"no numbers at own addresses":  {"lb:2181=2 10.0.0.1:2181 10.0.0.2:2181 10.0.0.3:2181", dynamicConfig, "10.0.0.1:2181 10.0.0.2:2181 10.0.0.3:2181", ""},
		"server.2 at another address":  {"a:1=2 10.0.0.1:2181=1 10.0.0.2:2181! 10.0.0.3:2181=3", dynamicConfig, "a:1 10.0.0.1:2181 10.0.0.3:2181", "server.2 did not answer"},
		"other addresses":              {"a:1=3 a:2=1 a:3=2 10.0.0.1:2181! 10.0.0.2:2181! 10.0.0.3:2181!", dynamicConfig, "a:1 a:2 a:3", "server.1 did not answer (10.0.0.1:2181)"},
		"server.4 instead of server.2": {"10.0.0.1:2181=1 10.0.0.2:2181=4 10.0.0.3:2181=3", dynamicConfig, "10.0.0.1:2181 10.0.0.2:2181 10.0.0.3:2181", "10.0.0.2:2181 answers as server.4"},
		"two servers at one address":   {"a:1", "server.1=a:2:3;1\nserver.2=a:4:5;1", "a:1", "server.2 has no address of its own"},
		"static":                       {"10.0.0.1:2181=1 10.0.0.2:2181=2 10.0.0.3:2181=3", threeConfig, "10.0.0.1:2181 10.0.0.2:2181 10.0.0.3:2181", ""},
		"static, no number":            {"10.0.0.1:2181=1 10.0.0.2:2181 10.0.0.3:2181=3", threeConfig, "10.0.0.1:2181 10.0.0.2:2181 10.0.0.3:2181", "10.0.0.2:2181 does not report which"},
		"static, server.3 is missing":  {"10.0.0.1:2181=1 10.0.0.2:2181=2", threeConfig, "10.0.0.1:2181 10.0.0.2:2181", "add 10.0.0.3" + add},
		"static, IPv6":                 {"a:1=1", "server.1=a:1:2\nserver.2=[::1]:1:2", "a:1", "add [::1]" + add},
		"static, other addresses":      {"a:1=3 a:2=1 a:3=2", threeConfig, "a:1 a:2 a:3", "add 10.0.0.1" + add},
		"one host":                     {"127.0.0.1:1=2 127.0.0.1:2=1 127.0.0.1:3=3", oneHostConfig, "127.0.0.1:1 127.0.0.1:2 127.0.0.1:3", ""},
		"one host, server.1 missing":   {"127.0.0.1:1=3 127.0.0.1:2=2", oneHostConfig, "127.0.0.1:1 127.0.0.1:2", "server.1 (127.0.0.1)"},
		"one host, server.1 twice":     {"127.0.0.1:1=1 127.0.0.1:2=1 127.0.0.1:3=2", oneHostConfig, "127.0.0.1:1 127.0.0.1:3", "server.3 (127.0.0.1)"},
		"server.0, no number":          {"a:1 b:1=1", "server.0=a:1:2;1\nserver.1=b:1:2;1", "a:1 b:1", ""},
		"no configuration":             {"a:1=1! b:1=1 c:1=2 d:1", "", "b:1 c:1 d:1", "names no servers"},
		"no configuration, standalone": {"a:1", "standalone", "a:1", ""},
	} {
		cfg := Config{Ensemble: always(c.config)}.withDefaults()
		e := newEnsemble(&cfg)
		e.readConfig(t.Context(), true)
		var results []result
		for _, f := range strings.Fields(c.results) {
			f, failed := strings.CutSuffix(f, "!")
			addr, number, _ := strings.Cut(f, "=")
			r := newResult(addr)
			if r.Basic.State = session.Answered; failed {
				r.Basic.State = session.Failed
			}
			for _, d := range number {
				r.number = int(d - '0')
			}
			if c.config == "standalone" {
				r.Mode = session.ModeStandalone
			}
			results = append(results, r)
		}
		kept, missing := e.members(results)
		var got []string
		for _, r := range kept {
			got = append(got, r.Addr)
		}
		if g := strings.Join(got, " "); g != c.kept {
			t.Errorf("%s: kept %s, want %s", name, g, c.kept)
		}
		if (missing == "") != (c.missing == "") || !strings.Contains(missing, c.missing) {
			t.Errorf("%s: missing %q, want %q", name, missing, c.missing)
		}
	}
}

func TestOneLeaderAtTwoAddresses(t *testing.T) {
	cfg := Config{Ensemble: always(threeConfig)}.withDefaults()
	e := newEnsemble(&cfg)
	e.readConfig(t.Context(), true)
	results := make([]result, 3)
	for i, addr := range []string{"10.0.0.1:1", "lb:1", "b:1"} {
		results[i] = newResult(addr)
		results[i].Mode, results[i].number, results[i].anyServer = session.ModeLeader, []int{1, 2, 9}[i], i > 0
	}
	kept, _ := e.members(results)
	for i, want := range []session.Mode{session.ModeLeader, session.ModeUnknown, session.ModeLeader} { // the configuration does not have server 9
		if kept[i].Mode != want {
			t.Errorf("mode of %s: %q, want %q", kept[i].Addr, kept[i].Mode, want)
		}
	}
}

func TestTableIsWholeOrHasAReason(t *testing.T) {
	for name, c := range map[string]struct {
		servers []string
		change  func(*fakeNet, *Config)
		count   int
		unwhole string
	}{
		"three servers": {threeAddrs, nil, 3, ""},
		"server.2 fails": {threeAddrs, func(n *fakeNet, c *Config) {
			n.at["10.0.0.2:2181"], n.at["10.0.0.2:8080"] = nil, nil
			c.Ensemble = always(dynamicConfig)
		}, 3, "server.2 did not answer"},
		"server.2 reports number 1": {threeAddrs, func(n *fakeNet, c *Config) {
			n.member("10.0.0.2", 1, session.ModeFollower)
			c.Ensemble = always(dynamicConfig)
		}, 2, "10.0.0.2:2181 answers as server.1"},
		"connect string with one server": {threeAddrs[:1], func(_ *fakeNet, c *Config) { c.Ensemble = always(dynamicConfig) }, 3, ""},
		"no configuration":               {threeAddrs, func(_ *fakeNet, c *Config) { c.Ensemble = nil }, 3, "not known"},
		"empty configuration":            {threeAddrs, func(_ *fakeNet, c *Config) { c.Ensemble = always("") }, 3, "names no servers"},
		"unreadable configuration": {threeAddrs, func(_ *fakeNet, c *Config) {
			c.Ensemble = func(context.Context) (string, error) { return "", errors.New("zk: not authenticated\x1b") }
		}, 3, "not authenticated\\x1b"},
		"read of the configuration times out": {threeAddrs, func(_ *fakeNet, c *Config) {
			c.Ensemble = func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() }
		}, 3, "cannot be read"},
		"malformed configuration": {threeAddrs, func(_ *fakeNet, c *Config) { c.Ensemble = always(threeConfig + "\nserver.x=what") }, 3, "not understood"},
	} {
		t.Run(name, func(t *testing.T) {
			withThreeServers(t, nil, func(t *testing.T, n *fakeNet, _ *Poller, _ []*fakeServer, l *listener) {
				cfg := n.config(c.servers...)
				if c.change != nil {
					c.change(n, &cfg)
				}
				p := New(cfg)
				defer p.Subscribe(l.election())()
				for range 2 {
					got := pollAll(t, p, l)
					if got.Whole != (c.unwhole == "") || !strings.Contains(got.Unwhole, c.unwhole) || got.Whole && got.Unwhole != "" || len(got.Servers) != c.count {
						t.Errorf("%d servers, whole %v, %q; want %d, %q", len(got.Servers), got.Whole, got.Unwhole, c.count, c.unwhole)
					}
				}
			})
		})
	}
	for name, ensemble := range map[string]func(context.Context) (string, error){"empty": always(""), "unknown": nil} {
		withOneServer(t, func(_ *fakeNet, _ *fakeServer, c *Config) { c.Ensemble = ensemble }, func(t *testing.T, n *fakeNet, p *Poller, s *fakeServer, l *listener) {
			if pollFirst(t, p, l); !l.last(t).Whole {
				t.Errorf("standalone server, configuration %s: not whole: %q", name, l.last(t).Unwhole)
			}
		})
	}
}

func TestWhenASecondAddressIsPolled(t *testing.T) {
	var failure error
	withThreeServers(t, func(c *Config) {
		c.Servers = []string{"zk1:2181"}
		c.Ensemble = func(context.Context) (string, error) { return dynamicConfig, failure }
	}, func(t *testing.T, n *fakeNet, p *Poller, servers []*fakeServer, l *listener) {
		own := n.at["10.0.0.1:2181"]
		n.set("zk1:2181", own)
		n.set("zk1:8080", n.at["10.0.0.1:8080"])
		for i, want := range []int{2, 1, 1, 2, 1} {
			switch i {
			case 2:
				n.set("10.0.0.1:2181", nil)
				n.set("10.0.0.1:8080", nil)
				pollAll(t, p, l) // after this failure at the configured address, the next poll uses both addresses
				servers[0].requests()
			case 3:
				n.set("10.0.0.1:2181", own)
			case 4:
				failure = errors.New("no connection")
				advance(configValid + time.Second) // the last configuration is no longer used
			}
			got := pollAll(t, p, l)
			if m := servers[0].requests(); m["watches_by_path"]+m["wchp"] != want || got.Whole != (i < 2 || i == 3) || i < 4 && len(got.Servers) != 3 {
				t.Errorf("poll %d: requests %v, want %d for watches; %d servers, whole %v, %q", i, m, want, len(got.Servers), got.Whole, got.Unwhole)
			}
		}
	})
}

func TestMemberIsAddedWhileThePollerRuns(t *testing.T) {
	config, reads := threeConfig, 0
	withThreeServers(t, func(c *Config) {
		c.Ensemble = func(context.Context) (string, error) { reads++; return config, nil }
	}, func(t *testing.T, n *fakeNet, p *Poller, _ []*fakeServer, l *listener) {
		defer n.run(p)()
		synctest.Wait()
		config += "\nserver.4=10.0.0.4:2888:3888:observer;0.0.0.0:2181"
		n.member("10.0.0.4", 4, session.ModeObserver)
		advance(configInterval + 5*time.Second)
		if got := l.last(t); len(got.Servers) != 4 || !got.Whole || got.Servers[3].Mode != session.ModeObserver || reads != 2 {
			t.Errorf("a member was added: got %+v, %d reads; want a whole table of 4 servers, the last an observer, and 2 reads", got, reads)
		}
	})
}

func TestClientMovesBetweenTheLists(t *testing.T) {
	const none, one = "\n", " /10.9.9.9:1[1](queued=0,recved=1,sent=1,sid=0x9,lop=PING,est=1,to=10000,lresp=5)\n\n"
	for name, c := range map[string]struct {
		lists    [3][2]string // the first and the later replies of each server to cons
		where    string
		requests int
	}{
		"stays":                           {[3][2]string{{none, none}, {one, one}, {none, none}}, "10.0.0.2:2181", 1},
		"moves after the first lists":     {[3][2]string{{none, one}, {none, none}, {none, none}}, "10.0.0.1:2181", 2},
		"moves, listed by the old server": {[3][2]string{{one, none}, {none, one}, {none, none}}, "10.0.0.1:2181", 1},
		"moves and moves back":            {[3][2]string{{none, none}, {none, one}, {none, none}}, "10.0.0.2:2181", 2},
		"disconnects":                     {[3][2]string{{none, none}, {none, none}, {none, none}}, "", 2},
	} {
		withThreeServers(t, func(c *Config) { c.Mode = FourLetter }, func(t *testing.T, n *fakeNet, p *Poller, servers []*fakeServer, l *listener) {
			for i, s := range servers {
				s.replies["cons"] = c.lists[i][0]
				s.replies["dump"] = "SessionTracker dump:\nephemeral nodes dump:\n0x9:\n\t/election/n_0000000000\n\t/elsewhere\n0x8:\n\t/elsewhere2\n"
				s.onWord = func() {
					if s.counts["cons"] > 1 {
						s.replies["cons"] = c.lists[i][1]
					}
				}
			}
			got := pollAll(t, p, l)
			var where []string
			for i, s := range got.Servers {
				if len(s.Clients) > 0 {
					where = append(where, s.Addr)
				}
				if m := servers[i].requests()["cons"]; m != c.requests || states(s) != allAnswered {
					t.Errorf("%s: %d requests for cons, want %d: %+v", name, m, c.requests, s)
				}
			}
			if !got.Whole || strings.Join(where, " ") != c.where {
				t.Errorf("%s: the client is listed by %v, want %q; whole %v, want true", name, where, c.where, got.Whole)
			}
		})
	}
}

func TestTableOfAnElection(t *testing.T) {
	conn := func(s uint64) session.Client {
		return session.Client{Session: s, Addr: fmt.Sprintf("10.0.0.9:%d", s)}
	}
	deadline := func(s uint64) session.Deadline {
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
			Server: session.Server{Addr: "b:1"},
			conns:  []session.Client{conn(3), conn(7), conn(8), conn(6)},
			deadlines: []session.Deadline{
				deadline(9), deadline(7), deadline(6), deadline(5), deadline(4), deadline(3), deadline(2), deadline(1), {Session: 6, At: time.Second},
			},
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
				Deadlines: []session.Deadline{deadline(1), deadline(2), deadline(3), deadline(4), deadline(5), deadline(6)},
			},
		},
	})
	results[0].conns[0].Addr, results[1].conns[1].Addr = "10.0.0.1:4000", "10.0.0.1:4001"
	election.Hosts = func() []string { return []string{"10.0.0.1"} }
	got = election.table(session.Table{At: at}, results, "/app")
	if a, b := got.Servers[0].Clients, got.Servers[1].Clients; len(a) != 4 || len(b) != 3 || b[1].Session != 7 || len(got.Hosts) != 1 {
		t.Errorf("with a host: got clients %+v and %+v, hosts %q; want 4 and 3 clients, session 7 among the 3, and 1 host", a, b, got.Hosts)
	}
	for range maxFromHost {
		results[0].conns = append(results[0].conns, session.Client{Session: 99, Addr: "10.0.0.1:1"})
	}
	got = election.table(session.Table{At: at}, results, "/app")
	if a := got.Servers[0].Clients; len(a) != 3 || len(got.Hosts) != 0 {
		t.Errorf("with the host of a proxy: %d clients, hosts %q; want 3 and no host", len(a), got.Hosts)
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
			t.Errorf("%+v: belongs to the election: %v, want %v", c, in, c.in)
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
		t.Errorf("%d clients, %d deadlines, %d ephemerals, %d watches, leftover %v; want %d of each and true",
			len(s.Clients), len(s.Deadlines), len(s.Ephemerals), len(s.Watched), s.Leftover, maxListed)
	}
	if s := got.Servers[1]; len(s.Watched) != 0 || !s.Leftover {
		t.Errorf("watches with too many sessions or too long a path: %d watches, leftover %v; want none and true", len(s.Watched), s.Leftover)
	}
	if got.Servers[2].Leftover {
		t.Error("an empty result: leftover true, want false")
	}
}

func TestEachElectionGetsItsOwnTable(t *testing.T) {
	withOneServer(t, func(n *fakeNet, s *fakeServer, c *Config) {
		c.Mode, c.Chroot = FourLetter, "/app/"
		s.replies["wchp"] = "/app/a/n_1\n\t0x1\n/app/b/n_1\n\t0x2\n/a/n_1\n\t0x3\n\n"
	}, func(t *testing.T, n *fakeNet, p *Poller, s *fakeServer, l *listener) {
		got := make(map[string]*session.Table)
		for _, path := range []string{"/a", "/b"} {
			defer p.Subscribe(Election{Path: path, Put: func(_ context.Context, o model.Observation) { got[path] = o.(*session.Table) }})()
		}
		pollFirst(t, p, l)
		for path, want := range map[string]string{"/a": "[{/a/n_1 [1]}]", "/b": "[{/b/n_1 [2]}]"} {
			if w := fmt.Sprint(got[path].Servers[0].Watched); w != want {
				t.Errorf("%s: got %s, want %s", path, w, want)
			}
		}
	})
}
