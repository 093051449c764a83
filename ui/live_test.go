package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/session"
	"electop/model/znode"
	"electop/ui/elections"
	"electop/ui/plain"
	"electop/ui/wording"
)

var ensemble = []string{"zk1:2181", "zk2:2181", "zk3:2181"}

func uuid(i int) string {
	return fmt.Sprintf("%08x-5f3c-4c1e-9b7a-0242ac1200%02x", 0x1b9d6bcd+i*0x1f1f1f1f, i)
}

func sessionOn(server, i int) uint64 { return uint64(server+1)<<56 | 0x18c2a4f0000 | uint64(i) }

func (w *world) connectTo(server string) *world {
	w.j.Apply(&model.Connection{At: w.now, Link: model.Connected, Server: server, Session: 0x300018c2a4f0aaaa, Timeout: 6 * time.Second, RTT: 1200 * time.Microsecond})
	return w
}

func latch(path string, n int) *world {
	w := newWorld(path, nil, false).connectTo(ensemble[2])
	w.read(nil, nil)
	for i := range n {
		w.wait(time.Duration(40+17*i) * time.Second)
		w.join("_c_"+uuid(i)+"-latch-", fmt.Sprintf("billing-%d:8080", i+1), sessionOn(i%3, i))
	}
	return w.wait(3 * time.Minute)
}

// table returns the servers' answers: every candidate is connected and watches what the recipe requires.
func (w *world) table() *session.Table {
	ok := func(via string) session.Answer { return session.Answer{State: session.Answered, Via: via, At: w.now} }
	t := &session.Table{At: w.now.Add(-20 * time.Millisecond), End: w.now, Whole: true, Every: time.Second}
	for i, addr := range ensemble {
		v := session.Server{
			Addr: addr, Version: "3.8.0", Mode: session.ModeFollower, Zxid: w.zxid, Basic: ok("http"),
			Connections: ok("http"), Sessions: ok("http"), Watches: ok("http"), Tick: 2 * time.Second,
			ConnectionCount: 40 + 3*i, WatchCount: 120 + 11*i, DataWatches: 90,
		}
		if i == 1 {
			v.Mode = session.ModeLeader
		}
		t.Servers = append(t.Servers, v)
	}
	s := w.state()
	serverClock := time.Hour + w.now.Sub(noon)
	watched := make([]map[string][]uint64, len(ensemble))
	for i, c := range s.Queue.All() {
		at := max(0, int(c.Session>>56)-1) % len(ensemble)
		v := &t.Servers[at]
		v.Clients = append(v.Clients, session.Client{
			Session: c.Session, Addr: fmt.Sprintf("10.0.3.%d:%d", 11+i, 41000+i), Timeout: 6 * time.Second, LastOp: "PING",
			Established: noon, LastResponse: serverClock - time.Duration(100*i)*time.Millisecond, Received: 30,
		})
		t.Servers[1].Deadlines = append(t.Servers[1].Deadlines, session.Deadline{Session: c.Session, At: serverClock + 6*time.Second})
		if to := wording.Target(s, i); to != nil {
			if watched[at] == nil {
				watched[at] = map[string][]uint64{}
			}
			path := znode.Join(s.Path, to.Name)
			watched[at][path] = append(watched[at][path], c.Session)
		}
	}
	for i := range t.Servers {
		for path, sessions := range watched[i] {
			t.Servers[i].Watched = append(t.Servers[i].Watched, session.Watch{Path: path, Sessions: sessions})
		}
		slices.SortFunc(t.Servers[i].Watched, func(a, b session.Watch) int { return slices.Compare([]byte(a.Path), []byte(b.Path)) })
	}
	return t
}

func (w *world) answers(times int, change func(*session.Table)) *world {
	for range times {
		w.wait(time.Second)
		t := w.table()
		if change != nil {
			change(t)
		}
		w.j.Apply(t)
	}
	return w
}

func unwatch(t *session.Table, sessionID uint64, instead string) {
	for i := range t.Servers {
		v := &t.Servers[i]
		had := false
		for k := range v.Watched {
			n := len(v.Watched[k].Sessions)
			v.Watched[k].Sessions = slices.DeleteFunc(v.Watched[k].Sessions, func(x uint64) bool { return x == sessionID })
			had = had || len(v.Watched[k].Sessions) < n
		}
		if had && instead != "" {
			v.Watched = append(v.Watched, session.Watch{Path: instead, Sessions: []uint64{sessionID}})
		}
	}
}

func unplug(t *session.Table, sessionID uint64) {
	for i := range t.Servers {
		t.Servers[i].Clients = slices.DeleteFunc(t.Servers[i].Clients, func(c session.Client) bool { return c.Session == sessionID })
	}
}

func verified() *world { return verifiedAt("/services/billing/leader") }

func verifiedAt(path string) *world { return latch(path, 5).answers(2, nil).wait(4 * time.Second) }

func wrongWatches() *world {
	w := latch("/services/billing/leader", 5)
	q := w.state().Queue.Slice()
	return w.answers(3, func(t *session.Table) {
		unwatch(t, q[2].Session, znode.Join(w.state().Path, q[0].Name))
		unwatch(t, q[4].Session, "")
	}).wait(4 * time.Second)
}

func atRisk() *world {
	w := verified()
	q := w.state().Queue.Slice()
	return w.answers(2, func(t *session.Table) { unplug(t, q[0].Session) }).wait(300 * time.Millisecond)
}

func afterRisk() *world {
	w := atRisk().wait(5 * time.Second)
	return w.leave(w.state().Queue.At(0).Name).wait(2 * time.Second)
}

func refusingServers() *world {
	return latch("/services/billing/leader", 3).answers(2, func(t *session.Table) {
		for i := range t.Servers {
			v := &t.Servers[i]
			v.Watched, v.Clients, v.Deadlines = nil, nil, nil
			v.Watches = session.Answer{State: session.Refused, Via: "4lw", Why: "wchp is not in the whitelist", Hint: "4lw.commands.whitelist=wchp"}
			v.Connections = session.Answer{State: session.Refused, Via: "4lw", Why: "cons is not in the whitelist", Hint: "4lw.commands.whitelist=cons"}
			v.Sessions = session.Answer{}
		}
		t.Servers[2].Basic = session.Answer{State: session.Failed, Why: "dial tcp 10.0.3.3:2181: i/o timeout"}
		t.Servers[2].Mode, t.Servers[2].Version = session.ModeUnknown, ""
		t.Servers[2].Watches, t.Servers[2].Connections = t.Servers[2].Basic, t.Servers[2].Basic
		t.Whole, t.Unwhole, t.Every = false, "zk3:2181 did not answer", 0
	}).wait(12 * time.Second)
}

func readers() *world {
	w := newWorld("/locks/inventory", nil, false).connectTo(ensemble[0])
	w.read(nil, nil)
	for i, kind := range []string{"__READ__", "__READ__", "__READ__", "__WRIT__", "__READ__"} {
		w.wait(11*time.Second).join("_c_"+uuid(i)+"-"+kind, fmt.Sprintf("10.0.3.%d", 21+i), sessionOn(i%3, i))
	}
	return w.answers(2, nil).wait(20 * time.Second)
}

func leaderless() *world {
	w := newWorld("/overseer_elect/election", nil, false)
	w.j = doctor.NewJournal(model.Config{Path: w.path, AckFollows: true})
	w.connectTo(ensemble[0]).read(nil, nil)
	for i := range 3 {
		w.wait(11*time.Second).join(fmt.Sprintf("21673%014d-10.0.3.%d:8983_solr-n_", i, 21+i), "", sessionOn(i, i))
	}
	w.j.Apply(&model.Ack{At: w.now, Path: "/overseer_elect/leader", Presence: model.Absent})
	return w.answers(2, nil).wait(50 * time.Second).advance()
}

func mixed() *world {
	w := newWorld("/locks/billing", nil, false).connectTo(ensemble[0])
	w.read(nil, nil)
	w.join("_c_0123456789abcdef0123456789abcdef-lock-", "payments-go", sessionOn(0, 1))
	for i, name := range []string{"reports-1", "reports-2"} {
		w.wait(11*time.Second).join(fmt.Sprintf("%032x__lock__", i), name, sessionOn(i+1, i+2))
	}
	return w.wait(5*time.Second).answers(3, func(t *session.Table) { unwatch(t, sessionOn(1, 2), "") }).wait(3 * time.Second).advance()
}

func group() *world {
	w := newWorld("/hbase/rs", nil, false).connectTo(ensemble[0])
	w.read(nil, nil)
	for i := range 3 {
		name := fmt.Sprintf("rs%d.example,16020,17951876318%02d", i, i)
		w.zxid++
		w.creates++
		w.children[name] = znode.Znode{Name: name, Session: sessionOn(i, i), Czxid: w.zxid, Ctime: w.now}
		w.read([]string{name}, nil)
	}
	return w.wait(20 * time.Second)
}

func (w *world) advance() *world {
	w.j.Apply(&model.Advance{At: w.now})
	return w
}

func controller() *world {
	w := newWorld("/controller", nil, false).connectTo(ensemble[1])
	z := znode.Znode{Name: "/controller", Session: sessionOn(0, 7), Czxid: w.zxid, Ctime: w.now.Add(-time.Hour), Data: znode.NewData([]byte(`{"version":1,"brokerid":2,"timestamp":"1773484671003"}`))}
	w.j.Apply(&model.Read{At: w.now, Presence: model.Present, Single: true, New: []znode.Znode{z}})
	return w.brokers().wait(95 * time.Second)
}

func noController() *world {
	w := controller()
	w.j.Apply(&model.Read{At: w.now, Notified: w.now, Presence: model.Present, Single: true})
	return w.wait(40 * time.Second).advance()
}

func (w *world) brokers() *world {
	top := &model.Directory{At: w.now, Path: "/", Presence: model.Present, Names: []string{"brokers", "controller", "controller_epoch"}}
	top.Children = []znode.Znode{{Name: "controller_epoch", Czxid: 3, Data: znode.NewData([]byte("7"))}}
	ids := &model.Directory{At: w.now, Path: "/brokers/ids", Presence: model.Present, Names: []string{"1", "2", "3"}}
	for i, name := range ids.Names {
		ids.Children = append(ids.Children, znode.Znode{Name: name, Session: sessionOn(0, 6+i), Czxid: w.zxid - 3})
	}
	w.j.Apply(top)
	w.j.Apply(ids)
	return w
}

func reconnecting(path string, link model.Link) *world {
	w := verifiedAt(path).disconnect("read tcp 10.0.3.9:50112->zk3:2181: connection reset by peer").wait(2 * time.Second)
	w.j.Apply(&model.Connection{At: w.now, Link: link, Server: "zk1:2181", Session: 0x300018c2a4f0aaaa, Timeout: 6 * time.Second, Err: "connect to zk1:2181: connection refused"})
	return w.wait(5 * time.Second)
}

func searched(running bool) *elections.Search {
	k := &elections.Search{Discovery: plain.Discovery{Root: "/", Visited: 1312, Denied: 4}, Running: running}
	for _, w := range []*world{
		latch("/services/payments/of/the/european/region/leader", 5), controller(), latch("/services/search/\x1b[31mindexer", 3),
		leaderless(), latch("/tasks/nightly", 1),
	} {
		s := w.state()
		if strings.HasSuffix(s.Path, "indexer") {
			copied := *s
			copied.Findings = []*doctor.Finding{{Severity: doctor.Warning}, {Severity: doctor.Critical}}
			s = &copied
		}
		k.Elections = append(k.Elections, plain.Found{State: s, Waiting: s.Queue.Len() - s.Holders()})
	}
	if !running {
		k.Stopped, k.Next = "nodes", time.Date(2026, 5, 4, 12, 31, 7, 0, time.Local)
	}
	return k
}

func several() []*world {
	return []*world{atRisk(), readers(), reconnecting("/services/stock/leader", model.Disconnected)}
}

type multiSource struct {
	source
	others []*world
	search *elections.Search
}

func (s *multiSource) States() []*doctor.State {
	out := []*doctor.State{s.world.state()}
	for _, w := range s.others {
		out = append(out, w.state())
	}
	return out
}

func (s *multiSource) Search() *elections.Search { return s.search }
