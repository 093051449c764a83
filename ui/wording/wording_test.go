package wording

import (
	"testing"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/ui/term"
)

var start = time.Date(2026, time.March, 14, 11, 57, 51, 3e6, time.UTC)

func TestExpiryIsAnUpperBound(t *testing.T) {
	unknown := doctor.NewJournal(model.Config{}).State()
	c := &dialect.Candidate{Znode: znode.Znode{Name: "n_1", Session: 1}}
	m := &model.Member{Fault: model.Killed, FaultAt: start, Timeout: 4 * time.Second}
	tr, ok := ExpiryOf(unknown, model.Row{Candidate: c, Member: m})
	if !ok || !tr.Latest.Equal(start.Add(8*time.Second)) {
		t.Fatalf("got expiry %+v, %v, want it at most 8 s after the fault", tr, ok)
	}
	for _, x := range []struct {
		at   time.Duration
		want string
	}{{0, "expires ≤ 8 s"}, {100 * time.Millisecond, "expires ≤ 8 s"}, {7500 * time.Millisecond, "expires ≤ 1 s"}, {8 * time.Second, "overdue"}} {
		if got := tr.Expires(start.Add(x.at)); got != x.want {
			t.Errorf("%v after the fault: got %q, want %q", x.at, got, x.want)
		}
	}
	if _, ok := ExpiryOf(unknown, model.Row{Candidate: c, Member: &model.Member{}}); ok {
		t.Error("got an expiry of a member without a fault")
	}
	if _, ok := ExpiryOf(unknown, model.Row{Member: m, Position: -1}); ok {
		t.Error("got an expiry of a member without a znode")
	}
	if tr, ok := ExpiryOf(unknown, model.Row{Candidate: c, Member: &model.Member{Fault: model.Frozen}}); !ok || tr.Expires(start) != "expires with its session" {
		t.Errorf("no timeout is known: got expiry %+v, %v, want one without a bound", tr, ok)
	}
	j := doctor.NewJournal(model.Config{})
	held := func(session uint64) Expiry {
		j.Apply(&model.Pace{At: start, Steps: true, Waiting: 1, Held: []model.Message{{Session: session, Op: "getChildren", Since: start}}})
		frozen := *m
		frozen.Session, frozen.Fault = 1, model.Frozen
		tr, _ := ExpiryOf(j.State(), model.Row{Candidate: c, Member: &frozen})
		return tr
	}
	if tr := held(1); tr.Known() {
		t.Errorf("a message of the session is held: got expiry %+v, want no bound", tr)
	}
	if tr := held(2); !tr.Known() {
		t.Errorf("a message of another session is held: got expiry %+v, want a bound", tr)
	}
}

func TestFateOfAFrozenLeader(t *testing.T) {
	j := doctor.NewJournal(model.Config{})
	j.Apply(&model.Advance{At: start})
	for after, want := range map[time.Duration]string{-time.Millisecond: "session expired", time.Millisecond: "znode deleted"} {
		m := &model.Member{Fault: model.Frozen, Belief: model.Leading, ExpiresFrom: start.Add(after)}
		if got, want := FateOf(j.State(), m).Words, want+"; still believes it leads"; got != want {
			t.Errorf("the session can expire from %v on: got %q, want %q", after, got, want)
		}
	}
}

func TestSeveralWrongBelieversAreNotNamed(t *testing.T) {
	j := doctor.NewJournal(model.Config{Path: "/e"})
	for i, want := range []string{"amber wrongly believes it leads", "several candidates wrongly believe they lead"} {
		name := []string{"amber", "birch"}[i]
		j.Apply(&model.Cast{At: start, Member: model.Member{ID: name, Name: name, Belief: model.Leading, Fault: model.Frozen}})
		if got := wrongBeliever(&term.Frame{Now: start, Picture: start}, j.State()); got != want {
			t.Errorf("%d candidates believe they lead: got %q, want %q", i+1, got, want)
		}
	}
}

func TestShareAndShortSession(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Share(0, 0), ""}, {Share(9999999, 10000000), "99.9 %"}, {Share(1, 1), "100 %"},
		{ShortSession(0xa1), "0xa1"}, {ShortSession(0x10000a1b2c300a1), "1…00a1"}, {ShortSession(0), "-"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestAddressed(t *testing.T) {
	s := &doctor.State{State: &model.State{Path: "/e", Members: []*model.Member{{Name: "birch", Session: 2}}}}
	for want, m := range map[string]model.Message{
		"the notification to birch, n_12 deleted":                  {Session: 2, Op: "notification", Event: "deleted", Path: "/e/guid-n_0000000012"},
		"the notification to birch, n_13 deleted":                  {Session: 2, Op: "notification", Event: "deleted", Path: "/e/196ad0d4520ff72a02c9c98a1b2c3d4e-n_0000000013"},
		"the notification to birch, the children of e changed":     {Session: 2, Op: "notification", Event: "children", Path: "/e"},
		"the notification to birch, its connection changed":        {Session: 2, Op: "notification"},
		"the reply to birch, getChildren":                          {Session: 2, Op: "getChildren", Path: "/e"},
		"the reply to birch, getData e-leader: NoNode":             {Session: 2, Op: "getData", Path: "/e-leader", Err: "NoNode"},
		"the reply to session " + ShortSession(3) + ", create n_7": {Session: 3, Op: "create", Path: "/e/n_0000000007"},
	} {
		if got := Addressed(s, &m); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
