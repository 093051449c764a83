package wording

import (
	"slices"
	"strings"

	"electop/model"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/znode"
	"electop/ui/rows"
	"electop/ui/term"
)

// Headline says in one line who leads, since when, and who is next, or why nobody is
// said to lead. It follows [doctor.State.Lead], as the rows do.
func Headline(f *term.Frame, s *doctor.State, stale, ended bool) (term.Style, string) {
	l := s.Leader()
	switch {
	case stale:
		text := "as of " + f.Clock(f.Picture) + " " + past(s) + "; what happened since is not known"
		if why := znode.Safe(s.Link.Err, 0); why != "" && !ended {
			text += ": " + why
		}
		return term.Trouble, text
	case s.Phase != model.Live:
		return term.Muted, ""
	}
	believer := deceived(s)
	if l == nil {
		e := phrase.NoLeader(s)
		st := Style(e.Severity)
		if believer != "" {
			st = max(st, term.Trouble)
		}
		return st, joined(believer, e.Sentence)
	}
	st := Style(phrase.Lead(s).Severity)
	if believer != "" {
		st = max(st, term.Trouble)
	}
	text := phrase.RoleHolders(s, phrase.Label)
	t, _ := ExpiryOf(s, rows.Leader(s))
	switch s.Lead() {
	case doctor.AtRisk:
		text += ": " + t.Expires(f.Busy())
		switch risk := s.Risk(l); {
		case risk.Next != nil && Holders(s) == 1:
			text += ". " + risk.Next.Label() + " would take over"
		case Single(s):
			text += ". " + strings.TrimSuffix(Sentence(TakeOver(s)), ".")
		case risk.Next == nil && !risk.Queueless:
			text += ". Nobody is next"
		}
		return st, joined(believer, text)
	case doctor.Faulty:
		text += ": " + t.Expires(f.Busy())
	default:
		text += reigns(f, s)
	}
	return st, joined(believer, text) + next(s)
}

// joined puts one statement before another.
func joined(first, then string) string {
	if first == "" {
		return then
	}
	return first + "; " + then
}

// past is what was so when the picture was current.
func past(s *doctor.State) string {
	switch l := s.Leader(); {
	case l == nil && s.First() != nil && !Registry(s):
		return phrase.Label(s.First()) + " was first and not said to lead"
	case l == nil:
		return "nobody led"
	case s.Lead() != doctor.Leads:
		return "so: " + phrase.RoleHolders(s, phrase.Label)
	case Locks(s):
		return l.Label() + " held the lock"
	default:
		return l.Label() + " led"
	}
}

// reigns says since when, or for how long, the first contender is first.
func reigns(f *term.Frame, s *doctor.State) string {
	r, ok := s.Reign()
	since := ""
	switch {
	case !ok:
		return ""
	case r.FromKnown:
		since = " since " + f.Clock(r.From)
	case r.Earliest.Equal(r.Latest):
		since = " since about " + f.Clock(r.Earliest)
	}
	switch led := phrase.Led(r, f.Calm()); {
	case s.Lead() == doctor.Leads:
		return since + ", " + led
	case since == "":
		return ", first " + led
	}
	return ", first" + since
}

// next says who is next.
func next(s *doctor.State) string {
	switch n := Holders(s); {
	case Single(s):
		return ". There is no queue. " + strings.TrimSuffix(Sentence(TakeOver(s)), ".")
	case n == s.Queue.Len():
		return ". Nobody is next"
	default:
		return ". " + s.Queue.At(n).Label() + " is next"
	}
}

// deceived names a candidate of electop that believes it leads and is not the first,
// "" for none.
func deceived(s *doctor.State) string {
	first := s.Member(s.Leader())
	for _, id := range s.Properties.Believers {
		if m := rows.Member(s, id); m != nil && (first == nil || first.ID != m.ID) {
			if n := len(s.Properties.Believers); n > 2 || n == 2 && first != nil && !slices.Contains(s.Properties.Believers, first.ID) {
				return "several candidates wrongly believe they lead"
			}
			return znode.Safe(m.Name, rows.NameMax) + " wrongly believes it leads"
		}
	}
	return ""
}
