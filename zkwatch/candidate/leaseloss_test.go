package candidate_test

import (
	"bytes"
	"context"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/model"
	"electop/zkwatch/candidate"
	"electop/zkwatch/internal/clienttest"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/wire"
)

// TestOneLossIsOneSuspension: a leader procedure that takes its time to end is
// ended once by a connection that is lost once, and called once more.
func TestOneLossIsOneSuspension(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := zkserver.New(zkserver.Options{})
		defer server.Close()
		var called, ended atomic.Int32
		started := make(chan struct{}, 10)
		s := electiontest.Stand(t, candidate.Config{
			Conn: electiontest.Conn(server, nil),
			Path: "/election", Create: true, Ack: "/election-leader",
			Lead: func(ctx context.Context, _ int64) error {
				called.Add(1)
				started <- struct{}{}
				go func() {
					<-ctx.Done()
					ended.Add(1)
				}()
				select {
				case <-ctx.Done():
					time.Sleep(1500 * time.Millisecond)
				case <-time.After(time.Hour):
				}
				return nil
			},
		})
		<-started // no report follows while it runs
		clienttest.Restart(server, 400*time.Millisecond)
		_, i := s.Await(t, 0, "suspended", func(m model.Member) bool { return m.Belief == model.Suspended })
		s.Await(t, i, "elected again", func(m model.Member) bool { return m.Belief == model.Elected && m.Step == model.StepLead })
		time.Sleep(3 * electiontest.LeaseTimeout)
		if called.Load() != 2 || ended.Load() != 1 {
			t.Errorf("one loss: the leader procedure was called %d times and ended %d times, want 2 and 1", called.Load(), ended.Load())
		}
	})
}

// TestLeaderWithoutRenewalsStops: a server that answers pings and reads, and
// nothing that needs a quorum, keeps no leader, and the leader goes on when it
// does again.
func TestLeaderWithoutRenewalsStops(t *testing.T) {
	var mu sync.Mutex
	var withheld bool
	var kept []func()
	withhold := func(on bool) {
		mu.Lock()
		defer mu.Unlock()
		withheld = on
		if !on {
			for _, write := range kept {
				write()
			}
		}
	}
	alone(t, func(_ *zk.Conn, cfg *candidate.Config) {
		clienttest.OnRequest(&cfg.Conn, wire.OpMulti, func(c net.Conn, frame []byte) bool {
			mu.Lock()
			defer mu.Unlock()
			if frame = bytes.Clone(frame); withheld {
				kept = append(kept, func() { c.Write(frame) })
			}
			return withheld
		})
	}, func(_ *zkserver.Server, _ *zk.Conn, s *electiontest.Stander) {
		before, i := s.Await(t, 0, "leading", func(m model.Member) bool { return m.Belief == model.Leading })
		time.Sleep(5 * electiontest.LeaseTimeout)
		if m := s.Now(); m.Belief != model.Leading || time.Until(m.LeaseEnd) < electiontest.LeaseTimeout/5 {
			t.Fatalf("after a while it is %+v", m)
		}
		held := time.Now()
		withhold(true)
		m, i := s.Await(t, i, "suspended", func(m model.Member) bool { return m.Belief == model.Suspended })
		if d := time.Since(held); d > electiontest.LeaseTimeout*6/10 || m.Obstacle == "" {
			t.Errorf("it stopped %v after the last renewal that it could make, obstacle %q", d, m.Obstacle)
		}
		withhold(false)
		after, _ := s.Await(t, i, "leading again", func(m model.Member) bool { return m.Belief == model.Leading })
		if after.Fence != before.Fence || after.Session != before.Session || after.Obstacle != "" {
			t.Errorf("leads again as %+v, was %+v", after, before)
		}
	})
}
