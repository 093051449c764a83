package candidate_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"electop/demo/zkserver"
	"electop/model"
	"electop/model/doctor"
	"electop/zkwatch/candidate"
	"electop/zkwatch/fault"
	"electop/zkwatch/internal/clienttest"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/wire"
)

// TestHandoffCost: a handoff costs the same for any number of candidates: 3 requests until
// the next one leads, one after that besides the renewals of its lease, and at most 2
// notifications. They are counted at the embedded server, which knows each of them.
func TestHandoffCost(t *testing.T) {
	for _, n := range []int{3, 20} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { handoffCost(t, n) })
		})
	}
}

func handoffCost(t *testing.T, n int) {
	server, c := clienttest.Embedded(t)
	create := clienttest.Creator(t, c)
	create("/election", 0)
	// The leader is a bare znode, so that its own farewell is not counted.
	leader := create("/election/bare-n_", clienttest.Contender)
	var next *electiontest.Stander
	for i := range n - 1 {
		s := electiontest.Stand(t, candidate.Config{
			Conn: electiontest.Conn(server, nil),
			Path: "/election", Ack: "/election-leader",
		})
		s.Believes(t, model.Waiting)
		if i == 0 {
			next = s
		}
	}
	// On a busy machine go-zookeeper may restore watches that were set while it began
	// a session.
	synctest.Wait()
	before := server.Counters()
	if err := c.Delete(leader, -1); err != nil {
		t.Fatal(err)
	}
	next.Believes(t, model.Leading)
	synctest.Wait() // leading does not wait for the read that watches the acknowledgement
	after := server.Counters()

	want := map[wire.Op]int64{wire.OpDelete: 1, wire.OpGetChildren2: 1, wire.OpGetData: 2, wire.OpCreate: 1, wire.OpPing: -1}
	for op, count := range after.Requests {
		w := want[op]
		got := count - before.Requests[op]
		if op == wire.OpMulti && got == 1 {
			continue // the first renewal of the lease, which may have come by now
		}
		if w >= 0 && got != w {
			t.Errorf("%d candidates: %d requests of %v during a handoff, want %d", n, got, op, w)
		}
	}
	if got := after.Notifications - before.Notifications; got > 2 {
		t.Errorf("%d candidates: %d notifications during a handoff, at most 2 are promised", n, got)
	}
}

// TestIdleCosts: in a quiet election the leader renews its lease ten times in
// each session timeout, and the observer reads the parent's stat four times a minute. Nobody
// else sends anything but pings.
func TestIdleCosts(t *testing.T) {
	t.Parallel()
	virtual(t, 3, func(t *testing.T, server *zkserver.Server, s []*electiontest.Stander, lines []*fault.Line) {
		cfg := electiontest.Conn(server, nil)
		o := electiontest.Observe(t, cfg, model.Config{Path: "/election", AckPath: "/election-leader"})
		o.Await(t, "all three, acknowledged", func(s *doctor.State) bool { return s.Queue.Len() == 3 && s.Acknowledged() })
		synctest.Wait()
		before := server.Counters()
		time.Sleep(time.Hour) // virtual
		after := server.Counters()
		renewals := int64(10 * time.Hour / electiontest.LeaseTimeout)
		for op, n := range after.Requests {
			more := n - before.Requests[op]
			switch {
			case op == wire.OpMulti && (more < renewals-1 || more > renewals+1):
				t.Errorf("%d renewals in an idle hour, want %d", more, renewals)
			case op == wire.OpExists && more <= 240: // the observer compares
			case more != 0 && op != wire.OpMulti && op != wire.OpPing:
				t.Errorf("%d requests of %v in an idle hour", more, op)
			}
		}
		if after.Requests[wire.OpPing] == before.Requests[wire.OpPing] {
			t.Error("no ping in an hour: the test shows nothing")
		}
		if n := after.Notifications - before.Notifications; n != 0 {
			t.Errorf("%d notifications in an idle hour", n)
		}
	})
}
