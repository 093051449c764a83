package admin

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/session"
	"electop/model/znode"
)

// lists makes a server's answers to cons and srvr from the clients of one port
// and the number of those of the other. Both words have the connection that
// asks in them.
func lists(here []int, elsewhere int) (cons, srvr string) {
	var b strings.Builder
	for _, n := range here {
		fmt.Fprintf(&b, " /10.9.9.9:%d[1](queued=0,recved=1,sent=1,sid=0x%d,lop=PING,est=1,to=10000,lresp=5)\n", 5000+n, n)
	}
	return b.String() + " /10.8.8.8:ASKING[0](queued=0,recved=1,sent=0)\n\n",
		fmt.Sprintf("Zookeeper version: 3.8.0-x, built on y\nConnections: %d\nZxid: 0x5\nMode: standalone\n", len(here)+elsewhere+1)
}

// TestTwoPorts is about servers whose list is of one port only.
func TestTwoPorts(t *testing.T) {
	const two, may = "clientPort=2181\nsecureClientPort=2281\nserverId=0\n", "serverId=0\n"
	for name, c := range map[string]struct {
		conf      string
		here      []int
		elsewhere int
		all       bool
		why       string
	}{
		"nobody elsewhere":          {two, []int{1, 2, 3}, 0, true, ""},
		"nobody at all":             {two, nil, 0, true, ""},
		"one elsewhere":             {two, []int{1, 2, 3}, 1, false, "clientPort and secureClientPort): 3 of 4 connections"},
		"all elsewhere":             {two, nil, 2, false, ": 0 of 2 connections"},
		"only with TLS":             {"clientPort=-1\nsecureClientPort=2181\nserverId=0\n", []int{1}, 7, true, ""},
		"unknown, nobody elsewhere": {may, []int{1, 2}, 0, true, ""},
		"unknown, some elsewhere":   {may, []int{1, 2}, 3, false, "may have another one (secureClientPort): 2 of 5 connections"},
		"conf is forbidden":         {"conf is not executed because it is not in the whitelist.\n", []int{1, 2}, 3, false, "may have another one"},
	} {
		t.Run(name, func(t *testing.T) {
			alone(t, func(n *fakeNet, s *fakeServer, cfg *Config) {
				cfg.Mode = FourLetter
				s.replies["conf"] = c.conf
				s.replies["cons"], s.replies["srvr"] = lists(c.here, c.elsewhere)
			}, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
				got := askNow(t, a, l)
				if (got.Connections.State == session.Answered) != c.all || !strings.Contains(got.Connections.Why, c.why) {
					t.Errorf("%+v", got.Connections)
				}
				if !c.all && (got.Connections.State != session.Refused || got.Connections.Hint != "admin.enableServer=true and --admin auto") {
					t.Errorf("%+v", got.Connections)
				}
				// It keeps neither from being said: who watches what, and who expires when.
				if got.Watches.State != session.Answered || got.Sessions.State != session.Answered || got.Leftover {
					t.Errorf("the rest: %+v", got)
				}
				if n := s.asked()["cons"]; n > 4 {
					t.Errorf("cons %d times", n)
				}
			})
		})
	}
}

// TestTwoPortsByHTTP has AdminServers with and without the list of clients with
// TLS.
func TestTwoPortsByHTTP(t *testing.T) {
	const list = `{"command":"connections","error":null,"connections":[{"session_id":1,"remote_socket_address":"10.9.9.9:1"}]%s}`
	for name, c := range map[string]struct {
		more  string
		count int
		all   bool
	}{
		"with":                     {`,"secure_connections":[]`, 2, true},
		"without":                  {"", 2, false},
		"without, nobody else":     {"", 1, true},
		"with, of an older server": {`,"secure_connections":[{"session_id":2,"remote_socket_address":"10.9.9.9:2"}]`, 2, true},
	} {
		alone(t, func(n *fakeNet, s *fakeServer, cfg *Config) {
			s.replies["connections"] = fmt.Sprintf(list, c.more)
			s.replies["server_stats"] = fmt.Sprintf(`{"command":"server_stats","version":"3.5.0","server_stats":{"server_state":"standalone","num_alive_client_connections":%d}}`, c.count)
		}, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
			if got := askNow(t, a, l).Connections; (got.State == session.Answered) != c.all || got.Hint != "" {
				t.Errorf("%s: %+v", name, got)
			}
		})
	}
}

// TestTwoPortsAndChange has clients come and go between one word and the
// next. One of the other port never hides behind that, and where there is none
// a list comes to count.
func TestTwoPortsAndChange(t *testing.T) {
	for name, c := range map[string]struct {
		here      [][]int // at each word in turn, cons and srvr; the last stays
		elsewhere []int
		all       bool
	}{
		"one more came before it was counted":     {[][]int{{1}, {1, 2}}, []int{0}, true},
		"one went":                                {[][]int{{1, 2}, {1}}, []int{0}, true},
		"one went, one came":                      {[][]int{{1, 2}, {2, 3}}, []int{0}, true},
		"one came while one stays elsewhere":      {[][]int{{1}, {1}, {1, 2}}, []int{1}, false},
		"one changes places with one elsewhere":   {[][]int{{1, 2}, {1}, {1, 2}}, []int{0, 1, 0}, true},
		"as many came and went as are elsewhere":  {[][]int{{1, 3}, {1}, {1, 4}, {1}}, []int{1}, false},
		"one more comes each time, and elsewhere": {[][]int{{1}, {1, 2}, {1, 2, 3}, {1, 2, 3, 4}, {1, 2, 3, 4, 5}, {1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6, 7}}, []int{1}, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newFakeNet(t)
				s := n.member("10.0.0.1", 0, session.ModeStandalone)
				s.replies["conf"] = "clientPort=2181\nsecureClientPort=2281\nserverId=0\n"
				cfg := n.config(s.addr)
				cfg.Mode = FourLetter
				a := newFake(cfg)
				srv := newServer(&a.cfg, a.ensemble.http, a.ensemble.words, s.addr)
				srv.identify(t.Context(), true)
				words := 0
				s.turn = func() {
					here, elsewhere := c.here[min(words, len(c.here)-1)], c.elsewhere[min(words, len(c.elsewhere)-1)]
					s.replies["cons"], s.replies["srvr"] = lists(here, elsewhere)
					words++
				}
				var r result
				srv.connections(t.Context(), plan{retry: true}, &r)
				if (r.Connections.State == session.Answered) != c.all {
					t.Errorf("%+v after %d words", r.Connections, words)
				}
				if words > 1+2*countAttempts {
					t.Errorf("%d words", words)
				}
				n.wait()
			})
		})
	}
}

// TestNoAbsenceFromOnePort is what it is all for: a client of the other port is
// at no risk.
func TestNoAbsenceFromOnePort(t *testing.T) {
	alone(t, func(n *fakeNet, s *fakeServer, cfg *Config) {
		cfg.Mode = FourLetter
		s.replies["conf"] = "clientPort=2181\nsecureClientPort=2281\nserverId=0\n"
		s.replies["cons"], s.replies["srvr"] = lists([]int{7}, 1)
		s.replies["dump"] = "SessionTracker dump:\nephemeral nodes dump:\n0x9:\n\t/election/n_0000000000\n0x7:\n\t/election/n_0000000001\n"
	}, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
		j := doctor.NewJournal(model.Config{Path: "/election"})
		at := time.Now()
		j.Apply(&model.Connection{At: at, Link: model.Connected})
		j.Apply(&model.Read{At: at, Presence: model.Present, Full: true, Parent: znode.Parent{Czxid: 1, Cversion: 2, Children: 2}, New: []znode.Znode{
			{Name: "n_0000000000", Session: 9, Czxid: 2, Ctime: at}, {Name: "n_0000000001", Session: 7, Czxid: 3, Ctime: at},
		}})
		for range 3 {
			time.Sleep(5 * time.Second)
			askNow(t, a, l)
			j.Apply(l.last(t))
		}
		st := j.State()
		if st.Queue.Len() != 2 || st.Table == nil || len(st.Risks) != 0 {
			t.Errorf("queue %d, risks %+v", st.Queue.Len(), st.Risks)
		}
	})
}
