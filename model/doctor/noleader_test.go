package doctor_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"electop/model"
	"electop/model/internal/modeltest"
	"electop/model/session"
	"electop/model/znode"
)

// solr is an election of Solr with two replicas.
func solr(t *testing.T, path string) *clinic {
	c := newClinic(t, model.Config{Path: path, AckFollows: true})
	for i := range uint64(2) {
		c.child(fmt.Sprintf("7205770053301043%d-10.0.0.%d:8983_solr-n_", i, i+1), i+1)
	}
	c.look()
	return c
}

func (c *clinic) acknowledged(session uint64) {
	a := &model.Ack{At: c.Tree.Now, Path: c.J.State().Ack.Path, Presence: model.Absent}
	if session != 0 {
		a.Presence, a.Session, a.Data = model.Present, session, znode.NewData([]byte(`{"id":"x"}`))
	}
	c.put(a)
}

// The first of a queue of Solr's leads when it has created its leader znode. Until
// then nobody does, and after longer than a takeover lasts that is critical.
func TestNoLeader(t *testing.T) {
	for path, x := range map[string]struct {
		ack      string
		takeover time.Duration
	}{
		"/overseer_elect/election":                           {"/overseer_elect/leader", 30 * time.Second},
		"/collections/books/leader_elect/shard1/election":    {"/collections/books/leaders/shard1/leader", 4 * time.Minute},
		"/solr/collections/a/leader_elect/shard2_0/election": {"/solr/collections/a/leaders/shard2_0/leader", 4 * time.Minute},
	} {
		c := solr(t, path)
		s := c.J.State()
		if s.Ack.Path != x.ack || s.Leader() == nil {
			t.Fatalf("%s: %q, leader %v before the acknowledgement was read", path, s.Ack.Path, s.Leader())
		}
		c.acknowledged(0)
		s = c.J.State()
		if s.Leader() != nil || s.Holders() != 0 || s.NoLeader() != model.NotAcknowledged || s.First().Who != "10.0.0.1:8983_solr" {
			t.Errorf("%s: %v leads, %q, first is %v", path, s.Leader(), s.NoLeader(), s.First())
		}
		c.pass(x.takeover - time.Second)
		c.has()
		c.pass(2 * time.Second)
		c.has("no-leader critical")
		c.acknowledged(1)
		c.pass(time.Second)
		c.has()
		if s := c.J.State(); s.Leader() == nil || s.Holders() != 1 || !s.Acknowledged() {
			t.Errorf("%s: acknowledged, %v leads", path, s.Leader())
		}
		c.acknowledged(2) // of the one that is second
		if s := c.J.State(); s.Leader() != nil || s.NoLeader() != model.OtherAcknowledged {
			t.Errorf("%s: another acknowledged, %v leads", path, s.Leader())
		}
		c.pass(time.Minute)
		c.has("two-leaders critical")
	}
}

// A guest that follows electop's naming need not acknowledge, though electop's own
// candidates do.
func TestGuestNeedNotAcknowledge(t *testing.T) {
	c := newClinic(t, model.Config{AckPath: "/e-leader", AckFollows: true})
	ours := c.child(modeltest.Hex1+"-n_", 1)
	c.child(modeltest.Hex2+"-n_", 2)
	c.look()
	member := model.Member{ID: "a", Name: "amber", Session: 1, Znode: ours, Belief: model.Leading}
	c.put(&model.Cast{At: c.Tree.Now, Member: member})
	c.put(ackOf(c, ours, 1))
	c.pass(time.Minute)
	c.has()
	// Ours loses its acknowledgement: that is a warning.
	c.put(&model.Ack{At: c.Tree.Now, Presence: model.Absent})
	c.pass(10 * time.Second)
	c.has("ack-disagrees warning")
	c.put(ackOf(c, ours, 1))
	c.pass(time.Second)
	c.has()
	// The guest is first and acknowledges nothing: no harm that anybody knows of.
	c.Tree.Delete(ours)
	c.look()
	c.put(&model.Cast{At: c.Tree.Now, Member: member, Gone: true})
	c.put(&model.Ack{At: c.Tree.Now, Presence: model.Absent})
	c.pass(10 * time.Second)
	c.has("ack-disagrees info")
	if f := c.J.State().Findings[0]; strings.Contains(f.Advice, "estart") {
		t.Errorf("advice to the guest: %q", f.Advice)
	}
}

// A lock that two libraries share: kazoo's client is the lowest of its kind, and a
// server's table shows that it waits for the other library's znode.
func TestFirstThatWaits(t *testing.T) {
	c := newClinic(t, model.Config{})
	other := c.child("_c_"+modeltest.Hex1+"-lock-", 1)
	c.child(modeltest.Hex1+"__lock__", 2)
	c.child(modeltest.Hex2+"__lock__", 3)
	c.look()
	if s := c.J.State(); s.Leader() == nil || s.Leader().Session != 2 {
		t.Fatalf("without tables %v leads", s.Leader())
	}
	table := c.healthy()
	table.Servers[0].Watched = append(table.Servers[0].Watched, session.Watch{Path: "/e/" + other, Sessions: []uint64{2}})
	c.put(table)
	s := c.J.State()
	if s.Leader() != nil || s.Holders() != 0 || s.NoLeader() != model.WatchesLower || s.WaitsFor() == nil || s.WaitsFor().Name != other {
		t.Errorf("%v leads, %q", s.Leader(), s.NoLeader())
	}
	c.Tree.Delete(other)
	c.look()
	if s := c.J.State(); s.Leader() == nil || s.Leader().Session != 2 {
		t.Errorf("after that %v leads", s.Leader())
	}
}
