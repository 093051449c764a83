package history_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/history"
	"electop/model/internal/modeltest"
	"electop/model/session"
	"electop/model/znode"
)

// present is what a baseline must restore.
type present struct {
	Path, Recipe, Dialect string
	Phase                 model.Phase
	Link                  model.Connection
	DownSince             time.Time
	At, ReadAt            time.Time
	Parent                znode.Parent
	Queue, Ignored        []child
	Members               []*model.Member
	Owners                []string // of Queue: our member, by ID
	Ack                   model.AckState
	Directories           []*model.Directory
	Table, Answers        *session.Table
	Pace                  *model.Pace
	Dues                  map[uint64]model.Due
	Rules                 model.Rules
	Believers             []string
	Next                  uint32
	NextKnown             bool
}

type child struct {
	Znode    znode.Znode
	Who      string
	Sequence int64
	Numbered bool
}

func presentOf(s *doctor.State) present {
	p := present{
		Path: s.Path, Recipe: s.Recipe.Name(), Phase: s.Phase, Link: s.Link, DownSince: s.DownSince, At: s.At, ReadAt: s.ReadAt,
		Parent: s.Parent, Members: s.Members, Ack: s.Ack, Directories: s.Directories, Table: s.Table, Answers: s.Answers, Pace: s.Pace, Dues: s.Dues, Rules: s.Work.Rules,
		Believers: s.Properties.Believers, Next: s.NextSequence, NextKnown: s.NextSequenceKnown,
	}
	if s.Dialect != nil {
		p.Dialect = s.Dialect.ID
	}
	children := func(cs []*dialect.Candidate) (out []child) {
		for _, c := range cs {
			out = append(out, child{c.Znode, c.Who, c.Sequence, c.HasSequence})
		}
		return out
	}
	p.Queue, p.Ignored = children(s.Queue.Slice()), children(s.Ignored)
	for _, c := range s.Queue.All() {
		owner := ""
		if m := s.Member(c); m != nil {
			owner = m.ID
		}
		p.Owners = append(p.Owners, owner)
	}
	return p
}

// After a baseline a new journal shows the same election without events and without
// a past; the next event has the number that it had live.
func TestBaseline(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg, all := modeltest.DrawPast(t)
		j := doctor.NewJournal(cfg)
		for _, o := range all {
			j.Apply(o)
		}
		s := j.State()
		baseline := s.Baseline()

		again := doctor.NewJournal(cfg) // as the contract has it, without a word on where it begins
		for _, o := range baseline {
			again.Apply(o)
		}
		if diff := cmp.Diff(presentOf(s), presentOf(again.State()), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("the election (-) and what the baseline makes of it (+):\n%s", diff)
		}

		// By way of a recording.
		h := history.NewHeader(cfg, modeltest.Start).Later(s, baseline)
		var b bytes.Buffer
		enc, err := history.NewEncoder(&b, h)
		if err != nil {
			t.Fatal(err)
		}
		next := &model.Read{At: s.At.Add(time.Hour), Presence: model.Present, Full: true, Parent: modeltest.Stat(77, 1, 1),
			New: []znode.Znode{{Name: "n_0000000000", Session: 1, Czxid: 1 << 40}}}
		for _, o := range append(baseline, next) {
			if err := enc.Encode(o); err != nil {
				t.Fatal(err)
			}
		}
		dec, h, err := history.NewDecoder(&b)
		if err != nil {
			t.Fatal(err)
		}
		part, err := h.Config()
		if err != nil {
			t.Fatal(err)
		}
		late := doctor.NewJournal(part)
		for range baseline {
			o, err := dec.Decode()
			if err != nil {
				t.Fatal(err)
			}
			if es := late.Apply(o); len(es) > 0 {
				t.Fatalf("a baseline has the event %+v", es[0])
			}
		}
		st := late.State()
		if diff := cmp.Diff(presentOf(s), presentOf(st), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("the election (-) and what is read of its baseline (+):\n%s", diff)
		}
		if st.Totals != (model.Totals{}) || len(st.Handoffs)+len(st.Steps)+len(st.Wakes)+len(st.Exchanges) > 0 || len(st.Reigns) > 1 || st.Events != s.Events {
			t.Fatalf("a past was made up: %d events of %d, %+v", st.Events, s.Events, st.Totals)
		}
		o, err := dec.Decode()
		if err != nil {
			t.Fatal(err)
		}
		if es := late.Apply(o); len(es) == 0 || es[0].N != s.Events+1 {
			t.Fatalf("after %d events the next are %+v", s.Events, es)
		}
	})
}

// What began before a part does not count in it: further numbers of a wake, a
// deletion that was reported and not read yet, two believers, an existing ghost.
func TestBaselineInTheMiddle(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{})
	a, b := s.Join(1), s.Join(2)
	s.Join(2) // a ghost
	s.Cast("m1", model.Waiting, model.NoFault, 2)
	s.Read()
	frozen, next := s.Tree.Children[a], s.Tree.Children[b]
	for i, z := range []znode.Znode{frozen, next} {
		s.Apply(&model.Cast{At: s.Tree.Now, Member: model.Member{
			ID: fmt.Sprint("m", i), Session: z.Session, Znode: z.Name, Belief: model.Leading, Step: model.StepLead, StepAt: s.Tree.Now,
		}})
	}
	s.Tree.Delete(a)
	wake := model.Wake{At: s.Tree.Now, Deleted: s.Tree.Now, Znode: a, Zxid: s.Tree.Zxid, Notified: []uint64{2}}
	s.Apply(&wake)
	s.Apply(&model.Write{At: s.Tree.Now, Member: "m0", Znode: a, Token: frozen.Czxid, Resource: model.Counter, Zxid: s.Tree.Zxid + 1, Value: 7})
	s.Apply(&model.Write{At: s.Tree.Now, Member: "m1", Znode: b, Token: next.Czxid, Resource: model.Tokens})
	before := s.J.State()
	if before.Properties.Doubles != 1 || before.Properties.Ghosts != 1 || len(before.Wakes) != 1 {
		t.Fatalf("it is not as it is meant: %+v", before.Properties)
	}

	baseline := before.Baseline()
	j := doctor.NewJournal(model.Config{Path: before.Path, Events: before.Events, Baseline: len(baseline)})
	for _, o := range baseline {
		j.Apply(o)
	}
	more := wake
	more.Requests, more.Settled = 2, true
	j.Apply(&more)
	w, was := j.State().Work, before.Work
	was.Counter, was.Tokens, was.Last = model.Tries{}, model.Tries{}, nil
	if diff := cmp.Diff(was, w, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the work, without the attempts (-), and after the baseline (+):\n%s", diff)
	}
	j.Apply(&model.Write{At: s.Tree.Now, Member: "m0", Znode: a, Token: frozen.Czxid, Resource: model.Tokens})
	j.Apply(&model.Write{At: s.Tree.Now, Member: "m1", Znode: b, Token: next.Czxid, Resource: model.Tokens})
	st := j.State()
	if len(st.Wakes)+len(st.Steps) > 0 || st.Properties.Doubles+st.Properties.AwakeDoubles+st.Properties.Ghosts > 0 {
		t.Errorf("what was before is said to be now: %d wakes, %d steps, %+v", len(st.Wakes), len(st.Steps), st.Properties)
	}
	if st.Work.Tokens != (model.Tries{Accepted: 2, Stale: 1}) {
		t.Errorf("of a write by a deleted leader and one by the next are %+v", st.Work.Tokens)
	}
	s.Tree.Delete(b)
	j.Apply(&model.Wake{At: s.Tree.Now, Znode: b, Zxid: s.Tree.Zxid})
	if w := j.State().Wakes; len(w) != 1 || w[0].Contenders != 2 || !w[0].Leader {
		t.Errorf("the next wake is %+v", w)
	}
}

// A finding that exists when a part begins is not raised again, but it is cleared.
func TestBaselineKeepsFindings(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{})
	s.Join(1)
	s.Join(2)
	ghost := s.Join(2)
	s.Read()
	s.Apply(&model.Advance{At: s.Tree.Now.Add(time.Minute)})
	before := s.J.State()
	if len(before.Findings) != 1 || before.Findings[0].ID != "ghost-node" {
		t.Fatalf("it is not as it is meant: %+v", before.Findings)
	}
	baseline := before.Baseline()
	cfg, err := history.NewHeader(model.Config{Path: before.Path}, modeltest.Start).Later(before, baseline).Config()
	if err != nil {
		t.Fatal(err)
	}
	j := doctor.NewJournal(cfg)
	for _, o := range append(baseline, &model.Advance{At: before.At.Add(time.Minute)}) {
		for _, e := range j.Apply(o) {
			t.Errorf("event %T %+v", e.Body, e.Body)
		}
	}
	if st := j.State(); len(st.Findings) != 1 || st.Findings[0].Key != before.Findings[0].Key {
		t.Errorf("findings %+v", st.Findings)
	}
	s.Tree.Now = before.At.Add(time.Hour)
	s.Tree.Delete(ghost)
	es := j.Apply(s.W.Read(true, false, nil))
	es = append(es, j.Apply(&model.Advance{At: s.Tree.Now.Add(time.Minute)})...)
	if len(es) != 2 || es[0].N != before.Events+1 {
		t.Fatalf("after the ghost went: %+v", es)
	}
	if f, ok := es[1].Body.(doctor.FindingChanged); !ok || f.Raised || f.Finding.Key != before.Findings[0].Key {
		t.Errorf("after the ghost went: %+v", es[1].Body)
	}
}

// A finding that can be found only with earlier events is not raised again either.
func TestBaselineNamesFindings(t *testing.T) {
	for _, c := range []struct {
		after time.Duration
		told  int
	}{{time.Minute, 0}, {time.Hour, 1}} {
		s := modeltest.NewScript(t, model.Config{})
		s.Join(1)
		s.Read()
		before := s.J.State()
		baseline := before.Baseline()
		cfg, err := history.NewHeader(model.Config{Path: before.Path}, modeltest.Start).Later(before, baseline).Config()
		if err != nil {
			t.Fatal(err)
		}
		cfg.Standing = []string{"ghost-node 0x1"}
		j := doctor.NewJournal(cfg)
		for _, o := range baseline {
			j.Apply(o)
		}
		s.Tree.Now = before.At.Add(c.after)
		s.Join(1)
		told := 0
		for _, o := range []model.Observation{s.W.Read(true, false, nil), &model.Advance{At: s.Tree.Now.Add(time.Minute)}} {
			for _, e := range j.Apply(o) {
				if _, ok := e.Body.(doctor.FindingChanged); ok {
					told++
				}
			}
		}
		if fs := j.State().Findings; told != c.told || len(fs) != 1 || fs[0].Key != "ghost-node 0x1" {
			t.Errorf("after %v it is told %d times, findings %+v", c.after, told, fs)
		}
	}
}

// TestBaselineKeepsBounds: how long the first takeover after a rotation took is
// known as well as without one.
func TestBaselineKeepsBounds(t *testing.T) {
	config := model.Config{Path: "/e", AckPath: "/e-leader", AckExpected: true}
	at := func(ms int) time.Time { return modeltest.Start.Add(time.Duration(ms) * time.Millisecond) }
	z := func(n int) znode.Znode {
		return znode.Znode{Name: fmt.Sprintf("n_%010d", n), Session: uint64(n), Czxid: int64(n)}
	}
	parent := func(creates, children int) znode.Parent {
		return znode.Parent{Czxid: 1, Children: int32(children), Cversion: int32(2*creates - children)}
	}
	ack := func(ms, n int) *model.Ack {
		return &model.Ack{At: at(ms), Sent: at(ms - 1), Heard: at(ms - 2), Notified: at(ms - 1), Presence: model.Present, Session: uint64(n),
			Data: znode.NewData(model.AckData("/e/"+z(n).Name, int64(n)))}
	}
	before := []model.Observation{
		&model.Connection{At: at(0), Link: model.Connected, Session: 9},
		&model.Read{At: at(2), Sent: at(1), Presence: model.Present, Full: true, Parent: parent(0x20, 2), New: []znode.Znode{z(0x11), z(0x12)}},
		ack(10, 0x11),
	}
	after := []model.Observation{
		&model.Read{At: at(105), Notified: at(103), Heard: at(100), Sent: at(104), Presence: model.Present, Parent: parent(0x20, 1), Gone: []string{z(0x11).Name}},
		ack(110, 0x12),
	}
	whole := doctor.NewJournal(config)
	for _, o := range before {
		whole.Apply(o)
	}
	rest := doctor.NewJournal(config)
	for _, o := range whole.State().Baseline() {
		rest.Apply(o)
	}
	handoff := func(j *doctor.Journal) *model.Handoff {
		for _, o := range after {
			j.Apply(o)
		}
		hs := j.State().Handoffs
		if len(hs) == 0 {
			t.Fatal("no handoff")
		}
		return hs[len(hs)-1]
	}
	want, got := handoff(whole), handoff(rest)
	if want.TakeoverIn == nil || got.TakeoverIn == nil || *got.TakeoverIn != *want.TakeoverIn || *got.Takeover != *want.Takeover {
		t.Errorf("the takeover is %v within %+v, without the rotation %v within %+v", got.Takeover, got.TakeoverIn, want.Takeover, want.TakeoverIn)
	}
}

// A recording may name observations as its baseline that contain a handoff. An
// acknowledgement after the baseline then finds no handoff to complete.
func TestHandoffInBaseline(t *testing.T) {
	s := modeltest.NewScript(t, modeltest.Acked)
	s.J = doctor.NewJournal(model.Config{Path: "/e", AckPath: "/leader", AckExpected: true, Baseline: 4})
	s.Apply(&model.Connection{At: s.Tree.Now, Link: model.Connected, Session: 9})
	first, second := s.Join(1), s.Join(2)
	s.Read()
	s.Tree.Delete(first)
	s.Read()
	s.Want(s.Advance())
	if hs := s.J.State().Handoffs; len(hs) > 0 {
		t.Fatalf("handoffs of a baseline: %+v", hs)
	}
	s.Want(s.Ack(second))
}
