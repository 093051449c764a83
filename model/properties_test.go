package model_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/znode"
)

// naive works the properties out anew after each observation.
type naive struct {
	model.Properties
	at      time.Time
	linked  bool
	gap     bool
	read    bool
	led     bool
	works   bool
	sees    bool
	doubled bool
	awake2  bool
	vacant  time.Duration
	stood   map[dialect.ID]bool
}

// apply takes an observation and the state after it, of which it uses no
// properties.
func (n *naive) apply(o model.Observation, s *doctor.State) {
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
	if n.led && n.sees && !(isRead && r.Gap) {
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
	case n.linked && s.Link.Link != model.Connected:
		n.gap = n.gap || n.read
	}
	n.linked = s.Link.Link == model.Connected
	n.sees = n.read && !n.gap && s.Link.Link == model.Connected

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
	if len(believers) >= 2 && !n.doubled {
		n.Doubles++
	}
	if awake >= 2 && !n.awake2 {
		n.AwakeDoubles++
	}
	n.Believers, n.doubled, n.awake2 = believers, len(believers) >= 2, awake >= 2

	n.works = awake > 0 || s.Leader() != nil && s.Member(s.Leader()) == nil
	n.led = n.led || n.sees && n.works
	switch {
	case !n.led || !n.sees || n.works:
		n.VacantSince, n.vacant = time.Time{}, 0
	case n.VacantSince.IsZero():
		n.VacantSince = n.at
	}

	// Of what a read shows, what went did so first.
	stayed, owned, stands := map[uint64]int{}, map[uint64]int{}, map[dialect.ID]bool{}
	for _, c := range s.Queue {
		if n.stood[c.ID()] {
			stayed[c.Session]++
		}
		owned[c.Session]++
		stands[c.ID()] = true
	}
	for session, now := range owned {
		if now >= 2 && stayed[session] < 2 {
			n.Ghosts++
		}
	}
	n.stood = stands
}

func (s *script) cast(id string, belief model.Belief, fault model.Fault, session uint64) {
	s.apply(&model.Cast{At: s.tree.now, Member: model.Member{ID: id, Belief: belief, Fault: fault, Session: session, Znode: "n"}})
}

func (s *script) props() model.Properties { return s.j.State().Properties }

// A leader freezes, its session expires, another leads, and the first one thaws.
func TestFrozenLeader(t *testing.T) {
	s := newScript(t, model.Config{})
	s.read()
	s.after(time.Hour) // nobody stood yet: that is no vacancy
	a := s.join(1)
	s.cast("a", model.Waiting, model.NoFault, 1)
	s.read()
	s.after(time.Minute) // nor is this
	s.cast("a", model.Leading, model.NoFault, 1)
	s.join(2)
	s.cast("b", model.Waiting, model.NoFault, 2)
	s.read()
	s.after(10 * time.Second)
	s.cast("a", model.Leading, model.Frozen, 1)
	frozen := s.tree.now
	s.after(4 * time.Second)
	s.advance()
	if p := s.props(); !p.VacantSince.Equal(frozen) || p.LongestVacancy != 4*time.Second || p.Working != 10*time.Second || p.Observed != 14*time.Second {
		t.Errorf("while the leader is frozen: %+v", p)
	}
	s.tree.delete(a)
	s.read()
	s.after(time.Second)
	s.cast("b", model.Leading, model.NoFault, 2)
	s.after(3 * time.Second)
	s.advance()
	p := s.props()
	if fmt.Sprint(p.Believers) != "[a b]" || p.Doubles != 1 || p.AwakeDoubles != 0 || p.DoubleFor != 3*time.Second {
		t.Errorf("of two believers: %+v", p)
	}
	if !p.VacantSince.IsZero() || p.LongestVacancy != 5*time.Second || p.Working != 13*time.Second || p.Observed != 18*time.Second {
		t.Errorf("after the vacancy: %+v", p)
	}
	if b := s.j.State().Broken(); b != nil {
		t.Errorf("broken: %q", b)
	}
	s.cast("a", model.Leading, model.NoFault, 1) // as a wrong candidate would
	s.after(time.Second)
	s.cast("c", model.Leading, model.Partitioned, 3) // which makes it no worse
	s.cast("a", model.Suspended, model.NoFault, 1)
	s.cast("c", model.Leading, model.Killed, 3)
	s.after(time.Second)
	s.advance()
	if p := s.props(); p.Doubles != 1 || p.AwakeDoubles != 1 || p.DoubleFor != 4*time.Second || fmt.Sprint(p.Believers) != "[b]" {
		t.Errorf("of two awake: %+v", p)
	}
	if b := s.j.State().Broken(); len(b) != 1 || b[0] != "two awake leaders, 1 time" {
		t.Errorf("broken: %q", b)
	}
	s.cast("a", model.Leading, model.Frozen, 1)
	s.apply(&model.Cast{At: s.tree.now, Member: model.Member{ID: "a", Belief: model.Leading}, Gone: true})
	if p := s.props(); p.Doubles != 2 || fmt.Sprint(p.Believers) != "[b]" {
		t.Errorf("after the frozen one is gone: %+v", p)
	}
}

// Of an election of others the queue tells who works.
func TestVacancyOfOthers(t *testing.T) {
	s := newScript(t, model.Config{})
	s.read()
	a := s.join(1)
	s.after(time.Hour)
	s.read()
	s.after(10 * time.Second)
	s.tree.delete(a)
	s.read()
	s.after(2 * time.Second)
	b := s.join(2)
	s.read()
	s.after(time.Second)
	s.tree.delete(b)
	s.read()
	s.after(time.Second)
	s.apply(&model.Connection{At: s.tree.now, Link: model.Disconnected})
	if p := s.props(); !p.VacantSince.IsZero() {
		t.Errorf("vacant since %v, and nobody can tell", p.VacantSince)
	}
	s.after(time.Hour)
	s.apply(&model.Connection{At: s.tree.now, Link: model.Connected, Session: 9})
	s.after(time.Hour)
	s.apply(s.w.read(true, false, nil))
	since := s.tree.now
	s.after(1500 * time.Millisecond)
	s.advance()
	p := s.props()
	if p.Working != 11*time.Second || p.Observed != 15500*time.Millisecond || p.LongestVacancy != 2*time.Second || !p.VacantSince.Equal(since) {
		t.Errorf("%+v", p)
	}
	s.after(time.Second)
	s.advance()
	if p := s.props(); p.LongestVacancy != 2500*time.Millisecond {
		t.Errorf("the vacancy that goes on is not the longest: %+v", p)
	}
	if len(p.Believers) != 0 || p.Doubles != 0 {
		t.Errorf("strangers believe: %+v", p)
	}
}

// The znode of a dead member of ours stands until its session expires, and
// nobody works meanwhile. That of a stranger before it counts.
func TestDeadLeader(t *testing.T) {
	s := newScript(t, model.Config{})
	a := s.join(1)
	s.cast("a", model.Leading, model.NoFault, 1)
	s.read()
	s.after(time.Second)
	s.cast("a", model.Leading, model.Killed, 1)
	s.apply(&model.Cast{At: s.tree.now, Member: model.Member{ID: "a", Session: 1, Znode: a, Fault: model.Killed}, Gone: true})
	s.after(4 * time.Second)
	s.read()
	if p := s.props(); p.Working != time.Second || p.LongestVacancy != 4*time.Second || p.VacantSince.IsZero() {
		t.Errorf("while the dead one's znode stands: %+v", p)
	}
	s.join(77)
	s.tree.delete(a)
	s.read()
	s.after(time.Second)
	s.advance()
	if p := s.props(); p.Working != 2*time.Second || !p.VacantSince.IsZero() {
		t.Errorf("while a stranger leads: %+v", p)
	}
	s.cast("b", model.Waiting, model.NoFault, 77) // it is ours, and does not believe it
	s.after(time.Second)
	s.advance()
	s.cast("b", model.Waiting, model.NoFault, 78) // and that is what it left behind
	s.after(time.Second)
	s.advance()
	if p := s.props(); p.Working != 2*time.Second || p.Observed != 8*time.Second {
		t.Errorf("after a member left the first znode behind: %+v", p)
	}
	s.tree.delete("n_0000000001")
	s.join(79)
	nameless := model.Member{ID: "c", Session: 79}
	s.apply(&model.Cast{At: s.tree.now, Member: nameless})
	s.read()
	s.after(time.Second)
	nameless.Session = 80 // so it has been somebody else's
	s.apply(&model.Cast{At: s.tree.now, Member: nameless})
	s.after(time.Second)
	s.advance()
	if p := s.props(); p.Working != 3*time.Second || p.Observed != 10*time.Second {
		t.Errorf("in the end: %+v", p)
	}
}

func TestClockOfProperties(t *testing.T) {
	s := newScript(t, model.Config{})
	s.join(1)
	s.read()
	s.after(time.Second)
	s.advance()
	s.after(-time.Hour) // counted once
	s.advance()
	s.after(time.Hour)
	s.advance()
	if p := s.props(); p.Working != time.Second || p.Observed != time.Second {
		t.Errorf("%+v", p)
	}
}

func TestGhosts(t *testing.T) {
	for _, c := range []struct {
		name, prefix string
		ours         bool
		want         int
	}{
		{"a candidate of the recipe", "n_", false, 2},
		{"a lock", "lock-", false, 0},         // threads of one process
		{"unknown naming", "thing", false, 0}, // which may be one
		{"a member of ours, whatever the naming", "thing", true, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScript(t, model.Config{})
			stand := func(session uint64) string { return s.tree.create(c.prefix, true, session, "") }
			a, b := stand(1), stand(2)
			if c.ours {
				s.cast("a", model.Waiting, model.NoFault, 1)
			}
			s.read()
			s.tree.delete(a) // stands anew: that is none
			a = stand(1)
			s.read()
			if p := s.props(); p.Ghosts != 0 {
				t.Errorf("%d ghosts of sessions that own one each", p.Ghosts)
			}
			again := stand(1)
			s.read()
			stand(1) // of the same
			s.read()
			s.apply(s.w.read(true, false, nil))
			if r := s.w.refresh(a); r != nil {
				r.Znode.Data = znode.NewData([]byte("new"))
				s.apply(r)
			}
			s.apply(&model.Switch{At: s.tree.now, Recipe: "herd"})
			s.tree.delete(b)
			s.read()
			for _, name := range []string{a, again} {
				s.tree.delete(name)
			}
			s.read()
			stand(1)
			s.read()
			if p := s.props(); p.Ghosts != c.want {
				t.Errorf("%d ghosts, want %d", p.Ghosts, c.want)
			}
		})
	}
}

// Who stood no more for another reason than that it left does not count either.
func TestNoGhosts(t *testing.T) {
	s := newScript(t, model.Config{})
	s.join(1)
	s.read()
	s.tree.deleteParent()
	s.read()
	s.tree.createParent(0)
	a := s.join(1)
	s.read()
	s.apply(&model.Switch{At: s.tree.now, Recipe: "kazoo-lock"}) // by which none of these contends
	s.tree.delete(a)
	s.read()
	s.apply(&model.Switch{At: s.tree.now, Recipe: "election"})
	s.join(1)
	s.read()
	if p := s.props(); p.Ghosts != 0 {
		t.Errorf("%d ghosts", p.Ghosts)
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
