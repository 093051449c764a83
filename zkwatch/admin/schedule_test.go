package admin

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"electop/model/session"
)

func eachMode(t *testing.T, change func(*Config), f func(t *testing.T, n *fakeNet, p *Poller, servers []*fakeServer, l *listener)) {
	for _, mode := range []Mode{HTTP, FourLetter} {
		t.Run(string(mode), func(t *testing.T) {
			withThreeServers(t, func(c *Config) {
				if c.Mode = mode; change != nil {
					change(c)
				}
			}, func(t *testing.T, n *fakeNet, p *Poller, servers []*fakeServer, l *listener) {
				f(t, n, p, servers, l)
				for _, s := range servers {
					if s.maxOpen > 1 {
						t.Errorf("%s had %d requests at a time, want 1", s.addr, s.maxOpen)
					}
				}
			})
		})
	}
}

func wantSent(t *testing.T, d time.Duration, when string, servers []*fakeServer, want string) {
	t.Helper()
	advance(d)
	for _, s := range servers {
		if got := byCommand(s.requests()); got != want {
			t.Errorf("%s: requests to %s: got %q, want %q", when, s.addr, got, want)
		}
	}
}

func TestRequestsOfAnIdleMinute(t *testing.T) {
	eachMode(t, nil, func(t *testing.T, n *fakeNet, p *Poller, servers []*fakeServer, l *listener) {
		defer n.run(p)()
		wantSent(t, 0, "the first poll", servers, "configuration=1 monitor=1 server_stats=1 watch_summary=1")
		wantSent(t, time.Minute, "an idle minute", servers, "monitor=12 server_stats=12 watch_summary=12")
		if l.count() != 13 {
			t.Errorf("%d tables were delivered, want 13", l.count())
		}
		wantSent(t, 10*time.Minute, "ten idle minutes", servers, "configuration=2 monitor=120 server_stats=120 watch_summary=120")
	})
}

func TestPollerWithoutSubscribers(t *testing.T) {
	eachMode(t, nil, func(t *testing.T, n *fakeNet, p *Poller, servers []*fakeServer, l *listener) {
		p.subscribers = nil
		defer n.run(p)()
		p.Verify()
		p.Handoff()
		if err := p.Poll(t.Context(), Want{Watches: true}); err != nil {
			t.Error(err)
		}
		wantSent(t, time.Hour, "an hour without a subscriber", servers, "")
		cancel := p.Subscribe(l.election())
		wantSent(t, 0, "after a subscription", servers, "configuration=1 connections=1 dump=1 monitor=1 server_stats=1 watch_summary=1 watches_by_path=1")
		cancel()
		wantSent(t, time.Hour, "an hour after the end of the subscription", servers, "")
	})
}

func TestRegularPollsForConnectionsAndSessions(t *testing.T) {
	eachMode(t, func(c *Config) { c.Sessions = 30 * time.Second }, func(t *testing.T, n *fakeNet, p *Poller, servers []*fakeServer, l *listener) {
		defer n.run(p)()
		wantSent(t, 0, "the first poll", servers, "configuration=1 connections=1 dump=1 monitor=1 server_stats=1 watch_summary=1")
		last := l.last(t)
		if last.Every != 30*time.Second || last.Servers[0].Sessions.State != session.Answered || last.Servers[0].Watches.State != session.NotRequested {
			t.Errorf("table %+v, want sessions every 30 s and no watches", last)
		}
		wantSent(t, time.Minute, "a minute", servers, "connections=2 dump=2 monitor=12 server_stats=12 watch_summary=12")
	})
}

func TestCallsOfVerifyShareAPoll(t *testing.T) {
	eachMode(t, nil, func(t *testing.T, n *fakeNet, p *Poller, servers []*fakeServer, l *listener) {
		defer n.run(p)()
		wantSent(t, 0, "the first poll", servers, "configuration=1 monitor=1 server_stats=1 watch_summary=1")
		p.Verify()
		wantSent(t, 0, "verify", servers, "connections=1 dump=1 monitor=1 server_stats=1 watch_summary=1 watches_by_path=1")
		for range 100 {
			p.Verify()
			time.Sleep(10 * time.Millisecond)
		}
		wantSent(t, 3500*time.Millisecond, "100 calls of Verify", servers, "connections=1 dump=1 monitor=1 server_stats=1 watch_summary=1 watches_by_path=1")
		last := l.last(t)
		for _, s := range last.Servers {
			if s.Watches.State != session.Answered || len(s.Watched) != 1 || s.WatchCount != 3 || s.DataWatches != 1 || len(s.Clients) != 1 || len(s.Ephemerals) != 1 {
				t.Errorf("after verify: %+v, want watches, a client and an ephemeral znode", s)
			}
		}
	})
}

func TestTablesOfWatchesAfterHandoffs(t *testing.T) {
	tables := func(servers []*fakeServer) (n int) {
		for _, s := range servers {
			m := s.requests()
			n += m["wchp"] + m["watches_by_path"]
			if m["cons"]+m["connections"]+m["dump"] > 0 {
				n += 1000 // makes the count wrong: no other table may be requested
			}
		}
		return n
	}
	eachMode(t, nil, func(t *testing.T, n *fakeNet, p *Poller, servers []*fakeServer, l *listener) {
		defer n.run(p)()
		wantTables := func(d time.Duration, want int, when string) {
			t.Helper()
			advance(d)
			if got := tables(servers); got != want {
				t.Errorf("%s: %d tables of watches, want %d", when, got, want)
			}
		}
		wantTables(7*time.Second, 0, "before the first handoff")
		p.Handoff()
		wantTables(1900*time.Millisecond, 0, "1.9 s after a handoff")
		wantTables(200*time.Millisecond, 3, "2.1 s after a handoff")
		wantTables(time.Minute, 0, "in the next minute")
		for range 20 {
			p.Handoff()
			wantTables(time.Second, 0, "less than 2 s after the last handoff")
		}
		wantTables(2*time.Second, 3, "3 s after the last handoff")
		p.Handoff()
		wantTables(57*time.Second, 0, "less than a minute after the last table")
		wantTables(5*time.Second, 3, "more than a minute after the last table")
		wantTables(10*time.Minute, 0, "ten minutes without a handoff")
		p.Verify()
		advance(time.Second)
		tables(servers)
		p.Handoff()
		wantTables(57*time.Second, 0, "less than a minute after a table on demand")
		wantTables(5*time.Second, 3, "more than a minute after a table on demand")
	})
}

func TestRequestsForTablesOfManyWatches(t *testing.T) {
	many := func(s *fakeServer) {
		s.set("wchs", "9 connections watching 9 paths\nTotal watches:50001\n")
		s.set("watch_summary", `{"command":"watch_summary","error":null,"num_total_watches":50001}`)
	}
	eachMode(t, nil, func(t *testing.T, n *fakeNet, p *Poller, servers []*fakeServer, l *listener) {
		many(servers[1])
		last := pollAll(t, p, l)
		w := last.Servers[1].Watches
		if w.State != session.Refused || w.Hint != "--admin-heavy" || last.Servers[1].DataWatches != 50001 || len(last.Servers[1].Watched) != 0 {
			t.Errorf("50,001 watches: %+v, want watches Refused", last.Servers[1])
		}
		if last.Servers[0].Watches.State != session.Answered || last.Servers[2].Watches.State != session.Answered {
			t.Errorf("servers 1 and 3: %+v, want watches Answered", last)
		}
		wantSent(t, 0, "server with many watches", servers[1:2], "configuration=1 connections=1 dump=1 monitor=1 server_stats=1 watch_summary=1")
	})
	eachMode(t, func(c *Config) { c.Heavy = true }, func(t *testing.T, n *fakeNet, p *Poller, servers []*fakeServer, l *listener) {
		many(servers[1])
		if w := pollAll(t, p, l).Servers[1]; w.Watches.State != session.Answered || len(w.Watched) != 1 {
			t.Errorf("heavy: %+v, want watches Answered", w)
		}
	})
	// Without Heavy, a table of watches is requested only if a word or command reports their number.
	eachMode(t, nil, func(t *testing.T, n *fakeNet, p *Poller, servers []*fakeServer, l *listener) {
		for _, s := range servers[:2] {
			delete(s.replies, "wchs")
			delete(s.replies, "watch_summary")
		}
		delete(servers[0].replies, "mntr")
		delete(servers[0].replies, "monitor")
		last := pollAll(t, p, l)
		if s := last.Servers[0]; s.Watches.State != session.Refused || s.Watches.Hint == "" || s.WatchCount != -1 || s.DataWatches != -1 {
			t.Errorf("no counts: %+v, want watches Refused", s)
		}
		if s := last.Servers[1]; s.Watches.State != session.Answered || s.WatchCount != 3 || s.DataWatches != -1 {
			t.Errorf("only mntr or monitor: %+v, want watches Answered", s)
		}
	})
}

func listRequests(servers []*fakeServer) (n int) {
	for _, s := range servers {
		m := s.requests()
		n += m["cons"] + m["connections"]
	}
	return n
}

func onlyWhileCheap(c *Config) { c.Sessions, c.Cheap = 2*time.Second, true }

func setConnections(servers []*fakeServer, n int) {
	for _, s := range servers {
		s.mu.Lock()
		s.replies["srvr"] = strings.ReplaceAll(s.replies["srvr"], "Connections: 2", fmt.Sprint("Connections: ", n))
		s.replies["server_stats"] = strings.ReplaceAll(s.replies["server_stats"], `connections":1`, fmt.Sprint(`connections":`, n))
		s.mu.Unlock()
	}
}

func TestRequestsForManyConnections(t *testing.T) {
	eachMode(t, onlyWhileCheap, func(t *testing.T, n *fakeNet, p *Poller, servers []*fakeServer, l *listener) {
		setConnections(servers, session.CheapConnections/3+1)
		defer n.run(p)()
		synctest.Wait()
		advance(time.Hour)
		if got := listRequests(servers); got != 0 {
			t.Errorf("%d requests for connections, want none", got)
		}
		if x := l.last(t); x.Every != 0 || !strings.Contains(x.Unrequested(), "2001 connections") || !strings.Contains(x.Unrequested(), "--admin-sessions") {
			t.Errorf("interval %v, reason %q; want 0 and 2001 connections", x.Every, x.Unrequested())
		}
		p.Verify()
		synctest.Wait()
		if got := listRequests(servers); got != 3 {
			t.Errorf("verify: %d requests for connections, want 3", got)
		}
	})
	t.Run("without Cheap", func(t *testing.T) {
		eachMode(t, func(c *Config) { c.Sessions = 2 * time.Second }, func(t *testing.T, n *fakeNet, p *Poller, servers []*fakeServer, l *listener) {
			setConnections(servers, 100_000)
			defer n.run(p)()
			advance(time.Minute)
			if got := listRequests(servers); got != 3*31 {
				t.Errorf("%d requests for connections in a minute, want %d", got, 3*31)
			}
		})
	})
}

func TestConnectionsOfSlowServersAreRequestedRarely(t *testing.T) {
	eachMode(t, onlyWhileCheap, func(t *testing.T, n *fakeNet, p *Poller, servers []*fakeServer, l *listener) {
		servers[1].delay.set(150 * time.Millisecond)
		defer n.run(p)()
		advance(4 * time.Second)
		if got := listRequests(servers); got != 3 {
			t.Errorf("%d requests for connections, want 3", got)
		}
		x := l.last(t)
		if why := x.Unrequested(); x.Every != 0 || !strings.Contains(why, servers[1].addr+" took 150 ms, more than 100 ms") {
			t.Errorf("interval %v, reason %q; want 0 and the slow server", x.Every, why)
		}
		advance(time.Hour)
		if got := listRequests(servers); got < 3*5 || got > 3*15 {
			t.Errorf("%d requests for connections in an hour of slow answers, want 15 to 45", got)
		}
		servers[1].delay.set(0)
		advance(longestSlowPause + 10*time.Second)
		listRequests(servers)
		advance(time.Minute)
		if x := l.last(t); x.Every != 2*time.Second || !x.Cheap || x.Unrequested() != "" {
			t.Errorf("interval %v, cheap %v, reason %q; want 2 s, true and no reason", x.Every, x.Cheap, x.Unrequested())
		}
		if got := listRequests(servers); got != 3*30 {
			t.Errorf("%d requests for connections in a minute of fast answers, want 90; reason %q", got, l.last(t).Unrequested())
		}
	})
}
