package admin

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/session"
	"electop/model/znode"
)

func TestAnchorsAreReadBetweenTouchAndTheRequests(t *testing.T) {
	for name, config := range map[string]string{"a server's address": "", "an address where any server may answer": dynamicConfig} {
		withOneServer(t, func(n *fakeNet, s *fakeServer, c *Config) {
			s.delay.set(time.Second)
			c.Servers, c.Ensemble = []string{"lb:2181"}, always(config)
			n.set("lb:2181", &fakePort{s, (*fakeServer).words})
			c.Touch = func(context.Context) { time.Sleep(time.Millisecond) }
			c.Anchors = func() []session.Anchor {
				return []session.Anchor{{Session: 1, Sent: time.Now(), Timeout: 8 * time.Second}}
			}
		}, func(t *testing.T, n *fakeNet, p *Poller, s *fakeServer, l *listener) {
			want := time.Now().Add(time.Millisecond)
			if config != "" {
				want = want.Add(-8 * time.Second)
			}
			pollFirst(t, p, l)
			if got := l.last(t).Anchors; len(got) != 1 || !got[0].Sent.Equal(want) {
				t.Errorf("%s: anchors %+v, want one sent at %v", name, got, want)
			}
		})
	}
}

func TestListThatMayLackAPortIsRefused(t *testing.T) {
	const one, list = " /10.9.9.9:1[1](queued=0,recved=1,sent=1,sid=0x1,lop=PING,est=1,to=10000,lresp=5)\n\n",
		`{"command":"connections","error":null,"connections":[{"session_id":1,"remote_socket_address":"10.9.9.9:1"}]%s}`
	for name, c := range map[string]struct {
		mode  Mode
		query string // word or command
		reply string
		hint  string // "": the list is Answered; "none": Refused without a hint
	}{
		"the server has one port":     {FourLetter, "conf", "clientPort=2181\nsecureClientPort=-1\nserverId=0\n", ""},
		"only with TLS":               {FourLetter, "conf", "clientPort=-1\nsecureClientPort=2181\nserverId=0\n", ""},
		"two ports":                   {FourLetter, "conf", "clientPort=2181\nsecureClientPort=2281\nserverId=0\n", "admin.enableServer=true and --admin auto"},
		"no ports in conf":            {FourLetter, "conf", "serverId=0\n", "admin.enableServer=true and --admin auto"},
		"conf is forbidden":           {FourLetter, "conf", "conf is not executed because it is not in the whitelist.\n", "admin.enableServer=true and --admin auto"},
		"3.4":                         {FourLetter, "srvr", "Zookeeper version: 3.4.14-x\nConnections: 2\nMode: standalone\n", ""},
		"HTTP, secure_connections":    {HTTP, "connections", fmt.Sprintf(list, `,"secure_connections":[]`), ""},
		"HTTP, no secure_connections": {HTTP, "connections", fmt.Sprintf(list, ""), "none"},
	} {
		withOneServer(t, func(n *fakeNet, s *fakeServer, cfg *Config) {
			cfg.Mode = c.mode
			s.replies["cons"], s.replies[c.query] = one, c.reply
		}, func(t *testing.T, n *fakeNet, p *Poller, s *fakeServer, l *listener) {
			got := pollFirst(t, p, l)
			if x := got.Connections; (x.State == session.Answered) != (c.hint == "") ||
				c.hint != "" && (x.State != session.Refused || x.Hint != strings.TrimPrefix(c.hint, "none") || !strings.Contains(x.Why, "only one port")) {
				t.Errorf("%s: connections %+v, want hint %q (\"\": Answered; \"none\": Refused without a hint)", name, x, c.hint)
			}
			if got.Watches.State != session.Answered || got.Sessions.State != session.Answered || len(got.Ephemerals) != 1 {
				t.Errorf("%s: %+v, want watches and sessions Answered", name, got)
			}
		})
	}
}

func TestNoRiskFromAListOfOnePort(t *testing.T) {
	withOneServer(t, func(n *fakeNet, s *fakeServer, cfg *Config) {
		cfg.Mode = FourLetter
		s.replies["conf"] = "clientPort=2181\nsecureClientPort=2281\nserverId=0\n"
		s.replies["cons"] = " /10.9.9.9:7[1](queued=0,recved=1,sent=1,sid=0x7,lop=PING,est=1,to=10000,lresp=5)\n\n"
		s.replies["dump"] = "SessionTracker dump:\nephemeral nodes dump:\n0x9:\n\t/election/n_0000000000\n0x7:\n\t/election/n_0000000001\n"
	}, func(t *testing.T, n *fakeNet, p *Poller, s *fakeServer, l *listener) {
		j := doctor.NewJournal(model.Config{Path: "/election"})
		at := time.Now()
		j.Apply(&model.Connection{At: at, Link: model.Connected})
		j.Apply(&model.Read{At: at, Presence: model.Present, Full: true, Parent: znode.Parent{Czxid: 1, Cversion: 2, Children: 2}, New: []znode.Znode{
			{Name: "n_0000000000", Session: 9, Czxid: 2, Ctime: at}, {Name: "n_0000000001", Session: 7, Czxid: 3, Ctime: at},
		}})
		for range 3 {
			time.Sleep(5 * time.Second)
			pollFirst(t, p, l)
			j.Apply(l.last(t))
		}
		st := j.State()
		if st.Queue.Len() != 2 || st.Table == nil || len(st.Risks) != 0 {
			t.Errorf("queue of %d, risks %+v; want 2 and no risks", st.Queue.Len(), st.Risks)
		}
	})
}

func TestPollEndsInTime(t *testing.T) {
	withThreeServers(t, nil, func(t *testing.T, _ *fakeNet, p *Poller, servers []*fakeServer, l *listener) {
		servers[1].delay.set(tableTimeout - time.Second)
		began := time.Now()
		pollAll(t, p, l)
		if d := time.Since(began); d != tablePollTimeout {
			t.Errorf("the poll took %v, want %v", d, tablePollTimeout)
		}
		got := l.last(t)
		if states(got.Servers[0]) != allAnswered || states(got.Servers[2]) != allAnswered {
			t.Errorf("servers 1 and 3: %+v, want Answered", got)
		}
		if s := got.Servers[1]; s.Basic.State != session.Answered || s.Watches.State != session.Failed {
			t.Errorf("slow server: %+v, want its status and no watches", s)
		}
	})
}

func TestTooLargeReplies(t *testing.T) {
	t.Parallel()
	for _, mode := range []Mode{HTTP, FourLetter} {
		withOneServer(t, func(n *fakeNet, s *fakeServer, c *Config) {
			c.Mode, s.endless = mode, true
		}, func(t *testing.T, n *fakeNet, p *Poller, s *fakeServer, l *listener) {
			got := pollFirst(t, p, l)
			if got.Basic.State != session.TooLarge || got.Watches.State != session.TooLarge || got.Watches.Why == "" {
				t.Errorf("%s: %+v, want TooLarge", mode, got)
			}
		})
	}
	for _, much := range []struct{ word, entry string }{{"wchp", "/a\n\t0x1\n"}, {"cons", " /1.2.3.4:5[0](queued=0)\n"}} {
		withOneServer(t, func(n *fakeNet, s *fakeServer, c *Config) {
			c.Mode = FourLetter
			s.replies[much.word] = strings.Repeat(much.entry, 600_000) + "\n"
		}, func(t *testing.T, n *fakeNet, p *Poller, s *fakeServer, l *listener) {
			got := pollFirst(t, p, l)
			answers := map[string]session.Answer{"wchp": got.Watches, "cons": got.Connections}
			if x := answers[much.word]; x.State != session.TooLarge || got.Basic.State != session.Answered {
				t.Errorf("%s: %+v, want this table TooLarge and the status Answered", much.word, got)
			}
		})
	}
}

func TestServerWithoutAnswersIsPolledLessOften(t *testing.T) {
	for name, fail := range map[string]func(*fakeNet, *fakeServer){
		"hangs":          func(n *fakeNet, s *fakeServer) { s.delay.set(time.Hour) },
		"is unreachable": func(n *fakeNet, s *fakeServer) { n.set(s.addr, &fakePort{}); n.set("10.0.0.2:8080", &fakePort{}) },
	} {
		for _, mode := range []Mode{HTTP, FourLetter, Auto} {
			t.Run(name+" "+string(mode), func(t *testing.T) {
				withThreeServers(t, func(c *Config) { c.Mode = mode }, func(t *testing.T, n *fakeNet, p *Poller, servers []*fakeServer, l *listener) {
					fail(n, servers[1])
					began := time.Now()
					defer n.run(p)()
					advance(statusPollTimeout)
					first := l.last(t)
					if d := l.times()[0].Sub(began); d > statusPollTimeout {
						t.Errorf("the first table arrived after %v, want %v at most", d, statusPollTimeout)
					}
					if first.Servers[0].Basic.State != session.Answered || first.Servers[2].Basic.State != session.Answered {
						t.Errorf("servers 1 and 3: %+v, want Answered", first)
					}
					if b := first.Servers[1].Basic; b.State != session.Failed || b.Why == "" || first.Unwhole != "server.2 did not answer (10.0.0.2:2181)" {
						t.Errorf("server 2: %+v, want Failed", first)
					}
					advance(20 * time.Minute)
					times := l.times()
					for i, when := range times[1:] {
						if d := when.Sub(times[i]); d > 5*time.Second+statusPollTimeout {
							t.Errorf("%v between two tables, want %v at most", d, 5*time.Second+statusPollTimeout)
							break
						}
					}
					m := servers[1].requests()
					if n := m["configuration"] + m["conf"]; name == "hangs" && n > 50 || l.count() < 180 {
						t.Errorf("in 20 minutes: %d identity requests to server 2, want 50 at most; %d tables, want 180 or more", n, l.count())
					}
					if b := l.last(t).Servers[1].Basic; b.State != session.Failed || b.Why == "" {
						t.Errorf("after 20 minutes: %+v, want Failed", b)
					}
					servers[1].delay.set(0)
					n.set(servers[1].addr, &fakePort{servers[1], (*fakeServer).words})
					n.set("10.0.0.2:8080", &fakePort{servers[1], (*fakeServer).commands})
					advance(longestPause + 10*time.Second)
					if b := l.last(t).Servers[1].Basic; b.State != session.Answered {
						t.Errorf("after the end of the fault: %+v, want Answered", b)
					}
					servers[1].requests()
					advance(time.Minute)
					if m := servers[1].requests(); m["server_stats"]+m["srvr"] != 12 {
						t.Errorf("requests in the next minute: %v, want 12 for the status", m)
					}
				})
			})
		}
	}
}

func TestPollOnDemandTriesAFailedServer(t *testing.T) {
	withOneServer(t, func(n *fakeNet, s *fakeServer, c *Config) {
		c.Mode = FourLetter
		n.set(s.addr, nil)
	}, func(t *testing.T, n *fakeNet, p *Poller, s *fakeServer, l *listener) {
		for range 5 {
			if b := pollFirst(t, p, l).Basic; b.State != session.Failed || !strings.Contains(b.Why, "refused") {
				t.Fatalf("while the port is closed: %+v, want Failed (connection refused)", b)
			}
		}
		n.set(s.addr, &fakePort{s, (*fakeServer).words})
		if got := pollFirst(t, p, l); states(got) != allAnswered {
			t.Errorf("after the port opens: %+v, want all Answered", got)
		}
	})
}

func TestTableThatTimesOutIsRequestedOnce(t *testing.T) {
	withOneServer(t, nil, func(t *testing.T, n *fakeNet, p *Poller, s *fakeServer, l *listener) {
		pollFirst(t, p, l)
		s.requests()
		s.set("watches_by_path", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\n") // the body never follows
		if got := pollFirst(t, p, l); got.Watches.State != session.Failed || got.Watches.Why == "" {
			t.Errorf("no table in time: %+v, want Failed", got)
		}
		if m := s.requests(); m["watches_by_path"] != 1 || m["wchp"] != 0 {
			t.Errorf("no table in time: requests %v, want one for the table", m)
		}
	})
}

func TestPollAndRunEndWithTheContext(t *testing.T) {
	for _, mode := range []Mode{HTTP, FourLetter, Auto, Off} {
		withOneServer(t, func(n *fakeNet, s *fakeServer, c *Config) { c.Mode = mode; s.delay.set(time.Hour) }, func(t *testing.T, n *fakeNet, p *Poller, s *fakeServer, l *listener) {
			stop := n.run(p)
			time.Sleep(100 * time.Millisecond) // until the first poll has begun
			ctx, cancel := context.WithCancelCause(t.Context())
			polled := make(chan error)
			go func() { polled <- p.Poll(ctx, everything) }()
			time.Sleep(100 * time.Millisecond)
			began := time.Now()
			why := errors.New("enough")
			cancel(why)
			if err := <-polled; !errors.Is(err, why) && mode != Off {
				t.Errorf("%s: Poll: got %v, want %v", mode, err, why)
			}
			stop()
			if d := time.Since(began); d != 0 {
				t.Errorf("%s: Poll and Run ended after %v, want at once", mode, d)
			}
			if l.count() != 0 {
				t.Errorf("%s: %d tables, want none", mode, l.count())
			}
		})
	}
}

func TestSubscriberThatBlocksIsLimited(t *testing.T) {
	withOneServer(t, nil, func(t *testing.T, n *fakeNet, p *Poller, s *fakeServer, l *listener) {
		stuck := Election{Path: "/x", Put: func(ctx context.Context, _ model.Observation) { <-ctx.Done() }}
		p.mu.Lock()
		p.subscribers = append([]*Election{&stuck}, p.subscribers...)
		p.mu.Unlock()
		defer n.run(p)()
		time.Sleep(putTimeout / 2)
		began := time.Now()
		p.Verify()
		p.Handoff()
		p.Subscribe(stuck)()
		if d := time.Since(began); d != 0 {
			t.Errorf("Verify, Handoff and Subscribe took %v, want no time", d)
		}
		advance(putTimeout)
		if l.count() == 0 {
			t.Error("the other subscriber got no table")
		}
	})
}

func TestOtherProgramAtTheAdminPort(t *testing.T) {
	page := func(head, body string) string {
		return "HTTP/1.1 " + head + "\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
	}
	for name, reply := range map[string]string{
		"a page":            page("200 OK\r\nContent-Type: text/html", "<html>hello</html>"),
		"no type":           page("200 OK", "{}"),
		"other JSON":        page("200 OK\r\nContent-Type: application/json", `{"status":"UP"}`),
		"another command":   `{"command":"ruok","error":null}`,
		"not JSON":          page("200 OK\r\nContent-Type: application/json", "<html>"),
		"a redirect":        page("302 Found\r\nLocation: http://10.0.0.9:8080/", ""),
		"a redirect (JSON)": page("307 T\r\nContent-Type: application/json\r\nLocation: http://10.0.0.9:8080/", `{"command":"server_stats"}`),
		"not found":         page("404 Not Found\r\nContent-Type: application/json", "{}"),
		"compressed":        page("200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip", "\x1f\x8b\x08\x00"),
		"long headers":      page("200 OK\r\nX: "+strings.Repeat("x", 100<<10), ""),
		"no HTTP":           "HTTP/but not quite\r\n\x1b[31mhello\r\n\r\n",
		"a cut-off body":    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
		"control characters": page("200 OK\r\nContent-Type: application/json",
			`{"command":"server_stats","error":"\u001b]0;title\u0007\u202e"}`),
	} {
		otherProgram := func(mode Mode) func(*fakeNet, *fakeServer, *Config) {
			return func(n *fakeNet, s *fakeServer, c *Config) {
				c.Mode = mode
				for _, command := range []string{"server_stats", "configuration", "monitor", "watch_summary", "connections", "dump_", "watches_by_path"} {
					s.replies[command] = reply
				}
			}
		}
		t.Run(name, func(t *testing.T) {
			withOneServer(t, otherProgram(HTTP), func(t *testing.T, n *fakeNet, p *Poller, s *fakeServer, l *listener) {
				elsewhere := n.member("10.0.0.9", 0, session.ModeStandalone)
				got := pollFirst(t, p, l)
				if m := elsewhere.requests(); len(m) > 0 {
					t.Errorf("the redirect was followed: %v", m)
				}
				if got.Basic.State != session.Failed || got.Watches.State != session.Failed || got.Basic.Why == "" || strings.ContainsFunc(got.Basic.Why, znode.Unsafe) {
					t.Errorf("HTTP: %+v, want Failed with a safe reason", got.Basic)
				}
			})
			withOneServer(t, otherProgram(Auto), func(t *testing.T, n *fakeNet, p *Poller, s *fakeServer, l *listener) {
				got := pollFirst(t, p, l)
				if states(got) != allAnswered || got.Basic.Via != "4lw" || len(got.Watched) != 1 {
					t.Errorf("auto: %+v, want all Answered by words", got)
				}
				if name != "a page" && name != "a cut-off body" {
					return
				}
				s.requests()
				defer n.run(p)()
				advance(4 * time.Minute)
				want := "monitor=49 server_stats=49 watch_summary=49"
				if name == "a cut-off body" { // HTTP times out, so it is tried again each minute
					want = "configuration=6 " + want
				}
				if m := byCommand(s.requests()); m != want || l.last(t).Servers[0].Basic.Via != "4lw" {
					t.Errorf("requests in four minutes: %s, want %s", m, want)
				}
				for what, reply := range replies(0, session.ModeStandalone, 2181) {
					s.set(what, reply)
				}
				p.Verify() // tries HTTP again
				advance(4 * time.Second)
				if b := l.last(t).Servers[0].Basic; b.Via != "http" {
					t.Errorf("with an AdminServer: %+v, want HTTP", b)
				}
			})
		})
	}
}

func TestSeveralServersOnOneHost(t *testing.T) {
	onOneHost := func(n *fakeNet) (addrs []string) {
		for i := range 3 {
			addr := "127.0.0.1:218" + strconv.Itoa(i+1)
			s := &fakeServer{addr: addr, counts: make(map[string]int), replies: replies(i+1, session.ModeFollower, 2181+i)}
			n.set(addr, &fakePort{s, (*fakeServer).words})
			if addrs = append(addrs, addr); i == 0 {
				n.set("127.0.0.1:8080", &fakePort{s, (*fakeServer).commands})
			}
		}
		return addrs
	}
	for _, mode := range []Mode{Auto, HTTP} {
		withOneServer(t, func(n *fakeNet, _ *fakeServer, c *Config) {
			c.Mode, c.Servers = mode, onOneHost(n)
		}, func(t *testing.T, n *fakeNet, p *Poller, _ *fakeServer, l *listener) {
			for i, s := range pollAll(t, p, l).Servers {
				switch {
				case i == 0 && (s.Basic.Via != "http" || states(s) != allAnswered):
					t.Errorf("%s, server 1: %+v, want all Answered by HTTP", mode, s)
				case i > 0 && mode == Auto && (s.Basic.Via != "4lw" || states(s) != allAnswered || s.Clients != nil && s.Clients[0].Session>>56 != uint64(i+1)):
					t.Errorf("%s, server %d: %+v, want its own answers by words", mode, i+1, s)
				case i > 0 && mode == HTTP && (s.Basic.State != session.Failed || s.Basic.Hint != "--admin-url" || !strings.Contains(s.Basic.Why, "port 2181")):
					t.Errorf("%s, server %d: %+v, want Failed with the hint --admin-url", mode, i+1, s)
				}
			}
		})
	}
	for _, c := range []struct {
		url, via string
	}{{"", "4lw"}, {"http://{host}:8080/commands", "4lw"}, {"http://127.0.0.1:8080/commands/", "http"}} {
		withOneServer(t, func(n *fakeNet, _ *fakeServer, cfg *Config) {
			cfg.Servers, cfg.URL = onOneHost(n)[1:2], c.url
		}, func(t *testing.T, n *fakeNet, p *Poller, _ *fakeServer, l *listener) {
			if got := pollFirst(t, p, l); got.Basic.Via != c.via {
				t.Errorf("URL %q: %+v, want an answer via %s", c.url, got, c.via)
			}
		})
	}
}

func TestNoSecretsInAnswers(t *testing.T) {
	withOneServer(t, func(n *fakeNet, s *fakeServer, c *Config) {
		c.Mode, c.URL = HTTP, "http://user:secret@{host}:8080/commands"
		c.Dial = func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("no route") }
	}, func(t *testing.T, n *fakeNet, p *Poller, s *fakeServer, l *listener) {
		if b := pollFirst(t, p, l).Basic; b.State != session.Failed || strings.Contains(b.Why, "user") || strings.Contains(b.Why, "secret") || !strings.Contains(b.Why, "no route") {
			t.Errorf("%+v, want Failed without the user name and the password", b)
		}
	})
}

func TestRefusedQueries(t *testing.T) {
	withOneServer(t, func(n *fakeNet, s *fakeServer, c *Config) { // the server permits only srvr, the default since 3.5.3
		c.Mode = FourLetter
		for _, word := range []string{"mntr", "wchs", "conf", "cons", "dump", "wchp"} {
			delete(s.replies, word)
		}
	}, func(t *testing.T, n *fakeNet, p *Poller, s *fakeServer, l *listener) {
		got := pollFirst(t, p, l)
		want := [4]session.AnswerState{session.Answered, session.Refused, session.Refused, session.Refused}
		if states(got) != want || got.Mode != session.ModeStandalone {
			t.Errorf("%+v, want only the status Answered", got)
		}
		for _, x := range []session.Answer{got.Connections, got.Sessions} {
			if x.Hint != allWords || !strings.Contains(x.Why, "does not allow the four-letter word") || x.Via != "4lw" {
				t.Errorf("%+v, want the hint %s", x, allWords)
			}
		}
		if !strings.Contains(got.Watches.Hint, "4lw.commands.whitelist=") {
			t.Errorf("watches: %+v, want a hint at the whitelist", got.Watches)
		}
		s.requests()
		stop := n.run(p)
		advance(50 * time.Second)
		if m := byCommand(s.requests()); m != "server_stats=11" {
			t.Errorf("requests in 50 s: %q, want only the status", m)
		}
		advance(time.Minute)
		if m := byCommand(s.requests()); m != "monitor=1 server_stats=12 watch_summary=1" {
			t.Errorf("requests in the next minute: %q, want the status, and mntr and wchs once", m)
		}
		stop()
		s.replies = replies(0, session.ModeStandalone, 2181)
		if got := pollFirst(t, p, l); states(got) != allAnswered {
			t.Errorf("with permission: %+v, want all Answered", got)
		}
	})
	withOneServer(t, func(n *fakeNet, s *fakeServer, c *Config) {
		c.Mode = HTTP
		for name := range s.replies {
			s.replies[name] = "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"
		}
	}, func(t *testing.T, n *fakeNet, p *Poller, s *fakeServer, l *listener) {
		if c := pollFirst(t, p, l).Connections; c.State != session.Refused || !strings.Contains(c.Why, "403") {
			t.Errorf("status 403: %+v, want Refused", c)
		}
	})
}

func TestUnknownCommandIsSentAsAWord(t *testing.T) {
	withOneServer(t, func(_ *fakeNet, s *fakeServer, _ *Config) {
		delete(s.replies, "watches_by_path")
	}, func(t *testing.T, n *fakeNet, p *Poller, s *fakeServer, l *listener) {
		if got := pollFirst(t, p, l); states(got) != allAnswered || got.Watches.Via != "4lw" || got.Connections.Via != "http" {
			t.Errorf("unknown command: %+v, want watches by words", got)
		}
	})
}

func TestNotServingIsAFailedAnswer(t *testing.T) {
	for _, mode := range []Mode{HTTP, FourLetter, Auto} {
		withOneServer(t, func(n *fakeNet, s *fakeServer, c *Config) {
			c.Mode = mode
			for name := range s.replies {
				s.replies[name] = "This ZooKeeper instance is not currently serving requests\n"
				if len(name) > 4 {
					s.replies[name] = `{"command":"` + strings.TrimSuffix(name, "_") + `","error":"This ZooKeeper instance is not currently serving requests"}`
				}
			}
		}, func(t *testing.T, n *fakeNet, p *Poller, s *fakeServer, l *listener) {
			got := pollFirst(t, p, l)
			if got.Basic.State != session.Failed || !strings.Contains(got.Basic.Why, "not serving") || got.Sessions.State != session.Failed {
				t.Errorf("%s: %+v, want Failed because the server is not serving", mode, got)
			}
			defer n.run(p)()
			s.requests()
			advance(time.Minute)
			if l.count() < 12 || len(s.requests()) == 0 {
				t.Errorf("%s: the poller stopped", mode)
			}
		})
	}
}

func TestCheckURL(t *testing.T) {
	for _, good := range []string{DefaultURL, "https://{host}/commands", "http://[::1]:8080/commands", "http://user:secret@{host}:8080/commands/"} {
		if err := CheckURL(good); err != nil {
			t.Errorf("CheckURL(%q): %v", good, err)
		}
	}
	for _, bad := range []string{
		"", "localhost:8080", "ftp://{host}/", "http://", "http://{host}:8080/commands?x=1", "http://us\x7fer:secret@{host}", "/commands", "{host}",
	} {
		if err := CheckURL(bad); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("CheckURL(%q): got %v, want an error without the password", bad, err)
		}
	}
	for _, short := range []string{"http://{host}:8080", "http://{host}:8080/"} {
		if u, err := expand(short, "zk1"); u != "http://zk1:8080/commands" {
			t.Errorf("%s: got %s, %v; want the path /commands", short, u, err)
		}
	}
	if u, err := expand(DefaultURL, "2001:db8::1"); u != "http://[2001:db8::1]:8080/commands" {
		t.Errorf("IPv6 host: got %s, %v; want it in brackets", u, err)
	}
	if u, err := expand(DefaultURL, "fe80::1%eth0"); u != "http://[fe80::1%25eth0]:8080/commands" {
		t.Errorf("IPv6 host with a zone: got %s, %v; want brackets and an escaped %%", u, err)
	}
}

func TestTLSVerifiesTheHostOfTheAddress(t *testing.T) {
	for addr, want := range map[string]string{"zk1:2181": "zk1", "[2001:db8::1]:2181": "2001:db8::1", "[fe80::1%eth0]:2181": "fe80::1"} {
		if c := forHost(&tls.Config{}, addr); c.ServerName != want {
			t.Errorf("%s: server name %q, want %q", addr, c.ServerName, want)
		}
	}
	if c := forHost(&tls.Config{ServerName: "zk"}, "zk1:2181"); c.ServerName != "zk" {
		t.Errorf("server name %q, want the configured name zk", c.ServerName)
	}
}
