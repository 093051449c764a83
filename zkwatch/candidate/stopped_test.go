package candidate_test

import (
	"testing"

	"electop/model"
	"electop/model/znode"
	"electop/zkwatch/candidate"
	"electop/zkwatch/internal/electiontest"
)

// TestSuccessorWaitsUntilStopped: somebody deletes the leader's znode, and the next
// candidate does not lead before the work of the deposed one has ended.
func TestSuccessorWaitsUntilStopped(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		asked, ended := make(chan struct{}), make(chan struct{})
		config := func(stopped func()) candidate.Config {
			return candidate.Config{Conn: on.Config(), Path: on.Path, Create: true, Ack: on.Path + "-leader", Stopped: stopped}
		}
		calls := 0
		first := electiontest.Stand(t, config(func() {
			if calls++; calls == 1 {
				close(asked)
				<-ended
			}
		}))
		own := first.Believes(t, model.Leading).Znode
		second := electiontest.Stand(t, config(nil))
		second.Believes(t, model.Waiting)
		on.Remove(znode.Join(on.Path, own))
		<-asked
		// It has taken over all that it can.
		second.Await(t, 0, "obstructed", func(m model.Member) bool { return m.Belief == model.Elected && m.Obstacle != "" })
		if m := first.Now(); m.Belief != model.Suspended {
			t.Errorf("the deposed one is %s", m.Belief)
		}
		from := len(second.All())
		close(ended)
		for _, m := range second.All()[:from] {
			if m.Belief == model.Leading {
				t.Error("the successor led before the work had ended")
			}
		}
		second.Await(t, from, "leading", leads)
	})
}
