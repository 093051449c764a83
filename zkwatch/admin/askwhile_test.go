package admin

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// one is the election of a listener.
func one(l *listener) []*Election {
	e := l.election()
	return []*Election{&e}
}

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
				if err := a.AskWhile(t.Context(), everything, func() ([]*Election, error) {
					time.Sleep(time.Minute)
					if got, want := questions(s.asked()), "configuration=1 monitor=1 server_stats=1 watch_summary=1"; got != want {
						t.Errorf("before the election was read: %s, want %s", got, want)
					}
					read = time.Now()
					return one(l), nil
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
				if s.most != 1 {
					t.Errorf("%d requests at a time", s.most)
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
		if err := a.AskWhile(t.Context(), everything, func() ([]*Election, error) { return one(l), why }); err != why {
			t.Errorf("AskWhile: %v", err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		err := a.AskWhile(ctx, everything, func() ([]*Election, error) {
			synctest.Wait()
			cancel(why)
			return one(l), nil
		})
		if !errors.Is(err, why) || !strings.Contains(err.Error(), "ask the servers") {
			t.Errorf("AskWhile: %v", err)
		}
		if err := a.AskWhile(ctx, everything, func() ([]*Election, error) {
			t.Error("read, although it had ended")
			return one(l), nil
		}); !errors.Is(err, why) {
			t.Errorf("AskWhile: %v", err)
		}
		if d := time.Since(began); d != 0 || l.count() != 0 {
			t.Errorf("it took %v, and delivered %d tables", d, l.count())
		}
	})
}
