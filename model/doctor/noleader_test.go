package doctor_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"electop/model"
	"electop/model/doctor"
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
	for i, path := range c.J.State().AckPaths {
		a := &model.Ack{At: c.Tree.Now, Path: path, Presence: model.Absent}
		if session != 0 && i == 0 {
			a.Presence, a.Session, a.Data = model.Present, session, znode.NewData([]byte(`{"id":"x"}`))
		}
		c.put(a)
	}
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
		if ack := c.J.State().Ack.Path; ack != x.ack {
			t.Fatalf("%s: %q", path, ack)
		}
		c.leads(1, "") // before the acknowledgement was read
		c.acknowledged(0)
		c.leads(0, model.NotAcknowledged)
		c.after(x.takeover - time.Second)
		c.after(2*time.Second, "no-leader critical")
		c.acknowledged(1)
		c.after(time.Second)
		c.leads(1, "")
		c.acknowledged(2) // of the one that is second
		c.leads(0, model.OtherAcknowledged)
		c.after(time.Minute, "two-leaders critical")
	}
}

// Solr's overseer goes by the data of its leader znode, so the znode of another session
// that names the first candidate is no second leader.
func TestAcknowledgedByTheDataOfAnotherSession(t *testing.T) {
	for _, owner := range []uint64{2, 9} {
		c := solr(t, "/overseer_elect/election")
		id := func(name string) *model.Ack {
			return &model.Ack{At: c.Tree.Now, Presence: model.Present, Session: owner, Data: znode.NewData([]byte(`{"id":"` + name + `"}`))}
		}
		c.put(id(c.J.State().First().Name))
		c.leads(1, "")
		if lead := c.J.State().Lead(); lead != doctor.Leads {
			t.Errorf("it %s", lead)
		}
		c.after(time.Minute, "ack-disagrees warning")
		c.put(id("72057700533010439-10.0.0.9:8983_solr-n_0000000009"))
		c.leads(0, model.OtherAcknowledged)
		c.after(time.Minute, "two-leaders critical")
	}
}

// A guest that follows electop's naming need not acknowledge, though electop's own
// candidates do.
func TestGuestNeedNotAcknowledge(t *testing.T) {
	c := newClinic(t, model.Config{AckPath: "/e-leader", AckFollows: true})
	ours := c.child(modeltest.Hex1+"-n_", 1)
	c.joins(modeltest.Hex2+"-n_", 2)
	member := model.Member{ID: "a", Name: "amber", Session: 1, Znode: ours, Belief: model.Leading}
	c.put(&model.Cast{At: c.Tree.Now, Member: member})
	c.put(ackOf(c, ours, 1))
	c.after(time.Minute)
	// Ours loses its acknowledgement: that is a warning.
	c.put(&model.Ack{At: c.Tree.Now, Presence: model.Absent})
	c.after(10*time.Second, "ack-disagrees warning")
	c.put(ackOf(c, ours, 1))
	c.after(time.Second)
	// The guest is first and acknowledges nothing: no harm that anybody knows of.
	c.leaves(ours)
	c.put(&model.Cast{At: c.Tree.Now, Member: member, Gone: true})
	c.put(&model.Ack{At: c.Tree.Now, Presence: model.Absent})
	c.after(10*time.Second, "ack-disagrees info")
	if f := c.J.State().Findings[0]; strings.Contains(f.Advice, "estart") {
		t.Errorf("advice to the guest: %q", f.Advice)
	}
}

// A lock that two libraries share: kazoo's client is the lowest of its kind, and a
// server's table shows that it waits for the other library's znode.
func TestFirstThatWaits(t *testing.T) {
	c := newClinic(t, model.Config{})
	other := c.child("_c_"+modeltest.UUID1+"-lock-", 1)
	c.child(modeltest.Hex1+"__lock__", 2)
	c.joins(modeltest.Hex2+"__lock__", 3)
	c.leads(2, "") // without tables
	c.answer(func(x *session.Table) {
		x.Servers[0].Watched = append(x.Servers[0].Watched, session.Watch{Path: "/e/" + other, Sessions: []uint64{2}})
	})
	c.leads(0, model.WatchesLower)
	if w := c.J.State().WaitsFor(); w == nil || w.Name != other {
		t.Errorf("it waits for %v", w)
	}
	c.leaves(other)
	c.leads(2, "")
}

// Where several znodes acknowledge, one of them with the first candidate's session is
// enough, and all have to be absent for a denial.
func TestOneAcknowledgementOfSeveral(t *testing.T) {
	for name, x := range map[string]struct {
		path, stem string
		acks       int
	}{
		"Flink":  {"/flink/default/leader/latch", "_c_381f220e-fef5-487f-ae4f-04ac14aaed1%d-latch-", 3},
		"Solr 4": {"/collections/a/leader_elect/shard1/election", "7205770053301043%d-10.0.0.1:8983_solr-n_", 2},
	} {
		for i := range x.acks {
			c := newClinic(t, model.Config{Path: x.path, AckFollows: true})
			for n := range uint64(2) {
				c.child(fmt.Sprintf(x.stem, n), n+1)
			}
			c.look()
			paths := c.J.State().AckPaths
			if len(paths) != x.acks {
				t.Fatalf("%s: %q", name, paths)
			}
			put := func(at int, presence model.Presence, session uint64) {
				c.put(&model.Ack{At: c.Tree.Now, Path: paths[at], Presence: presence, Session: session})
			}
			for n := range paths {
				c.leads(1, "") // not all were read
				put(n, model.Absent, 0)
			}
			c.leads(0, model.NotAcknowledged)
			put(i, model.Present, 1)
			c.leads(1, "")
			if at := c.J.State().Ack.Path; at != paths[i] {
				t.Errorf("%s: acknowledged at %s", name, at)
			}
			put((i+1)%x.acks, model.Present, 2) // the first's counts
			c.leads(1, "")
			put(i, model.Absent, 0)
			c.leads(0, model.OtherAcknowledged)
			if by := c.J.State().AcknowledgedBy(); by != 2 {
				t.Errorf("%s: by %d", name, by)
			}
		}
	}
}

// Aurora's leader adds a child with its session.
func TestAcknowledgementChild(t *testing.T) {
	c := newClinic(t, model.Config{Path: "/aurora/scheduler"})
	stem := "_c_381f220e-fef5-487f-ae4f-04ac14aaed1%d-lock-"
	c.child(fmt.Sprintf(stem, 1), 1)
	c.joins(fmt.Sprintf(stem, 2), 2)
	c.leads(0, model.NotAcknowledged)
	c.after(6*time.Minute, "no-leader critical")
	other := c.joins("member_", 2)
	c.leads(0, model.OtherAcknowledged)
	c.Tree.Delete(other)
	c.joins("member_", 1)
	c.leads(1, "")
	c.after(time.Second)
}

// Hadoop's bread crumb stays, with the data of the last that took over.
func TestBreadCrumb(t *testing.T) {
	c := newClinic(t, model.Config{Path: "/hadoop-ha/ns/ActiveStandbyElectorLock", AckFollows: true})
	lock := func(data string) znode.Znode {
		return znode.Znode{Name: "/hadoop-ha/ns/ActiveStandbyElectorLock", Session: 9, Czxid: 99, Data: znode.NewData([]byte(data))}
	}
	crumb := func(data string) {
		a := &model.Ack{At: c.Tree.Now, Path: "/hadoop-ha/ns/ActiveBreadCrumb", Presence: model.Absent}
		if data != "" {
			a.Presence, a.Data = model.Present, znode.NewData([]byte(data))
		}
		c.put(a)
	}
	c.single(lock("nn2"))
	crumb("nn1")
	c.leads(0, model.NotAcknowledged)
	c.after(2*time.Minute, "no-leader critical")
	crumb("")
	c.after(time.Second, "no-leader critical")
	crumb("nn2")
	c.after(time.Second)
	c.leads(9, "")
}

// A reign lasts from the acknowledgement to the end of the first candidate, and the
// time in between is without a leader.
func TestReignByAcknowledgement(t *testing.T) {
	c := newClinic(t, model.Config{Path: "/overseer_elect/election", AckFollows: true})
	first := c.child("72057700533010430-10.0.0.1:8983_solr-n_", 1)
	c.joins("72057700533010431-10.0.0.2:8983_solr-n_", 2)
	c.acknowledged(1)
	if r := c.J.State().Reigns; len(r) != 1 || r[0].Leader.Session != 1 || !r[0].To.IsZero() {
		t.Fatalf("reigns %+v", r)
	}
	c.pass(10 * time.Second)
	began := c.J.State().Totals
	c.Tree.Delete(first)
	gone := c.Tree.Now
	c.look()
	c.acknowledged(0)
	if r := c.J.State().Reigns; len(r) != 1 || !r[0].To.Equal(gone) {
		t.Errorf("nobody has acknowledged, reigns %+v", r)
	}
	c.pass(20 * time.Second)
	acked := c.Tree.Now
	c.acknowledged(2)
	r := c.J.State().Reigns
	if len(r) != 2 || r[1].Leader.Session != 2 || !r[1].From.Equal(acked) {
		t.Errorf("reigns %+v, acknowledged at %v", r, acked)
	}
	c.pass(5 * time.Second)
	end := c.J.State().Totals
	if led, vacant := end.Led-began.Led, end.Vacant-began.Vacant; led != 5*time.Second || vacant != 20*time.Second {
		t.Errorf("led for %v, nobody for %v", led, vacant)
	}
	if p := c.J.State().Properties; p.LongestVacancy != 20*time.Second {
		t.Errorf("longest vacancy %v", p.LongestVacancy)
	}
}
