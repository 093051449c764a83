package admin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"electop/model/session"
)

// TestAskWhile has an election read for a while. Until then the servers are asked for
// their status only, and afterwards for the tables only: the round begins then.
func TestAskWhile(t *testing.T) {
	for _, mode := range []Mode{Auto, HTTP, FourLetter} {
		t.Run(string(mode), func(t *testing.T) {
			alone(t, func(n *fakeNet, s *fakeServer, c *Config) {
				c.Mode = mode
				s.delay.set(10 * time.Millisecond)
				s.replies["monitor"] = `{"command":"monitor","error":null,"watch_count":3,"stale_sessions_expired":4}`
				s.replies["mntr"] += "zk_stale_sessions_expired\t4\n"
			}, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, _ *listener) {
				l := new(listener)
				var read time.Time
				if err := a.AskWhile(t.Context(), everything, func() (Election, error) {
					time.Sleep(time.Minute)
					if got, want := questions(s.asked()), "configuration=1 monitor=1 server_stats=1 watch_summary=1"; got != want {
						t.Errorf("before the election was read: %s, want %s", got, want)
					}
					read = time.Now()
					return l.election(), nil
				}); err != nil {
					t.Fatal(err)
				}
				got := l.last(t)
				if states(got.Servers[0]) != allAnswered {
					t.Errorf("%+v", got)
				}
				if got.At.Before(read) || got.Servers[0].Connections.At.Before(read) || got.Servers[0].Watches.At.Before(read) {
					t.Errorf("read at %v, the round began at %v", read, got.At)
				}
				if got.Servers[0].Expired != nil {
					t.Error("what was counted before the round is in its table")
				}
				if got, want := questions(s.asked()), "connections=1 dump=1 watches_by_path=1"; got != want {
					t.Errorf("after the election was read: %s, want %s", got, want)
				}
				if s.most != 3 {
					t.Errorf("%d requests at a time, want 3", s.most)
				}
				// Whoever else asks is counted as before.
				if err := a.Ask(t.Context(), everything); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}

// TestAskWhileSparesALargeServer checks that tables come one by one where they are long,
// and where a list of connections is compared with a count.
func TestAskWhileSparesALargeServer(t *testing.T) {
	large := func(set func(s *fakeServer)) func(*fakeNet, *fakeServer, *Config) {
		return func(_ *fakeNet, s *fakeServer, c *Config) {
			c.Mode = FourLetter
			s.delay.set(10 * time.Millisecond)
			set(s)
		}
	}
	for name, change := range map[string]func(*fakeNet, *fakeServer, *Config){
		"connections": large(func(s *fakeServer) {
			s.replies["srvr"] = fmt.Sprintf("Zookeeper version: 3.8.0\nConnections: %d\nMode: standalone\n", session.CheapConnections+1)
		}),
		"watches": large(func(s *fakeServer) {
			s.replies["wchs"] = fmt.Sprintf("Total watches:%d\n", watchesSmall+1)
		}),
		"ports not known": large(func(s *fakeServer) { delete(s.replies, "conf") }),
	} {
		t.Run(name, func(t *testing.T) {
			alone(t, change, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, _ *listener) {
				l := new(listener)
				if err := a.AskWhile(t.Context(), everything, func() (Election, error) {
					time.Sleep(time.Second) // the status is known
					s.mu.Lock()
					defer s.mu.Unlock()
					s.most = 0
					return l.election(), nil
				}); err != nil {
					t.Fatal(err)
				}
				if got := l.last(t); got.Servers[0].Watches.State != session.Answered || s.most != 1 {
					t.Errorf("%d requests at a time, want 1: %+v", s.most, got)
				}
			})
		})
	}
}

// TestAskWhileOfServersInTrouble has servers that answer some questions, and no others.
func TestAskWhileOfServersInTrouble(t *testing.T) {
	hangs := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\n" // and no more
	for name, x := range map[string]struct {
		change func(*fakeNet, *fakeServer, *Config)
		want   [4]session.AnswerState
		within time.Duration
	}{
		"tables hang": {func(_ *fakeNet, s *fakeServer, _ *Config) {
			s.replies["watches_by_path"], s.replies["dump_"] = hangs, hangs
		}, [4]session.AnswerState{session.Answered, session.Answered, session.Failed, session.Failed}, tableTimeout},
		"counts hang": {func(_ *fakeNet, s *fakeServer, c *Config) {
			c.Mode = HTTP
			s.replies["monitor"], s.replies["watch_summary"] = hangs, hangs
		}, [4]session.AnswerState{session.Answered, session.Answered, session.Answered, session.Refused}, tableTimeout},
		"all hangs": {func(_ *fakeNet, s *fakeServer, _ *Config) { s.delay.set(time.Hour) },
			[4]session.AnswerState{session.Failed, session.Failed, session.Failed, session.Failed}, tablePollTimeout},
		"nobody listens": {func(n *fakeNet, s *fakeServer, _ *Config) { n.set(s.addr, nil); n.set("10.0.0.1:8080", nil) },
			[4]session.AnswerState{session.Failed, session.Failed, session.Failed, session.Failed}, 0},
		"words are refused": {func(n *fakeNet, s *fakeServer, c *Config) {
			n.set("10.0.0.1:8080", nil)
			for _, word := range []string{"conf", "mntr", "wchs", "cons", "dump", "wchp"} {
				delete(s.replies, word)
			}
		}, [4]session.AnswerState{session.Answered, session.Refused, session.Refused, session.Refused}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			alone(t, x.change, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, _ *listener) {
				l := new(listener)
				began := time.Now()
				if err := a.AskWhile(t.Context(), everything, func() (Election, error) { return l.election(), nil }); err != nil {
					t.Fatal(err)
				}
				if d := time.Since(began); d > x.within {
					t.Errorf("it took %v", d)
				}
				got := l.last(t).Servers[0]
				if states(got) != x.want {
					t.Errorf("%v, want %v", states(got), x.want)
				}
				for _, answer := range []session.Answer{got.Basic, got.Connections, got.Sessions, got.Watches} {
					if answer.State != session.Answered && answer.Why == "" {
						t.Errorf("it does not say why: %+v", got)
					}
				}
			})
		})
	}
}

// TestAskWhileEnds checks that nothing is asked or delivered any more when the election
// cannot be read or the caller ends it: synctest misses no goroutine.
func TestAskWhileEnds(t *testing.T) {
	alone(t, func(_ *fakeNet, s *fakeServer, _ *Config) { s.delay.set(time.Hour) }, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, _ *listener) {
		why := errors.New("no such election")
		l := new(listener)
		began := time.Now()
		if err := a.AskWhile(t.Context(), everything, func() (Election, error) { return l.election(), why }); err != why {
			t.Errorf("AskWhile: %v", err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		err := a.AskWhile(ctx, everything, func() (Election, error) {
			synctest.Wait()
			cancel(why)
			return l.election(), nil
		})
		if !errors.Is(err, why) || !strings.Contains(err.Error(), "ask the servers") {
			t.Errorf("AskWhile: %v", err)
		}
		if err := a.AskWhile(ctx, everything, func() (Election, error) {
			t.Error("read, although it had ended")
			return l.election(), nil
		}); !errors.Is(err, why) {
			t.Errorf("AskWhile: %v", err)
		}
		if d := time.Since(began); d != 0 || l.count() != 0 {
			t.Errorf("it took %v, and delivered %d tables", d, l.count())
		}
	})
}

// TestAskWhileTouches checks that the servers hear of our session right before they are
// asked for deadlines, by the reading or else by a request for that.
func TestAskWhileTouches(t *testing.T) {
	for wait, want := range map[time.Duration]int{0: 0, anchorFresh: 0, anchorFresh + time.Millisecond: 1, time.Hour: 1} {
		var heard time.Time
		touched := 0
		alone(t, func(_ *fakeNet, _ *fakeServer, c *Config) {
			c.Anchors = func() []session.Anchor { return []session.Anchor{{Session: 1, Sent: heard, Answered: heard}} }
			c.Touch = func(context.Context) { heard = time.Now(); touched++ }
		}, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, _ *listener) {
			l := new(listener)
			if err := a.AskWhile(t.Context(), everything, func() (Election, error) {
				heard = time.Now()
				time.Sleep(wait)
				return l.election(), nil
			}); err != nil {
				t.Fatal(err)
			}
			if touched != want || time.Since(heard) > anchorFresh {
				t.Errorf("%v after the reading: touched %d times, want %d", wait, touched, want)
			}
		})
	}
}
