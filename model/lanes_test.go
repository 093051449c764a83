package model_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"electop/model"
	"electop/model/dialect"
	"electop/model/internal/modeltest"
	"electop/model/znode"
)

func TestLanesAgreeWithStates(t *testing.T) {
	for range 10 { // some changes are drawn rarely
		rapid.Check(t, lanesAgreeWithStates)
	}
}

func lanesAgreeWithStates(t *rapid.T) {
	cfg, all := modeltest.DrawPast(t)
	j := model.NewJournal(cfg)
	var states []*model.State
	for _, o := range all {
		j.Apply(o)
		states = append(states, j.State())
	}
	if len(states) == 0 {
		t.Skip("no observations")
	}
	last := states[len(states)-1]
	checkLanes(t, states, last.Lanes(1000))

	half := model.NewJournal(cfg)
	for _, o := range all[:len(all)/2] {
		half.Apply(o)
	}
	clone := half.Clone()
	half.Apply(&model.Advance{At: modeltest.Start.Add(time.Hour)})
	for _, o := range all[len(all)/2:] {
		clone.Apply(o)
	}
	if diff := modeltest.Diff(last.Lanes(1000), clone.State().Lanes(1000)); diff != "" {
		t.Fatalf("the lanes of the journal (-) and of a clone (+):\n%s", diff)
	}
}

func checkLanes(t rapid.TB, states []*model.State, lanes *model.Lanes) {
	t.Helper()
	lane, member := map[dialect.ID]*model.Lane{}, map[string]*model.Lane{}
	for _, l := range lanes.All {
		if !l.From.IsZero() {
			t.Fatalf("the lane of %q begins at %v, want a lane from the beginning", l.Name, l.From)
		}
		for _, z := range l.Znodes {
			lane[z.ID()] = l
		}
		if l.Member != "" {
			member[l.Member] = l
		}
	}
	again := shownAgain(states)
	contended := map[dialect.ID]bool{}
	for _, s := range states {
		for _, c := range s.Ignored {
			contended[c.ID()] = false
		}
		for _, c := range s.Queue.All() {
			contended[c.ID()] = true
		}
	}
	for i, s := range states {
		if i+1 < len(states) && !states[i+1].At.After(s.At) {
			continue
		}
		if !s.DownSince.IsZero() && !s.ReadAt.IsZero() && !inGap(lanes, s.At) {
			t.Fatalf("at %v the connection is lost, but the gaps are %+v", s.At.Sub(modeltest.Start), lanes.Gaps)
		}
		places, inState := map[dialect.ID]model.Place{}, map[string]bool{}
		for k, c := range s.Queue.All() {
			places[c.ID()] = model.Queued
			if k < s.Holders() {
				places[c.ID()] = model.Holds
			}
			if contended[c.ID()] && lane[c.ID()] == nil {
				t.Fatalf("%s has no lane", c.Name)
			}
		}
		for _, c := range s.Ignored {
			places[c.ID()] = model.Queued
		}
		for _, l := range lanes.All {
			if slices.ContainsFunc(l.Znodes, func(z model.LaneZnode) bool { return again[z.ID()] }) {
				continue
			}
			want := model.NoZnode
			for _, z := range l.Znodes {
				if p := places[z.ID()]; p == model.Holds || want == model.NoZnode {
					want = p
				}
			}
			if got, _ := l.At(s.At); got.Place != want {
				t.Fatalf("at %v the place of %q, znodes %v, is %q, want %q as in the state\n%+v", s.At.Sub(modeltest.Start), l.Name, l.Znodes, got.Place, want, l.Stretches)
			}
		}
		for _, m := range s.Members {
			inState[m.ID] = true
			l := member[m.ID]
			if l == nil {
				t.Fatalf("member %s has no lane", m.ID)
			}
			if got, _ := l.At(s.At); got.Belief != m.Belief || got.Fault != m.Fault || got.Departed {
				t.Fatalf("at %v member %s is %+v, want %s %s as in the state", s.At.Sub(modeltest.Start), m.ID, got, m.Belief, m.Fault)
			}
		}
		for id, l := range member {
			if got, _ := l.At(s.At); !inState[id] && !got.Departed && got.Belief != "" {
				t.Fatalf("at %v member %s is %+v, want Departed, because the state does not have it", s.At.Sub(modeltest.Start), id, got)
			}
		}
	}
}

// shownAgain returns the children that left and came back, or that got another SeenAt. Their lanes are
// not exact.
func shownAgain(states []*model.State) map[dialect.ID]bool {
	last, since, again := map[dialect.ID]int{}, map[dialect.ID]time.Time{}, map[dialect.ID]bool{}
	for i, s := range states {
		for _, c := range slices.Concat(s.Queue.Slice(), s.Ignored) {
			if n, seen := last[c.ID()]; seen && (n < i-1 || !c.SeenAt.Equal(since[c.ID()])) {
				again[c.ID()] = true
			}
			last[c.ID()], since[c.ID()] = i, c.SeenAt
		}
	}
	return again
}

func inGap(lanes *model.Lanes, at time.Time) bool {
	return slices.ContainsFunc(lanes.Gaps, func(g model.Gap) bool {
		return !at.Before(g.From) && (g.To.IsZero() || at.Before(g.To))
	})
}

func TestLanesAreBounded(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{})
	s.Join(1)
	s.Read()
	var states []*model.State
	beliefs := []model.Belief{model.Waiting, model.Suspended}
	for i := range 6000 {
		s.Tree.Now = s.Tree.Now.Add(time.Millisecond)
		id := "busy"
		if i == 3 {
			id = "quiet"
		}
		s.J.Apply(&model.Cast{At: s.Tree.Now, Member: model.Member{ID: id, Name: id, Belief: beliefs[i%2]}})
		if i > 2500 {
			states = append(states, s.J.State().State)
		}
	}
	lanes := s.J.State().Lanes(10)
	seen := 0
	for _, l := range lanes.All {
		if l.Member == "" {
			continue
		}
		seen++
		if n := len(l.Stretches); n > 4200 || l.From.IsZero() {
			t.Errorf("the lane of %s has %d stretches from %v on, want at most 4200 from a time that is not zero", l.Name, n, l.From)
		}
		if _, known := l.At(l.From.Add(-time.Millisecond)); known {
			t.Errorf("%s is known before its lane begins", l.Name)
		}
		for _, st := range states {
			for _, m := range st.Members {
				if got, known := l.At(st.At); m.ID == l.Member && known && got.Belief != m.Belief {
					t.Fatalf("at %v the belief of %s is %s, want %s as in the state", st.At, m.ID, got.Belief, m.Belief)
				}
			}
		}
	}
	if seen != 2 {
		t.Errorf("%d members have lanes, want 2", seen)
	}
}

func TestLanesOfACrowd(t *testing.T) {
	c := modeltest.NewCrowd(10000)
	for i := range 5000 {
		c.J.Apply(c.Change(i))
	}
	late := c.Names[7000]
	sequence, _ := znode.Sequence(late)
	c.J.Apply(&model.Cast{At: c.At, Member: model.Member{ID: "m", Name: "m", Belief: model.Waiting, Znode: late, Session: uint64(sequence + 1)}})
	lanes := c.J.State().Lanes(20)
	if n := len(lanes.All); n != 61 || lanes.More != 9979 {
		t.Fatalf("%d lanes, %d more contenders; want 61, 9979", n, lanes.More)
	}
	l := lanes.All[slices.IndexFunc(lanes.All, func(l *model.Lane) bool { return l.Member == "m" })]
	if len(l.Znodes) != 1 || !l.Stretches[0].From.Equal(l.Znodes[0].SeenAt) {
		t.Errorf("the lane of m is %+v, want one that begins with its znode", l)
	}
	holds := 0
	for _, l := range lanes.All {
		if l.Last().Place == model.Holds {
			holds++
		}
	}
	if holds != 1 {
		t.Errorf("%d lanes have the role now, want 1", holds)
	}
}

func TestLanesOfAHandoff(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{})
	a, b := s.Join(1), s.Join(2)
	s.Read()
	tick := func() time.Time { s.Tree.Now = s.Tree.Now.Add(time.Second); return s.Tree.Now }
	report := func(id, znode string, session uint64, belief model.Belief, fault model.Fault, gone bool) time.Time {
		m := model.Member{ID: id, Name: id, Znode: znode, Session: session, Belief: belief, Fault: fault, ExpiresFrom: s.Tree.Now}
		if fault != model.NoFault {
			m.FaultAt = s.Tree.Now
		}
		now := tick()
		s.J.Apply(&model.Cast{At: now, Member: m, Gone: gone})
		return now
	}
	report("a", a, 1, model.Leading, model.NoFault, false)
	report("b", b, 2, model.Waiting, model.NoFault, false)
	killed := report("a", a, 1, model.Leading, model.Killed, false)
	gone := report("a", a, 1, model.Leading, model.Killed, true)
	token := s.Tree.Children[a].Czxid
	s.Tree.Delete(a)
	deleted := tick()
	s.J.Apply(&model.DeletionReport{At: deleted, Deleted: deleted, Znode: a, Zxid: s.Tree.Zxid, Notified: []uint64{2}})
	s.J.Apply(s.W.Read(false, false, nil))
	leads := report("b", b, 2, model.Leading, model.NoFault, false)
	s.J.Apply(&model.Write{At: tick(), Member: "a", Znode: a, Token: token, Resource: model.Tokens})
	lanes := s.J.State().Lanes(10)
	if len(lanes.All) != 2 || lanes.All[0].Member != "a" || lanes.All[1].Member != "b" {
		t.Fatalf("lanes %+v, want those of a and b", lanes.All)
	}
	for _, c := range []struct {
		lane int
		at   time.Time
		want model.Standing
	}{
		{0, killed, model.Standing{Place: model.Holds, Belief: model.Leading, Fault: model.Killed}},
		{0, gone, model.Standing{Place: model.Holds, Belief: model.Leading, Fault: model.Killed, Departed: true}},
		{0, deleted, model.Standing{Belief: model.Leading, Fault: model.Killed, Departed: true}},
		{1, gone, model.Standing{Place: model.Queued, Belief: model.Waiting}},
		{1, deleted, model.Standing{Place: model.Holds, Belief: model.Waiting}},
		{1, leads, model.Standing{Place: model.Holds, Belief: model.Leading}},
	} {
		if got, _ := lanes.All[c.lane].At(c.at); got != c.want {
			t.Errorf("lane %d is %+v at %v, want %+v", c.lane, got, c.at.Sub(modeltest.Start), c.want)
		}
	}
	if z := lanes.All[0].Znodes; len(z) != 1 || z[0].End.IsZero() || z[0].Cause != model.CauseExpired || !lanes.All[0].Over() || lanes.All[1].Over() {
		t.Errorf("the znodes of a: %+v, want one with the cause expired, and only lane 0 over", z)
	}
	if n := lanes.Notices; len(n) != 1 || n[0].From != 0 || n[0].To != 1 || !n[0].At.Equal(deleted) || !n[0].Arrived.Equal(deleted) {
		t.Errorf("notices %+v, want one from lane 0 to lane 1 that arrived at %v", n, deleted)
	}
	if w := lanes.Writes; len(w) != 1 || !w[0].Stale {
		t.Errorf("writes %+v, want a stale one", w)
	}
}

func TestArrivalOfAHeldNotification(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{})
	a, _ := s.Join(1), s.Join(2)
	s.Read()
	s.Tree.Delete(a)
	deleted := s.Tree.Now
	s.J.Apply(&model.DeletionReport{At: deleted, Deleted: deleted, Znode: a, Zxid: s.Tree.Zxid, Notified: []uint64{2}})
	m := model.Message{N: 1, Session: 2, Since: deleted, Op: model.Notification, Event: "deleted", Path: "/election/" + a}
	for _, c := range []struct {
		pace    model.Pace
		arrived time.Time // zero: not arrived
	}{
		{model.Pace{Steps: true, Waiting: 1, Held: []model.Message{m}}, time.Time{}},
		{model.Pace{Steps: true, Passed: []model.Passed{{Message: m, Left: deleted.Add(2 * time.Second)}}}, deleted.Add(2 * time.Second)},
		{model.Pace{Steps: true, Passed: []model.Passed{{Message: m, Left: deleted.Add(2 * time.Second), Dropped: true}}}, time.Time{}},
	} {
		j := s.J.Clone()
		c.pace.At = deleted.Add(2 * time.Second)
		j.Apply(&c.pace)
		if n := j.State().Lanes(10).Notices; len(n) != 1 || !n[0].Arrived.Equal(c.arrived) {
			t.Errorf("%+v: got notices %+v, want one with Arrived %v", c.pace, n, c.arrived)
		}
	}
}

func TestNewBeliefIsWrongOnlyAfterADelay(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{})
	s.Read()
	began := s.Tree.Now.Add(time.Second)
	s.Tree.Now = began
	z := s.Join(1)
	m := model.Member{ID: "a", Name: "a", Znode: z, Session: 1, Belief: model.Volunteering, StepAt: began}
	s.J.Apply(&model.Cast{At: began, Member: m})
	m.Belief = model.Leading
	s.J.Apply(&model.Cast{At: began.Add(time.Millisecond), Member: m})
	unread := s.J.Clone()
	wrong := func(st *model.State, after time.Duration) bool {
		at := began.Add(after)
		lane := st.Lanes(10).All[0].Wrong(at)
		if is := st.WronglyLeads(st.MemberByID("a"), at); is != lane {
			t.Fatalf("after %v: WronglyLeads = %v, Lane.Wrong = %v", after, is, lane)
		}
		return lane
	}
	if st := unread.State().State; wrong(st, 5*time.Millisecond) || !wrong(st, 2*time.Second) {
		t.Error("without a read: want wrong after 2 s, but not after 5 ms")
	}
	s.Tree.Now = began.Add(5 * time.Millisecond)
	s.Read()
	for _, after := range []time.Duration{2 * time.Millisecond, 5 * time.Millisecond, 2 * time.Second} {
		if l := s.J.State().Lanes(10).All[0]; l.Wrong(began.Add(after)) {
			t.Errorf("with a read: wrong after %v: %+v", after, l.Stretches)
		}
	}
}
