package admin

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"electop/model/session"
)

// sessionsAsked counts the requests for connections and sessions of all servers.
func sessionsAsked(servers []*fakeServer) (n int) {
	for _, s := range servers {
		m := s.asked()
		n += m["cons"] + m["connections"]
	}
	return n
}

func cheap(c *Config) { c.Sessions, c.Cheap = 2*time.Second, true }

// crowd has each server count n connections.
func crowd(servers []*fakeServer, n int) {
	for _, s := range servers {
		s.mu.Lock()
		s.replies["srvr"] = strings.ReplaceAll(s.replies["srvr"], "Connections: 2", fmt.Sprint("Connections: ", n))
		s.replies["server_stats"] = strings.ReplaceAll(s.replies["server_stats"], `connections":1`, fmt.Sprint(`connections":`, n))
		s.mu.Unlock()
	}
}

func TestNotAskedOfMany(t *testing.T) {
	each(t, cheap, func(t *testing.T, n *fakeNet, a *Asker, servers []*fakeServer, l *listener) {
		crowd(servers, session.CheapConnections/3+1)
		defer n.run(a)()
		synctest.Wait()
		pass(time.Hour)
		if got := sessionsAsked(servers); got != 0 {
			t.Errorf("connections were asked for %d times", got)
		}
		if x := l.last(t); x.Every != 0 || !strings.Contains(x.Unasked(), "2001 connections") || !strings.Contains(x.Unasked(), "--admin-sessions") {
			t.Errorf("the table: every %v, %q", x.Every, x.Unasked())
		}
		a.Verify()
		synctest.Wait()
		if got := sessionsAsked(servers); got != 3 {
			t.Errorf("verify asked %d times for connections, want 3", got)
		}
	})
	t.Run("on demand", func(t *testing.T) {
		each(t, func(c *Config) { c.Sessions = 2 * time.Second }, func(t *testing.T, n *fakeNet, a *Asker, servers []*fakeServer, l *listener) {
			crowd(servers, 100_000)
			defer n.run(a)()
			pass(time.Minute)
			if got := sessionsAsked(servers); got != 3*31 {
				t.Errorf("connections were asked for %d times in a minute, want %d", got, 3*31)
			}
		})
	})
}

func TestSlowAnswersAreRare(t *testing.T) {
	each(t, cheap, func(t *testing.T, n *fakeNet, a *Asker, servers []*fakeServer, l *listener) {
		servers[1].delay.set(150 * time.Millisecond)
		defer n.run(a)()
		pass(4 * time.Second)
		if got := sessionsAsked(servers); got != 3 {
			t.Errorf("connections were asked for %d times, want once of each", got)
		}
		x := l.last(t)
		if why := x.Unasked(); x.Every != 0 || !strings.Contains(why, servers[1].addr+" took 150 ms, more than 100 ms") {
			t.Errorf("every %v, %q", x.Every, why)
		}
		pass(time.Hour)
		if got := sessionsAsked(servers); got < 3*5 || got > 3*15 {
			t.Errorf("connections were asked for %d times in an hour of slow answers", got)
		}
		servers[1].delay.set(0)
		pass(longestSlowPause + 10*time.Second)
		sessionsAsked(servers)
		pass(time.Minute)
		if x := l.last(t); x.Every != 2*time.Second || !x.Cheap || x.Unasked() != "" {
			t.Errorf("the table: every %v, cheap %v, %q", x.Every, x.Cheap, x.Unasked())
		}
		if got := sessionsAsked(servers); got != 3*30 {
			t.Errorf("connections were asked for %d times in a minute of fast answers, %q", got, l.last(t).Unasked())
		}
	})
}
