package admin

import (
	"context"
	"errors"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"electop/model"
	"electop/zkwatch/admin/transport"
)

var everything = Want{Watches: true, Sessions: true}

// states are the states of a server's answers.
func states(s model.Server) [4]model.AnswerState {
	return [4]model.AnswerState{s.Basic.State, s.Connections.State, s.Sessions.State, s.Watches.State}
}

var allAnswered = [4]model.AnswerState{model.Answered, model.Answered, model.Answered, model.Answered}

func alone(t *testing.T, change func(*fakeNet, *fakeServer, *Config), f func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		n := newFakeNet(t)
		s := n.member("10.0.0.1", 0, model.ModeStandalone)
		cfg := n.config(s.addr)
		cfg.Ensemble = always("")
		if change != nil {
			change(n, s, &cfg)
		}
		a := newFake(cfg)
		l := new(listener)
		defer a.Subscribe(l.election())()
		f(t, n, a, s, l)
		n.wait()
	})
}

// ask asks for everything and returns the first server's answers.
func askNow(t *testing.T, a *Asker, l *listener) model.Server {
	t.Helper()
	if err := a.Ask(t.Context(), everything); err != nil {
		t.Fatal(err)
	}
	return l.last(t).Servers[0]
}

// TestWhatListensInstead puts strangers where an AdminServer should be. In
// mode HTTP that is a failure that says so; in mode Auto the words answer.
func TestWhatListensInstead(t *testing.T) {
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
		stranger := func(mode Mode) func(*fakeNet, *fakeServer, *Config) {
			return func(n *fakeNet, s *fakeServer, c *Config) {
				c.Mode = mode
				for _, command := range []string{"server_stats", "configuration", "monitor", "watch_summary", "connections", "dump_", "watches_by_path"} {
					s.replies[command] = reply
				}
			}
		}
		t.Run(name, func(t *testing.T) {
			alone(t, stranger(HTTP), func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
				got := askNow(t, a, l)
				if got.Basic.State != model.Failed || got.Watches.State != model.Failed || got.Basic.Why == "" || strings.ContainsFunc(got.Basic.Why, model.Unsafe) {
					t.Errorf("HTTP: %+v", got.Basic)
				}
			})
			alone(t, stranger(Auto), func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
				got := askNow(t, a, l)
				if states(got) != allAnswered || got.Basic.Via != "4lw" || len(got.Watched) != 1 {
					t.Errorf("auto: %+v", got)
				}
				s.asked()
				stop := n.run(a)
				defer stop()
				time.Sleep(4 * time.Minute)
				synctest.Wait()
				want := "monitor=49 server_stats=49 watch_summary=49"
				if name == "a cut-off body" { // no answer in time, which may have been bad luck: each minute, by HTTP and then the word
					want = "configuration=6 " + want
				}
				if m := questions(s.asked()); m != want || l.last(t).Servers[0].Basic.Via != "4lw" {
					t.Errorf("in four minutes: %s", m)
				}
				for what, reply := range replies(0, model.ModeStandalone, 2181) {
					s.set(what, reply)
				}
				a.Verify() // asks for all there is: the AdminServer may be there by now
				time.Sleep(4 * time.Second)
				synctest.Wait()
				if b := l.last(t).Servers[0].Basic; b.Via != "http" {
					t.Errorf("when it is there: %+v", b)
				}
			})
		})
	}
}

// TestNothingIsFollowed has what would be an AdminServer's answer if it were
// not elsewhere, or encoded.
func TestNothingIsFollowed(t *testing.T) {
	good := replies(0, model.ModeStandalone, 2181)
	for head, why := range map[string]string{
		"302 Found\r\nLocation: http://10.0.0.9:8080/commands/configuration": "redirect",
		"200 OK\r\nContent-Encoding: br":                                     "encoded",
	} {
		alone(t, func(n *fakeNet, s *fakeServer, c *Config) {
			c.Mode = HTTP
			for _, what := range []string{"server_stats", "configuration"} {
				s.replies[what] = "HTTP/1.1 " + head + "\r\nContent-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(good[what])) + "\r\n\r\n" + good[what]
			}
		}, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
			other := n.member("10.0.0.9", 0, model.ModeStandalone)
			if b := askNow(t, a, l).Basic; b.State != model.Failed || !strings.Contains(b.Why, why) {
				t.Errorf("%+v, want something about %q", b, why)
			}
			if m := other.asked(); len(m) > 0 {
				t.Errorf("followed: %v", m)
			}
		})
	}
}

// TestARoundEnds has a server that answers everything, and each time late.
func TestARoundEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newFakeNet(t)
		servers := three(n)
		servers[1].delay = tableTimeout - time.Second
		a := newFake(n.config(allThree...))
		l := new(listener)
		defer a.Subscribe(l.election())()
		began := time.Now()
		if err := a.Ask(t.Context(), everything); err != nil {
			t.Fatal(err)
		}
		if d := time.Since(began); d != tablePollTimeout {
			t.Errorf("the round took %v", d)
		}
		got := l.last(t)
		if states(got.Servers[0]) != allAnswered || states(got.Servers[2]) != allAnswered {
			t.Errorf("the others: %+v", got)
		}
		if s := got.Servers[1]; s.Basic.State != model.Answered || s.Watches.State != model.Failed {
			t.Errorf("the slow one: %+v", s)
		}
		n.wait()
	})
}

func TestEndlessReplies(t *testing.T) {
	for _, mode := range []Mode{HTTP, FourLetter} {
		alone(t, func(n *fakeNet, s *fakeServer, c *Config) { c.Mode, s.endless = mode, true }, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
			got := askNow(t, a, l)
			if got.Basic.State != model.TooLarge || got.Watches.State != model.TooLarge || got.Watches.Why == "" {
				t.Errorf("%s: %+v", mode, got)
			}
		})
		// Only the dear ones are.
		for _, much := range []struct{ word, entry string }{{"wchp", "/a\n\t0x1\n"}, {"cons", " /1.2.3.4:5[0](queued=0)\n"}} {
			alone(t, func(n *fakeNet, s *fakeServer, c *Config) {
				c.Mode = FourLetter
				s.replies[much.word] = strings.Repeat(much.entry, 600_000) + "\n"
			}, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
				got := askNow(t, a, l)
				answers := map[string]model.Answer{"wchp": got.Watches, "cons": got.Connections}
				if x := answers[much.word]; x.State != model.TooLarge || got.Basic.State != model.Answered {
					t.Errorf("%s: %+v", much.word, got)
				}
			})
		}
	}
}

// TestASlowServer holds that the others are not kept waiting beyond a round,
// and that it is asked less and less often, until it answers again.
func TestASlowServer(t *testing.T) {
	for name, slow := range map[string]func(*fakeNet, *fakeServer){
		"hangs":          func(n *fakeNet, s *fakeServer) { s.delay = time.Hour },
		"is unreachable": func(n *fakeNet, s *fakeServer) { n.set(s.addr, &fakePort{}); n.set("10.0.0.2:8080", &fakePort{}) },
	} {
		for _, mode := range []Mode{HTTP, FourLetter, Auto} {
			t.Run(name+" "+string(mode), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					n := newFakeNet(t)
					servers := three(n)
					slow(n, servers[1])
					cfg := n.config(allThree...)
					cfg.Mode = mode
					a := newFake(cfg)
					l := new(listener)
					defer a.Subscribe(l.election())()
					began := time.Now()
					stop := n.run(a)
					defer stop()
					time.Sleep(statusPollTimeout)
					synctest.Wait()
					first := l.last(t)
					if d := l.times()[0].Sub(began); d > statusPollTimeout {
						t.Errorf("the first table came after %v", d)
					}
					if first.Servers[0].Basic.State != model.Answered || first.Servers[2].Basic.State != model.Answered {
						t.Errorf("the healthy ones: %+v", first)
					}
					if b := first.Servers[1].Basic; b.State != model.Failed || b.Why == "" || !first.Whole {
						t.Errorf("the slow one: %+v", first)
					}
					time.Sleep(20 * time.Minute)
					synctest.Wait()
					times := l.times()
					for i, when := range times[1:] {
						if d := when.Sub(times[i]); d > 5*time.Second+statusPollTimeout {
							t.Errorf("%v between two tables", d)
							break
						}
					}
					m := servers[1].asked()
					if rounds := m["configuration"] + m["conf"]; name == "hangs" && rounds > 50 || l.count() < 180 {
						t.Errorf("in 20 minutes it was asked %d times, and there were %d tables", rounds, l.count())
					}
					if b := l.last(t).Servers[1].Basic; b.State != model.Failed || b.Why == "" {
						t.Errorf("after 20 minutes: %+v", b)
					}
					// It comes back.
					servers[1].mu.Lock()
					servers[1].delay = 0
					servers[1].mu.Unlock()
					n.set(servers[1].addr, &fakePort{servers[1], (*fakeServer).words})
					n.set("10.0.0.2:8080", &fakePort{servers[1], (*fakeServer).commands})
					time.Sleep(longestPause + 10*time.Second)
					synctest.Wait()
					if b := l.last(t).Servers[1].Basic; b.State != model.Answered {
						t.Errorf("it is back: %+v", b)
					}
					servers[1].asked()
					time.Sleep(time.Minute)
					synctest.Wait()
					if m := servers[1].asked(); m["server_stats"]+m["srvr"] != 12 {
						t.Errorf("a minute after it came back: %v", m)
					}
				})
			})
		}
	}
}

// TestSomebodyAsksForASlowServer holds that a server which is asked less often
// is tried when somebody asks, and that a dear question is not put twice.
func TestSomebodyAsksForASlowServer(t *testing.T) {
	alone(t, func(n *fakeNet, s *fakeServer, c *Config) { c.Mode = FourLetter; n.set(s.addr, nil) }, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
		for range 5 {
			if b := askNow(t, a, l).Basic; b.State != model.Failed || !strings.Contains(b.Why, "refused") {
				t.Fatalf("nobody listens: %+v", b)
			}
		}
		n.set(s.addr, &fakePort{s, (*fakeServer).words})
		if got := askNow(t, a, l); states(got) != allAnswered {
			t.Errorf("it is there now: %+v", got)
		}
	})
	alone(t, nil, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
		askNow(t, a, l)
		s.asked()
		s.set("watches_by_path", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\n") // and no more
		if got := askNow(t, a, l); got.Watches.State != model.Failed || got.Watches.Why == "" {
			t.Errorf("a table that does not come: %+v", got)
		}
		if m := s.asked(); m["watches_by_path"] != 1 || m["watches"]+m["wchp"]+m["wchc"] != 0 {
			t.Errorf("a table that does not come: asked %v", m)
		}
	})
}

func TestEndsWithItsContext(t *testing.T) {
	for _, mode := range []Mode{HTTP, FourLetter, Auto, Off} {
		alone(t, func(n *fakeNet, s *fakeServer, c *Config) { c.Mode, s.delay = mode, time.Hour }, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
			stop := n.run(a)
			time.Sleep(100 * time.Millisecond) // the first round is under way
			ctx, cancel := context.WithCancelCause(t.Context())
			asked := make(chan error)
			go func() { asked <- a.Ask(ctx, everything) }()
			time.Sleep(100 * time.Millisecond)
			began := time.Now()
			why := errors.New("enough")
			cancel(why)
			if err := <-asked; !errors.Is(err, why) && mode != Off {
				t.Errorf("Ask: %v", err)
			}
			stop()
			if d := time.Since(began); d != 0 {
				t.Errorf("%s: it took %v to end", mode, d)
			}
			if l.count() != 0 {
				t.Errorf("%s: %d tables", mode, l.count())
			}
		})
	}
}

// TestASubscriberThatDoesNotTake holds up the others for a moment, and nobody
// who subscribes, verifies or tells of handoffs.
func TestASubscriberThatDoesNotTake(t *testing.T) {
	alone(t, nil, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
		stuck := Election{Path: "/x", Put: func(ctx context.Context, _ model.Observation) { <-ctx.Done() }}
		a.mu.Lock()
		a.subscribers = append([]*Election{&stuck}, a.subscribers...)
		a.mu.Unlock()
		stop := n.run(a)
		defer stop()
		time.Sleep(putTimeout / 2)
		began := time.Now()
		a.Verify()
		a.Handoff()
		a.Subscribe(stuck)()
		if d := time.Since(began); d != 0 {
			t.Errorf("they waited %v", d)
		}
		time.Sleep(putTimeout)
		synctest.Wait()
		if l.count() == 0 {
			t.Error("the other one got nothing")
		}
	})
}

func TestRefusedWords(t *testing.T) {
	stock := func(n *fakeNet, s *fakeServer, c *Config) { // srvr alone, as since 3.5
		for _, word := range []string{"mntr", "wchs", "conf", "cons", "dump", "wchp"} {
			delete(s.replies, word)
		}
		s.replies["dump_"] = s.replies["dump"]
		n.set("10.0.0.1:8080", nil)
	}
	alone(t, func(n *fakeNet, s *fakeServer, c *Config) { c.Mode = FourLetter; stock(n, s, c) }, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
		got := askNow(t, a, l)
		want := [4]model.AnswerState{model.Answered, model.Refused, model.Refused, model.Refused}
		if states(got) != want || got.Mode != model.ModeStandalone {
			t.Errorf("%+v", got)
		}
		for _, x := range []model.Answer{got.Connections, got.Sessions} {
			if x.Hint != transport.AllWords || !strings.Contains(x.Why, "does not allow the word") || x.Via != "4lw" {
				t.Errorf("%+v", x)
			}
		}
		if !strings.Contains(got.Watches.Hint, "4lw.commands.whitelist=") {
			t.Errorf("%+v", got.Watches)
		}
		s.asked()
		stop := n.run(a)
		time.Sleep(50 * time.Second)
		synctest.Wait()
		// What was refused is not asked again at once.
		if m := questions(s.asked()); m != "server_stats=11" {
			t.Errorf("then it was asked %q", m)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if m := questions(s.asked()); m != "monitor=1 server_stats=12 watch_summary=1" {
			t.Errorf("in the next minute it was asked %q", m)
		}
		stop()
		s.replies = replies(0, model.ModeStandalone, 2181)
		if got := askNow(t, a, l); states(got) != allAnswered {
			t.Errorf("when it is allowed: %+v", got)
		}
	})
	alone(t, stock, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
		got := askNow(t, a, l)
		if c := got.Connections; c.State != model.Refused || c.Hint != "admin.enableServer=true, or "+transport.AllWords {
			t.Errorf("auto: %+v", c)
		}
	})
	alone(t, func(n *fakeNet, s *fakeServer, c *Config) { stock(n, s, c); c.Mode = HTTP }, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
		got := askNow(t, a, l)
		if c := got.Basic; c.State != model.Failed || c.Hint != "admin.enableServer=true" || !strings.Contains(c.Why, "refused") {
			t.Errorf("HTTP: %+v", c)
		}
	})
	alone(t, func(n *fakeNet, s *fakeServer, c *Config) {
		c.Mode = HTTP
		for name := range s.replies {
			s.replies[name] = "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"
		}
	}, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
		if c := askNow(t, a, l).Connections; c.State != model.Refused || !strings.Contains(c.Why, "403") {
			t.Errorf("forbidden: %+v", c)
		}
	})
}

// TestOtherForms has the first form of a table refused.
func TestOtherForms(t *testing.T) {
	alone(t, func(n *fakeNet, s *fakeServer, c *Config) {
		c.Mode = FourLetter
		delete(s.replies, "wchp")
		s.replies["wchc"] = "0x1\n\t/election/n_1\n\n"
	}, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
		if got := askNow(t, a, l); !slices.Equal(watchesOf(got.Watched), []string{"/election/n_1 0x1"}) {
			t.Errorf("wchc: %+v", got)
		}
	})
	alone(t, func(n *fakeNet, s *fakeServer, c *Config) {
		delete(s.replies, "watches_by_path")
		s.replies["watches"] = `{"command":"watches","error":null,"session_id_to_watched_paths":{"1":["/election/n_1"]}}`
	}, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
		if got := askNow(t, a, l); !slices.Equal(watchesOf(got.Watched), []string{"/election/n_1 0x1"}) || got.Watches.Via != "http" {
			t.Errorf("watches: %+v", got)
		}
	})
	alone(t, func(n *fakeNet, s *fakeServer, c *Config) { delete(s.replies, "watches_by_path") }, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
		if got := askNow(t, a, l); states(got) != allAnswered || got.Watches.Via != "4lw" || got.Connections.Via != "http" {
			t.Errorf("wchp for a command: %+v", got)
		}
	})
}

func TestNotServing(t *testing.T) {
	for _, mode := range []Mode{HTTP, FourLetter, Auto} {
		alone(t, func(n *fakeNet, s *fakeServer, c *Config) {
			c.Mode = mode
			for name := range s.replies {
				s.replies[name] = "This ZooKeeper instance is not currently serving requests\n"
				if len(name) > 4 {
					s.replies[name] = `{"command":"` + strings.TrimSuffix(name, "_") + `","error":"This ZooKeeper instance is not currently serving requests"}`
				}
			}
		}, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
			got := askNow(t, a, l)
			if got.Basic.State != model.Failed || !strings.Contains(got.Basic.Why, "not serving") || got.Sessions.State != model.Failed {
				t.Errorf("%s: %+v", mode, got)
			}
			stop := n.run(a)
			defer stop()
			s.asked()
			time.Sleep(time.Minute)
			synctest.Wait()
			if l.count() < 12 || len(s.asked()) == 0 {
				t.Errorf("%s: it is not asked any more", mode)
			}
		})
	}
}

// TestOneAdminServerForAll has three members on one host: only the first got
// the usual port.
func TestOneAdminServerForAll(t *testing.T) {
	hosts := func(n *fakeNet) (all []*fakeServer, addrs []string) {
		for i := range 3 {
			addr := "127.0.0.1:218" + strconv.Itoa(i+1)
			s := &fakeServer{addr: addr, counts: make(map[string]int), replies: replies(i+1, model.ModeFollower, 2181+i)}
			n.set(addr, &fakePort{s, (*fakeServer).words})
			all, addrs = append(all, s), append(addrs, addr)
		}
		n.set("127.0.0.1:8080", &fakePort{all[0], (*fakeServer).commands})
		return all, addrs
	}
	for _, mode := range []Mode{Auto, HTTP} {
		synctest.Test(t, func(t *testing.T) {
			n := newFakeNet(t)
			_, addrs := hosts(n)
			cfg := n.config(addrs...)
			cfg.Mode = mode
			cfg.Ensemble = always(strings.ReplaceAll(threeConfig, "10.0.0.", "127.0.0.1:388"))
			a := newFake(cfg)
			l := new(listener)
			defer a.Subscribe(l.election())()
			if err := a.Ask(t.Context(), everything); err != nil {
				t.Fatal(err)
			}
			for i, s := range l.last(t).Servers {
				switch {
				case i == 0 && (s.Basic.Via != "http" || states(s) != allAnswered):
					t.Errorf("%s, the first: %+v", mode, s)
				case i > 0 && mode == Auto && (s.Basic.Via != "4lw" || states(s) != allAnswered || s.Clients != nil && s.Clients[0].Session>>56 != uint64(i+1)):
					t.Errorf("%s, number %d: %+v", mode, i+1, s)
				case i > 0 && mode == HTTP && (s.Basic.State != model.Failed || s.Basic.Hint != "--admin-url" || !strings.Contains(s.Basic.Why, "port 2181")):
					t.Errorf("%s, number %d: %+v", mode, i+1, s)
				}
			}
			n.wait()
		})
	}
	// The one server that is asked is not the one that got the port.
	for _, c := range []struct {
		url, via string
	}{{"", "4lw"}, {"http://{host}:8080/commands", "4lw"}, {"http://127.0.0.1:8080/commands/", "http"}} {
		synctest.Test(t, func(t *testing.T) {
			n := newFakeNet(t)
			hosts(n)
			cfg := n.config("127.0.0.1:2182")
			cfg.Ensemble, cfg.URL = nil, c.url
			a := newFake(cfg)
			l := new(listener)
			defer a.Subscribe(l.election())()
			if got := askNow(t, a, l); got.Basic.Via != c.via {
				t.Errorf("URL %q: %+v", c.url, got)
			}
			n.wait()
		})
	}
}

func TestWhole(t *testing.T) {
	for name, c := range map[string]struct {
		servers []string
		change  func(*fakeNet, *Config)
		count   int
		unwhole string // part of it; "" for whole
	}{
		"three":          {allThree, nil, 3, ""},
		"one is missing": {allThree[:2], nil, 2, "server.3 (10.0.0.3) has no address for clients"},
		"one fails":      {allThree, func(n *fakeNet, c *Config) { n.set("10.0.0.2:2181", nil); n.set("10.0.0.2:8080", nil) }, 3, ""},
		"the configuration has them": {allThree[:1], func(_ *fakeNet, c *Config) {
			c.Ensemble = always(strings.ReplaceAll(threeConfig, "participant", "participant;2181"))
		}, 3, ""},
		"there is no configuration": {allThree, func(_ *fakeNet, c *Config) { c.Ensemble = nil }, 3, "not known"},
		"it is empty":               {allThree, func(_ *fakeNet, c *Config) { c.Ensemble = always("") }, 3, "names no servers"},
		"it cannot be read": {allThree, func(_ *fakeNet, c *Config) {
			c.Ensemble = func(context.Context) (string, error) { return "", errors.New("zk: not authenticated\x1b") }
		}, 3, "not authenticated\\x1b"},
		"it does not come": {allThree, func(_ *fakeNet, c *Config) {
			c.Ensemble = func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() }
		}, 3, "cannot be read"},
		"it is not understood": {allThree, func(_ *fakeNet, c *Config) { c.Ensemble = always(threeConfig + "\nserver.x=what") }, 3, "not understood"},
		"two names for one": {append([]string{"zk1:2181"}, allThree...), func(n *fakeNet, _ *Config) {
			n.at["zk1:2181"], n.at["zk1:8080"] = n.at["10.0.0.1:2181"], n.at["10.0.0.1:8080"]
		}, 3, ""},
		"two names for one, no other": {[]string{"10.0.0.1:2181", "zk1:2181"}, func(n *fakeNet, _ *Config) {
			n.at["zk1:2181"], n.at["zk1:8080"] = n.at["10.0.0.1:2181"], n.at["10.0.0.1:8080"]
		}, 1, "server.2"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newFakeNet(t)
				servers := three(n)
				cfg := n.config(c.servers...)
				if c.change != nil {
					c.change(n, &cfg)
				}
				a := newFake(cfg)
				l := new(listener)
				defer a.Subscribe(l.election())()
				for range 2 { // the second time is like the first
					if err := a.Ask(t.Context(), everything); err != nil {
						t.Fatal(err)
					}
					got := l.last(t)
					if got.Whole != (c.unwhole == "") || !strings.Contains(got.Unwhole, c.unwhole) || got.Whole && got.Unwhole != "" || len(got.Servers) != c.count {
						t.Errorf("%d servers, whole %v, %q; want %d, %q", len(got.Servers), got.Whole, got.Unwhole, c.count, c.unwhole)
					}
					conns := 0
					for _, s := range got.Servers {
						conns += len(s.Clients)
					}
					if answered := c.count; name != "one fails" && conns != answered {
						t.Errorf("%d connections of %d servers", conns, answered)
					}
				}
				n.wait()
				names := 1 // of one server: it is asked under each
				if strings.HasPrefix(name, "two names") {
					names = 2
				}
				for _, s := range servers {
					if m := s.asked(); m["watches_by_path"] > 2*names || s.most > names {
						t.Errorf("%s was asked %v, %d at a time", s.addr, m, s.most)
					}
				}
			})
		})
	}
	for name, ensemble := range map[string]func(context.Context) (string, error){"empty": always(""), "unknown": nil} {
		alone(t, func(_ *fakeNet, _ *fakeServer, c *Config) { c.Ensemble = ensemble }, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
			if askNow(t, a, l); !l.last(t).Whole {
				t.Errorf("alone, configuration %s: %q", name, l.last(t).Unwhole)
			}
		})
	}
}

// TestAClientMoves has a client go from one server to another between their
// lists.
func TestAClientMoves(t *testing.T) {
	const none, his = "\n", " /10.9.9.9:1[1](queued=0,recved=1,sent=1,sid=0x9,lop=PING,est=1,to=10000,lresp=5)\n\n"
	for name, c := range map[string]struct {
		lists [3][2]string // of each server, the first time and from then on
		where string       // "": nowhere
		asked int          // how often for cons
	}{
		"stays":              {[3][2]string{{none, none}, {his, his}, {none, none}}, "10.0.0.2:2181", 1},
		"goes":               {[3][2]string{{none, his}, {none, none}, {none, none}}, "10.0.0.1:2181", 2},
		"comes":              {[3][2]string{{his, none}, {none, his}, {none, none}}, "10.0.0.1:2181", 1},
		"goes and goes back": {[3][2]string{{none, none}, {none, his}, {none, none}}, "10.0.0.2:2181", 2},
		"is gone":            {[3][2]string{{none, none}, {none, none}, {none, none}}, "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newFakeNet(t)
				servers := three(n)
				for i, s := range servers {
					s.replies["cons"] = c.lists[i][0]
					s.replies["dump"] = "SessionTracker dump:\nephemeral nodes dump:\n0x9:\n\t/election/n_0000000000\n\t/elsewhere\n0x8:\n\t/elsewhere2\n"
					s.turn = func() {
						if s.counts["cons"] > 1 {
							s.replies["cons"] = c.lists[i][1]
						}
					}
				}
				cfg := n.config(allThree...)
				cfg.Mode = FourLetter
				a := newFake(cfg)
				l := new(listener)
				defer a.Subscribe(l.election())()
				if err := a.Ask(t.Context(), everything); err != nil {
					t.Fatal(err)
				}
				got := l.last(t)
				var where []string
				for _, s := range got.Servers {
					if states(s) != allAnswered {
						t.Errorf("%+v", s)
					}
					if len(s.Clients) > 0 {
						where = append(where, s.Addr)
					}
				}
				if !got.Whole || strings.Join(where, " ") != c.where {
					t.Errorf("connected to %v; want %q; whole %v", where, c.where, got.Whole)
				}
				for _, s := range servers {
					if m := s.asked()["cons"]; m != c.asked {
						t.Errorf("%s was asked %d times; want %d", s.addr, m, c.asked)
					}
				}
				n.wait()
			})
		})
	}
}

// TestNotOneServer has an address at which any member answers, as one of a
// load balancer does. It must not pass for the member that gave its number
// there: the clients of that member would seem to have no connection.
func TestNotOneServer(t *testing.T) {
	for _, mode := range []Mode{FourLetter, Auto} {
		for name, which := range map[string]func(i int) int{
			"in turn":   func(i int) int { return i % 3 },
			"each four": func(i int) int { return i / 4 % 3 },
			"random":    func(i int) int { return int(uint32(i)*2654435761>>13) % 3 },
			"rarely":    func(i int) int { return max(0, i/9%2) },
		} {
			t.Run(string(mode)+" "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					n := newFakeNet(t)
					servers := three(n)
					i := -1
					n.set("lb:2181", &fakePort{servers[0], func(_ *fakeServer, c net.Conn) {
						n.mu.Lock()
						i++
						s := servers[which(i)]
						n.mu.Unlock()
						s.words(c)
					}})
					cfg := n.config("lb:2181")
					cfg.Mode = mode
					cfg.Ensemble = always(strings.ReplaceAll(threeConfig, "participant", "participant;2181"))
					a := newFake(cfg)
					l := new(listener)
					defer a.Subscribe(l.election())()
					for range 6 {
						time.Sleep(10 * time.Second)
						if err := a.Ask(t.Context(), everything); err != nil {
							t.Fatal(err)
						}
						got := l.last(t)
						all := got.Whole
						sessions := make(map[uint64]bool)
						for _, s := range got.Servers {
							all = all && s.Connections.State == model.Answered
							for _, c := range s.Clients {
								sessions[c.Session] = true
							}
						}
						if all && len(sessions) != 3 {
							t.Errorf("whole, and only %d sessions: %+v", len(sessions), got)
						}
					}
					if got := l.last(t); !got.Whole || len(got.Servers) != 3 {
						t.Errorf("the members themselves: %v, %q, %d servers", got.Whole, got.Unwhole, len(got.Servers))
					}
					n.wait()
				})
			})
		}
	}
}

// TestForwarded has all members at other addresses than the configuration's,
// which cannot be reached. Each is shown once, by its number, but nothing is
// concluded from what they do not list: the number and the lists come over
// different connections, which a load balancer could spread over the members.
func TestForwarded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newFakeNet(t)
		three(n)
		for i, addr := range allThree {
			to := []string{"127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3"}[i]
			n.set(to, n.at[addr])
			n.set(addr, nil)
		}
		cfg := n.config("127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3")
		cfg.Mode = FourLetter
		cfg.Ensemble = always(strings.ReplaceAll(threeConfig, "participant", "participant;2181"))
		a := newFake(cfg)
		l := new(listener)
		defer a.Subscribe(l.election())()
		for i := range 3 {
			if err := a.Ask(t.Context(), everything); err != nil {
				t.Fatal(err)
			}
			got := l.last(t)
			if got.Whole || !strings.Contains(got.Unwhole, "127.0.0.1:1 answers as server.1") || len(got.Servers) != 3 {
				t.Errorf("round %d: %v, %q, %d servers", i, got.Whole, got.Unwhole, len(got.Servers))
			}
			for _, s := range got.Servers {
				if states(s) != allAnswered {
					t.Errorf("round %d: %+v", i, s)
				}
			}
		}
		n.wait()
	})
}

// TestTheEnsembleChanges has a member added while the asker runs.
func TestTheEnsembleChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newFakeNet(t)
		three(n)
		config := make(chan string, 1)
		config <- threeConfig
		reads := 0
		cfg := n.config(allThree...)
		cfg.Ensemble = func(context.Context) (string, error) {
			reads++
			s := <-config
			config <- s
			return s, nil
		}
		a := newFake(cfg)
		l := new(listener)
		defer a.Subscribe(l.election())()
		defer n.run(a)()
		synctest.Wait()
		<-config
		config <- threeConfig + "\nserver.4=10.0.0.4:2888:3888:observer;0.0.0.0:2181"
		n.member("10.0.0.4", 4, model.ModeObserver)
		time.Sleep(configInterval + 5*time.Second)
		synctest.Wait()
		got := l.last(t)
		if len(got.Servers) != 4 || !got.Whole || got.Servers[3].Mode != model.ModeObserver {
			t.Errorf("a member was added: %+v", got)
		}
		if reads != 2 {
			t.Errorf("the configuration was read %d times", reads)
		}
	})
}

func TestCheckURL(t *testing.T) {
	for _, good := range []string{DefaultURL, "https://{host}/commands", "http://[::1]:8080/commands", "http://user:secret@{host}:8080/commands/"} {
		if err := CheckURL(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{"", "localhost:8080", "ftp://{host}/", "http://", "http://{host}:8080/commands?x=1", "http://us\x7fer:secret@{host}", "/commands", "{host}"} {
		if err := CheckURL(bad); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if u, err := expand(DefaultURL, "2001:db8::1"); u != "http://[2001:db8::1]:8080/commands" {
		t.Errorf("IPv6: %s, %v", u, err)
	}
	if u, err := expand(DefaultURL, "fe80::1%eth0"); u != "http://[fe80::1%25eth0]:8080/commands" {
		t.Errorf("IPv6 with a zone: %s, %v", u, err)
	}
}

func TestNoSecretsInAnswers(t *testing.T) {
	alone(t, func(n *fakeNet, s *fakeServer, c *Config) {
		c.Mode, c.URL = HTTP, "http://user:secret@{host}:8080/commands"
		c.Dial = func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("no route") }
	}, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
		if b := askNow(t, a, l).Basic; b.State != model.Failed || strings.Contains(b.Why, "secret") || !strings.Contains(b.Why, "no route") {
			t.Errorf("%+v", b)
		}
	})
}
