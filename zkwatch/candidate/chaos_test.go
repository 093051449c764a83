package candidate_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zktest"
	"electop/model"
	"electop/model/dialect"
	"electop/model/znode"
	"electop/zkwatch/candidate"
	"electop/zkwatch/client"
	"electop/zkwatch/fault"
	"electop/zkwatch/internal/electiontest"
)

var chaosIsolation = flag.Bool("chaos.isolation", true, "isolate servers and hold links between them in TestCandidatesChaos")

// TestCandidatesChaos divides the duration ELECTOP_TEST_LONG, for example 30m, between two runs.
func TestCandidatesChaos(t *testing.T) {
	zktest.SecondTier(t)
	t.Parallel()
	const s = time.Second
	quick := limits{s, 250 * time.Millisecond, 10}
	duration, _ := zktest.Long(t)
	for _, l := range []limits{quick, {4 * s, 2 * s, 5}} {
		t.Run(l.String(), func(t *testing.T) {
			newChaos(t, 9, l, zktest.Seed(t)).run(max(10*s, duration/2))
		})
	}
}

// A chaos injects faults. The servers have at most one fault at a time, so a quorum remains.
type chaos struct {
	*testing.T
	limits
	path string
	e    *zktest.Ensemble
	w    *activityLog
	bare *zk.Conn
	rng  *rand.Rand

	servers target
	slots   []*slot
	counts  map[string]int
}

// A target has a fault if repair is not nil.
type target struct {
	what   string
	repair func()
	until  time.Time
}

func newChaos(t *testing.T, n int, l limits, seed uint64) *chaos {
	c := &chaos{
		T: t, limits: l, path: electiontest.ElectionPath(t), w: newActivityLog(),
		rng: rand.New(rand.NewPCG(seed, 0)), counts: make(map[string]int),
		e: zktest.NewEnsemble(t, 3, zktest.WithLinks(), zktest.WithTick(l.tick), zktest.WithLimits(20, l.syncLimit)),
	}
	var addrs []string
	for _, m := range c.e.Members {
		addrs = append(addrs, m.Addr)
	}
	c.bare = zktest.ClientOver(t, c.e.ConnectString(), l.session, net.DialTimeout)
	for i := range n {
		s := &slot{number: i, links: make(map[string]*fault.Link)}
		for _, addr := range addrs {
			s.links[addr] = zktest.NewLink(t, addr)
		}
		c.slots = append(c.slots, s)
	}
	for _, s := range c.slots {
		s.start(c)
		t.Cleanup(s.stop)
	}
	var checks sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	checks.Go(func() { c.checkOwners(ctx) })
	t.Cleanup(func() {
		cancel()
		c.bare.Close()
		checks.Wait()
	})
	return c
}

func (c *chaos) anyServer() *zktest.Server { return c.e.Members[c.rng.IntN(len(c.e.Members))] }

func (c *chaos) upTo(d time.Duration) time.Duration { return time.Duration(c.rng.Int64N(int64(d))) }

func (c *chaos) leading() (found []*slot) {
	names := c.w.leaders()
	for _, s := range c.slots {
		if slices.Contains(names, s.name) {
			found = append(found, s)
		}
	}
	return found
}

func (c *chaos) run(duration time.Duration) {
	c.awaitSettled()
	for end := time.Now().Add(duration); time.Now().Before(end); {
		c.inject()
		c.endFaults(time.Now())
		<-time.After(c.upTo(c.session / 2))
	}
	c.endFaults(time.Time{})
	repaired := time.Now()
	c.awaitSettled()
	c.Logf("%v, %d candidates, %v: faults %v; %d reigns; longest overlap %v; settled %v after the last repair",
		c.limits, len(c.slots), duration, c.counts, c.w.reigns(), c.w.check(c.T, c.w.start).Round(time.Millisecond), time.Since(repaired).Round(time.Millisecond))
}

func (c *chaos) awaitSettled() {
	c.Helper()
	limit := 3*c.session + 3*time.Duration(c.syncLimit)*c.tick + electiontest.WaitFor
	c.w.await(c.T, limit, "one leads and all others wait", func() bool {
		count := make(map[model.Belief]int)
		for _, s := range c.slots {
			count[c.w.now(s.name).Belief]++
		}
		if count[model.Leading] != 1 || count[model.Waiting] != len(c.slots)-1 || !c.healthy() {
			return false
		}
		// If a session was not closed, its znode remains until the session expires.
		if _, err := c.bare.Sync(c.path); err != nil {
			return false
		}
		children, _, err := c.bare.Children(c.path)
		leaders := c.w.leaders()
		return err == nil && len(children) == len(c.slots) && len(leaders) == 1 &&
			dialect.Election().Target(c.w.now(leaders[0]).Znode, children, nil).Leads
	})
	for _, s := range c.slots {
		select {
		case err := <-s.ended:
			c.Errorf("Run of candidate %s returned error %v, want no return", s.name, err)
			s.ended <- err
		default:
		}
	}
}

func (c *chaos) checkOwners(ctx context.Context) {
	const interval = 50 * time.Millisecond
	owner := make(map[string]int64)
	node := make(map[int64]string)
	for ; ctx.Err() == nil; <-time.After(interval) {
		children, _, err := c.bare.Children(c.path)
		if err != nil {
			continue
		}
		for _, name := range children {
			if owner[name] != 0 {
				continue
			}
			ok, stat, err := c.bare.Exists(znode.Join(c.path, name))
			if err != nil || !ok {
				continue
			}
			session := stat.EphemeralOwner
			if other := node[session]; other != "" {
				c.Errorf("got znodes %s and %s of session %#x, want one", other, name, session)
			}
			owner[name], node[session] = session, name
		}
	}
}

func (c *chaos) inject() {
	healthy := c.healthy()
	if healthy && c.rng.IntN(2) == 0 {
		faults := serverFaults
		if *chaosIsolation && c.rng.IntN(3) > 0 {
			faults = isolationFaults
		}
		name := c.draw(slices.Sorted(maps.Keys(faults)))
		if repair, ok := faults[name](c); ok {
			until := time.Now().Add(c.upTo(2*c.session + time.Duration(c.syncLimit)*c.tick))
			c.servers = target{"servers: " + name, repair, until}
			c.count(name, c.servers.what)
		}
		return
	}
	s := c.slots[c.rng.IntN(len(c.slots))]
	if l := c.leading(); len(l) > 0 && healthy && c.rng.IntN(3) > 0 {
		s = l[c.rng.IntN(len(l))]
	}
	if s.repair != nil {
		return
	}
	name := c.draw(slices.Sorted(maps.Keys(candidateFaults)))
	if healthy && c.rng.IntN(4) == 0 {
		name = deleteZnode
	}
	s.what, s.until = s.name+": "+name, time.Now().Add(c.upTo([]time.Duration{c.session / 4, c.session / 4, 3 * c.session}[c.rng.IntN(3)]))
	if repair, ok := candidateFaults[name](c, s); ok {
		s.repair = repair
		c.count(name, s.what)
	}
}

func (c *chaos) healthy() bool {
	return c.servers.repair == nil && !slices.ContainsFunc(c.e.Members, func(m *zktest.Server) bool { return !m.Serving() })
}

func (c *chaos) count(name, what string) {
	c.counts[name]++
	c.w.log(what)
}

func (c *chaos) draw(names []string) string { return names[c.rng.IntN(len(names))] }

func (c *chaos) endFaults(now time.Time) {
	targets := []*target{&c.servers}
	for _, s := range c.slots {
		targets = append(targets, &s.target)
	}
	for _, p := range targets {
		if p.repair != nil && (now.IsZero() || now.After(p.until)) {
			repair := p.repair
			p.repair = nil
			repair()
			c.w.log("ended: " + p.what)
		}
	}
}

// A serverFault injects a fault. repair is nil if the fault has ended. ok is false if nothing was injected.
type serverFault func(c *chaos) (repair func(), ok bool)
type candidateFault func(c *chaos, s *slot) (repair func(), ok bool)

var serverFaults = map[string]serverFault{
	"kill": func(c *chaos) (func(), bool) {
		s := c.anyServer()
		c.w.log("kill " + s.Addr)
		s.Kill(c)
		return func() { s.Launch(c) }, true
	},
}

var isolationFaults = map[string]serverFault{
	"isolate": func(c *chaos) (func(), bool) {
		return c.isolate(c.anyServer()), true
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
		from, to := c.anyServer(), c.anyServer()
		if from == to {
			return nil, false
		}
		c.w.log("hold " + from.Addr + " to " + to.Addr)
		c.e.Hold(from, to)
		return func() { c.e.Heal() }, true
	},
}

func (c *chaos) isolate(s *zktest.Server) (heal func()) {
	c.w.log("isolate " + s.Addr)
	c.e.Isolate(s)
	return func() { c.e.Heal() }
}

const deleteZnode = "znode deleted"

var candidateFaults = map[string]candidateFault{
	"cut": func(c *chaos, s *slot) (func(), bool) {
		return s.onLinks((*fault.Link).Cut), true
	},
	"hold": func(c *chaos, s *slot) (func(), bool) {
		return s.onLinks(func(l *fault.Link) { l.Hold() }), true
	},
	"hold to the server": func(c *chaos, s *slot) (func(), bool) {
		return s.onLinks(func(l *fault.Link) { l.Hold(fault.ToServer) }), true
	},
	"hold from the server": func(c *chaos, s *slot) (func(), bool) {
		return s.onLinks(func(l *fault.Link) { l.Hold(fault.FromServer) }), true
	},
	"latency": func(c *chaos, s *slot) (func(), bool) {
		out, back := c.upTo(c.session/8), c.upTo(c.session/8)
		return s.onLinks(func(l *fault.Link) { l.SetLatency(out, back) }), true
	},
	"freeze": func(c *chaos, s *slot) (func(), bool) {
		s.Freeze()
		since := time.Now()
		c.w.change(s.name, frozen, +1)
		return func() {
			// An answer to a request from before the freeze may extend the lease.
			if st := s.Status(); st.LeaseEnd.After(since.Add(st.Timeout)) {
				c.Errorf("%s, frozen at %v: got a lease until %v, want at most %v after the start of the freeze", s.name, since, st.LeaseEnd, st.Timeout)
			}
			if at := c.w.lastReport(s.name); at.After(since.Add(5 * reportDelay)) {
				c.Errorf("%s: got a report %v after the start of the freeze, want none", s.name, at.Sub(since))
			}
			c.w.change(s.name, frozen, -1)
			s.Thaw()
		}, true
	},
	"session expires": func(c *chaos, s *slot) (func(), bool) {
		heal := s.onLinks(func(l *fault.Link) { l.Hold() })
		s.until = time.Now().Add(2*c.session + 2*c.tick)
		return heal, true
	},
	"resign": func(c *chaos, s *slot) (func(), bool) {
		s.Resign()
		select {
		case err := <-s.ended:
			if err != nil {
				c.Errorf("%s resigned: got error %v, want none", s.name, err)
			}
		case <-time.After(electiontest.WaitFor):
			c.Fatalf("Run of candidate %s did not return after Resign\n%s", s.name, c.w)
		}
		s.start(c)
		return nil, true
	},
	// No lease protects against this fault: a notification stops the leader.
	deleteZnode: func(c *chaos, s *slot) (func(), bool) {
		m := c.w.now(s.name)
		if !c.healthy() || m.Belief != model.Leading || s.Status().State != client.Connected {
			return nil, false
		}
		deleted := make(chan error, 1)
		go func() { deleted <- c.bare.Delete(znode.Join(c.path, m.Znode), -1) }()
		select {
		case err := <-deleted:
			if err != nil && !errors.Is(err, zk.ErrNoNode) {
				return nil, false
			}
		case <-time.After(electiontest.WaitFor):
			c.Fatalf("cannot delete the znode of %s", s.name)
		}
		c.w.await(c.T, electiontest.WaitFor, s.name+" without its deleted znode", func() bool {
			now := c.w.now(s.name)
			return now.Belief != model.Leading || now.Znode != m.Znode
		})
		return nil, true
	},
}

type slot struct {
	target
	number, generation int
	links              map[string]*fault.Link // by the server's address

	name string
	*candidate.Candidate
	cancel context.CancelFunc
	ended  chan error
}

func (s *slot) start(c *chaos) {
	s.generation++
	s.name = fmt.Sprintf("%c%d", 'a'+s.number, s.generation)
	cfg := candidate.Config{Conn: electiontest.Config(c.T, c.e.ConnectString()), Path: c.path, Create: true, Ack: c.path + "-leader"}
	cfg.Conn.SessionTimeout, cfg.Conn.DialTimeout = c.session, c.session/2
	cfg.Conn.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, s.links[addr].Addr)
	}
	c.w.follow(s.name, &cfg)
	s.Candidate = candidate.New(cfg)
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel, s.ended = cancel, make(chan error, 1)
	go func(candidate *candidate.Candidate, ended chan<- error) { ended <- candidate.Run(ctx) }(s.Candidate, s.ended)
}

func (s *slot) stop() {
	s.Thaw()
	s.cancel()
	<-s.ended
}

func (s *slot) onLinks(do func(*fault.Link)) (heal func()) {
	for _, l := range s.links {
		do(l)
	}
	return func() {
		for _, l := range s.links {
			l.Heal()
			l.SetLatency(0, 0)
		}
	}
}
