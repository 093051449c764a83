package admin

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/session"
	"electop/model/znode"
)

func TestAnchors(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(1000+int64(s), 0) }
	before := []session.Anchor{{Session: 1, Sent: at(10), Answered: at(11), Timeout: 4 * time.Second}, {Session: 2, Sent: at(8), Answered: at(9), Timeout: 10 * time.Second}}
	here := []session.Client{{Session: 1}}
	equal(t, "one of them is connected to the server", bracket(before, at(20), here), []session.Anchor{
		{Session: 1, Sent: at(10), Answered: at(20), Timeout: 4 * time.Second},
		{Session: 2, Sent: at(3), Answered: at(20), Timeout: 10 * time.Second},
	})
	if before[1].Sent != at(8) {
		t.Error("the anchors handed in were changed")
	}
	a := []session.Anchor{{Session: 1, Sent: at(5), Answered: at(9)}}
	b := []session.Anchor{{Session: 1, Sent: at(4), Answered: at(8)}, {Session: 2, Sent: at(1), Answered: at(2)}}
	equal(t, "two dumps", widen(a, b), []session.Anchor{{Session: 1, Sent: at(4), Answered: at(9)}, b[1]})
}

// TestAnchorsAreTakenBefore has the anchors move while the lists are on their way.
func TestAnchorsAreTakenBefore(t *testing.T) {
	var moves int
	alone(t, func(n *fakeNet, s *fakeServer, c *Config) {
		c.Mode = FourLetter
		s.delay.set(time.Second)
		s.replies["dump"] = "SessionTracker dump:\nSession Sets (1)/(1):\n1 expire at Fri Nov 20 15:14:03 UTC 2026:\n\t0x1\nephemeral nodes dump:\n"
		s.replies["cons"] = "\n"
		c.Anchors = func() []session.Anchor {
			moves++
			now := time.Now()
			return []session.Anchor{{Session: 1, Sent: now.Add(-2 * time.Second), Answered: now.Add(-time.Second), Timeout: 8 * time.Second}}
		}
	}, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
		began := time.Now()
		askNow(t, a, l) // conf, srvr, mntr, wchs, cons, dump: cons is asked for after four seconds
		got := l.last(t)
		want := []session.Anchor{{Session: 1, Sent: began.Add(4*time.Second - 2*time.Second - 4*time.Second), Answered: began.Add(6 * time.Second), Timeout: 8 * time.Second}}
		equal(t, "anchors", got.Anchors, want)
		if len(got.Servers[0].Deadlines) != 1 || moves != 1 {
			t.Errorf("%+v, asked %d times", got.Servers[0], moves)
		}
	})
}

// TestOnePort checks that a list which may lack a port of the server is not taken for the
// list of all clients.
func TestOnePort(t *testing.T) {
	const one, list = " /10.9.9.9:1[1](queued=0,recved=1,sent=1,sid=0x1,lop=PING,est=1,to=10000,lresp=5)\n\n",
		`{"command":"connections","error":null,"connections":[{"session_id":1,"remote_socket_address":"10.9.9.9:1"}]%s}`
	for name, c := range map[string]struct {
		mode     Mode
		question string
		reply    string
		hint     string // "" if the list counts
	}{
		"one port":                {FourLetter, "conf", "clientPort=2181\nsecureClientPort=-1\nserverId=0\n", ""},
		"only with TLS":           {FourLetter, "conf", "clientPort=-1\nsecureClientPort=2181\nserverId=0\n", ""},
		"two ports":               {FourLetter, "conf", "clientPort=2181\nsecureClientPort=2281\nserverId=0\n", "admin.enableServer=true and --admin auto"},
		"unknown":                 {FourLetter, "conf", "serverId=0\n", "admin.enableServer=true and --admin auto"},
		"conf is forbidden":       {FourLetter, "conf", "conf is not executed because it is not in the whitelist.\n", "admin.enableServer=true and --admin auto"},
		"3.4":                     {FourLetter, "srvr", "Zookeeper version: 3.4.14-x\nConnections: 2\nMode: standalone\n", ""},
		"by HTTP, both ports":     {HTTP, "connections", fmt.Sprintf(list, `,"secure_connections":[]`), ""},
		"by HTTP, without a list": {HTTP, "connections", fmt.Sprintf(list, ""), "none"},
	} {
		alone(t, func(n *fakeNet, s *fakeServer, cfg *Config) {
			cfg.Mode = c.mode
			s.replies["cons"], s.replies[c.question] = one, c.reply
		}, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
			got := askNow(t, a, l)
			if x := got.Connections; (x.State == session.Answered) != (c.hint == "") || c.hint != "" && (x.State != session.Refused || x.Hint != strings.TrimPrefix(c.hint, "none") ||
				!strings.Contains(x.Why, "only one port")) {
				t.Errorf("%s: %+v", name, x)
			}
			// It keeps neither from being said: who watches what, and who expires when.
			if got.Watches.State != session.Answered || got.Sessions.State != session.Answered || len(got.Ephemerals) != 1 {
				t.Errorf("%s: the rest: %+v", name, got)
			}
		})
	}
}

// TestNoAbsenceFromOnePort is what it is all for: a client of the other port is
// at no risk.
func TestNoAbsenceFromOnePort(t *testing.T) {
	alone(t, func(n *fakeNet, s *fakeServer, cfg *Config) {
		cfg.Mode = FourLetter
		s.replies["conf"] = "clientPort=2181\nsecureClientPort=2281\nserverId=0\n"
		s.replies["cons"] = " /10.9.9.9:7[1](queued=0,recved=1,sent=1,sid=0x7,lop=PING,est=1,to=10000,lresp=5)\n\n"
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
