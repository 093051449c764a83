package model_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/internal/modeltest"
	"electop/model/znode"
)

func newSingle(t *testing.T) *modeltest.Script {
	s := modeltest.NewScript(t, model.Config{})
	s.J = doctor.NewJournal(model.Config{Path: "/kafka/controller"})
	s.Apply(&model.Connection{At: s.Tree.Now, Link: model.Connected, Session: 9})
	return s
}

func broker(n int) string { return fmt.Sprintf(`{"version":1,"brokerid":%d}`, n) }

func TestSingleZnode(t *testing.T) {
	const z = "/kafka/controller."
	s := newSingle(t)
	s.Want(readSingle(s, 5, broker(1)), "1 0s state live 1")
	st := s.J.State()
	if l := st.Leader(); st.Dialect.ID != "kafka" || l.Who != "broker 1" || l.Label() != "broker 1" || znode.Join(st.Path, l.Name) != "/kafka/controller" {
		t.Errorf("dialect %s, leader %+v; want kafka, broker 1", st.Dialect.ID, l)
	}
	if st.Phase != model.Live || st.NextSequenceKnown || st.Leader().HasSequence {
		t.Errorf("phase %s, next sequence known %v, leader %+v; want %s, no sequences", st.Phase, st.NextSequenceKnown, st.Leader(), model.Live)
	}
	if len(st.Reigns) != 1 || !st.Reigns[0].From.Equal(modeltest.Start) {
		t.Errorf("reigns %+v, want one from the start on", st.Reigns)
	}

	s.After(time.Second)
	s.Want(readSingle(s, 5, broker(1)))
	s.Want(readSingle(s, 5, broker(7)))
	if st = s.J.State(); st.Leader().Who != "broker 7" || len(st.Handoffs) != 0 || st.Reigns[0].Leader != st.Leader() {
		t.Errorf("leader %+v, %d handoffs; want broker 7 in the first reign, no handoff", st.Leader(), len(st.Handoffs))
	}

	s.After(time.Second)
	s.Want(readSingle(s, 0, ""), "2 2s left "+z, "3 2s handoff "+z+" > nobody unknown")
	if st = s.J.State(); st.Phase != model.Live || st.Leader() != nil {
		t.Errorf("phase %s, leader %+v; want %s and none", st.Phase, st.Leader(), model.Live)
	}
	s.After(3 * time.Second)
	s.Want(readSingle(s, 9, broker(2)), "4 5s joined "+z, "5 5s handoff nobody > "+z+" unknown vacant 3s")
	st = s.J.State()
	if st.Totals.Vacant != 3*time.Second || st.Totals.Led != 2*time.Second || st.Handoffs[1].Fence != 9 {
		t.Errorf("totals %+v, handoff %+v; want 3s vacant, 2s led, fencing token 9", st.Totals, st.Handoffs[1])
	}

	s.After(time.Second)
	s.Want(readSingle(s, 12, broker(3)), "6 6s left "+z, "7 6s joined "+z, "8 6s handoff "+z+" > "+z+" unknown")
	if h := s.J.State().Handoffs[2]; h.From.Who != "broker 2" || h.To.Who != "broker 3" || h.Vacant != nil {
		t.Errorf("handoff from %+v to %+v, vacant %v; want from broker 2 to broker 3, never vacant", h.From, h.To, h.Vacant)
	}
	for i, name := range []string{"controller", "/kafka/controller"} {
		s.Want(s.Apply(&model.Refresh{At: s.Tree.Now, Znode: znode.Znode{Name: name, Session: 12, Czxid: 12, Data: znode.NewData([]byte(broker(20 + i)))}}))
		if got := s.J.State().Leader().Who; got != fmt.Sprint("broker ", 20+i) {
			t.Errorf("after the refresh of %s, %s leads, want broker %d", name, got, 20+i)
		}
	}
	s.Want(s.Apply(&model.Read{At: s.Tree.Now, Presence: model.Absent}), "9 6s left "+z, "10 6s handoff "+z+" > nobody unknown")
	s.Want(s.Apply(&model.Read{At: s.Tree.Now, Presence: model.Present, Single: true, New: []znode.Znode{{Name: "controller", Unread: true}}}))
	if st = s.J.State(); st.Phase != model.Live || st.Totals.MissedCreates+st.Totals.MissedDeletes+st.Totals.Unknown != 0 {
		t.Errorf("phase %s, totals %+v; want %s and no missed change", st.Phase, st.Totals, model.Live)
	}
}

func TestSingleZnodeAfterAGap(t *testing.T) {
	s := newSingle(t)
	readSingle(s, 5, "")
	s.Apply(&model.Connection{At: s.Tree.Now, Link: model.Disconnected})
	s.After(time.Minute)
	s.Apply(&model.Connection{At: s.Tree.Now, Link: model.Connected, Session: 9})
	s.Want(readSingle(s, 6, ""),
		"4 1m0s left /kafka/controller.", "5 1m0s joined /kafka/controller.",
		"6 1m0s handoff /kafka/controller. > /kafka/controller. unknown", "7 1m0s state live 1")
	if c := s.J.State().Leader(); c.Joined || s.J.State().Totals.Led != 0 {
		t.Errorf("leader %+v, led for %v; want a leader not seen joining, 0s", c, s.J.State().Totals.Led)
	}
}

func TestSingleZnodeOrParent(t *testing.T) {
	s := newSingle(t)
	s.Want(s.Apply(&model.Read{At: s.Tree.Now, Presence: model.Absent}), "1 0s state absent 0")
	if s.J.State().Phase != model.NoParent {
		t.Errorf("phase %s of an absent path that is not known to be a single znode, want %s", s.J.State().Phase, model.NoParent)
	}
	s.Want(readSingle(s, 5, "x"), "2 0s joined /kafka/controller.", "3 0s handoff nobody > /kafka/controller. unknown")
	s.Tree.Create("n_", true, 1, "a")
	s.Want(s.Read(), "4 0s left /kafka/controller.", "5 0s joined .", "6 0s handoff /kafka/controller. > . unknown")
	wantDialect(s, "recipe, election: a")
	s.Want(readSingle(s, 7, "y"), "7 0s left .", "8 0s handoff . > nobody unknown", "9 0s missed 0 0 false",
		"10 0s joined /kafka/controller.", "11 0s handoff nobody > /kafka/controller. unknown")
	wantDialect(s, "single, single: y")
	s.Tree.Delete("n_0000000000")
	s.W.Czxid = 0
	s.Read()
	wantDialect(s, "not recognised, election:")
}

func TestRandomSingleZnode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := model.Config{Path: rapid.SampledFrom([]string{"/controller", "/app/leader"}).Draw(t, "path")}
		j := doctor.NewJournal(cfg)
		var leader dialect.ID
		now := modeltest.Start
		czxid := int64(1)
		for range rapid.IntRange(1, 12).Draw(t, "reads") {
			now = now.Add(time.Duration(rapid.IntRange(0, 900).Draw(t, "ms")) * time.Millisecond)
			r := &model.Read{At: now, Presence: model.Present, Single: true, Gap: rapid.IntRange(0, 9).Draw(t, "gap") == 0}
			switch rapid.IntRange(0, 5).Draw(t, "read") {
			case 0:
				r.Presence, r.Single = model.Absent, rapid.Bool().Draw(t, "single")
			case 1:
				r.New = []znode.Znode{{Name: "leader", Unread: true}}
			case 2:
				czxid++
				fallthrough
			case 3:
				r.New = []znode.Znode{{Name: znode.Base(cfg.Path), Session: uint64(czxid), Czxid: czxid}}
			case 4:
				r.Presence = model.Denied
			}
			for _, e := range j.Apply(r) {
				switch b := e.Body.(type) {
				case model.Handoff:
					if modeltest.ID(b.From) != leader {
						t.Fatalf("handoff from %v, but %v led", modeltest.ID(b.From), leader)
					}
					leader = modeltest.ID(b.To)
				case doctor.Snapshot:
					leader = modeltest.ID(b.State.Leader())
				case model.Missed:
					t.Fatalf("event Missed %+v, want none", b)
				}
			}
			if got := modeltest.ID(j.State().Leader()); got != leader {
				t.Fatalf("%v leads, but the handoffs end at %v", got, leader)
			}
		}
	})
}

func TestParentInPlaceOfASingleZnode(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{})
	s.J = doctor.NewJournal(model.Config{Path: "/somewhere", AckPath: "/somewhere-leader", AckFollows: true})
	s.Apply(&model.Connection{At: s.Tree.Now, Link: model.Connected, Session: 9})
	readSingle(s, 5, "a leader of its own")
	if st := s.J.State(); st.Dialect == nil || !st.Dialect.Single || st.Ack.Path != "" {
		t.Fatalf("single znode: dialect %s, acknowledgement %q; want a dialect for single znodes, no acknowledgement", modeltest.DialectID(st.Dialect), st.Ack.Path)
	}
	s.After(time.Second)
	s.Apply(&model.Read{At: s.Tree.Now, Presence: model.Present, Full: true, Parent: znode.Parent{Czxid: 7}})
	if st := s.J.State(); st.Dialect != nil || st.Ack.Path != "/somewhere-leader" {
		t.Errorf("parent: dialect %s, acknowledgement %q; want no dialect, /somewhere-leader", modeltest.DialectID(st.Dialect), st.Ack.Path)
	}
}

func readSingle(s *modeltest.Script, czxid int64, data string) []string {
	r := &model.Read{At: s.Tree.Now, Presence: model.Present, Single: true}
	if czxid != 0 {
		r.New = []znode.Znode{{Name: "controller", Session: uint64(czxid), Czxid: czxid, Ctime: modeltest.Start, Data: znode.NewData([]byte(data))}}
	}
	return s.Apply(r)
}
