package admin

import (
	"strings"
	"testing"
	"time"

	"electop/model/session"
)

func TestRefusedWords(t *testing.T) {
	alone(t, func(n *fakeNet, s *fakeServer, c *Config) { // srvr alone, as since 3.5
		c.Mode = FourLetter
		for _, word := range []string{"mntr", "wchs", "conf", "cons", "dump", "wchp"} {
			delete(s.replies, word)
		}
	}, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
		got := askNow(t, a, l)
		want := [4]session.AnswerState{session.Answered, session.Refused, session.Refused, session.Refused}
		if states(got) != want || got.Mode != session.ModeStandalone {
			t.Errorf("%+v", got)
		}
		for _, x := range []session.Answer{got.Connections, got.Sessions} {
			if x.Hint != allWords || !strings.Contains(x.Why, "does not allow the word") || x.Via != "4lw" {
				t.Errorf("%+v", x)
			}
		}
		if !strings.Contains(got.Watches.Hint, "4lw.commands.whitelist=") {
			t.Errorf("%+v", got.Watches)
		}
		s.asked()
		stop := n.run(a)
		pass(50 * time.Second)
		// What was refused is not asked again at once.
		if m := questions(s.asked()); m != "server_stats=11" {
			t.Errorf("then it was asked %q", m)
		}
		pass(time.Minute)
		if m := questions(s.asked()); m != "monitor=1 server_stats=12 watch_summary=1" {
			t.Errorf("in the next minute it was asked %q", m)
		}
		stop()
		s.replies = replies(0, session.ModeStandalone, 2181)
		if got := askNow(t, a, l); states(got) != allAnswered {
			t.Errorf("when it is allowed: %+v", got)
		}
	})
	alone(t, func(n *fakeNet, s *fakeServer, c *Config) {
		c.Mode = HTTP
		for name := range s.replies {
			s.replies[name] = "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"
		}
	}, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
		if c := askNow(t, a, l).Connections; c.State != session.Refused || !strings.Contains(c.Why, "403") {
			t.Errorf("forbidden: %+v", c)
		}
	})
}

// TestOtherWay has the command for a table refused.
func TestOtherWay(t *testing.T) {
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
			if got.Basic.State != session.Failed || !strings.Contains(got.Basic.Why, "not serving") || got.Sessions.State != session.Failed {
				t.Errorf("%s: %+v", mode, got)
			}
			stop := n.run(a)
			defer stop()
			s.asked()
			pass(time.Minute)
			if l.count() < 12 || len(s.asked()) == 0 {
				t.Errorf("%s: it is not asked any more", mode)
			}
		})
	}
}
