package model_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"pgregory.net/rapid"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/session"
)

// sim is an ensemble with an election of correct clients, in virtual time: a
// tree, sessions with deadlines on the leader's clock as ZooKeeper rounds and
// batches them, data watches, and an observer that reads as it is notified.
type sim struct {
	*rapid.T
	tree   *tree
	w      *watcher
	j      *doctor.Journal
	agenda []simEvent
	n      int

	servers int
	leader  int // of the ensemble; -1: an election is under way
	epoch   int64
	elected time.Time // when the last election began
	tick    time.Duration
	clock   time.Duration // the leader's, at start
	wall    bool          // deadlines are told as wall-clock seconds
	clients []*simClient
	own     *simClient // the observer's session

	reading bool
	dated   bool          // reads say by what they are dated
	lag     time.Duration // of the observer
	react   time.Duration // of clients, at most
	// silentConns and silentDues: the servers do not tell these.
	silentConns, silentDues bool
	every                   time.Duration

	all    []model.Observation
	events []model.Event
	ends   map[string]model.Cause // of znodes, by name
	// check sees each event.
	check func(model.Event)
}

type simEvent struct {
	at time.Time
	n  int
	do func()
}

type simClient struct {
	session  uint64
	timeout  time.Duration
	server   int // -1: no connection
	deadline time.Duration
	resp     time.Time
	received int64
	pending  bool // touched, not passed on
	stopped  bool
	over     bool // the session
	expired  time.Time
	epoch    int64 // in which it expired
	stopAt   time.Time
	znode    string
	wants    bool
	watches  map[string]bool
}

func newSim(t *rapid.T, cfg model.Config, ticks ...time.Duration) *sim {
	tr := newTree()
	tr.createParent(0)
	s := &sim{
		T: t, tree: tr, w: &watcher{tree: tr}, j: doctor.NewJournal(cfg), servers: 3,
		tick:  rapid.SampledFrom(ticks).Draw(t, "tick"),
		clock: time.Duration(rapid.Int64Range(int64(time.Hour), int64(100*time.Hour)).Draw(t, "clock")),
		lag:   50 * time.Millisecond, react: 300 * time.Millisecond,
	}
	s.own = s.client(9_000_000, 10*time.Second)
	s.apply(&model.Connection{At: tr.now, Link: model.Connected, Session: s.own.session, Server: "s0:2181"})
	s.batch()
	s.observe()
	return s
}

func (s *sim) between(what string, from, to time.Duration) time.Duration {
	return time.Duration(rapid.Int64Range(int64(from), int64(to)).Draw(s.T, what))
}

func (s *sim) at(in time.Duration, do func()) {
	s.n++
	e := simEvent{s.tree.now.Add(in), s.n, do}
	i, _ := slices.BinarySearchFunc(s.agenda, e, func(a, b simEvent) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.n, b.n)) })
	s.agenda = slices.Insert(s.agenda, i, e)
}

// run lets time pass, and the journal wait for what it waits for.
func (s *sim) run(d time.Duration) {
	end := s.tree.now.Add(d)
	for {
		next := end
		if len(s.agenda) > 0 && s.agenda[0].at.Before(next) {
			next = s.agenda[0].at
		}
		if due, ok := s.j.Deadline(); ok && due.Before(next) {
			if due.After(s.tree.now) {
				s.tree.now = due
			}
			s.apply(&model.Advance{At: s.tree.now})
			if again, ok := s.j.Deadline(); ok && !again.After(s.tree.now) {
				s.Fatalf("at its deadline %v the journal wants to be called at %v", due, again)
			}
			continue
		}
		s.tree.now = next
		if len(s.agenda) == 0 || s.agenda[0].at.After(next) {
			return
		}
		e := s.agenda[0]
		s.agenda = s.agenda[1:]
		e.do()
	}
}

func (s *sim) apply(o model.Observation) {
	s.all = append(s.all, o)
	for _, e := range s.j.Apply(o) {
		s.events = append(s.events, e)
		if s.check != nil {
			s.check(e)
		}
	}
}

// observe reads the election now, and after each change some time later.
func (s *sim) observe() { s.apply(s.w.read(false, false, nil)) }

func (s *sim) changed() {
	if s.reading {
		return
	}
	s.reading = true
	news, heard := s.tree.now.Add(s.between("news", 0, 20*time.Millisecond)), s.own.resp
	s.at(s.between("lag", 20*time.Millisecond, max(s.lag, 20*time.Millisecond)), func() {
		s.reading = false
		r := s.w.read(false, false, nil)
		if s.dated {
			r.Notified, r.Heard, r.Sent = news, heard, s.tree.now
		}
		s.apply(r)
	})
}

// leaderNow is the leader's clock.
func (s *sim) leaderNow() time.Duration { return s.clock + s.tree.now.Sub(start) }

func (s *sim) client(session uint64, timeout time.Duration) *simClient {
	c := &simClient{session: session, timeout: timeout, watches: map[string]bool{}, server: rapid.IntRange(0, s.servers-1).Draw(s.T, "server")}
	s.clients = append(s.clients, c)
	s.touch(c)
	s.pass(c) // creating a session goes to the leader at once
	s.ping(c)
	return c
}

func (s *sim) ping(c *simClient) {
	s.at(c.timeout/3, func() {
		if c.over {
			return
		}
		if !c.stopped && c.server >= 0 {
			s.touch(c)
		}
		s.ping(c)
	})
}

func (s *sim) touch(c *simClient) {
	c.resp, c.pending = s.tree.now, true
	c.received++
	if c.server == s.leader {
		s.pass(c)
	}
}

// pass tells the leader of a touch.
func (s *sim) pass(c *simClient) {
	if !c.pending || c.over || s.leader < 0 {
		return
	}
	c.pending = false
	c.deadline = ((s.leaderNow()+c.timeout)/s.tick + 1) * s.tick
	deadline := c.deadline
	s.at(deadline-s.leaderNow(), func() {
		if c.over || c.deadline != deadline || s.leader < 0 {
			return
		}
		c.expired, c.epoch = s.tree.now, (s.epoch<<32+s.tree.zxid)>>32
		s.at(s.between("commit", 0, 100*time.Millisecond), func() { s.end(c) })
	})
}

// batch passes the followers' touches on, every half tick.
func (s *sim) batch() {
	s.at(s.tick/2, func() {
		for _, c := range s.clients {
			s.pass(c)
		}
		s.batch()
	})
}

// end ends a session.
func (s *sim) end(c *simClient) {
	if c.over {
		return
	}
	c.over, c.server, c.wants = true, -1, false
	c.watches = map[string]bool{}
	s.withdraw(c)
}

// elect has the ensemble lose its leader and, after a while, elect one, the same
// perhaps. All clients lose their connections, and those that run come back.
func (s *sim) elect() {
	if s.leader < 0 {
		return
	}
	s.leader, s.elected = -1, s.tree.now
	for _, c := range s.clients {
		c.server = -1
	}
	s.apply(&model.Connection{At: s.tree.now, Link: model.Disconnected, Session: s.own.session})
	s.at(s.between("election", 100*time.Millisecond, 5*time.Second), func() {
		s.leader, s.epoch = rapid.IntRange(0, s.servers-1).Draw(s.T, "leader"), s.epoch+1
		for _, c := range s.clients {
			if c.over {
				continue
			}
			c.pending = true
			s.pass(c) // every session's time starts again
			if !c.stopped {
				s.at(s.between("back", time.Millisecond, time.Second), func() {
					if !c.over && !c.stopped && c.server < 0 && s.leader >= 0 {
						c.server = rapid.IntRange(0, s.servers-1).Draw(s.T, "server")
						s.touch(c)
						if c == s.own {
							s.apply(&model.Connection{At: s.tree.now, Link: model.Connected, Session: c.session, Server: "s0:2181"})
							r := s.w.read(false, false, nil)
							r.Gap = true
							s.apply(r)
						}
					}
				})
			}
		}
	})
}

// stand volunteers.
func (s *sim) stand(c *simClient) {
	if c.over || c.stopped || c.server < 0 || c.znode != "" {
		return
	}
	c.wants = true
	c.znode = s.tree.create("n_", true, c.session, fmt.Sprint("host", c.session))
	s.touch(c)
	s.changed()
	s.look(c)
}

// look lists the children and watches the predecessor, in a moment.
func (s *sim) look(c *simClient) {
	s.at(s.between("reaction", time.Millisecond, s.react), func() {
		if c.over || c.stopped || !c.wants || c.znode == "" {
			return
		}
		if c.server < 0 {
			s.look(c)
			return
		}
		s.touch(c)
		if t := dialect.Election().Target(c.znode, s.tree.names(), nil); t.Listed && !t.Leads {
			c.watches[t.Watch] = true
		}
	})
}

// withdraw deletes the client's znode. Its watch stays.
func (s *sim) withdraw(c *simClient) {
	if c.znode == "" {
		return
	}
	name := c.znode
	c.znode, c.wants = "", false
	if s.ends == nil {
		s.ends = make(map[string]model.Cause)
	}
	switch {
	case !c.over:
		s.ends[name] = model.CauseResigned
	case c.expired.IsZero():
		s.ends[name] = model.CauseClosed
	default:
		s.ends[name] = model.CauseExpired
	}
	s.tree.delete(name)
	s.changed()
	for _, x := range s.clients {
		if x.watches[name] {
			delete(x.watches, name)
			s.look(x)
		}
	}
}

// move connects a client to another server, with some time between.
func (s *sim) move(c *simClient) {
	if c.server < 0 || c.stopped || c.over {
		return
	}
	c.server = -1
	s.at(s.between("away", time.Millisecond, 300*time.Millisecond), func() {
		if !c.over && !c.stopped {
			c.server = rapid.IntRange(0, s.servers-1).Draw(s.T, "server")
			s.touch(c)
		}
	})
}

// poll asks the servers: what they say is of now, and comes a moment later.
func (s *sim) poll(watches bool) {
	if s.dated && s.own.server >= 0 && s.leader >= 0 {
		s.touch(s.own)
	}
	t := s.table(watches)
	s.at(10*time.Millisecond, func() { s.apply(t) })
}

func (s *sim) table(watches bool) *session.Table {
	now := s.tree.now
	reply := now.Add(5 * time.Millisecond)
	told := session.Answer{State: session.Answered, Via: "http", At: reply}
	t := &session.Table{At: now.Add(-5 * time.Millisecond), End: now.Add(10 * time.Millisecond), Whole: true, Every: s.every}
	for i := range s.servers {
		sv := session.Server{Addr: fmt.Sprintf("s%d:2181", i), Mode: session.ModeFollower, Zxid: s.epoch<<32 + s.tree.zxid, Basic: told, Tick: s.tick}
		if s.leader < 0 { // nobody serves
			none := session.Answer{State: session.Failed, At: reply, Why: "not serving"}
			sv.Mode, sv.Zxid, sv.Basic, sv.Connections, sv.Sessions, sv.Watches = session.ModeUnknown, 0, none, none, none, none
			t.Servers = append(t.Servers, sv)
			continue
		}
		if i == s.leader {
			sv.Mode = session.ModeLeader
		}
		if watches {
			sv.Watches = told
		}
		if s.silentConns {
			sv.Connections = session.Answer{State: session.Refused, Why: "not in the whitelist", Hint: "4lw.commands.whitelist"}
		} else {
			sv.Connections = told
		}
		if !s.silentDues {
			sv.Sessions = told
		}
		paths := map[string][]uint64{}
		for _, c := range s.clients {
			if i == s.leader && !c.over && !s.silentDues {
				d := session.Deadline{Session: c.session, At: c.deadline}
				if s.wall { // whole seconds of a clock of its own
					d.At, d.Wall = (c.deadline + 56*365*24*time.Hour + 123*time.Millisecond).Truncate(time.Second), true
				}
				sv.Deadlines = append(sv.Deadlines, d)
			}
			if c.znode != "" && !s.silentDues {
				sv.Ephemerals = append(sv.Ephemerals, session.Ephemeral{Session: c.session, Path: "/e/" + c.znode})
			}
			if c.server != i {
				continue
			}
			if !s.silentConns {
				sv.Clients = append(sv.Clients, session.Client{
					Session: c.session, Addr: fmt.Sprintf("10.0.0.1:%d", c.session), Timeout: c.timeout,
					LastResponse: s.clock + c.resp.Sub(start), Received: c.received,
				})
			}
			for name := range c.watches {
				paths["/e/"+name] = append(paths["/e/"+name], c.session)
			}
		}
		if watches {
			for _, p := range slices.Sorted(maps.Keys(paths)) {
				sv.Watched = append(sv.Watched, session.Watch{Path: p, Sessions: paths[p]})
			}
		}
		t.Servers = append(t.Servers, sv)
	}
	// The last that the observer knows to have been answered.
	t.Anchors = []session.Anchor{{
		Session: s.own.session, Sent: s.own.resp.Add(-time.Millisecond), Answered: s.own.resp.Add(time.Millisecond), Timeout: s.own.timeout,
	}}
	return t
}

// polls asks again and again.
func (s *sim) polls(every func() time.Duration, watches bool) {
	s.at(every(), func() {
		s.poll(watches)
		s.polls(every, watches)
	})
}
