package candidate_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"electop/demo/zkserver"
	"electop/model"
	"electop/zkwatch/candidate"
	"electop/zkwatch/client"
	"electop/zkwatch/internal/electiontest"
)

// TestOneLossIsOneSuspension: a leader procedure that takes its time to end is
// ended once by a connection that is lost once, and called once more.
func TestOneLossIsOneSuspension(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := zkserver.New(zkserver.Options{})
		defer server.Close()
		w := &electiontest.Wires{Server: server}
		var called, ended atomic.Int32
		started := make(chan struct{}, 10)
		s := electiontest.Stand(t, candidate.Config{
			Conn: client.Config{Servers: client.ConnectString{Servers: []string{"127.0.0.1:1"}}, SessionTimeout: electiontest.LeaseTimeout, Dial: w.Dial, Line: &w.Line, BufferSize: 16 << 10, MaxReply: 64 << 10},
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
		w.Cut()
		_, i := s.Await(t, 0, "suspended", func(m model.Member) bool { return m.Belief == model.Suspended })
		time.Sleep(400 * time.Millisecond)
		w.Mend()
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
	electiontest.Virtual(t, 2, func(t *testing.T, _ *zkserver.Server, s []*electiontest.Stander, w []*electiontest.Wires) {
		before, i := s[0].Await(t, 0, "leading", func(m model.Member) bool { return m.Belief == model.Leading })
		time.Sleep(5 * electiontest.LeaseTimeout)
		if m := s[0].Now(); m.Belief != model.Leading || time.Until(m.LeaseEnd) < electiontest.LeaseTimeout/5 {
			t.Fatalf("after a while it is %+v", m)
		}
		held := time.Now()
		w[0].Withhold(true)
		m, i := s[0].Await(t, i, "suspended", func(m model.Member) bool { return m.Belief == model.Suspended })
		if d := time.Since(held); d > electiontest.LeaseTimeout*6/10 || m.Obstacle == "" {
			t.Errorf("it stopped %v after the last renewal that it could make, obstacle %q", d, m.Obstacle)
		}
		w[0].Withhold(false)
		after, _ := s[0].Await(t, i, "leading again", func(m model.Member) bool { return m.Belief == model.Leading })
		if after.Fence != before.Fence || after.Session != before.Session || after.Obstacle != "" {
			t.Errorf("leads again as %+v, was %+v", after, before)
		}
	})
}
