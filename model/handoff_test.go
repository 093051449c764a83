package model_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/znode"
)

// script plays a tree to a journal, one line a step, and collects the events
// as short text.
type script struct {
	*testing.T
	tree *tree
	w    *watcher
	j    *doctor.Journal
}

var start = newTree().now

func newScript(t *testing.T, cfg model.Config) *script {
	tr := newTree()
	tr.createParent(0)
	cfg.Path = "/e"
	s := &script{t, tr, &watcher{tree: tr}, doctor.NewJournal(cfg)}
	s.apply(&model.Connection{At: tr.now, Link: model.Connected, Session: 9, Server: "127.0.0.1:2181"})
	return s
}

// acked is an election whose leaders acknowledge.
var acked = model.Config{AckPath: "/leader", AckExpected: true}

// after lets time pass.
func (s *script) after(d time.Duration) { s.tree.now = s.tree.now.Add(d) }

func (s *script) apply(o model.Observation) []string {
	var out []string
	for _, e := range s.j.Apply(o) {
		out = append(out, short(e))
	}
	return out
}

func (s *script) read() []string { return s.apply(s.w.read(false, false, nil)) }

func (s *script) join(session uint64) string {
	return s.tree.create("n_", true, session, fmt.Sprint("host", session))
}

// ack is the acknowledgement of the candidate with that name.
func (s *script) ack(name string) []string {
	z := s.tree.children[name]
	return s.apply(&model.Ack{
		At: s.tree.now, Presence: model.Present, Session: z.Session,
		Data: znode.NewData(model.AckData("/e/"+name, z.Czxid)),
	})
}

func (s *script) advance() []string { return s.apply(&model.Advance{At: s.tree.now}) }

func (s *script) want(got []string, want ...string) {
	s.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		s.Errorf("events:\n\t%s\nwant:\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

func short(e model.Event) string {
	name := func(c *dialect.Candidate) string {
		if c == nil {
			return "nobody"
		}
		return strings.TrimLeft(strings.TrimPrefix(c.Name, "n_"), "0") + "."
	}
	var s string
	switch b := e.Body.(type) {
	case doctor.Snapshot:
		s = fmt.Sprintf("state %s %d", b.State.Phase, len(b.State.Queue)+len(b.State.Ignored))
	case model.Joined:
		s = "joined " + name(b.Candidate)
	case model.Left:
		s = "left " + name(b.Candidate)
	case model.Missed:
		s = fmt.Sprint("missed ", b.Creates, " ", b.Deletes, " ", b.Known)
	case model.LinkChanged:
		s = fmt.Sprint("link ", b.Link)
	case model.Handoff:
		s = fmt.Sprintf("handoff %s > %s %s", name(b.From), name(b.To), b.Cause)
		for _, d := range []struct {
			name string
			*time.Duration
		}{{"silent", b.Silent}, {"takeover", b.Takeover}, {"vacant", b.Vacant}} {
			if d.Duration != nil {
				s += fmt.Sprint(" ", d.name, " ", d.Duration)
			}
		}
	}
	return fmt.Sprintf("%d %v %s", e.N, e.At.Sub(start), s)
}

func TestFirstReadIsNoEvent(t *testing.T) {
	s := newScript(t, acked)
	s.join(1)
	s.join(2)
	s.want(s.ack("n_0000000000"))
	s.want(s.read(), "1 0s state live 2")
	st := s.j.State()
	if st.Leader().Name != "n_0000000000" || !st.Acknowledged() || len(st.Handoffs) != 0 || st.Totals != (model.Totals{}) {
		t.Errorf("after the first read: %+v", st)
	}
	if len(st.Reigns) != 1 || st.Reigns[0].FromKnown {
		t.Errorf("reigns: %+v", st.Reigns)
	}
	if st.NextSequence != 2 || !st.NextSequenceKnown {
		t.Errorf("next sequence %d, %v", st.NextSequence, st.NextSequenceKnown)
	}
}

func TestGoneBeforeTheFirstReadWasThrough(t *testing.T) {
	s := newScript(t, model.Config{})
	first := s.join(1)
	s.join(2)
	n := 0
	r := s.w.read(false, false, func() {
		if n++; n == 1 {
			s.tree.delete(first)
		}
	})
	s.want(s.apply(r), "1 0s state live 1")
	if l := s.j.State().Leader(); l.Name != "n_0000000001" {
		t.Errorf("%s leads", l.Name)
	}
	s.want(s.read()) // and its deletion is not missed later
}

func TestForbiddenFirst(t *testing.T) {
	s := newScript(t, model.Config{})
	s.want(s.apply(&model.Read{At: s.tree.now, Presence: model.Denied}))
	if p := s.j.State().Phase; p != model.Forbidden {
		t.Errorf("phase %s", p)
	}
	s.tree.deleteParent()
	s.want(s.read(), "1 0s state absent 0")
}

func TestForbiddenThenReadable(t *testing.T) {
	s := newScript(t, model.Config{})
	s.join(1)
	s.read()
	s.want(s.apply(&model.Read{At: s.tree.now, Presence: model.Denied}))
	if st := s.j.State(); st.Phase != model.Forbidden || st.NextSequenceKnown {
		t.Errorf("phase %s, next known %v", st.Phase, st.NextSequenceKnown)
	}
	s.tree.delete("n_0000000000")
	s.join(2)
	s.tree.delete(s.join(3))
	s.want(s.read(),
		"2 0s left .", "3 0s joined 1.", "4 0s handoff . > 1. unknown", "5 0s missed 1 1 true", "6 0s state live 1")
	if c := s.j.State().Leader(); c.Joined {
		t.Error("a candidate that came while we could not look: its age is said to be exact")
	}
}

func TestAbsentForbiddenReadable(t *testing.T) {
	s := newScript(t, model.Config{})
	s.tree.deleteParent()
	s.want(s.read(), "1 0s state absent 0")
	s.want(s.apply(&model.Read{At: s.tree.now, Presence: model.Denied}))
	s.tree.createParent(0)
	s.join(1)
	s.want(s.read(), "2 0s joined .", "3 0s handoff nobody > . unknown", "4 0s state live 1")
}

func TestAbsentThenAppears(t *testing.T) {
	s := newScript(t, model.Config{})
	s.tree.deleteParent()
	s.want(s.read(), "1 0s state absent 0")
	s.want(s.read())
	s.tree.createParent(0)
	s.tree.delete(s.join(1))
	s.join(2)
	s.want(s.read(), "2 0s joined 1.", "3 0s handoff nobody > 1. unknown", "4 0s missed 1 1 true")
	if c := s.j.State().Leader(); !c.Joined {
		t.Error("it came while we looked, and that is not said")
	}
}

func TestParentRecreated(t *testing.T) {
	s := newScript(t, model.Config{})
	s.join(1)
	s.join(2)
	s.read()
	s.tree.deleteParent()
	s.tree.createParent(0)
	s.after(time.Second)
	s.join(3)
	s.want(s.read(),
		"2 1s left .", "3 1s left 1.", "4 1s handoff . > nobody unknown", "5 1s missed 0 0 false",
		"6 1s joined .", "7 1s handoff nobody > . unknown") // vacant for how long, nobody knows
}

func TestParentGoneByNotification(t *testing.T) {
	s := newScript(t, model.Config{})
	s.join(1)
	s.read()
	s.tree.deleteParent()
	s.after(time.Second)
	r := s.w.read(false, false, nil)
	r.Notified = start.Add(900 * time.Millisecond)
	s.want(s.apply(r), "2 1s left .", "3 1s handoff . > nobody unknown", "4 1s missed 0 0 false")
	s.after(time.Second)
	s.tree.createParent(0)
	s.join(2)
	s.want(s.read(), "5 2s joined .", "6 2s handoff nobody > . unknown vacant 1.1s")
}

func TestListedAndGone(t *testing.T) {
	s := newScript(t, model.Config{})
	a := s.join(1)
	s.read()
	s.tree.delete(a)
	s.join(2)
	s.join(3)
	n := 0
	r := s.w.read(false, false, func() {
		if n++; n == 1 {
			s.tree.delete("n_0000000001")
		}
	})
	s.want(s.apply(r),
		"2 0s left .", "3 0s joined 1.", "4 0s joined 2.", "5 0s handoff . > 1. unknown",
		"6 0s left 1.", "7 0s handoff 1. > 2. unknown")
	s.want(s.read())
}

// A full read may find that a child which was there goes just now.
func TestKnownListedAndGone(t *testing.T) {
	s := newScript(t, model.Config{})
	a := s.join(1)
	s.join(2)
	s.read()
	r := s.w.read(true, false, func() { s.tree.delete(a) })
	events := s.j.Apply(r)
	var got []string
	for _, e := range events {
		got = append(got, short(e))
	}
	s.want(got, "2 0s left .", "3 0s handoff . > 1. unknown")
	if l := events[0].Body.(model.Left); l.Candidate.Unread || l.Candidate.Session != 1 {
		t.Errorf("left %+v: what was known of it is lost", l.Candidate)
	}
	s.want(s.read())
}

func TestCauses(t *testing.T) {
	fault := start.Add(time.Second)
	for _, c := range []struct {
		name   string
		member model.Member
		want   string
	}{
		{"nothing known", model.Member{}, "unknown"},
		{"resigned", model.Member{Ending: model.Resigning}, "resigned"},
		{"closed", model.Member{Ending: model.Closing}, "closed"},
		{"expired", model.Member{Fault: model.Killed, FaultAt: fault, ExpiresFrom: start.Add(4 * time.Second)}, "expired silent 4s"},
		{"at the lease's end", model.Member{Fault: model.Frozen, FaultAt: fault, ExpiresFrom: start.Add(5 * time.Second)}, "expired silent 4s"},
		{"too early to have expired", model.Member{Fault: model.Frozen, FaultAt: fault, ExpiresFrom: start.Add(5*time.Second + 1)}, "unknown silent 4s"},
		{"suspended", model.Member{Belief: model.Suspended, ExpiresFrom: start.Add(4 * time.Second)}, "expired"},
		{"lost", model.Member{Belief: model.Lost, ExpiresFrom: start.Add(4 * time.Second)}, "expired"},
		{"well", model.Member{Belief: model.Leading, ExpiresFrom: start.Add(4 * time.Second)}, "unknown"},
		{"no lease known", model.Member{Fault: model.Killed, FaultAt: fault}, "unknown silent 4s"},
		{"fault of unknown time", model.Member{Fault: model.Killed, ExpiresFrom: start}, "expired"},
		{"fault after the end", model.Member{Fault: model.Killed, FaultAt: start.Add(time.Hour), ExpiresFrom: start}, "expired silent 0s"},
	} {
		for _, how := range []string{"stays", "goes", "has a new session"} {
			t.Run(c.name+"/"+how, func(t *testing.T) {
				s := newScript(t, model.Config{})
				c.member.ID, c.member.Session, c.member.Znode = "a", 1, s.join(1)
				s.join(2)
				s.read()
				s.apply(&model.Cast{At: s.tree.now, Member: c.member})
				s.after(4 * time.Second)
				switch how {
				case "goes":
					s.apply(&model.Cast{At: s.tree.now, Member: model.Member{ID: "a"}, Gone: true})
				case "has a new session":
					s.apply(&model.Cast{At: s.tree.now, Member: model.Member{ID: "a", Session: 77}})
				}
				s.tree.delete("n_0000000000")
				s.after(2 * time.Second)
				r := s.w.read(false, false, nil)
				r.Notified = start.Add(5 * time.Second)
				s.want(s.apply(r), "2 6s left .", "3 6s handoff . > 1. "+c.want)
				if r := s.j.State().Reigns; string(r[0].Cause) != strings.Fields(c.want)[0] || !r[1].FromKnown {
					t.Errorf("reigns %+v", r)
				}
			})
		}
	}
}

// The last word of a member counts, though it goes before its znode does.
func TestGoneForAReason(t *testing.T) {
	s := newScript(t, model.Config{})
	m := model.Member{ID: "a", Session: 1, Znode: s.join(1)}
	s.read()
	s.apply(&model.Cast{At: s.tree.now, Member: m})
	m.Ending = model.Closing
	s.apply(&model.Cast{At: s.tree.now, Member: m, Gone: true})
	if got := s.j.State().Member(s.j.State().Leader()); got == nil || got.Ending != model.Closing {
		t.Errorf("the leader's member is %+v", got)
	}
	s.tree.deleteParent()
	s.want(s.read(), "2 0s left .", "3 0s handoff . > nobody closed", "4 0s missed 0 0 false")
	for range 3 {
		s.read()
	}
	if got := s.j.State().Member(&dialect.Candidate{Znode: znode.Znode{Session: 1}}); got != nil {
		t.Errorf("kept after its znode: %+v", got)
	}
}

func TestTwoMembersOfOneSession(t *testing.T) {
	for range 20 { // maps have no order, results do
		s := newScript(t, model.Config{})
		s.join(1)
		s.read()
		s.apply(&model.Cast{At: s.tree.now, Member: model.Member{ID: "b", Session: 1, Ending: model.Closing}})
		s.apply(&model.Cast{At: s.tree.now, Member: model.Member{ID: "a", Session: 1, Ending: model.Resigning}})
		if m := s.j.State().Member(s.j.State().Leader()); m.ID != "a" {
			t.Fatalf("the leader's member is %s", m.ID)
		}
		s.tree.delete("n_0000000000")
		s.want(s.read(), "2 0s left .", "3 0s handoff . > nobody resigned")
	}
}

// In a gap nobody knows when something happened, so no duration is said.
func TestHandoffInAGap(t *testing.T) {
	s := newScript(t, acked)
	a, b := s.join(1), s.join(2)
	s.read()
	s.ack(a)
	s.apply(&model.Cast{At: s.tree.now, Member: model.Member{ID: "a", Session: 1, Fault: model.Killed, FaultAt: s.tree.now}})
	s.after(time.Second)
	s.want(s.apply(&model.Connection{At: s.tree.now, Link: model.Disconnected}), "2 1s link disconnected")
	s.tree.delete(a)
	s.after(time.Hour)
	s.want(s.apply(&model.Connection{At: s.tree.now, Link: model.Connected, Session: 9}), "3 1h0m1s link connected")
	s.want(s.apply(s.w.read(true, false, nil)),
		"4 1h0m1s left .", "5 1h0m1s handoff . > 1. unknown", "6 1h0m1s state live 1")
	s.ack(b)
	st := s.j.State()
	if h := st.Handoffs[0]; h.Takeover != nil || h.Silent != nil {
		t.Errorf("durations across a gap: %+v", h)
	}
	if st.Reigns[1].FromKnown {
		t.Error("a reign that began in a gap: its begin is said to be known")
	}
	if st.Totals.Led != time.Second || st.Totals.Vacant != 0 {
		t.Errorf("totals count time that nobody saw: %+v", st.Totals)
	}
}

func TestVacant(t *testing.T) {
	s := newScript(t, acked)
	s.join(1)
	s.read()
	s.tree.delete("n_0000000000")
	s.want(s.read(), "2 0s left .", "3 0s handoff . > nobody unknown") // nobody to wait for
	s.after(3 * time.Second)
	b := s.join(2)
	s.want(s.read(), "4 3s joined 1.")
	s.after(20 * time.Millisecond)
	s.want(s.ack(b), "5 3s handoff nobody > 1. unknown takeover 20ms vacant 3s")
	if got := s.j.State().Totals; got.Vacant != 3*time.Second || got.Led != 20*time.Millisecond {
		t.Errorf("totals %+v", got)
	}
}

func TestOvertaken(t *testing.T) {
	s := newScript(t, model.Config{})
	s.tree.create("n_0000000005", false, 1, "")
	s.read()
	s.apply(&model.Cast{At: s.tree.now, Member: model.Member{ID: "a", Session: 1, Ending: model.Resigning, Fault: model.Killed, FaultAt: s.tree.now}})
	s.tree.create("n_0000000004", false, 2, "")
	// Nothing ended, so there is no cause and no silence.
	s.want(s.read(), "2 0s joined 4.", "3 0s handoff 5. > 4. unknown")
}

func TestAckBeforeTheRead(t *testing.T) {
	s := newScript(t, acked)
	a, b := s.join(1), s.join(2)
	s.read()
	s.tree.delete(a)
	s.after(30 * time.Millisecond)
	s.want(s.ack(b))
	s.after(20 * time.Millisecond)
	r := s.w.read(false, false, nil)
	r.Notified = start.Add(10 * time.Millisecond)
	s.want(s.apply(r), "2 50ms left .", "3 50ms handoff . > 1. unknown takeover 20ms")
}

// An acknowledgement of an earlier reign of the same candidate tells nothing.
func TestAckOfAnEarlierReign(t *testing.T) {
	s := newScript(t, acked)
	s.tree.create("n_0000000005", false, 1, "")
	s.read()
	s.ack("n_0000000005")
	s.after(time.Second)
	s.tree.create("n_0000000004", false, 2, "")
	s.read()
	s.after(2 * time.Second)
	s.advance()
	s.tree.delete("n_0000000004")
	s.want(s.read(), "4 3s left 4.", "5 3s handoff 4. > 5. unknown")
	s.after(time.Second)
	s.ack("n_0000000005") // looked at again
	if h := s.j.State().Handoffs[1]; h.Takeover != nil {
		t.Errorf("takeover %v", *h.Takeover)
	}
}

func TestHeldUntilTheAck(t *testing.T) {
	s := newScript(t, acked)
	a, b := s.join(1), s.join(2)
	s.read()
	s.tree.delete(a)
	s.want(s.read(), "2 0s left .")
	due, ok := s.j.Held()
	if want := start.Add(model.AckWait); !ok || !due.Equal(want) {
		t.Errorf("Held = %v, %v; want %v", due, ok, want)
	}
	s.after(10 * time.Millisecond)
	s.join(3)
	s.tree.delete(s.join(4))
	s.want(s.read()) // waits behind
	s.want(s.advance())
	s.after(10 * time.Millisecond)
	s.want(s.apply(&model.Ack{At: s.tree.now, Presence: model.Absent}))
	if h := s.j.State().Handoffs; len(h) != 1 || h[0].Takeover != nil {
		t.Errorf("the state waits for the event: %+v", h)
	}
	s.after(10 * time.Millisecond)
	s.want(s.ack(b), "3 0s handoff . > 1. unknown takeover 30ms", "4 10ms joined 2.", "5 10ms missed 1 1 true")
	if _, ok := s.j.Held(); ok {
		t.Error("still held")
	}
	if h := s.j.State().Handoffs[0]; *h.Takeover != 30*time.Millisecond {
		t.Errorf("takeover in the state: %v", h.Takeover)
	}
}

func TestHeldUntilTheDeadline(t *testing.T) {
	s := newScript(t, acked)
	a, b := s.join(1), s.join(2)
	s.read()
	s.tree.delete(a)
	s.read()
	s.after(model.AckWait - 1)
	s.want(s.advance())
	s.after(1)
	s.want(s.advance(), "3 0s handoff . > 1. unknown")
	before := s.j.State()
	s.after(time.Second)
	s.want(s.ack(b)) // late: for the screen, not for the event
	if h := s.j.State().Handoffs[0]; h.Takeover == nil || *h.Takeover != 2*time.Second {
		t.Errorf("a late acknowledgement: takeover %v", h.Takeover)
	}
	if before.Handoffs[0].Takeover != nil {
		t.Error("an older state was changed")
	}
}

func TestHeldUntilTheNextHandoff(t *testing.T) {
	s := newScript(t, acked)
	a, b, c := s.join(1), s.join(2), s.join(3)
	s.read()
	s.tree.delete(a)
	s.read()
	s.after(10 * time.Millisecond)
	s.tree.delete(b)
	s.want(s.read(), "3 0s handoff . > 1. unknown", "4 10ms left 1.")
	s.after(10 * time.Millisecond)
	s.want(s.ack(c), "5 10ms handoff 1. > 2. unknown takeover 10ms")
	if h := s.j.State().Handoffs; h[0].Takeover != nil {
		t.Error("the first got the acknowledgement of the second")
	}
}

func TestHeldUntilTheConnectionIsLost(t *testing.T) {
	for _, link := range []model.Link{model.Disconnected, model.Expired, model.Connecting} {
		s := newScript(t, acked)
		a, b := s.join(1), s.join(2)
		s.read()
		s.tree.delete(a)
		s.read()
		s.after(10 * time.Millisecond)
		s.want(s.apply(&model.Connection{At: s.tree.now, Link: link}),
			"3 0s handoff . > 1. unknown", "4 10ms link "+string(link))
		s.after(time.Hour)
		s.apply(&model.Connection{At: s.tree.now, Link: model.Connected, Session: 9})
		s.ack(b) // who knows how old it is
		if h := s.j.State().Handoffs[0]; h.Takeover != nil {
			t.Errorf("takeover %v across a gap", *h.Takeover)
		}
	}
}

// A clock that steps back must not hold events until it has caught up.
func TestHeldWhileTheClockGoesBack(t *testing.T) {
	s := newScript(t, acked)
	a := s.join(1)
	s.join(2)
	s.read()
	s.tree.delete(a)
	s.read()
	s.after(-time.Millisecond) // two observers never agree
	s.want(s.advance())
	s.after(-time.Hour)
	s.want(s.advance(), "3 0s handoff . > 1. unknown")
}

func TestHeldIsBounded(t *testing.T) {
	s := newScript(t, acked)
	a := s.join(1)
	s.join(2)
	s.read()
	s.tree.delete(a)
	got := len(s.read())
	const n = 2 * model.HeldMax
	for range n / 2 { // while the clock stands
		name := s.join(3)
		got += len(s.read())
		s.tree.delete(name)
		got += len(s.read())
	}
	if got < n-model.HeldMax || got > n+3 {
		t.Errorf("%d of %d events were let go", got, n)
	}
}

func TestNotHeld(t *testing.T) {
	for name, c := range map[string]struct {
		cfg  model.Config
		link model.Link
		seen bool
		held bool
	}{
		"no acknowledgement here":  {cfg: model.Config{}},
		"none expected, none seen": {cfg: model.Config{AckPath: "/leader"}},
		"one was seen":             {cfg: model.Config{AckPath: "/leader"}, seen: true, held: true},
		"expected":                 {cfg: acked, held: true},
		"expected, not connected":  {cfg: acked, link: model.Disconnected},
	} {
		s := newScript(t, c.cfg)
		a := s.join(1)
		s.join(2)
		s.read()
		if c.seen {
			s.ack(a)
		}
		if c.link != "" {
			s.apply(&model.Connection{At: s.tree.now, Link: c.link})
		}
		s.tree.delete(a)
		s.read()
		if _, held := s.j.Held(); held != c.held {
			t.Errorf("%s: held %v", name, held)
		}
	}
}

func TestRefresh(t *testing.T) {
	s := newScript(t, model.Config{})
	a := s.join(1)
	s.join(2)
	s.read()
	old := s.j.State()
	z := s.tree.children[a]
	z.Data = znode.NewData([]byte("renamed"))
	s.tree.children[a] = z
	s.after(time.Second)
	s.want(s.apply(s.w.refresh(a)))
	st := s.j.State()
	if l := st.Leader(); l.Label() != "renamed" || !l.SeenAt.Equal(start) {
		t.Errorf("leader %+v", l)
	}
	if st.Reigns[0].Leader != st.Leader() || old.Reigns[0].Leader != old.Leader() || old.Leader().Label() != "host1" {
		t.Error("reigns and leaders are not those of their states")
	}
	s.want(s.apply(&model.Refresh{At: s.tree.now, Znode: znode.Znode{Name: "stranger"}}))
	s.want(s.apply(&model.Refresh{At: s.tree.now, Znode: znode.Znode{Name: a, Unread: true}}))

	// Another czxid under the name is another znode.
	s.tree.delete(a)
	s.tree.create(a, false, 3, "again")
	s.want(s.read(), "2 1s missed 1 1 true")
	s.after(time.Second)
	s.want(s.apply(s.w.refresh(a)), "3 2s handoff . > . unknown")
	l := s.j.State().Leader()
	if l.Session != 3 || l.Joined || !l.SeenAt.Equal(s.tree.now) {
		t.Errorf("leader %+v", l)
	}
	s.want(s.apply(s.w.read(true, false, nil))) // nothing more to say
}

// A full read tells another znode under a known name by its czxid, and by
// that too whether the counters of an earlier read had it.
func TestRecreatedByAFullRead(t *testing.T) {
	again := func(s *script) {
		s.tree.delete("n_0000000000")
		s.tree.create("n_0000000000", false, 5, "")
	}
	for name, c := range map[string]struct {
		before, between, during bool
		want                    []string
		then                    []string
	}{
		"counted as missed": {before: true,
			want: []string{"3 0s handoff . > . unknown"}},
		"since then": {between: true,
			want: []string{"2 0s left .", "3 0s joined .", "4 0s handoff . > . unknown"}},
		"after the list": {during: true,
			want: []string{"2 0s left .", "3 0s joined .", "4 0s handoff . > . unknown"}},
		"since then and after the list": {between: true, during: true,
			want: []string{"2 0s left .", "3 0s joined .", "4 0s handoff . > . unknown", "5 0s missed 1 1 true"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript(t, model.Config{})
			s.join(1)
			s.read()
			if c.before {
				again(s)
				s.want(s.read(), "2 0s missed 1 1 true")
			}
			if c.between {
				again(s)
			}
			s.want(s.apply(s.w.read(true, false, func() {
				if c.during {
					again(s)
				}
			})), c.want...)
			s.want(s.read(), c.then...)
		})
	}
}

func TestConnectionEvents(t *testing.T) {
	s := newScript(t, model.Config{})
	s.read()
	link := func(l model.Link, session uint64, rtt time.Duration) []string {
		return s.apply(&model.Connection{At: s.tree.now, Link: l, Session: session, Server: "127.0.0.1:2181", RTT: rtt})
	}
	s.want(link(model.Connected, 9, time.Millisecond)) // a round trip is no event
	s.after(time.Second)
	s.want(link(model.Disconnected, 9, 0), "2 1s link disconnected")
	for range 3 { // attempts
		s.after(time.Second)
		s.want(link(model.Connecting, 9, 0))
		s.want(link(model.Disconnected, 9, 0))
	}
	st := s.j.State()
	if !st.DownSince.Equal(start.Add(time.Second)) || st.Reconnects != 0 {
		t.Errorf("down since %v, %d reconnects", st.DownSince, st.Reconnects)
	}
	s.want(link(model.Expired, 9, 0), "3 4s link expired")
	s.want(link(model.Connected, 10, 0), "4 4s link connected")
	st = s.j.State()
	if !st.DownSince.IsZero() || st.Reconnects != 1 {
		t.Errorf("down since %v, %d reconnects", st.DownSince, st.Reconnects)
	}
	s.want(s.read(), "5 4s state live 0")
	s.want(link(model.Connected, 11, 0), "6 4s link connected") // another session: a loss that went unseen
	s.want(s.read(), "7 4s state live 0")
	if st := s.j.State(); st.Reconnects != 2 {
		t.Errorf("%d reconnects", st.Reconnects)
	}
}

func TestDuplicatesInARead(t *testing.T) {
	s := newScript(t, model.Config{})
	a := s.join(1)
	z := s.tree.children[a]
	s.apply(&model.Read{At: s.tree.now, Presence: model.Present, Parent: s.tree.stat(), Full: true, New: []znode.Znode{z, z}})
	if n := len(s.j.State().Queue); n != 1 {
		t.Fatalf("%d in the queue", n)
	}
	s.tree.delete(a)
	s.want(s.apply(&model.Read{At: s.tree.now, Presence: model.Present, Parent: s.tree.stat(), Gone: []string{a, a, "stranger"}}),
		"2 0s left .", "3 0s handoff . > nobody unknown")
}

func TestMonotonicReadings(t *testing.T) {
	// A replay has wall clock times only, so they alone may count.
	now := time.Now()
	j := doctor.NewJournal(acked)
	j.Apply(&model.Read{At: now, Presence: model.Absent})
	if s := j.State(); s.At != now.Round(0) || s.ReadAt != now.Round(0) {
		t.Errorf("At %v, ReadAt %v", s.At, s.ReadAt)
	}
	j.Apply(&model.Advance{At: now.Add(1)})
	if s := j.State(); s.At != now.Round(0).Add(1) {
		t.Errorf("At %v", s.At)
	}
}

func TestSwitch(t *testing.T) {
	s := newScript(t, model.Config{})
	s.join(1)
	s.join(2)
	s.tree.create("DONE", false, 1, "")
	s.read()
	before := s.j.State()
	s.want(s.apply(&model.Switch{At: s.tree.now, Recipe: "herd"}))
	s.want(s.apply(&model.Switch{At: s.tree.now, Recipe: "no such"}))
	st := s.j.State()
	if st.Recipe.Name() != "herd" || before.Recipe.Name() != "election" || len(st.Queue) != 2 || len(st.Ignored) != 1 {
		t.Errorf("after the switch: %s, %d, %d", st.Recipe.Name(), len(st.Queue), len(st.Ignored))
	}
}
