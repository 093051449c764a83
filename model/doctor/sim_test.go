package doctor_test

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"pgregory.net/rapid"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/internal/modeltest"
	"electop/model/session"
)

// sim simulates an ensemble and its clients. As in ZooKeeper, the leader rounds deadlines up to ticks,
// and each follower reports only now and then which of its sessions were active.
type sim struct {
	*rapid.T
	Tree   *modeltest.Tree
	w      *modeltest.Watcher
	J      *doctor.Journal
	agenda modeltest.Agenda

	servers    int
	Leader     int // index of the ensemble's leader; -1 if there is none
	epoch      int64
	ElectionAt time.Time // when the ensemble last began to elect
	Tick       time.Duration
	clock      time.Duration // the leader's clock at the start
	Wall       bool          // deadlines have the wall clock's time
	Clients    []*simClient
	own        *simClient // electop's client

	reading                      bool
	Dated                        bool          // reads have Notified, AppliedAfter and Sent
	Lag                          time.Duration // longest time from a change to electop's read
	react                        time.Duration // longest reaction of a client
	SilentConns, SilentDeadlines bool
	Counts                       bool // the ensemble's leader reports how many sessions expired
	expired                      map[int]int
	Every                        time.Duration

	Ends  map[string]model.Cause
	Check func(model.Event)
}

func newSim(t *rapid.T, cfg model.Config, ticks ...time.Duration) *sim {
	tr := modeltest.NewTree()
	tr.CreateParent(0)
	s := &sim{
		T: t, Tree: tr, w: &modeltest.Watcher{Tree: tr}, J: doctor.NewJournal(cfg), servers: 3,
		Tick:  rapid.SampledFrom(ticks).Draw(t, "tick"),
		clock: time.Duration(rapid.Int64Range(int64(time.Hour), int64(100*time.Hour)).Draw(t, "clock")),
		Lag:   50 * time.Millisecond, react: 300 * time.Millisecond,
	}
	s.own = s.client(9_000_000, 10*time.Second)
	s.apply(&model.Connection{At: tr.Now, Link: model.Connected, Session: s.own.Session, Server: "s0:2181"})
	s.batch()
	s.apply(s.w.Read(false, false, nil))
	return s
}

func (s *sim) between(what string, from, to time.Duration) time.Duration {
	return time.Duration(rapid.Int64Range(int64(from), int64(to)).Draw(s.T, what))
}

func (s *sim) At(in time.Duration, do func()) { s.agenda.Add(s.Tree.Now.Add(in), do) }

func (s *sim) run(d time.Duration) {
	end := s.Tree.Now.Add(d)
	for {
		next := end
		if at, ok := s.agenda.Due(); ok && at.Before(next) {
			next = at
		}
		if due, ok := s.J.Deadline(); ok && due.Before(next) {
			if due.After(s.Tree.Now) {
				s.Tree.Now = due
			}
			s.apply(&model.Advance{At: s.Tree.Now})
			if again, ok := s.J.Deadline(); ok && !again.After(s.Tree.Now) {
				s.Fatalf("at %v the next deadline is %v, want it later", s.Tree.Now, again)
			}
			continue
		}
		s.Tree.Now = next
		if at, ok := s.agenda.Due(); !ok || at.After(next) {
			return
		}
		s.agenda.Take()()
	}
}

func (s *sim) apply(o model.Observation) {
	for _, e := range s.J.Apply(o) {
		if s.Check != nil {
			s.Check(e)
		}
	}
}

func (s *sim) changed() {
	if s.reading {
		return
	}
	s.reading = true
	notified, response := s.Tree.Now.Add(s.between("notification", 0, 20*time.Millisecond)), s.own.resp
	s.At(s.between("lag", 20*time.Millisecond, max(s.Lag, 20*time.Millisecond)), func() {
		s.reading = false
		r := s.w.Read(false, false, nil)
		if s.Dated {
			r.Notified, r.AppliedAfter, r.Sent = notified, response, s.Tree.Now
		}
		s.apply(r)
	})
}

type simClient struct {
	Session  uint64
	Timeout  time.Duration
	Server   int // -1: no connection
	deadline time.Duration
	resp     time.Time
	received int64
	pending  bool // the leader does not know yet that the session was active
	Stopped  bool
	Over     bool
	Expired  time.Time
	Epoch    int64
	StopAt   time.Time
	znode    string
	watches  map[string]bool
}

func (s *sim) volunteer(c *simClient) {
	if c.Over || c.Stopped || c.Server < 0 || c.znode != "" {
		return
	}
	c.znode = s.Tree.Create("n_", true, c.Session, fmt.Sprint("host", c.Session))
	s.touch(c)
	s.changed()
	s.rewatch(c)
}

func (s *sim) rewatch(c *simClient) {
	s.At(s.between("reaction", time.Millisecond, s.react), func() {
		if c.Over || c.Stopped || c.znode == "" {
			return
		}
		if c.Server < 0 {
			s.rewatch(c)
			return
		}
		s.touch(c)
		if t := dialect.Election().Target(c.znode, s.Tree.Names(), nil); t.Listed && !t.Leads {
			c.watches[t.Watch] = true
		}
	})
}

func (s *sim) timeLeft(c *simClient) time.Duration { return c.deadline - s.leaderNow() }

func (s *sim) withdraw(c *simClient) {
	if c.znode == "" {
		return
	}
	name := c.znode
	c.znode = ""
	if s.Ends == nil {
		s.Ends = make(map[string]model.Cause)
	}
	switch {
	case !c.Over:
		s.Ends[name] = model.CauseResigned
	case c.Expired.IsZero():
		s.Ends[name] = model.CauseClosed
	default:
		s.Ends[name] = model.CauseExpired
	}
	s.Tree.Delete(name)
	s.changed()
	for _, x := range s.Clients {
		if x.watches[name] {
			delete(x.watches, name)
			s.rewatch(x)
		}
	}
}

func (s *sim) move(c *simClient) {
	if c.Server < 0 || c.Stopped || c.Over {
		return
	}
	c.Server = -1
	s.At(s.between("away", time.Millisecond, 300*time.Millisecond), func() {
		if !c.Over && !c.Stopped {
			c.Server = rapid.IntRange(0, s.servers-1).Draw(s.T, "server")
			s.touch(c)
		}
	})
}

func (s *sim) candidate(c *simClient) *dialect.Candidate {
	for _, x := range s.J.State().Queue.All() {
		if x.Session == c.Session {
			return x
		}
	}
	return nil
}

func (s *sim) leaderNow() time.Duration { return s.clock + s.Tree.Now.Sub(modeltest.Start) }

func (s *sim) client(session uint64, timeout time.Duration) *simClient {
	c := &simClient{Session: session, Timeout: timeout, watches: map[string]bool{}, Server: rapid.IntRange(0, s.servers-1).Draw(s.T, "server")}
	s.Clients = append(s.Clients, c)
	s.touch(c)
	s.pass(c) // the leader creates the session
	s.ping(c)
	return c
}

func (s *sim) ping(c *simClient) {
	s.At(c.Timeout/3, func() {
		if c.Over {
			return
		}
		if !c.Stopped && c.Server >= 0 {
			s.touch(c)
		}
		s.ping(c)
	})
}

func (s *sim) touch(c *simClient) {
	c.resp, c.pending = s.Tree.Now, true
	c.received++
	if c.Server == s.Leader {
		s.pass(c)
	}
}

func (s *sim) pass(c *simClient) {
	if !c.pending || c.Over || s.Leader < 0 {
		return
	}
	c.pending = false
	c.deadline = ((s.leaderNow()+c.Timeout)/s.Tick + 1) * s.Tick
	deadline := c.deadline
	s.At(deadline-s.leaderNow(), func() {
		if c.Over || c.deadline != deadline || s.Leader < 0 {
			return
		}
		if s.expired == nil {
			s.expired = make(map[int]int)
		}
		s.expired[s.Leader]++
		c.Expired, c.Epoch = s.Tree.Now, (s.epoch<<32+s.Tree.Zxid)>>32
		s.At(s.between("commit", 0, 100*time.Millisecond), func() { s.end(c) })
	})
}

func (s *sim) batch() {
	s.At(s.Tick/2, func() {
		for _, c := range s.Clients {
			s.pass(c)
		}
		s.batch()
	})
}

func (s *sim) end(c *simClient) {
	if c.Over {
		return
	}
	c.Over, c.Server = true, -1
	c.watches = map[string]bool{}
	s.withdraw(c)
}

// elect begins an election of the ensemble. The previous leader may win it.
func (s *sim) elect() {
	if s.Leader < 0 {
		return
	}
	s.Leader, s.ElectionAt = -1, s.Tree.Now
	for _, c := range s.Clients {
		c.Server = -1
	}
	s.apply(&model.Connection{At: s.Tree.Now, Link: model.Disconnected, Session: s.own.Session})
	s.At(s.between("election", 100*time.Millisecond, 5*time.Second), func() {
		s.Leader, s.epoch = rapid.IntRange(0, s.servers-1).Draw(s.T, "leader"), s.epoch+1
		for _, c := range s.Clients {
			if c.Over {
				continue
			}
			c.pending = true
			s.pass(c) // each session's timeout starts again
			if !c.Stopped {
				s.At(s.between("back", time.Millisecond, time.Second), func() {
					if !c.Over && !c.Stopped && c.Server < 0 && s.Leader >= 0 {
						c.Server = rapid.IntRange(0, s.servers-1).Draw(s.T, "server")
						s.touch(c)
						if c == s.own {
							s.apply(&model.Connection{At: s.Tree.Now, Link: model.Connected, Session: c.Session, Server: "s0:2181"})
							r := s.w.Read(false, false, nil)
							r.Gap = true
							s.apply(r)
						}
					}
				})
			}
		}
	})
}

func (s *sim) poll(watches bool) {
	if s.Dated && s.own.Server >= 0 && s.Leader >= 0 {
		s.touch(s.own)
	}
	t := s.table(watches)
	s.At(10*time.Millisecond, func() { s.apply(t) })
}

func (s *sim) table(watches bool) *session.Table {
	now := s.Tree.Now
	reply := now.Add(5 * time.Millisecond)
	answered := session.Answer{State: session.Answered, Via: "http", At: reply}
	t := &session.Table{At: now.Add(-5 * time.Millisecond), End: now.Add(10 * time.Millisecond), Whole: true, Every: s.Every}
	for i := range s.servers {
		sv := session.Server{Addr: fmt.Sprintf("s%d:2181", i), Mode: session.ModeFollower, Zxid: s.epoch<<32 + s.Tree.Zxid, Basic: answered, Tick: s.Tick}
		if s.Leader < 0 {
			none := session.Answer{State: session.Failed, At: reply, Why: "not serving"}
			sv.Mode, sv.Zxid, sv.Basic, sv.Connections, sv.Sessions, sv.Watches = session.ModeUnknown, 0, none, none, none, none
			t.Servers = append(t.Servers, sv)
			continue
		}
		if i == s.Leader {
			sv.Mode = session.ModeLeader
			if n := s.expired[i]; s.Counts {
				sv.Expired = &n
			}
		}
		if watches {
			sv.Watches = answered
		}
		if s.SilentConns {
			sv.Connections = session.Answer{State: session.Refused, Why: "not in the whitelist", Hint: "4lw.commands.whitelist"}
		} else {
			sv.Connections = answered
		}
		if !s.SilentDeadlines {
			sv.Sessions = answered
		}
		paths := map[string][]uint64{}
		for _, c := range s.Clients {
			if i == s.Leader && !c.Over && !s.SilentDeadlines {
				d := session.Deadline{Session: c.Session, At: c.deadline}
				if s.Wall { // a server reports whole seconds of its wall clock
					d.At, d.Wall = (c.deadline + 56*365*24*time.Hour + 123*time.Millisecond).Truncate(time.Second), true
				}
				sv.Deadlines = append(sv.Deadlines, d)
			}
			if c.znode != "" && !s.SilentDeadlines {
				sv.Ephemerals = append(sv.Ephemerals, session.Ephemeral{Session: c.Session, Path: "/e/" + c.znode})
			}
			if c.Server != i {
				continue
			}
			if !s.SilentConns {
				sv.Clients = append(sv.Clients, session.Client{
					Session: c.Session, Addr: fmt.Sprintf("10.0.0.1:%d", c.Session), Timeout: c.Timeout,
					LastResponse: s.clock + c.resp.Sub(modeltest.Start), Received: c.received,
				})
			}
			for name := range c.watches {
				paths["/e/"+name] = append(paths["/e/"+name], c.Session)
			}
		}
		if watches {
			for _, p := range slices.Sorted(maps.Keys(paths)) {
				sv.Watched = append(sv.Watched, session.Watch{Path: p, Sessions: paths[p]})
			}
		}
		t.Servers = append(t.Servers, sv)
	}
	t.Anchors = []session.Anchor{{
		Session: s.own.Session, Sent: s.own.resp.Add(-time.Millisecond), Timeout: s.own.Timeout,
	}}
	return t
}

func (s *sim) polls(every func() time.Duration, watches bool) {
	s.At(every(), func() {
		s.poll(watches)
		s.polls(every, watches)
	})
}
