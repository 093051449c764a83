package candidate_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/model"
	"electop/zkwatch/candidate"
	"electop/zkwatch/internal/electiontest"
)

// TestResigningLeaderStopsFirst: its procedure's context is over before its
// znode is deleted, so before anybody else can lead.
func TestResigningLeaderStopsFirst(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		var leading atomic.Int32
		lead := func(ctx context.Context, _ int64) error {
			if n := leading.Add(1); n != 1 {
				t.Errorf("%d lead", n)
			}
			go func() {
				<-ctx.Done()
				leading.Add(-1)
			}()
			return nil
		}
		a := electiontest.Stand(t, candidate.Config{Conn: on.Config(), Path: on.Path, Create: true, Lead: func(ctx context.Context, fence int64) error {
			if n := leading.Add(1); n != 1 {
				t.Errorf("%d lead", n)
			}
			<-ctx.Done() // a procedure that is still at it
			leading.Add(-1)
			return ctx.Err()
		}})
		a.Await(t, 0, "elected", func(m model.Member) bool { return m.Step == model.StepLead })
		b := electiontest.Stand(t, candidate.Config{Conn: on.Config(), Path: on.Path, Lead: lead})
		b.Believes(t, model.Waiting)
		a.Resign()
		b.Believes(t, model.Leading)
		_, i := a.Await(t, 0, "resigned", func(m model.Member) bool { return m.Belief == model.Resigned })
		a.Await(t, i, "deleting its znode only then", func(m model.Member) bool { return m.Ending == model.Resigning })
	})
}

// TestParentUnderForbiddenGround: creating what exists may be forbidden.
func TestParentUnderForbiddenGround(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		if err := on.AddAuth("digest", []byte("u:p")); err != nil {
			t.Fatal(err)
		}
		on.Make(on.Path, 0)
		on.Make(on.Path+"/ours", 0)
		if _, err := on.SetACL(on.Path, append(zk.DigestACL(zk.PermAll, "u", "p"), zk.WorldACL(zk.PermRead)...), -1); err != nil {
			t.Fatal(err)
		}
		s := electiontest.Stand(t, candidate.Config{Conn: on.Config(), Path: on.Path + "/ours/election", Create: true})
		s.Believes(t, model.Leading)
	})
}

// TestLeadIsNotCalledAfterTheLease: a process that slept between asking and
// the answer finds the answer waiting, and its session perhaps gone.
func TestLeadIsNotCalledAfterTheLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := zkserver.New(zkserver.Options{})
		defer server.Close()
		var late atomic.Int32
		var self atomic.Pointer[candidate.Candidate]
		cfg := candidate.Config{
			Conn: electiontest.Conn(server, nil),
			Path: "/election", Create: true, Ack: "/election-leader",
			Lead: func(context.Context, int64) error {
				if st := self.Load().Status(); !time.Now().Before(st.ExpiresFrom) {
					late.Add(1)
				}
				return nil
			},
		}
		var frozen atomic.Bool
		cfg.Report = func(_ time.Time, m model.Member) {
			// It knows that it is lowest, and stops before it asks for its fence.
			if m.Step == model.StepLowest && frozen.CompareAndSwap(false, true) {
				self.Load().Freeze()
				go func() {
					time.Sleep(2 * electiontest.LeaseTimeout)
					self.Load().Thaw()
				}()
			}
		}
		c := candidate.New(cfg)
		self.Store(c)
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { c.Run(ctx) })
		time.Sleep(10 * electiontest.LeaseTimeout)
		cancel()
		wg.Wait()
		if n := late.Load(); n > 0 {
			t.Errorf("the leader procedure was called %d times after the lease", n)
		}
		if !frozen.Load() {
			t.Error("it was never frozen: the test shows nothing")
		}
	})
}
