package model_test

import (
	"slices"
	"testing"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/internal/modeltest"
	"electop/model/znode"
)

type naiveProperties struct {
	model.Properties
	at          time.Time
	connected   bool
	gap         bool
	read        bool
	led         bool
	works       bool
	leaderKnown bool
	twoBelieve  bool // two or more members believe that they lead
	twoAwake    bool // two or more of these are awake
	vacant      time.Duration
	previous    map[dialect.ID]bool // the contenders of the previous state
}

func (n *naiveProperties) apply(o model.Observation, s *doctor.State) {
	at := o.When()
	if n.at.IsZero() {
		n.at = at
	}
	r, isRead := o.(*model.Read)
	d := max(0, at.Sub(n.at))
	n.at = n.at.Add(d)
	if len(n.Believers) >= 2 {
		n.DoubleFor += d
	}
	if n.led && n.leaderKnown && !(isRead && r.Gap) {
		n.Observed += d
		if n.works {
			n.Working += d
		} else {
			n.vacant += d
			n.LongestVacancy = max(n.LongestVacancy, n.vacant)
		}
	} else if isRead && r.Gap {
		n.VacantSince, n.vacant = time.Time{}, 0
	}

	switch {
	case isRead && r.Presence == model.Denied:
		n.gap = true
	case isRead:
		n.gap, n.read = false, true
	case n.connected && s.Link.Link != model.Connected:
		n.gap = n.gap || n.read
	}
	n.connected = s.Link.Link == model.Connected
	n.leaderKnown = n.read && !n.gap && s.Link.Link == model.Connected

	var believers []string
	awake := 0
	for _, m := range s.Members {
		if m.Belief == model.Leading && m.Fault != model.Killed {
			believers = append(believers, m.ID)
			if m.Fault != model.Frozen {
				awake++
			}
		}
	}
	slices.Sort(believers)
	if len(believers) >= 2 && !n.twoBelieve {
		n.Doubles++
	}
	if awake >= 2 && !n.twoAwake {
		n.AwakeDoubles++
	}
	n.Believers, n.twoBelieve, n.twoAwake = believers, len(believers) >= 2, awake >= 2

	n.works = awake > 0 || s.Leader() != nil && s.Member(s.Leader()) == nil
	n.led = n.led || n.leaderKnown && n.works
	switch {
	case !n.led || !n.leaderKnown || n.works:
		n.VacantSince, n.vacant = time.Time{}, 0
	case n.VacantSince.IsZero():
		n.VacantSince = n.at
	}

	stayed, owned, exists := map[uint64]int{}, map[uint64]int{}, map[dialect.ID]bool{}
	for _, c := range s.Queue.All() {
		if n.previous[c.ID()] {
			stayed[c.Session]++
		}
		owned[c.Session]++
		exists[c.ID()] = true
	}
	for session, now := range owned {
		shares := s.Dialect != nil && s.Dialect.Foreign() && !s.Ours(session) // a Curator client may have several latches
		if now >= 2 && stayed[session] < 2 && !shares {
			n.Ghosts++
		}
	}
	n.previous = exists
}

func TestWorkingTime(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{})
	a := s.Join(1)
	s.Cast("a", model.Leading, model.NoFault, 1)
	s.Read()
	s.After(time.Second)
	s.Cast("a", model.Leading, model.Killed, 1)
	s.Apply(&model.Cast{At: s.Tree.Now, Member: model.Member{ID: "a", Session: 1, Znode: a, Fault: model.Killed}, Gone: true})
	s.After(4 * time.Second)
	s.Read()
	if p := s.J.State().Properties; p.Working != time.Second || p.LongestVacancy != 4*time.Second || p.VacantSince.IsZero() {
		t.Errorf("while the killed member's znode exists: %+v, want 1s working and a vacancy of 4s", p)
	}
	s.Join(77)
	s.Tree.Delete(a)
	s.Read()
	s.After(time.Second)
	s.Advance()
	if p := s.J.State().Properties; p.Working != 2*time.Second || !p.VacantSince.IsZero() {
		t.Errorf("while a third-party client leads: %+v, want 2s working and no vacancy", p)
	}
	s.Cast("b", model.Waiting, model.NoFault, 77) // it is first, but does not believe that it leads
	s.After(time.Second)
	s.Advance()
	s.Cast("b", model.Waiting, model.NoFault, 78) // the znode of session 77 is still b's
	s.After(time.Second)
	s.Advance()
	if p := s.J.State().Properties; p.Working != 2*time.Second || p.Observed != 8*time.Second {
		t.Errorf("after a member changed its session: %+v, want 2s working of 8s", p)
	}
	s.Tree.Delete("n_0000000001")
	s.Join(79)
	c := model.Member{ID: "c", Session: 79}
	s.Apply(&model.Cast{At: s.Tree.Now, Member: c})
	s.Read()
	s.After(time.Second)
	c.Session = 80 // so the znode of session 79 is a third party's
	s.Apply(&model.Cast{At: s.Tree.Now, Member: c})
	s.After(time.Second)
	s.Advance()
	if p := s.J.State().Properties; p.Working != 3*time.Second || p.Observed != 10*time.Second {
		t.Errorf("at the end: %+v, want 3s working of 10s", p)
	}
}

func TestGhosts(t *testing.T) {
	for _, c := range []struct {
		name, prefix string
		ours         bool
		want         int
	}{
		{"electop's naming", "0123456789abcdef0123456789abcdef-n_", false, 2},
		{"a client with several candidates", "n_", false, 0},
		{"several latches of one client", "_c_01234567-89ab-cdef-0123-456789abcdef-latch-", false, 0},
		{"a member, with the recipe's naming", "n_", true, 2},
		{"a lock", "lock-", false, 0},         // the owners may be threads of one process
		{"unknown naming", "thing", false, 0}, // it may be a lock
		{"a member, with unknown naming", "thing", true, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := modeltest.NewScript(t, model.Config{})
			join := func(session uint64) string { return s.Tree.Create(c.prefix, true, session, "") }
			a, b := join(1), join(2)
			if c.ours {
				s.Cast("a", model.Waiting, model.NoFault, 1)
			}
			s.Read()
			s.Tree.Delete(a)
			a = join(1)
			s.Read()
			if p := s.J.State().Properties; p.Ghosts != 0 {
				t.Errorf("%d ghosts of sessions with one contender each, want 0", p.Ghosts)
			}
			again := join(1)
			s.Read()
			if r := s.W.Refresh(a); r != nil {
				r.Znode.Data = znode.NewData([]byte("new"))
				s.Apply(r)
			}
			join(1)
			s.Read()
			s.Apply(s.W.Read(true, false, nil))
			s.Apply(&model.Switch{At: s.Tree.Now, Recipe: "herd"})
			s.Tree.Delete(b)
			s.Read()
			for _, name := range []string{a, again} {
				s.Tree.Delete(name)
			}
			s.Read()
			join(1)
			s.Read()
			if p := s.J.State().Properties; p.Ghosts != c.want {
				t.Errorf("%d ghosts, want %d", p.Ghosts, c.want)
			}
		})
	}
}

func TestNoGhostsAfterDeletions(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{})
	s.Join(1)
	s.Read()
	s.Tree.DeleteParent()
	s.Read()
	s.Tree.CreateParent(0)
	a := s.Join(1)
	s.Read()
	s.Apply(&model.Switch{At: s.Tree.Now, Recipe: "kazoo-lock"}) // no child is a contender in this recipe
	s.Tree.Delete(a)
	s.Read()
	s.Apply(&model.Switch{At: s.Tree.Now, Recipe: "election"})
	s.Join(1)
	s.Read()
	if p := s.J.State().Properties; p.Ghosts != 0 {
		t.Errorf("%d ghosts, want 0", p.Ghosts)
	}
}

func TestBroken(t *testing.T) {
	for _, c := range []struct {
		state model.State
		want  []string
	}{
		{model.State{}, nil},
		{model.State{Properties: model.Properties{Doubles: 3, DoubleFor: time.Hour, LongestVacancy: time.Hour}}, nil},
		{model.State{Properties: model.Properties{AwakeDoubles: 2}}, []string{"two awake leaders, 2 times"}},
		{model.State{Totals: model.Totals{MissedCreates: 1, MissedDeletes: 1}}, []string{"2 changes missed"}},
		{model.State{Totals: model.Totals{Unknown: 1}}, []string{"an unknown number of changes missed, 1 time"}},
		{
			model.State{Properties: model.Properties{AwakeDoubles: 1, Ghosts: 1}, Totals: model.Totals{MissedDeletes: 1}},
			[]string{"two awake leaders, 1 time", "1 change missed", "1 ghost: a session owns two candidates"},
		},
	} {
		if got := c.state.Broken(); !slices.Equal(got, c.want) || got == nil != (c.want == nil) {
			t.Errorf("broken %q, want %q", got, c.want)
		}
	}
}
