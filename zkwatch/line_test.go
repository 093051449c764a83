package zkwatch_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/model"
	"electop/zkwatch"
	"electop/zkwatch/fault"
)

// beliefs are the beliefs that were reported from the from-th report on, each
// once in a row.
func (s *stander) beliefs(from int) []model.Belief {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []model.Belief
	for _, m := range s.reports[from:] {
		out = append(out, m.Belief)
	}
	return slices.Compact(out)
}

func (s *stander) reported() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.reports)
}

// when returns how long after now the first report from the from-th on comes
// that holds.
func (s *stander) when(t *testing.T, from int, what string, holds func(model.Member) bool) <-chan time.Duration {
	start, took := time.Now(), make(chan time.Duration, 1)
	go func() {
		s.await(t, from, what, holds)
		took <- time.Since(start)
	}()
	return took
}

func believes(b model.Belief) func(model.Member) bool {
	return func(m model.Member) bool { return m.Belief == b }
}

// A parted leader finds out for itself, and has stopped before the servers can
// have another lead. At whatever point of its pings the line goes down.
func TestPartedLeaderStopsBeforeAnotherLeads(t *testing.T) {
	for phase := range 8 {
		t.Run(fmt.Sprint(phase), func(t *testing.T) {
			virtual(t, 2, func(t *testing.T, server *zkserver.Server, s []*stander, w []*wires) {
				time.Sleep(time.Minute + time.Duration(phase)*leaseTimeout/24) // pings are leaseTimeout/3 apart
				before, from := s[0].now(), s[0].reported()
				w[0].line.Partition()
				suspended := s[0].when(t, from, "suspended", believes(model.Suspended))
				lost := s[0].when(t, from, "lost", believes(model.Lost))
				led := s[1].when(t, 0, "leading", leads)
				a, b, c := <-suspended, <-lost, <-led
				if a > b || b >= c {
					t.Errorf("suspended after %v, lost after %v; the next led after %v", a, b, c)
				}
				if c > leaseTimeout+2*time.Second {
					t.Errorf("the next led only after %v", c)
				}
				if got, want := s[0].beliefs(from), []model.Belief{model.Suspended, model.Lost}; !slices.Equal(got, want) {
					t.Errorf("parted it believed %q, want %q", got, want)
				}
				time.Sleep(10 * time.Minute)
				if m := s[0].now(); m.Belief != model.Lost {
					t.Errorf("parted for ten minutes: %+v", m)
				}
				w[0].line.Heal()
				_, i := s[0].await(t, from, "lost", believes(model.Lost))
				after, _ := s[0].await(t, i, "waiting anew", believes(model.Waiting))
				if after.Session == before.Session || after.Znode == before.Znode {
					t.Errorf("healed: %+v, before: %+v", after, before)
				}
			})
		})
	}
}

func TestPartedLeaderHealsInTime(t *testing.T) {
	for _, c := range []struct {
		name  string
		after time.Duration
		want  []model.Belief // from the moment the line goes down
	}{
		{"unnoticed", leaseTimeout / 5, []model.Belief{model.Leading}},
		// The last answer was a moment ago: two thirds later it is missed.
		{"suspended", leaseTimeout * 3 / 4, []model.Belief{model.Leading, model.Suspended, model.Waiting, model.Elected, model.Leading}},
	} {
		t.Run(c.name, func(t *testing.T) {
			virtual(t, 2, func(t *testing.T, server *zkserver.Server, s []*stander, w []*wires) {
				ping(t, s[0])
				before, from := s[0].now(), s[0].reported()
				w[0].line.Partition()
				time.Sleep(c.after)
				w[0].line.Heal()
				time.Sleep(10 * leaseTimeout)
				after := s[0].now()
				if after.Belief != model.Leading || after.Session != before.Session || after.Znode != before.Znode || after.Fence != before.Fence {
					t.Errorf("leads again as %+v, was %+v", after, before)
				}
				got := slices.DeleteFunc(s[0].beliefs(from-1), func(b model.Belief) bool { return b == model.Waiting })
				want := slices.DeleteFunc(slices.Clone(c.want), func(b model.Belief) bool { return b == model.Waiting })
				if !slices.Equal(got, want) {
					t.Errorf("it believed %q, want %q", got, want)
				}
				if got := s[1].beliefs(0); slices.Contains(got, model.Elected) {
					t.Errorf("the other believed %q", got)
				}
			})
		})
	}
}

// ping waits until the candidate's ping has just been answered.
func ping(t *testing.T, s *stander) {
	t.Helper()
	for end := s.Status().ExpiresFrom; s.Status().ExpiresFrom.Equal(end); {
		time.Sleep(10 * time.Millisecond)
	}
}

// Between the end of its own lease and that of its session, a leader that gave
// up comes back to close the session: the next one leads at once.
func TestPartedLeaderHealsTooLate(t *testing.T) {
	virtual(t, 2, func(t *testing.T, server *zkserver.Server, s []*stander, w []*wires) {
		ping(t, s[0])
		from := s[0].reported()
		w[0].line.Partition()
		s[0].await(t, from, "lost", believes(model.Lost))
		w[0].line.Heal()
		healed := time.Now()
		s[1].believes(t, model.Leading)
		if took := time.Since(healed); took > 100*time.Millisecond {
			t.Errorf("the next led %v after the healing: the old session expired", took)
		}
		_, i := s[0].await(t, from, "lost", believes(model.Lost))
		s[0].await(t, i, "waiting anew", believes(model.Waiting))
	})
}

func TestPartedWaiter(t *testing.T) {
	for _, c := range []struct {
		name string
		down time.Duration
		same bool // it goes on with its session
	}{
		{"healed in time", leaseTimeout * 3 / 4, true},
		{"healed after the expiry", 3 * leaseTimeout, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			virtual(t, 3, func(t *testing.T, server *zkserver.Server, s []*stander, w []*wires) {
				ping(t, s[1])
				before, from := s[1].now(), s[1].reported()
				w[1].line.Partition()
				s[1].await(t, from, "suspended", believes(model.Suspended))
				time.Sleep(c.down - leaseTimeout*2/3)
				w[1].line.Heal()
				time.Sleep(10 * leaseTimeout)
				after := s[1].now()
				if after.Belief != model.Waiting || (after.Session == before.Session) != c.same || (after.Znode == before.Znode) != c.same {
					t.Errorf("healed: %+v, before: %+v", after, before)
				}
				// Who waited behind it follows suit, and nobody else notices.
				if m, want := s[2].now(), s[1].now().Znode; c.same && m.Watches != want || !c.same && m.Watches != s[0].now().Znode {
					t.Errorf("the last one watches %s; those before it are %s and %s", m.Watches, s[0].now().Znode, want)
				}
				if got := s[0].beliefs(0); slices.Contains(got, model.Suspended) {
					t.Errorf("the leader believed %q", got)
				}
			})
		})
	}
}

// What happened meanwhile is learnt on healing: the watch is set again.
func TestPredecessorGoesWhileParted(t *testing.T) {
	virtual(t, 2, func(t *testing.T, server *zkserver.Server, s []*stander, w []*wires) {
		ping(t, s[1])
		before := s[1].now()
		w[1].line.Partition()
		s[0].Resign()
		if err := <-s[0].done; err != nil {
			t.Fatal(err)
		}
		time.Sleep(leaseTimeout * 3 / 4)
		if m := s[1].now(); m.Belief != model.Suspended {
			t.Errorf("parted: %+v", m)
		}
		w[1].line.Heal()
		if m := s[1].believes(t, model.Leading); m.Session != before.Session || m.Znode != before.Znode {
			t.Errorf("leads as %+v, waited as %+v", m, before)
		}
	})
}

// Frozen, it does not even notice that the line goes down; thawed while it is
// down it does.
func TestPartedWhileFrozen(t *testing.T) {
	virtual(t, 2, func(t *testing.T, server *zkserver.Server, s []*stander, w []*wires) {
		from := s[0].reported()
		s[0].Freeze()
		w[0].line.Partition()
		next := s[1].believes(t, model.Leading)
		time.Sleep(time.Minute)
		if got := s[0].beliefs(from); len(got) > 0 {
			t.Errorf("frozen it came to believe %q", got)
		}
		s[0].Thaw()
		synctest.Wait()
		if m := s[0].now(); leads(m) {
			t.Errorf("thawed it believes %q", m.Belief)
		}
		s[0].await(t, from, "lost", believes(model.Lost))
		time.Sleep(time.Minute)
		w[0].line.Heal()
		after, _ := s[0].await(t, from, "waiting anew", believes(model.Waiting))
		if after.Watches != next.Znode {
			t.Errorf("healed: %+v", after)
		}
		s[0].Freeze()
		w[0].line.Partition()
		time.Sleep(time.Minute)
		w[0].line.Heal()
		s[0].Thaw()
		_, i := s[0].await(t, s[0].reported(), "lost", believes(model.Lost))
		s[0].await(t, i, "waiting anew", believes(model.Waiting))
	})
}

// A parted candidate leaves as quickly as it can know that nobody hears it.
func TestPartedLeaves(t *testing.T) {
	for _, down := range []time.Duration{0, leaseTimeout / 2, leaseTimeout * 3 / 4, leaseTimeout * 2, 10 * time.Minute} {
		for _, how := range []struct {
			name string
			do   func(*stander)
			most time.Duration
		}{
			{"killed", func(s *stander) { s.Kill() }, 0},
			{"context ended", func(s *stander) { s.cancel() }, time.Second},
			// Its connection has to be missed, and then its session cannot be closed
			// for as long as it may live.
			{"resigned", func(s *stander) { s.Resign() }, 2 * leaseTimeout},
		} {
			for who, role := range []string{"leader", "waiter"} {
				t.Run(fmt.Sprintf("%s %s after %v", role, how.name, down), func(t *testing.T) {
					virtual(t, 2, func(t *testing.T, server *zkserver.Server, s []*stander, w []*wires) {
						w[who].line.Partition()
						time.Sleep(down)
						began := time.Now()
						how.do(s[who])
						<-s[who].done
						if took := time.Since(began); took > how.most {
							t.Errorf("it took %v, want at most %v", took, how.most)
						}
						w[who].line.Heal()
					})
				})
			}
		}
	}
}

// linedPeer is a connection to a peer over a line.
func linedPeer(t *testing.T, p *peer, change ...func(*zkwatch.Config)) (*zkwatch.Conn, *fault.Line) {
	line := new(fault.Line)
	c := p.connect(t, append(change, func(cfg *zkwatch.Config) { cfg.Line = line })...)
	waitState(t, c, zkwatch.Connected)
	return c, line
}

// What is sent while the line is down arrives, in order, if the connection
// lives to see it up again.
func TestLineDelivers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &peer{}
		c, line := linedPeer(t, p)
		line.Partition()
		created := make(chan error)
		for i := range 3 {
			go func() {
				time.Sleep(time.Duration(i) * time.Millisecond)
				_, err := c.Create(t.Context(), fmt.Sprintf("/e/%d", i), nil, 0, nil)
				created <- err
			}()
		}
		time.Sleep(5 * time.Second) // of a read timeout of 6 s
		if got := p.opcodes(1); len(got) > 0 {
			t.Errorf("requests %d over a line that is down", got)
		}
		line.Heal()
		for range 3 {
			if err := <-created; err != nil {
				t.Error(err)
			}
		}
		var paths []string
		for _, f := range p.received(1) {
			if f.opcode == opCreate {
				paths = append(paths, string(f.body[4:8]))
			}
		}
		if want := []string{"/e/0", "/e/1", "/e/2"}; !slices.Equal(paths, want) {
			t.Errorf("created %q, want %q", paths, want)
		}
		if p.dials() != 1 {
			t.Errorf("%d connections", p.dials())
		}
		// And so up and down, which is nothing to it.
		for range 100 {
			line.Partition()
			time.Sleep(50 * time.Millisecond)
			line.Heal()
			time.Sleep(50 * time.Millisecond)
		}
		if _, _, err := c.Get(t.Context(), "/e"); err != nil || p.dials() != 1 {
			t.Errorf("after a hundred interruptions: %v, %d connections", err, p.dials())
		}
	})
}

// What was sent over a connection that did not live is lost, and its caller is
// told that nobody knows.
func TestLineLoses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &peer{}
		c, line := linedPeer(t, p)
		line.Partition()
		began := time.Now()
		_, err := c.Create(t.Context(), "/e/0", nil, 0, nil)
		if !errors.Is(err, zkwatch.ErrUnknownOutcome) {
			t.Errorf("create: %v", err)
		}
		if took := time.Since(began); took < 2*time.Second || took > 6*time.Second { // of 9 s
			t.Errorf("the connection was missed after %v", took)
		}
		if s := c.Status(); s.State != zkwatch.Disconnected || !errors.Is(s.Err, os.ErrDeadlineExceeded) {
			t.Errorf("status %+v", s)
		}
		// Dials are not answered: one a DialTimeout of 2 s.
		waitErr(t, c, os.ErrDeadlineExceeded)
		time.Sleep(5 * time.Second)
		if p.dials() != 1 {
			t.Errorf("%d connections over a line that is down", p.dials())
		}
		line.Heal()
		healed := time.Now()
		p.connected(t, c, 2)
		if took := time.Since(healed); took > 10*time.Millisecond {
			t.Errorf("connected %v after the healing", took)
		}
		if got := p.opcodes(0); slices.Contains(got, opCreate) {
			t.Errorf("requests %d: what was lost has arrived", got)
		}
	})
}

// That the other end closes a connection is not seen while the line is down.
func TestLineKeepsTheEndOfAConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &peer{}
		c, line := linedPeer(t, p)
		line.Partition()
		p.drop(1)
		time.Sleep(time.Second)
		if s := c.Status(); s.State != zkwatch.Connected {
			t.Errorf("status %+v: the end of the connection got through", s)
		}
		line.Heal()
		p.connected(t, c, 2)
	})
}

// Nor does the server see that its client gave the connection up.
func TestLineKeepsTheClientsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ended atomic.Bool
		p := &peer{}
		p.accept = func(n int, c net.Conn) bool {
			p.serve(n, c)
			if n == 1 {
				ended.Store(true)
			}
			return true
		}
		c, line := linedPeer(t, p)
		line.Partition()
		waitState(t, c, zkwatch.Disconnected)
		time.Sleep(time.Second)
		if ended.Load() {
			t.Error("the server saw the connection end over a line that is down")
		}
		line.Heal()
		synctest.Wait()
		if !ended.Load() {
			t.Error("the connection was not closed when the line was up again")
		}
	})
}

func TestCloseWhileTheLineIsDown(t *testing.T) {
	for _, down := range []time.Duration{0, 4 * time.Second, 7 * time.Second, 15 * time.Second} {
		for name, end := range map[string]func(*zkwatch.Conn){
			"Close": func(c *zkwatch.Conn) { c.Close() },
			"Cut":   (*zkwatch.Conn).Cut,
		} {
			t.Run(fmt.Sprintf("%s after %v", name, down), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := &peer{}
					c, line := linedPeer(t, p)
					line.Partition()
					go c.Create(t.Context(), "/e/0", nil, 0, nil)
					time.Sleep(down)
					began := time.Now()
					end(c)
					if took := time.Since(began); took > time.Second {
						t.Errorf("it took %v", took)
					}
					line.Heal()
					time.Sleep(time.Minute)
					if got := p.opcodes(0); len(got) > 0 {
						t.Errorf("requests %d arrived", got)
					}
				})
			})
		}
	}
}

// A client that goes on sending into a line that is down is not given memory
// without end.
func TestLineTakesOnlySoMuch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &peer{}
		c, line := linedPeer(t, p, func(cfg *zkwatch.Config) { cfg.BufferSize = 256 << 10 })
		line.Partition()
		var sent atomic.Int64
		for range 10 {
			go func() {
				c.Set(t.Context(), "/e", make([]byte, 40<<10), -1)
				sent.Add(1)
			}()
		}
		synctest.Wait()
		if s := c.Status(); s.State == zkwatch.Connected {
			t.Error("it took 400 KiB")
		}
		line.Heal()
		waitState(t, c, zkwatch.Connected)
		if _, err := c.Set(t.Context(), "/e", make([]byte, 200<<10), -1); err != nil { // more at once than it takes
			t.Error(err)
		}
	})
}

// The same against real servers, in their own time.
func TestPartition(t *testing.T) {
	zktest.Each(t, func(t *testing.T, addr string) {
		path := electionPath(t)
		var line fault.Line
		cfg := config(t, addr)
		cfg.Line = &line
		var over, led atomic.Int64 // when
		a := stand(t, zkwatch.CandidateConfig{
			Conn: cfg, Path: path, Create: true, Ack: path + "-leader",
			Lead: func(ctx context.Context, _ int64) error {
				go func() {
					<-ctx.Done()
					over.CompareAndSwap(0, time.Now().UnixNano())
				}()
				return nil
			},
		})
		before := a.believes(t, model.Leading)
		b := stand(t, zkwatch.CandidateConfig{
			Conn: config(t, addr), Path: path, Ack: path + "-leader",
			Lead: func(context.Context, int64) error { led.Store(time.Now().UnixNano()); return nil },
		})
		b.believes(t, model.Waiting)
		from := a.reported()
		line.Partition()
		next := b.believes(t, model.Leading)
		if o, l := over.Load(), led.Load(); o == 0 || o >= l {
			t.Errorf("the old leader stopped at %v, the new one led at %v", time.Unix(0, o), time.Unix(0, l))
		}
		if got, want := a.beliefs(from), []model.Belief{model.Suspended, model.Lost}; !slices.Equal(got, want) {
			t.Errorf("parted it believed %q, want %q", got, want)
		}
		line.Heal()
		_, i := a.await(t, from, "lost", believes(model.Lost))
		after, _ := a.await(t, i, "waiting anew", believes(model.Waiting))
		if after.Session == before.Session || after.Watches != next.Znode {
			t.Errorf("healed: %+v", after)
		}
		children, _, err := raw(t, addr).Children(path)
		if err != nil || len(children) != 2 {
			t.Errorf("children %q, %v", children, err)
		}
	})
}
