package candidate_test

import (
	"errors"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zktest"
	"electop/model"
	"electop/model/znode"
	"electop/zkwatch/client"
	"electop/zkwatch/internal/electiontest"
)

// A fault begins in a place and returns what ends it, nil where it was one of
// a moment. ok is false where it is not possible at present.
type serverFault func(c *chaos) (repair func(), ok bool)
type seatFault func(c *chaos, s *seat) (repair func(), ok bool)

var serverFaults = map[string]serverFault{
	"kill": func(c *chaos) (func(), bool) {
		s := c.member()
		c.w.tell("kill " + s.Addr)
		s.Kill(c)
		return func() { s.Launch(c) }, true
	},
}

var isolationFaults = map[string]serverFault{
	"isolate": func(c *chaos) (func(), bool) {
		return c.isolate(c.member()), true
	},
	"isolate the ensemble leader": func(c *chaos) (func(), bool) {
		return c.isolate(c.e.Leader(c)), true
	},
	"isolate the leading candidate's server": func(c *chaos) (func(), bool) {
		for _, s := range c.leading() {
			for _, m := range c.e.Members {
				if m.Addr == s.Status().Server {
					return c.isolate(m), true
				}
			}
		}
		return nil, false
	},
	"hold one way": func(c *chaos) (func(), bool) {
		from, to := c.member(), c.member()
		if from == to {
			return nil, false
		}
		c.w.tell("hold " + from.Addr + " to " + to.Addr)
		c.e.Hold(from, to)
		return func() { c.e.Heal() }, true
	},
}

func (c *chaos) isolate(s *zktest.Server) (heal func()) {
	c.w.tell("isolate " + s.Addr)
	c.e.Isolate(s)
	return func() { c.e.Heal() }
}

const deletion = "znode deleted"

var seatFaults = map[string]seatFault{
	"cut": func(c *chaos, s *seat) (func(), bool) {
		return s.onLinks((*zktest.Link).Cut), true
	},
	"hold": func(c *chaos, s *seat) (func(), bool) {
		return s.onLinks(func(l *zktest.Link) { l.Hold() }), true
	},
	"hold to the server": func(c *chaos, s *seat) (func(), bool) {
		return s.onLinks(func(l *zktest.Link) { l.Hold(zktest.ToServer) }), true
	},
	"hold from the server": func(c *chaos, s *seat) (func(), bool) {
		return s.onLinks(func(l *zktest.Link) { l.Hold(zktest.FromServer) }), true
	},
	"latency": func(c *chaos, s *seat) (func(), bool) {
		there, back := c.upTo(c.session/8), c.upTo(c.session/8)
		s.onLinks(func(l *zktest.Link) { l.SetLatency(there, back) })
		return s.onLinks(func(l *zktest.Link) {}), true
	},
	"freeze": func(c *chaos, s *seat) (func(), bool) {
		s.Freeze()
		since := time.Now()
		c.w.note(s.name, frozen, +1)
		return func() {
			// What was sent before may still have been answered.
			if st := s.Status(); st.LeaseEnd.After(since.Add(st.Timeout)) {
				c.Errorf("%s was frozen at %v, with a session of %v, and has a lease until %v", s.name, since, st.Timeout, st.LeaseEnd)
			}
			if at := c.w.reported(s.name); at.After(since.Add(5 * scheduling)) {
				c.Errorf("%s reported %v after it was frozen", s.name, at.Sub(since))
			}
			c.w.note(s.name, frozen, -1)
			s.Thaw()
		}, true
	},
	"session expires": func(c *chaos, s *seat) (func(), bool) {
		heal := s.onLinks(func(l *zktest.Link) { l.Hold() })
		s.until = time.Now().Add(2*c.session + 2*c.tick)
		return heal, true
	},
	"resign": func(c *chaos, s *seat) (func(), bool) {
		s.Resign()
		select {
		case err := <-s.ended:
			if err != nil {
				c.Errorf("%s resigned: %v", s.name, err)
			}
		case <-time.After(electiontest.WaitFor):
			c.Fatalf("%s does not end after it resigned\n%s", s.name, c.w)
		}
		s.stand(c)
		return nil, true
	},
	// No lease covers this one: the deposed leader learns of it by a notification.
	// So nothing else happens meanwhile, and nothing is in its way.
	deletion: func(c *chaos, s *seat) (func(), bool) {
		m := c.w.now(s.name)
		if !c.whole() || m.Belief != model.Leading || s.Status().State != client.Connected {
			return nil, false
		}
		deleted := make(chan error, 1)
		go func() { deleted <- c.out.Delete(znode.Join(c.path, m.Znode), -1) }()
		select {
		case err := <-deleted:
			if err != nil && !errors.Is(err, zk.ErrNoNode) {
				return nil, false
			}
		case <-time.After(electiontest.WaitFor):
			c.Fatalf("cannot delete the znode of %s", s.name)
		}
		c.w.await(c.T, electiontest.WaitFor, s.name+" knows that its znode was deleted", func() bool {
			now := c.w.now(s.name)
			return now.Belief != model.Leading || now.Znode != m.Znode
		})
		return nil, true
	},
}
