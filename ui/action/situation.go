package action

import (
	"electop/model"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/ui/rows"
)

// NoneSelected is why nothing can be done to the selected candidate if there is none.
const NoneSelected = "no candidate is selected. j and k select one"

// Situation is what decides at a moment what a key would do, and whether it can be done.
type Situation struct {
	State    *doctor.State
	ReadOnly bool   // the keys that change something are disabled
	Held     string // why nothing can be done to the election while its picture is held, "": it is not
	Ended    bool   // there will be no newer state
	// By is who does it, and can say why not; nil: nobody.
	By interface{ Why(Action) string }
}

// Offer returns what a key of that kind means for the candidate in r, and the reason why
// it cannot be done, if it cannot. arg is "" where the kind decides.
func (x Situation) Offer(kind Kind, arg string, r rows.Row) (a Action, why string) {
	s, def := x.State, Of(kind)
	a = Action{Kind: kind, Election: s.Path, Arg: arg}
	var m *model.Member
	if def.OfCandidate {
		switch {
		case r.Member != nil:
			a.Target, m = r.Member.ID, r.Member
		case r.Candidate != nil:
			a.Target = znode.Join(s.Path, r.Candidate.Name)
		default:
			return a, NoneSelected
		}
		if kind == Refresh && r.Candidate != nil {
			a.Arg = znode.Join(s.Path, r.Candidate.Name)
		}
	}
	if def.Next != nil {
		if m == nil && def.OfCandidate {
			m = new(model.Member)
		}
		a.Arg = def.Next(s, m)
	}
	return a, x.Refuses(a)
}

// Refuses returns why a cannot be done now, "" if it can.
func (x Situation) Refuses(a Action) string {
	switch {
	case x.ReadOnly && a.Kind.Changes():
		return "read-only. Start without --observe-only to act"
	case x.Held != "" && a.Kind != Open && a.Kind != Discover:
		return x.Held
	case x.Ended:
		return "the source has ended. Start electop again"
	case x.By == nil:
		return "read-only"
	}
	why := x.By.Why(a)
	if why == "" && a.Kind == Step && !slowed(x.State) {
		// Else a stray key would stop everything.
		why = "nothing is held at full speed. [ slows the server down"
	}
	return znode.Safe(why, 0)
}
