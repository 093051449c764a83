package wording

import (
	"strings"

	"electop/model"
	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/rows"
	"electop/ui/term"
)

// Headline says in one line who leads, since when, and who is next.
func Headline(f *term.Frame, s *doctor.State, stale, ended bool) (term.Style, string) {
	l := s.Leader()
	switch {
	case stale:
		words := "as of " + f.Clock(f.Picture) + " " + Label(l) + map[bool]string{false: " led", true: " held the lock"}[Locks(s)]
		words += "; what happened since is not known"
		if why := znode.Safe(s.Link.Err, 0); why != "" && !ended {
			words += ": " + why
		}
		return term.Trouble, words
	case s.Phase != model.Live:
		return term.Muted, ""
	case l == nil:
		return NoLeader(s)
	}
	var b strings.Builder
	t, troubled := ExpiryOf(s, rows.Leader(s))
	switch {
	case !troubled:
		b.WriteString(RoleHolders(s))
	case t.Faulty():
		b.WriteString(l.Label() + " is in trouble, " + RoleOf(s).Holder)
	default:
		b.WriteString(l.Label() + " is at risk: " + t.Expires(f.Busy(), false))
		if next := t.Found.Next; next != nil && Holders(s) == 1 {
			b.WriteString(". " + next.Label() + " would take over")
		} else if Single(s) {
			b.WriteString(". " + strings.TrimSuffix(Sentence(TakeOver(s)), "."))
		} else if next == nil && !t.Found.Queueless {
			b.WriteString(". Nobody is next")
		}
		return term.Alarm, b.String()
	}
	if n := len(s.Reigns); n > 0 && s.Reigns[n-1].To.IsZero() {
		about := "since "
		if !s.Reigns[n-1].FromKnown {
			about = "since about "
		}
		b.WriteString(" " + about + f.Clock(s.Reigns[n-1].From) + ", for " + units.Age(f.Calm().Sub(s.Reigns[n-1].From)))
	}
	n := Holders(s)
	switch {
	case Single(s):
		b.WriteString(". There is no queue. " + strings.TrimSuffix(Sentence(TakeOver(s)), "."))
	case n == len(s.Queue):
		b.WriteString(". Nobody is next")
	default:
		b.WriteString(". " + s.Queue[n].Label() + " is next")
	}
	if troubled {
		return term.Trouble, b.String()
	}
	return term.Muted, b.String()
}
