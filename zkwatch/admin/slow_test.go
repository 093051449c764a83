package admin

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"electop/model"
	"electop/model/session"
)

// TestAPollEnds has a server that answers everything, and each time late.
func TestAPollEnds(t *testing.T) {
	of3(t, nil, func(t *testing.T, _ *fakeNet, a *Asker, servers []*fakeServer, l *listener) {
		servers[1].delay.set(tableTimeout - time.Second)
		began := time.Now()
		askAll(t, a, l)
		if d := time.Since(began); d != tablePollTimeout {
			t.Errorf("the poll took %v", d)
		}
		got := l.last(t)
		if states(got.Servers[0]) != allAnswered || states(got.Servers[2]) != allAnswered {
			t.Errorf("the others: %+v", got)
		}
		if s := got.Servers[1]; s.Basic.State != session.Answered || s.Watches.State != session.Failed {
			t.Errorf("the slow one: %+v", s)
		}
	})
}

func TestEndlessReplies(t *testing.T) {
	t.Parallel()
	for _, mode := range []Mode{HTTP, FourLetter} {
		alone(t, func(n *fakeNet, s *fakeServer, c *Config) { c.Mode, s.endless = mode, true }, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
			got := askNow(t, a, l)
			if got.Basic.State != session.TooLarge || got.Watches.State != session.TooLarge || got.Watches.Why == "" {
				t.Errorf("%s: %+v", mode, got)
			}
		})
		// Only a table is.
		for _, much := range []struct{ word, entry string }{{"wchp", "/a\n\t0x1\n"}, {"cons", " /1.2.3.4:5[0](queued=0)\n"}} {
			alone(t, func(n *fakeNet, s *fakeServer, c *Config) {
				c.Mode = FourLetter
				s.replies[much.word] = strings.Repeat(much.entry, 600_000) + "\n"
			}, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
				got := askNow(t, a, l)
				answers := map[string]session.Answer{"wchp": got.Watches, "cons": got.Connections}
				if x := answers[much.word]; x.State != session.TooLarge || got.Basic.State != session.Answered {
					t.Errorf("%s: %+v", much.word, got)
				}
			})
		}
	}
}

// TestASlowServer checks that the others are not delayed beyond a poll,
// and that it is asked less and less often, until it answers again.
func TestASlowServer(t *testing.T) {
	for name, slow := range map[string]func(*fakeNet, *fakeServer){
		"hangs":          func(n *fakeNet, s *fakeServer) { s.delay.set(time.Hour) },
		"is unreachable": func(n *fakeNet, s *fakeServer) { n.set(s.addr, &fakePort{}); n.set("10.0.0.2:8080", &fakePort{}) },
	} {
		for _, mode := range []Mode{HTTP, FourLetter, Auto} {
			t.Run(name+" "+string(mode), func(t *testing.T) {
				of3(t, func(c *Config) { c.Mode = mode }, func(t *testing.T, n *fakeNet, a *Asker, servers []*fakeServer, l *listener) {
					slow(n, servers[1])
					began := time.Now()
					defer n.run(a)()
					pass(statusPollTimeout)
					first := l.last(t)
					if d := l.times()[0].Sub(began); d > statusPollTimeout {
						t.Errorf("the first table came after %v", d)
					}
					if first.Servers[0].Basic.State != session.Answered || first.Servers[2].Basic.State != session.Answered {
						t.Errorf("the healthy ones: %+v", first)
					}
					if b := first.Servers[1].Basic; b.State != session.Failed || b.Why == "" || first.Unwhole != "server.2 did not answer (10.0.0.2:2181)" {
						t.Errorf("the slow one: %+v", first)
					}
					pass(20 * time.Minute)
					times := l.times()
					for i, when := range times[1:] {
						if d := when.Sub(times[i]); d > 5*time.Second+statusPollTimeout {
							t.Errorf("%v between two tables", d)
							break
						}
					}
					m := servers[1].asked()
					if polls := m["configuration"] + m["conf"]; name == "hangs" && polls > 50 || l.count() < 180 {
						t.Errorf("in 20 minutes it was asked %d times, and there were %d tables", polls, l.count())
					}
					if b := l.last(t).Servers[1].Basic; b.State != session.Failed || b.Why == "" {
						t.Errorf("after 20 minutes: %+v", b)
					}
					// It comes back.
					servers[1].delay.set(0)
					n.set(servers[1].addr, &fakePort{servers[1], (*fakeServer).words})
					n.set("10.0.0.2:8080", &fakePort{servers[1], (*fakeServer).commands})
					pass(longestPause + 10*time.Second)
					if b := l.last(t).Servers[1].Basic; b.State != session.Answered {
						t.Errorf("it is back: %+v", b)
					}
					servers[1].asked()
					pass(time.Minute)
					if m := servers[1].asked(); m["server_stats"]+m["srvr"] != 12 {
						t.Errorf("a minute after it came back: %v", m)
					}
				})
			})
		}
	}
}

// TestSomebodyAsksForASlowServer checks that a server which is asked less often
// is tried when somebody asks, and that a table is not asked for twice.
func TestSomebodyAsksForASlowServer(t *testing.T) {
	alone(t, func(n *fakeNet, s *fakeServer, c *Config) { c.Mode = FourLetter; n.set(s.addr, nil) }, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
		for range 5 {
			if b := askNow(t, a, l).Basic; b.State != session.Failed || !strings.Contains(b.Why, "refused") {
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
		if got := askNow(t, a, l); got.Watches.State != session.Failed || got.Watches.Why == "" {
			t.Errorf("a table that does not come: %+v", got)
		}
		if m := s.asked(); m["watches_by_path"] != 1 || m["wchp"] != 0 {
			t.Errorf("a table that does not come: asked %v", m)
		}
	})
}

func TestEndsWithItsContext(t *testing.T) {
	for _, mode := range []Mode{HTTP, FourLetter, Auto, Off} {
		alone(t, func(n *fakeNet, s *fakeServer, c *Config) { c.Mode = mode; s.delay.set(time.Hour) }, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
			stop := n.run(a)
			time.Sleep(100 * time.Millisecond) // the first poll is under way
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

// TestASubscriberThatDoesNotTake delays the others for a moment, and nobody
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
		pass(putTimeout)
		if l.count() == 0 {
			t.Error("the other one got nothing")
		}
	})
}
