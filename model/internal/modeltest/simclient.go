package modeltest

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"electop/model"
	"electop/model/dialect"
)

type SimClient struct {
	Session  uint64
	Timeout  time.Duration
	Server   int // -1: no connection
	deadline time.Duration
	resp     time.Time
	received int64
	pending  bool // touched, not passed on
	Stopped  bool
	Over     bool // the session
	Expired  time.Time
	Epoch    int64 // in which it expired
	StopAt   time.Time
	znode    string
	wants    bool
	watches  map[string]bool
}

// Stand makes a client volunteer.
func (s *Sim) Stand(c *SimClient) {
	if c.Over || c.Stopped || c.Server < 0 || c.znode != "" {
		return
	}
	c.wants = true
	c.znode = s.Tree.Create("n_", true, c.Session, fmt.Sprint("host", c.Session))
	s.touch(c)
	s.changed()
	s.look(c)
}

// look lists the children and watches the predecessor, in a moment.
func (s *Sim) look(c *SimClient) {
	s.At(s.Between("reaction", time.Millisecond, s.react), func() {
		if c.Over || c.Stopped || !c.wants || c.znode == "" {
			return
		}
		if c.Server < 0 {
			s.look(c)
			return
		}
		s.touch(c)
		if t := dialect.Election().Target(c.znode, s.Tree.Names(), nil); t.Listed && !t.Leads {
			c.watches[t.Watch] = true
		}
	})
}

// Znode is the name of the client's znode, "" for none.
func (c *SimClient) Znode() string { return c.znode }

// Left is how long the client's session lasts if nothing is heard from it.
func (s *Sim) Left(c *SimClient) time.Duration { return c.deadline - s.leaderNow() }

// Withdraw deletes the client's znode. Its watch stays.
func (s *Sim) Withdraw(c *SimClient) {
	if c.znode == "" {
		return
	}
	name := c.znode
	c.znode, c.wants = "", false
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
			s.look(x)
		}
	}
}

// Move connects a client to another server, with some time between.
func (s *Sim) Move(c *SimClient) {
	if c.Server < 0 || c.Stopped || c.Over {
		return
	}
	c.Server = -1
	s.At(s.Between("away", time.Millisecond, 300*time.Millisecond), func() {
		if !c.Over && !c.Stopped {
			c.Server = rapid.IntRange(0, s.servers-1).Draw(s.T, "server")
			s.touch(c)
		}
	})
}

func (s *Sim) Candidate(c *SimClient) *dialect.Candidate {
	for _, x := range s.J.State().Queue.All() {
		if x.Session == c.Session {
			return x
		}
	}
	return nil
}
