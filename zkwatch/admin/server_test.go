package admin

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/session"
	"electop/model/znode"
)

// TestAnchorsAreTakenBefore has a slow server, and anchors that move: those before the
// first request count, after the servers have heard of our session.
func TestAnchorsAreTakenBefore(t *testing.T) {
	var heard time.Time
	for name, config := range map[string]string{"its own address": "", "perhaps any server's": dynamicConfig} {
		alone(t, func(n *fakeNet, s *fakeServer, c *Config) {
			s.delay.set(time.Second)
			c.Servers, c.Ensemble = []string{"lb:2181"}, always(config)
			n.set("lb:2181", &fakePort{s, (*fakeServer).words})
			c.Touch = func(context.Context) { heard = time.Now() }
			c.Anchors = func() []session.Anchor { return []session.Anchor{{Session: 1, Sent: heard, Timeout: 8 * time.Second}} }
		}, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
			want := time.Now()
			if config != "" {
				want = want.Add(-8 * time.Second) // another one may have answered
			}
			askNow(t, a, l)
			if got := l.last(t).Anchors; len(got) != 1 || !got[0].Sent.Equal(want) {
				t.Errorf("%s: %+v, want %v", name, got, want)
			}
		})
	}
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
