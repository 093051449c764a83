package modeltest

import (
	"time"

	"pgregory.net/rapid"

	"electop/model"
)

// leaderNow is the leader's clock.
func (s *Sim) leaderNow() time.Duration { return s.clock + s.Tree.Now.Sub(Start) }

func (s *Sim) Client(session uint64, timeout time.Duration) *SimClient {
	c := &SimClient{Session: session, Timeout: timeout, watches: map[string]bool{}, Server: rapid.IntRange(0, s.servers-1).Draw(s.T, "server")}
	s.Clients = append(s.Clients, c)
	s.touch(c)
	s.pass(c) // creating a session goes to the leader at once
	s.ping(c)
	return c
}

func (s *Sim) ping(c *SimClient) {
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

func (s *Sim) touch(c *SimClient) {
	c.resp, c.pending = s.Tree.Now, true
	c.received++
	if c.Server == s.Leader {
		s.pass(c)
	}
}

// pass passes a touch on to the leader.
func (s *Sim) pass(c *SimClient) {
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
		s.At(s.Between("commit", 0, 100*time.Millisecond), func() { s.End(c) })
	})
}

// batch passes the followers' touches on, every half tick.
func (s *Sim) batch() {
	s.At(s.Tick/2, func() {
		for _, c := range s.Clients {
			s.pass(c)
		}
		s.batch()
	})
}

// End ends a session.
func (s *Sim) End(c *SimClient) {
	if c.Over {
		return
	}
	c.Over, c.Server, c.wants = true, -1, false
	c.watches = map[string]bool{}
	s.Withdraw(c)
}

// Elect has the ensemble lose its leader and, after a while, elect one, the same
// perhaps. All clients lose their connections, and those that run come back.
func (s *Sim) Elect() {
	if s.Leader < 0 {
		return
	}
	s.Leader, s.Elected = -1, s.Tree.Now
	for _, c := range s.Clients {
		c.Server = -1
	}
	s.apply(&model.Connection{At: s.Tree.Now, Link: model.Disconnected, Session: s.own.Session})
	s.At(s.Between("election", 100*time.Millisecond, 5*time.Second), func() {
		s.Leader, s.epoch = rapid.IntRange(0, s.servers-1).Draw(s.T, "leader"), s.epoch+1
		for _, c := range s.Clients {
			if c.Over {
				continue
			}
			c.pending = true
			s.pass(c) // every session's time starts again
			if !c.Stopped {
				s.At(s.Between("back", time.Millisecond, time.Second), func() {
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
