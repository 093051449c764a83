package model_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/internal/modeltest"
)

func TestHistoryMax(t *testing.T) {
	s := modeltest.NewScript(t, modeltest.Acked)
	const n = 3*model.HistoryMax + 7
	var old kept
	last := s.Join(1)
	s.Read()
	for i := range n {
		next := s.Join(uint64(i + 2))
		s.Tree.Delete(last)
		s.After(10 * time.Millisecond)
		s.Read()
		if i%2 == 0 {
			s.Ack(next)
		}
		last = next
		if i == model.HistoryMax+3 {
			old.add(t, s.J.State())
		}
	}
	s.After(time.Minute)
	s.Advance()
	st := s.J.State()
	if len(st.Handoffs) != model.HistoryMax || len(st.Reigns) != model.HistoryMax || st.Totals.Handoffs != n {
		t.Fatalf("%d handoffs, %d reigns, %d handoffs counted; want %d, %[4]d, %d", len(st.Handoffs), len(st.Reigns), st.Totals.Handoffs, model.HistoryMax, n)
	}
	if cap(st.Handoffs) > 2*model.HistoryMax || cap(st.Reigns) > 2*model.HistoryMax {
		t.Errorf("the histories have the capacities %d and %d, want at most %d", cap(st.Handoffs), cap(st.Reigns), 2*model.HistoryMax)
	}
	for i, h := range st.Handoffs {
		if want := int64(n - model.HistoryMax + i + 1); h.To.Sequence != want {
			t.Fatalf("handoff %d is to sequence number %d, want %d", i, h.To.Sequence, want)
		}
		if acked := (n-model.HistoryMax+i)%2 == 0; (h.Takeover != nil) != acked {
			t.Fatalf("handoff %d: got takeover %v, want one: %v", i, h.Takeover, acked)
		}
		if r := st.Reigns[i]; r.Leader != h.To || !r.From.Equal(h.At) || i > 0 && !st.Reigns[i-1].To.Equal(r.From) {
			t.Fatalf("reign %d is %+v, want it to begin at handoff %d, when the previous reign ended", i, r, i)
		}
	}
	if !st.Reigns[model.HistoryMax-1].To.IsZero() {
		t.Error("the last reign has ended, want no end")
	}
	old.unchanged(t)
}

func TestStateLookups(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{})
	a, b := s.Join(1), s.Join(2)
	s.Read()
	for _, m := range []model.Member{{ID: "b", Session: 2}, {ID: "a", Session: 5}, {ID: "c"}} {
		s.Apply(&model.Cast{At: s.Tree.Now, Member: m})
	}
	st := s.J.State()
	if c, i := st.Candidate(dialect.ID{Name: b, Czxid: s.Tree.Children[b].Czxid}); i != 1 || c.Name != b {
		t.Errorf("Candidate = %v, %d; want %s, 1", c, i, b)
	}
	if c, i := st.Candidate(dialect.ID{Name: a}); c != nil || i != -1 {
		t.Errorf("Candidate of another czxid = %v, %d; want nil, -1", c, i)
	}
	if m := st.Member(st.Queue.At(1)); m == nil || m.ID != "b" {
		t.Errorf("Member = %v, want b", m)
	}
	if m := st.Member(st.Queue.At(0)); m != nil {
		t.Errorf("Member of a third-party client = %v, want nil", m)
	}
	if m := st.Member(nil); m != nil {
		t.Errorf("Member(nil) = %v, want nil", m)
	}
	if h := st.WithoutZnode(); len(h) != 2 || h[0].ID != "a" || h[1].ID != "c" {
		t.Errorf("WithoutZnode = %v, want a and c", h)
	}
	s.Apply(&model.Cast{At: s.Tree.Now, Member: model.Member{ID: "b"}, Gone: true})
	if len(st.Members) != 3 || len(s.J.State().Members) != 2 {
		t.Errorf("%d members before, %d after; want 3 and 2", len(st.Members), len(s.J.State().Members))
	}
	if again := s.J.State(); again != s.J.State() {
		t.Error("the state changed without an observation")
	}
}

func TestTotalsLedAndVacant(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{})
	a := s.Join(1)
	s.After(time.Hour)
	s.Read()
	s.After(2 * time.Second)
	s.Advance()
	s.After(-time.Second) // the repeated second counts once
	s.Advance()
	s.After(2 * time.Second)
	s.Tree.Delete(a)
	s.Read()
	s.After(5 * time.Second)
	s.Advance()
	s.Apply(&model.Read{At: s.Tree.Now, Presence: model.Denied})
	s.After(time.Hour)
	s.Read()
	s.After(7 * time.Second)
	s.Apply(s.W.Read(true, true, nil))
	s.After(time.Second)
	s.Advance()
	if got, want := s.J.State().Totals, (model.Totals{Left: 1, Handoffs: 1, Led: 3 * time.Second, Vacant: 6 * time.Second}); got != want {
		t.Errorf("totals %+v, want %+v", got, want)
	}
}

func TestClockGoesBack(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{})
	a := s.Join(1)
	s.Join(2)
	s.Read()
	s.After(-time.Hour)
	s.Tree.Delete(a)
	s.Want(s.Read(), "2 -1h0m0s left .", "3 -1h0m0s handoff . > 1. unknown")
	st := s.J.State()
	if r := st.Reigns[0]; r.To.Before(r.From) {
		t.Errorf("a reign ended before it began: %+v", r)
	}
	if !st.At.Equal(modeltest.Start) || st.Totals.Led != 0 {
		t.Errorf("At %v, led %v; want %v, 0", st.At, st.Totals.Led, modeltest.Start)
	}
	if age, _ := st.Leader().Age(st.ReadAt); age != 0 {
		t.Errorf("age %v, want 0", age)
	}
}

func TestManyLeaveAtOnce(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{})
	for i := range 200 {
		s.Tree.Create("n_", true, uint64(i%3), "")
	}
	s.Read()
	for i, name := range s.Tree.Names() {
		if i%2 == 1 {
			s.Tree.Delete(name)
		}
	}
	events := s.Read()
	if len(events) != 101 || events[100] != "111 0s handoff 1. > 2. deleted" { // older events: a snapshot and nine findings
		t.Errorf("%d events, the last is %q; want 101, the last of which is the handoff to n_2", len(events), events[len(events)-1])
	}
	st := s.J.State()
	contenders, others := queueOf(s.W)
	if st.Queue.Len() != len(contenders) || len(st.Ignored) != len(others) {
		t.Fatalf("%d contenders and %d others are left, want %d and %d", st.Queue.Len(), len(st.Ignored), len(contenders), len(others))
	}
	for i, c := range st.Queue.All() {
		if c.ID() != contenders[i] {
			t.Fatalf("contender %d is %v, want %v", i, c.ID(), contenders[i])
		}
	}
}

func TestWithoutZnodeInACrowd(t *testing.T) {
	c := modeltest.NewCrowd(100)
	cast := func(id string, session uint64, name string) {
		c.J.Apply(&model.Cast{At: c.At, Member: model.Member{ID: id, Session: session, Znode: name}})
	}
	want := func(ids ...string) {
		t.Helper()
		var got []string
		for _, m := range c.J.State().WithoutZnode() {
			got = append(got, m.ID)
		}
		if !slices.Equal(got, ids) {
			t.Errorf("members without a znode: %q, want %q", got, ids)
		}
	}
	cast("a", c.First[70].Session, c.First[70].Name)
	want()
	cast("b", c.First[71].Session, "")
	want()
	cast("c", 5000, c.First[72].Name) // owned by another session
	want("c")
	cast("d", 0, c.First[73].Name)
	want("c", "d")
}

func TestCandidateFindsEveryContender(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg, all := modeltest.DrawPast(t)
		j := doctor.NewJournal(cfg)
		ever := map[dialect.ID]bool{{Name: "n_0000000000", Czxid: -1}: true}
		for n, o := range all {
			j.Apply(o)
			s := j.State()
			at := map[dialect.ID]int{}
			for i, c := range s.Queue.All() {
				at[c.ID()], ever[c.ID()] = i, true
			}
			for id := range ever {
				want, there := at[id]
				if !there {
					want = -1
				}
				if c, i := s.Candidate(id); i != want || (c != nil) != there || there && c != s.Queue.At(i) {
					t.Fatalf("after observation %d Candidate(%v) = %v, %d; want position %d", n, id, c, i, want)
				}
			}
		}
	})
}

func TestSteps(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{})
	report := func(m model.Member, gone bool) {
		s.Apply(&model.Cast{At: s.Tree.Now, Member: m, Gone: gone})
	}
	amber := model.Member{ID: "a", Name: "amber", Belief: model.Volunteering}
	report(amber, false)
	amber.Step, amber.StepAt, amber.StepOn = model.StepCreate, s.Tree.Now, model.StepOn{Name: "1f…-n_"}
	report(amber, false)
	s.After(time.Second)
	amber.ExpiresFrom = s.Tree.Now // a new report, but no new step
	report(amber, false)
	amber.StepAt = amber.StepAt.In(time.FixedZone("elsewhere", 3600))
	report(amber, false)
	amber.StepOn = model.StepOn{Found: true}
	report(amber, false)
	report(model.Member{ID: "b", Name: "birch", Step: model.StepCreate, StepOn: model.StepOn{Name: "2e…-n_"}}, false)
	amber.Step, amber.StepAt, amber.StepOn = model.StepList, s.Tree.Now, model.StepOn{Children: []string{"0"}}
	report(amber, false)
	s.After(time.Second)
	amber.StepAt = s.Tree.Now // a second step of the same kind
	report(amber, false)
	amber.Belief, amber.Step, amber.StepOn, amber.Reason = model.Lost, model.StepNone, model.StepOn{}, "session expired"
	report(amber, false)
	report(amber, true)
	amber.Step, amber.StepAt, amber.StepOn = model.StepCreate, s.Tree.Now, model.StepOn{Name: "3d…-n_"}
	report(amber, false)
	amber.Step, amber.StepOn = model.StepList, model.StepOn{Children: []string{"0", "1"}}
	report(amber, true)

	var got []string
	for _, x := range s.J.State().Steps {
		got = append(got, fmt.Sprint(x.N, " ", x.At.Sub(modeltest.Start), " ", x.Member, " ", x.Name, " ", int(x.Step), " ", x.On))
	}
	s.Want(got, "1 0s a amber 1 {1f…-n_ false [] 0}", "2 0s a amber 1 { true [] 0}", "3 1s b birch 1 {2e…-n_ false [] 0}", "4 1s a amber 2 { false [0] 0}",
		"5 2s a amber 2 { false [0] 0}", "6 2s a amber 1 {3d…-n_ false [] 0}", "7 2s a amber 2 { false [0 1] 0}")
}
