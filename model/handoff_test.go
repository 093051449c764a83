package model_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/internal/modeltest"
	"electop/model/znode"
)

func leaderDeleted(t *testing.T, cfg model.Config) (s *modeltest.Script, second string) {
	s = modeltest.NewScript(t, cfg)
	first := s.Join(1)
	second = s.Join(2)
	s.Read()
	s.Tree.Delete(first)
	return s, second
}

func TestEndOfAnOvertakenLeader(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{Recipe: dialect.Election()})
	old := s.Tree.Create("n_0000000005", false, 1, "")
	s.Read()
	leader := s.J.State().Leader()
	s.Tree.Create("n_-2147483648", false, 2, "")
	s.Read()
	s.Apply(&model.Cast{At: s.Tree.Now, Member: model.Member{ID: "amber", Session: 1, Znode: old, Ending: model.Resigning}})
	s.Tree.Delete(old)
	s.Read()
	if got := s.J.EndOf(leader); got != model.CauseResigned {
		t.Errorf("got cause %s, want resigned", got)
	}
}

func TestDeniedFirstRead(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{})
	s.Want(s.Apply(&model.Read{At: s.Tree.Now, Presence: model.Denied}))
	if p := s.J.State().Phase; p != model.Forbidden {
		t.Errorf("phase %s, want %s", p, model.Forbidden)
	}
	s.Tree.DeleteParent()
	s.Want(s.Read(), "1 0s state absent 0")
}

func TestReadAfterADeniedRead(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{})
	s.Join(1)
	s.Read()
	s.Want(s.Apply(&model.Read{At: s.Tree.Now, Presence: model.Denied}))
	if st := s.J.State(); st.Phase != model.Forbidden || st.NextSequenceKnown {
		t.Errorf("phase %s, next sequence known %v; want %s, false", st.Phase, st.NextSequenceKnown, model.Forbidden)
	}
	s.Tree.Delete("n_0000000000")
	s.Join(2)
	s.Tree.Delete(s.Join(3))
	s.Want(s.Read(),
		"2 0s left .", "3 0s joined 1.", "4 0s handoff . > 1. unknown", "5 0s missed 1 1 true", "6 0s state live 1")
	if c := s.J.State().Leader(); c.Joined {
		t.Error("a candidate that joined while reads were denied is Joined, want not Joined")
	}
}

func TestParentDeleted(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{})
	s.Join(1)
	s.Read()
	s.Tree.DeleteParent()
	s.After(time.Second)
	r := s.W.Read(false, false, nil)
	r.Notified = modeltest.Start.Add(900 * time.Millisecond)
	s.Want(s.Apply(r), "2 1s left .", "3 1s handoff . > nobody unknown", "4 1s missed 0 0 false")
	s.After(time.Second)
	s.Tree.CreateParent(0)
	s.Join(2)
	s.Want(s.Read(), "5 2s joined .", "6 2s handoff nobody > . unknown vacant 1.1s")
}

func TestChildDeletedBeforeItIsRead(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{})
	a := s.Join(1)
	s.Read()
	s.Tree.Delete(a)
	s.Join(2)
	s.Join(3)
	n := 0
	r := s.W.Read(false, false, func() {
		if n++; n == 1 {
			s.Tree.Delete("n_0000000001")
		}
	})
	s.Want(s.Apply(r),
		"2 0s left .", "3 0s joined 1.", "4 0s joined 2.", "5 0s handoff . > 1. unknown")
	s.Want(s.Read(), "6 0s left 1.", "7 0s handoff 1. > 2. unknown")
	if h := s.J.State().Handoffs[1]; !strings.Contains(h.Evidence, "before it was read") {
		t.Errorf("evidence %q, want that the znode was deleted before it was read", h.Evidence)
	}
	s.Want(s.Read())
}

func TestKnownChildDeletedDuringAFullRead(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{})
	a := s.Join(1)
	s.Join(2)
	s.Read()
	r := s.W.Read(true, false, func() { s.Tree.Delete(a) })
	s.Want(s.Apply(r))
	s.Want(s.Read(), "2 0s left .", "3 0s handoff . > 1. unknown")
	if c := s.J.State().Handoffs[0].From; c.Unread || c.Session != 1 {
		t.Errorf("the former leader is %+v, want session 1", c)
	}
	s.Want(s.Read())
}

func TestCausesFromMembers(t *testing.T) {
	fault := modeltest.Start.Add(time.Second)
	for _, c := range []struct {
		name   string
		member model.Member
		want   string
	}{
		{"nothing known", model.Member{}, "unknown"},
		{"resigned", model.Member{Ending: model.Resigning}, "resigned"},
		{"closed", model.Member{Ending: model.Closing}, "closed"},
		{"expired", model.Member{Fault: model.Killed, FaultAt: fault, ExpiresFrom: modeltest.Start.Add(4 * time.Second)}, "expired silent 4s"},
		{"at ExpiresFrom", model.Member{Fault: model.Frozen, FaultAt: fault, ExpiresFrom: modeltest.Start.Add(5 * time.Second)}, "expired silent 4s"},
		{"too early to have expired", model.Member{Fault: model.Frozen, FaultAt: fault, ExpiresFrom: modeltest.Start.Add(5*time.Second + 1)}, "unknown silent 4s"},
		{"suspended", model.Member{Belief: model.Suspended, ExpiresFrom: modeltest.Start.Add(4 * time.Second)}, "expired"},
		{"lost", model.Member{Belief: model.Lost, ExpiresFrom: modeltest.Start.Add(4 * time.Second)}, "expired"},
		{"healthy", model.Member{Belief: model.Leading, ExpiresFrom: modeltest.Start.Add(4 * time.Second)}, "unknown"},
		{"ExpiresFrom unknown", model.Member{Fault: model.Killed, FaultAt: fault}, "unknown silent 4s"},
		{"fault of unknown time", model.Member{Fault: model.Killed, ExpiresFrom: modeltest.Start}, "expired"},
		{"fault after the end", model.Member{Fault: model.Killed, FaultAt: modeltest.Start.Add(time.Hour), ExpiresFrom: modeltest.Start}, "expired silent 0s"},
	} {
		for _, how := range []string{"stays", "departs", "has a new session"} {
			t.Run(c.name+"/"+how, func(t *testing.T) {
				s := modeltest.NewScript(t, model.Config{})
				c.member.ID, c.member.Session, c.member.Znode = "a", 1, s.Join(1)
				s.Join(2)
				s.Read()
				s.Apply(&model.Cast{At: s.Tree.Now, Member: c.member})
				s.After(4 * time.Second)
				switch how {
				case "departs":
					s.Apply(&model.Cast{At: s.Tree.Now, Member: model.Member{ID: "a"}, Gone: true})
				case "has a new session":
					s.Apply(&model.Cast{At: s.Tree.Now, Member: model.Member{ID: "a", Session: 77}})
				}
				s.Tree.Delete("n_0000000000")
				s.After(2 * time.Second)
				r := s.W.Read(false, false, nil)
				r.Notified = modeltest.Start.Add(5 * time.Second)
				s.Want(s.Apply(r), "2 6s left .", "3 6s handoff . > 1. "+c.want)
				if r := s.J.State().Reigns; len(r) != 2 || !r[1].FromKnown {
					t.Errorf("reigns %+v, want 2, the second with a known beginning", r)
				}
			})
		}
	}
}

func TestMemberDepartsBeforeItsZnode(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{})
	m := model.Member{ID: "a", Session: 1, Znode: s.Join(1)}
	s.Read()
	s.Apply(&model.Cast{At: s.Tree.Now, Member: m})
	m.Ending = model.Closing
	s.Apply(&model.Cast{At: s.Tree.Now, Member: m, Gone: true})
	if got := s.J.State().Member(s.J.State().Leader()); got == nil || got.Ending != model.Closing {
		t.Errorf("the leader's member is %+v, want one that closes its session", got)
	}
	s.Tree.DeleteParent()
	s.Want(s.Read(), "2 0s left .", "3 0s handoff . > nobody closed", "4 0s missed 0 0 false")
	for range 3 {
		s.Read()
	}
	if got := s.J.State().Member(&dialect.Candidate{Znode: znode.Znode{Session: 1}}); got != nil {
		t.Errorf("member %+v of a deleted znode after 3 reads, want none", got)
	}
}

func TestTwoMembersOfOneSession(t *testing.T) {
	for range 20 { // the order of a map is random
		s := modeltest.NewScript(t, model.Config{})
		s.Join(1)
		s.Read()
		s.Apply(&model.Cast{At: s.Tree.Now, Member: model.Member{ID: "b", Session: 1, Ending: model.Closing}})
		s.Apply(&model.Cast{At: s.Tree.Now, Member: model.Member{ID: "a", Session: 1, Ending: model.Resigning}})
		if m := s.J.State().Member(s.J.State().Leader()); m.ID != "a" {
			t.Fatalf("the leader's member is %s, want a", m.ID)
		}
		s.Tree.Delete("n_0000000000")
		s.Want(s.Read(), "2 0s left .", "3 0s handoff . > nobody resigned")
	}
}

func TestHandoffInAGap(t *testing.T) {
	s := modeltest.NewScript(t, modeltest.Acked)
	a, b := s.Join(1), s.Join(2)
	s.Read()
	s.Ack(a)
	s.Apply(&model.Cast{At: s.Tree.Now, Member: model.Member{ID: "a", Session: 1, Fault: model.Killed, FaultAt: s.Tree.Now}})
	s.After(time.Second)
	s.Want(s.Apply(&model.Connection{At: s.Tree.Now, Link: model.Disconnected}), "2 1s link disconnected")
	s.Tree.Delete(a)
	s.After(time.Hour)
	s.Want(s.Apply(&model.Connection{At: s.Tree.Now, Link: model.Connected, Session: 9}), "3 1h0m1s link connected")
	s.Want(s.Apply(s.W.Read(true, false, nil)),
		"4 1h0m1s left .", "5 1h0m1s handoff . > 1. unknown", "6 1h0m1s state live 1")
	s.Ack(b)
	st := s.J.State()
	if h := st.Handoffs[0]; h.Takeover != nil || h.Silent != nil {
		t.Errorf("a handoff in a gap: Takeover known %v, Silent known %v; want false, false", h.Takeover != nil, h.Silent != nil)
	}
	if st.Reigns[1].FromKnown {
		t.Error("the beginning of a reign that began in a gap is known, want unknown")
	}
	if st.Totals.Led != time.Second || st.Totals.Vacant != 0 {
		t.Errorf("totals %+v, want 1s led and no time of the gap", st.Totals)
	}
}

func TestTimeWithoutALeader(t *testing.T) {
	s := modeltest.NewScript(t, modeltest.Acked)
	s.Join(1)
	s.Read()
	s.Tree.Delete("n_0000000000")
	s.Want(s.Read(), "2 0s left .", "3 0s handoff . > nobody unknown") // nobody can acknowledge
	s.After(3 * time.Second)
	b := s.Join(2)
	s.Want(s.Read(), "4 3s joined 1.")
	s.After(20 * time.Millisecond)
	s.Want(s.Ack(b), "5 3s handoff nobody > 1. unknown takeover 20ms vacant 3s")
	if got := s.J.State().Totals; got.Vacant != 3*time.Second || got.Led != 20*time.Millisecond {
		t.Errorf("totals %+v, want 3s vacant and 20ms led", got)
	}
}

func TestLeaderOvertakenByALowerNumber(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{})
	s.Tree.Creates, s.Tree.Deletes = 9, 9
	s.Tree.Create("n_0000000005", false, 1, "")
	s.Read()
	s.Apply(&model.Cast{At: s.Tree.Now, Member: model.Member{ID: "a", Session: 1, Ending: model.Resigning, Fault: model.Killed, FaultAt: s.Tree.Now}})
	s.Tree.Create("n_0000000004", false, 2, "")
	s.Want(s.Read(), "2 0s joined 4.", "3 0s handoff 5. > 4. unknown")
}

func TestAckBeforeTheReadOfTheHandoff(t *testing.T) {
	s, b := leaderDeleted(t, modeltest.Acked)
	s.After(30 * time.Millisecond)
	s.Want(s.Ack(b))
	s.After(20 * time.Millisecond)
	r := s.W.Read(false, false, nil)
	r.Notified = modeltest.Start.Add(10 * time.Millisecond)
	s.Want(s.Apply(r), "2 50ms left .", "3 50ms handoff . > 1. unknown takeover 20ms")
}

func TestAckOfAnEarlierReign(t *testing.T) {
	s := modeltest.NewScript(t, modeltest.Acked)
	s.Tree.Creates, s.Tree.Deletes = 9, 9
	s.Tree.Create("n_0000000005", false, 1, "")
	s.Read()
	s.Ack("n_0000000005")
	s.After(time.Second)
	s.Tree.Create("n_0000000004", false, 2, "")
	s.Read()
	s.After(2 * time.Second)
	s.Advance()
	s.Tree.Delete("n_0000000004")
	s.Want(s.Read(), "4 3s left 4.", "5 3s handoff 4. > 5. unknown")
	s.After(time.Second)
	s.Ack("n_0000000005")
	if h := s.J.State().Handoffs[1]; h.Takeover != nil {
		t.Errorf("takeover %v, want none", *h.Takeover)
	}
}

func TestHandoffWaitsForTheAck(t *testing.T) {
	s, b := leaderDeleted(t, modeltest.Acked)
	s.Want(s.Read(), "2 0s left .")
	due, ok := s.J.Held()
	if want := modeltest.Start.Add(model.AckWait); !ok || !due.Equal(want) {
		t.Errorf("Held = %v, %v; want %v", due, ok, want)
	}
	s.After(10 * time.Millisecond)
	s.Join(3)
	s.Tree.Delete(s.Join(4))
	s.Want(s.Read())
	s.Want(s.Advance())
	s.After(10 * time.Millisecond)
	s.Want(s.Apply(&model.Ack{At: s.Tree.Now, Presence: model.Absent}))
	if h := s.J.State().Handoffs; len(h) != 1 || h[0].Takeover != nil {
		t.Errorf("handoffs in the state: %+v, want 1 without a takeover", h)
	}
	s.After(10 * time.Millisecond)
	s.Want(s.Ack(b), "3 0s handoff . > 1. unknown takeover 30ms", "4 10ms joined 2.", "5 10ms missed 1 1 true")
	if _, ok := s.J.Held(); ok {
		t.Error("events are held after the acknowledgement")
	}
	if h := s.J.State().Handoffs[0]; *h.Takeover != 30*time.Millisecond {
		t.Errorf("takeover in the state: %v, want 30ms", *h.Takeover)
	}
}

func TestHandoffWaitsAtMostAckWait(t *testing.T) {
	s, b := leaderDeleted(t, modeltest.Acked)
	s.Read()
	s.After(model.AckWait - 1)
	s.Want(s.Advance())
	s.After(1)
	s.Want(s.Advance(), "3 0s handoff . > 1. unknown")
	before := s.J.State()
	s.After(time.Second)
	s.Want(s.Ack(b), "4 2s acknowledged 1. takeover 2s")
	if h := s.J.State().Handoffs[0]; h.Takeover == nil || *h.Takeover != 2*time.Second {
		t.Error("after a late acknowledgement, the state's handoff has no takeover of 2s")
	}
	if before.Handoffs[0].Takeover != nil {
		t.Error("an older state was changed")
	}
}

func TestSnapshotWaitsForTheAcknowledgement(t *testing.T) {
	start := func() (s *modeltest.Script, a string) {
		s = modeltest.NewScript(t, model.Config{AckPath: "/leader"})
		a = s.Join(1)
		s.Join(2)
		s.Want(s.Read())
		s.After(10 * time.Millisecond)
		return s, a
	}
	s, a := start()
	s.Want(s.Ack(a), "1 0s state live 2")
	s, _ = start()
	s.Join(3)
	s.Want(s.Read(), "1 0s state live 2", "2 10ms joined 2.")
	s, _ = start()
	s.After(model.AckWait)
	s.Want(s.Advance(), "1 0s state live 2")
	s.Ack(a)
	s.Apply(&model.Connection{At: s.Tree.Now, Link: model.Disconnected})
	s.Apply(&model.Connection{At: s.Tree.Now, Link: model.Connected, Session: 9})
	s.Want(s.Read())
	s.Want(s.Ack(a), "4 1.01s state live 2")
}

func TestHandoffWaitsUntilTheNextHandoff(t *testing.T) {
	s := modeltest.NewScript(t, modeltest.Acked)
	a, b, c := s.Join(1), s.Join(2), s.Join(3)
	s.Read()
	s.Tree.Delete(a)
	s.Read()
	s.After(10 * time.Millisecond)
	s.Tree.Delete(b)
	s.Want(s.Read(), "3 0s handoff . > 1. unknown", "4 10ms left 1.")
	s.After(10 * time.Millisecond)
	s.Want(s.Ack(c), "5 10ms handoff 1. > 2. unknown takeover 10ms")
	if h := s.J.State().Handoffs; h[0].Takeover != nil {
		t.Errorf("takeover %v of the first handoff, want none: only the second handoff was acknowledged", *h[0].Takeover)
	}
}

func TestHandoffWaitsUntilTheConnectionIsLost(t *testing.T) {
	for _, link := range []model.Link{model.Disconnected, model.Expired, model.Connecting} {
		s, b := leaderDeleted(t, modeltest.Acked)
		s.Read()
		s.After(10 * time.Millisecond)
		s.Want(s.Apply(&model.Connection{At: s.Tree.Now, Link: link}),
			"3 0s handoff . > 1. unknown", "4 10ms link "+string(link))
		s.After(time.Hour)
		s.Apply(&model.Connection{At: s.Tree.Now, Link: model.Connected, Session: 9})
		s.Ack(b)
		if h := s.J.State().Handoffs[0]; h.Takeover != nil {
			t.Errorf("takeover across a gap: %v, want none", *h.Takeover)
		}
	}
}

func TestHandoffWaitsUntilTheClockGoesBackFar(t *testing.T) {
	s, _ := leaderDeleted(t, modeltest.Acked)
	s.Read()
	s.After(-time.Millisecond)
	s.Want(s.Advance())
	s.After(-time.Hour)
	s.Want(s.Advance(), "3 0s handoff . > 1. unknown")
}

func TestWaitingEventsAreBounded(t *testing.T) {
	s, _ := leaderDeleted(t, modeltest.Acked)
	got := len(s.Read())
	const heldMax = 4096
	const n = 2 * heldMax
	for range n / 2 {
		name := s.Join(3)
		got += len(s.Read())
		s.Tree.Delete(name)
		got += len(s.Read())
	}
	if got < n-heldMax || got > n+3 {
		t.Errorf("%d of %d events were released, want all but at most %d", got, n, heldMax)
	}
}

func TestHandoffWaitsIfAnAckIsExpected(t *testing.T) {
	for name, c := range map[string]struct {
		cfg  model.Config
		link model.Link
		seen bool
		held bool
	}{
		"no acknowledgement path":  {cfg: model.Config{}},
		"none expected, none seen": {cfg: model.Config{AckPath: "/leader"}},
		"one was seen":             {cfg: model.Config{AckPath: "/leader"}, seen: true, held: true},
		"expected":                 {cfg: modeltest.Acked, held: true},
		"expected, not connected":  {cfg: modeltest.Acked, link: model.Disconnected},
	} {
		s := modeltest.NewScript(t, c.cfg)
		a := s.Join(1)
		s.Join(2)
		s.Read()
		if c.seen {
			s.Ack(a)
		}
		if c.link != "" {
			s.Apply(&model.Connection{At: s.Tree.Now, Link: c.link})
		}
		s.Tree.Delete(a)
		s.Read()
		if _, held := s.J.Held(); held != c.held {
			t.Errorf("%s: held %v, want %v", name, held, c.held)
		}
	}
}

func TestRefreshOfTheLeader(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{})
	a := s.Join(1)
	s.Join(2)
	s.Read()
	old := s.J.State()
	z := s.Tree.Children[a]
	z.Data = znode.NewData([]byte("renamed"))
	s.Tree.Children[a] = z
	s.After(time.Second)
	s.Want(s.Apply(s.W.Refresh(a)))
	st := s.J.State()
	if l := st.Leader(); l.Label() != "renamed" || !l.SeenAt.Equal(modeltest.Start) {
		t.Errorf("leader %+v, want the new data and the old SeenAt", l)
	}
	if st.Reigns[0].Leader != st.Leader() || old.Reigns[0].Leader != old.Leader() || old.Leader().Label() != "host1" {
		t.Error("a state's reign has another leader than the state, or the refresh changed the older state")
	}
	s.Want(s.Apply(&model.Refresh{At: s.Tree.Now, Znode: znode.Znode{Name: "stranger"}}))
	s.Want(s.Apply(&model.Refresh{At: s.Tree.Now, Znode: znode.Znode{Name: a, Unread: true}}))

	s.Tree.Delete(a)
	s.Tree.Create(a, false, 3, "again")
	s.Want(s.Read(), "2 1s missed 1 1 true")
	s.After(time.Second)
	s.Want(s.Apply(s.W.Refresh(a)), "3 2s handoff . > . unknown")
	l := s.J.State().Leader()
	if l.Session != 3 || l.Joined || !l.SeenAt.Equal(s.Tree.Now) {
		t.Errorf("leader %+v, want the new znode, not seen joining", l)
	}
	s.Want(s.Apply(s.W.Read(true, false, nil)))
}

func TestConnectionEvents(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{})
	s.Read()
	link := func(l model.Link, session uint64, rtt time.Duration) []string {
		return s.Apply(&model.Connection{At: s.Tree.Now, Link: l, Session: session, Server: "127.0.0.1:2181", RTT: rtt})
	}
	s.Want(link(model.Connected, 9, time.Millisecond))
	s.After(time.Second)
	s.Want(link(model.Disconnected, 9, 0), "2 1s link disconnected")
	for range 3 {
		s.After(time.Second)
		s.Want(link(model.Connecting, 9, 0))
		s.Want(link(model.Disconnected, 9, 0))
	}
	st := s.J.State()
	if !st.DownSince.Equal(modeltest.Start.Add(time.Second)) || st.Reconnects != 0 {
		t.Errorf("down since %v with %d reconnects, want 1 s after the start and 0", st.DownSince, st.Reconnects)
	}
	s.Want(link(model.Expired, 9, 0), "3 4s link expired")
	s.Want(link(model.Connected, 10, 0), "4 4s link connected")
	st = s.J.State()
	if !st.DownSince.IsZero() || st.Reconnects != 1 {
		t.Errorf("down since %v with %d reconnects, want not down and 1", st.DownSince, st.Reconnects)
	}
	s.Want(s.Read(), "5 4s state live 0")
	s.Want(link(model.Connected, 11, 0), "6 4s link connected")
	s.Want(s.Read(), "7 4s state live 0")
	if st := s.J.State(); st.Reconnects != 2 {
		t.Errorf("%d reconnects, want 2", st.Reconnects)
	}
}

func TestDuplicatesInARead(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{})
	a := s.Join(1)
	z := s.Tree.Children[a]
	s.Apply(&model.Read{At: s.Tree.Now, Presence: model.Present, Parent: s.Tree.Stat(), Full: true, New: []znode.Znode{z, z}})
	if n := s.J.State().Queue.Len(); n != 1 {
		t.Fatalf("%d contenders in the queue, want 1", n)
	}
	s.Tree.Delete(a)
	s.Want(s.Apply(&model.Read{At: s.Tree.Now, Presence: model.Present, Parent: s.Tree.Stat(), Gone: []string{a, a, "stranger"}}),
		"2 0s left .", "3 0s handoff . > nobody unknown")
}

func TestTimesInAStateHaveNoMonotonicReadings(t *testing.T) {
	now := time.Now()
	j := doctor.NewJournal(modeltest.Acked)
	j.Apply(&model.Read{At: now, Presence: model.Absent})
	if s := j.State(); s.At != now.Round(0) || s.ReadAt != now.Round(0) {
		t.Errorf("At %v and ReadAt %v, want %v without a monotonic reading", s.At, s.ReadAt, now)
	}
	j.Apply(&model.Advance{At: now.Add(1)})
	if s := j.State(); s.At != now.Round(0).Add(1) {
		t.Errorf("At %v, want 1 ns after %v", s.At, now)
	}
}

func TestSwitchOfTheRecipe(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{})
	s.Join(1)
	s.Join(2)
	s.Tree.Create("DONE", false, 1, "")
	s.Read()
	before := s.J.State()
	s.Want(s.Apply(&model.Switch{At: s.Tree.Now, Recipe: "herd"}))
	s.Want(s.Apply(&model.Switch{At: s.Tree.Now, Recipe: "no such"}))
	st := s.J.State()
	if st.Recipe.Name() != "herd" || before.Recipe.Name() != "election" || st.Queue.Len() != 2 || len(st.Ignored) != 1 {
		t.Errorf("recipe %s, %d contenders, %d others, before %s; want herd, 2, 1, election", st.Recipe.Name(), st.Queue.Len(), len(st.Ignored), before.Recipe.Name())
	}
}

func TestCausesFromZnodes(t *testing.T) {
	cause := func(s *modeltest.Script, want model.Cause, evidence string) {
		t.Helper()
		h := s.J.State().Handoffs[0]
		if h.Cause != want || !strings.Contains(h.Evidence, evidence) {
			t.Errorf("cause %s, evidence %q; want %s, %q", h.Cause, h.Evidence, want, evidence)
		}
	}
	t.Run("a new znode in the same read", func(t *testing.T) {
		s, _ := leaderDeleted(t, model.Config{})
		again := s.Join(1)
		s.Read()
		cause(s, model.CauseDeleted, again)
	})
	t.Run("a new znode in a later read", func(t *testing.T) {
		s, _ := leaderDeleted(t, model.Config{})
		s.Read()
		before := s.J.State()
		cause(s, model.CauseUnknown, "--admin")
		again := s.Join(1)
		s.Read()
		cause(s, model.CauseDeleted, again)
		if m := s.J.State().Handoffs[0].Measures()[0]; m.Why != model.NotSilent {
			t.Errorf("the duration of the silence is unknown because of %s, want %s", m.Why, model.NotSilent)
		}
		if before.Handoffs[0].Cause != model.CauseUnknown {
			t.Error("the cause in an older state changed")
		}
	})
	t.Run("a new znode of another session", func(t *testing.T) {
		s, _ := leaderDeleted(t, model.Config{})
		s.Join(3)
		s.Read()
		s.Join(4)
		s.Read()
		cause(s, model.CauseUnknown, "--admin")
	})
	t.Run("an older znode of the session", func(t *testing.T) {
		s := modeltest.NewScript(t, model.Config{})
		a := s.Join(1)
		s.Join(2)
		other := s.Join(1)
		s.Read()
		s.Tree.Delete(a)
		s.Read()
		cause(s, model.CauseDeleted, other)
	})
}

func TestReignBounds(t *testing.T) {
	t.Parallel()
	const second = time.Second
	for _, c := range []struct {
		name             string
		change           func(s *modeltest.Script)
		earliest, latest time.Duration
	}{
		{"the former leader left", func(s *modeltest.Script) {
			a := s.Join(1)
			s.After(second)
			s.Join(2)
			s.After(second)
			s.Join(3)
			s.After(45 * second)
			s.Tree.Delete(a)
			s.After(12 * second)
		}, second, 59 * second},
		{"a candidate joined after the former leader left", func(s *modeltest.Script) {
			a := s.Join(1)
			s.After(second)
			s.Join(2)
			s.After(45 * second)
			s.Tree.Delete(a)
			s.After(2 * second)
			s.Join(3)
			s.After(10 * second)
		}, second, 58 * second},
		{"a candidate behind the leader left", func(s *modeltest.Script) {
			s.Tree.Delete(s.Join(1))
			s.After(second)
			s.Join(2)
			a := s.Join(3)
			s.After(45 * second)
			s.Tree.Delete(a)
			s.After(12 * second)
		}, second, 58 * second},
		{"nobody ever left", func(s *modeltest.Script) {
			s.Join(1)
			s.After(45 * second)
			s.Join(2)
			s.After(12 * second)
		}, 0, 0},
		{"the creation of the leader's znode was the last change", func(s *modeltest.Script) {
			s.Tree.Delete(s.Join(1))
			s.After(45 * second)
			s.Join(2)
			s.After(12 * second)
		}, 45 * second, 45 * second},
		{"the servers' clock is ahead", func(s *modeltest.Script) {
			s.Tree.Delete(s.Join(1))
			s.After(time.Hour)
			s.Join(2)
			s.After(-time.Hour + second)
		}, second, second},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := modeltest.NewScript(t, model.Config{})
			c.change(s)
			s.Read()
			r, ok := s.J.State().Reign()
			if !ok || r.FromKnown || !r.From.Equal(s.Tree.Now) {
				t.Fatalf("Reign = %+v, %v; want a reign with an unknown beginning, first seen now", r, ok)
			}
			if e, l := r.Earliest.Sub(modeltest.Start), r.Latest.Sub(modeltest.Start); e != c.earliest || l != c.latest {
				t.Errorf("the reign began between %s and %s, want %s and %s", e, l, c.earliest, c.latest)
			}
		})
	}
}

func TestRandomReignBounds(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 24))
		s := modeltest.NewScript(t, model.Config{})
		first, since := "", time.Time{}
		change := func() {
			for range 1 + random.IntN(8) {
				s.After(time.Duration(1+random.IntN(20)) * time.Second)
				if names := s.Tree.Names(); len(names) > 0 && random.IntN(2) == 0 {
					s.Tree.Delete(names[random.IntN(len(names))])
				} else {
					s.Join(1 + random.Uint64N(3))
				}
				if names := s.Tree.Names(); len(names) == 0 {
					first = ""
				} else if names[0] != first {
					first, since = names[0], s.Tree.Now
				}
			}
			s.After(time.Duration(random.IntN(10)) * time.Second)
		}
		check := func(when string) {
			r, ok := s.J.State().Reign()
			if ok != (first != "") || ok && (since.Before(r.Earliest) || since.After(r.Latest) || r.Latest.After(s.Tree.Now)) {
				t.Fatalf("seed %d, %s: Reign = %+v, %v; want bounds around %s, when %q became the head", seed, when, r, ok, since, first)
			}
		}
		change()
		s.Read()
		check("first read")
		s.Apply(&model.Connection{At: s.Tree.Now, Link: model.Disconnected})
		change()
		s.Apply(&model.Connection{At: s.Tree.Now, Link: model.Connected, Session: 9})
		s.Apply(s.W.Read(true, false, nil))
		check("after a gap")
	}
}
