package zkwatch_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/model"
	"electop/model/doctor"
	"electop/zkwatch"
	"electop/zkwatch/wire"
)

// handoffCost holds the promise that a handoff costs the same for any number
// of candidates: at most 3 requests and 2 notifications.
func handoffCost(t *testing.T, n int) {
	server, addr := zkserver.Start(t, zkserver.Options{})
	path := electionPath(t)
	c := raw(t, addr)
	if _, err := c.Create(path, nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	// The leader is a bare znode, so that its own farewell is not counted.
	leader, err := c.Create(path+"/bare-n_", nil, zk.FlagEphemeral|zk.FlagSequence, zk.WorldACL(zk.PermAll))
	if err != nil {
		t.Fatal(err)
	}
	var next *stander
	for i := range n - 1 {
		s := stand(t, zkwatch.CandidateConfig{Conn: config(t, addr), Path: path, Ack: path + "-leader"})
		s.believes(t, model.Waiting)
		if i == 0 {
			next = s
		}
	}
	before := server.Counters()
	if err := c.Delete(leader, -1); err != nil {
		t.Fatal(err)
	}
	next.believes(t, model.Leading)
	after := server.Counters()

	want := map[wire.Op]int64{wire.OpDelete: 1, wire.OpGetChildren2: 1, wire.OpGetData: 1, wire.OpCreate: 1, wire.OpPing: -1}
	for op, count := range after.Requests {
		w := want[op]
		if got := count - before.Requests[op]; w >= 0 && got != w {
			t.Errorf("%d candidates: %d requests of %v during a handoff, want %d", n, got, op, w)
		}
	}
	if got := after.Notifications - before.Notifications; got > 2 {
		t.Errorf("%d candidates: %d notifications during a handoff, at most 2 are promised", n, got)
	}
}

// TestIdleCosts: in a quiet election the leader renews its lease ten times in
// each session timeout. Nobody else sends anything but pings.
func TestIdleCosts(t *testing.T) {
	virtual(t, 3, func(t *testing.T, server *zkserver.Server, s []*stander, w []*wires) {
		cfg := zkwatch.Config{Servers: zkwatch.ConnectString{Servers: []string{"127.0.0.1:1"}}, SessionTimeout: leaseTimeout, Dial: w[0].dial}
		o := observe(t, cfg, model.Config{Path: "/election", AckPath: "/election-leader"})
		o.await(t, "all three, acknowledged", func(s *doctor.State) bool { return len(s.Queue) == 3 && s.Acknowledged() })
		synctest.Wait()
		before := server.Counters()
		time.Sleep(time.Hour) // virtual
		after := server.Counters()
		renewals := int64(10 * time.Hour / leaseTimeout)
		for op, n := range after.Requests {
			more := n - before.Requests[op]
			switch {
			case op == wire.OpMulti && (more < renewals-1 || more > renewals+1):
				t.Errorf("%d renewals in an idle hour, want %d", more, renewals)
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
