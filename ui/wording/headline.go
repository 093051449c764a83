// Package wording has the short descriptions that the panels, the header and the footer share: who
// leads, what a candidate watches, when a session expires, which fault a member has, which messages
// the server holds. A countdown is an upper bound ([Expiry]).
package wording

import (
	"cmp"
	"slices"
	"strconv"
	"unicode"
	"unicode/utf8"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/term"
)

// Headline returns one line about the election, "" for a current state that is neither live nor an
// open barrier. stale means that s is outdated. ended means that no newer state comes. rows means that
// the screen shows the leader's row, which shows when the leader's session expires.
func Headline(f *term.Frame, s *doctor.State, stale, ended, rows bool) (term.Style, string) {
	l := s.Leader()
	switch {
	case stale:
		text := "as of " + f.Clock(f.Picture) + " " + past(s) + "; what happened since is not known"
		if why := znode.Safe(s.Link.Err, 0); why != "" && !ended {
			text += ": " + why
		}
		return term.Trouble, text
	case s.Phase != model.Live && !phrase.Open(s):
		return term.Muted, ""
	}
	believer, none := wrongBeliever(f, s), phrase.NoLeader(s)
	st := Style(cmp.Or(none.Severity, phrase.Lead(s).Severity))
	if believer != "" {
		st = max(st, term.Trouble)
	}
	switch {
	case phrase.Unclear(s):
		return term.Muted, joined(believer, "nothing shows what the znode is for: it has no children")
	case l == nil:
		return st, joined(believer, none.Sentence)
	}
	text := phrase.RoleHolders(s, phrase.Label)
	if t, ok := ExpiryOf(s, s.LeaderRow()); ok && !rows {
		text += ": " + t.Expires(f.Busy())
	}
	switch s.Lead() {
	case doctor.AtRisk:
		switch risk := s.Risk(l); {
		case risk.Next != nil && s.Holders() == 1:
			text += ". " + phrase.NextWords(s) + " would take over"
		case Single(s):
			text += ". " + Capital(TakeOver(s))
		case risk.Next == nil && !risk.Queueless:
			text += ". Nobody is next"
		}
		return st, joined(believer, text)
	case doctor.Faulty:
	default:
		text += reigns(f, s)
	}
	return st, joined(believer, text) + successors(s)
}

func joined(first, then string) string {
	if first == "" {
		return then
	}
	return first + "; " + then
}

func past(s *doctor.State) string {
	switch l := s.Leader(); {
	case s.Roleless():
		return phrase.NoLeader(s).Sentence
	case l == nil && s.First() != nil:
		return phrase.Label(s.First()) + " was first, but not known to lead"
	case l == nil:
		return s.Words("nobody led")
	case s.Lead() != doctor.Leads:
		return "the state was: " + phrase.RoleHolders(s, phrase.Label)
	default:
		return l.Label() + s.Words(" led")
	}
}

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

func successors(s *doctor.State) string {
	switch words := phrase.NextWords(s); {
	case Single(s):
		return ". There is no queue. " + Capital(TakeOver(s))
	case words == "":
		return ". Nobody is next"
	case len(s.Next()) > 1:
		return ". " + words + " are next"
	default:
		return ". " + words + " is next"
	}
}

func wrongBeliever(f *term.Frame, s *doctor.State) (words string) {
	for _, id := range s.Properties.Believers {
		if m := s.MemberByID(id); Wrong(f, s, m) {
			if words != "" {
				return s.Words("several candidates wrongly believe they lead")
			}
			words = znode.Safe(m.Name, znode.NameMax) + s.Words(" wrongly believes it leads")
		}
	}
	return words
}

// Wrong returns [model.State.WronglyLeads] at the picture's time; m may be nil.
func Wrong(f *term.Frame, s *doctor.State, m *model.Member) bool {
	if m == nil {
		return false
	}
	f.At(m.StepAt.Add(model.WrongAfter))
	return s.WronglyLeads(m, f.Picture)
}

// Capital makes the first letter of words upper case; words must not be empty.
func Capital(words string) string {
	r, n := utf8.DecodeRuneInString(words)
	return string(unicode.ToUpper(r)) + words[n:]
}

// Sentence returns words with a capital letter and a full stop.
func Sentence(words string) string { return Capital(words) + "." }

// TakeOver names the programs that could take over in an election without a queue.
func TakeOver(s *doctor.State) string { return doctor.Could("take over", s.Standbys()) }

// Foreign returns the dialect of the election, nil for no dialect and for electop's own.
func Foreign(s *doctor.State) *dialect.Dialect {
	if s.Dialect == nil || !s.Dialect.Foreign() {
		return nil
	}
	return s.Dialect
}

// Single reports whether the election has no queue: its path is the leader's own znode.
func Single(s *doctor.State) bool { return s.Dialect != nil && s.Dialect.Single }

// IsHerd reports whether the recipe is the herd: all waiting candidates watch the first znode.
func IsHerd(s *doctor.State) bool {
	if s.Queue.Len() < 3 {
		return s.Recipe.Name() == dialect.Herd().Name()
	}
	t, ok := s.Recipe.Watches(s.Queue, 2)
	return ok && t == 0 && s.Kind() != dialect.KindShared // readers wait for one writer: no herd
}

// ShortZnode shortens a znode's name: n_12.
func ShortZnode(name string) string {
	if _, ok := znode.Sequence(name); ok {
		return cmp.Or(phrase.Stems[dialect.Stem(name)], "n_") + Number(name, 0)
	}
	return znode.Safe(name, 16)
}

// Number returns the sequence number in a znode's name, or znode.Safe(name, most) for a name without a number.
func Number(name string, most int) string {
	if n, ok := znode.Sequence(name); ok {
		return strconv.FormatInt(n, 10)
	}
	return znode.Safe(name, most)
}

// TookAbout formats m.Took, which must not be nil. An estimate begins with ~.
func TookAbout(m model.Measure) string {
	if m.Guess() {
		return "~" + units.Took(*m.Took)
	}
	return units.Took(*m.Took)
}

// Newest returns the newest handoff, nil if there was none.
func Newest(s *doctor.State) *model.Handoff {
	if n := len(s.Handoffs); n > 0 {
		return s.Handoffs[n-1]
	}
	return nil
}

// Followed describes how electop follows changes, "" if that is unknown or if the user chose reads instead of a watch.
func Followed(f *model.Follow) string {
	switch {
	case f == nil, f.Why == model.FollowByChoice:
		return ""
	case f.By == model.ByWatch:
		return "one watch"
	}
	return "reads" + map[model.FollowReason]string{
		model.FollowUnsupported: ": server before 3.6", model.FollowRefused: ": addWatch refused", model.FollowHidden: ": hidden children",
		model.FollowFlooded: ": too many other writes", model.FollowMissed: ": the watch missed changes",
	}[f.Why]
}

// Style returns the style of a severity, Muted for none.
func Style(v doctor.Severity) term.Style {
	return map[doctor.Severity]term.Style{"": term.Muted, doctor.Info: term.Text, doctor.Warning: term.Trouble, doctor.Critical: term.Alarm}[v]
}

// Severity returns the style, the sign and the word of a severity.
func Severity(g *term.Glyphs, v doctor.Severity) (st term.Style, sign, word string) {
	return Style(v), map[doctor.Severity]string{doctor.Info: g.Info, doctor.Warning: g.Warning, doctor.Critical: g.Critical}[v], string(v)
}

// FindingsBadge counts the findings, "" for none.
func FindingsBadge(s *doctor.State) string {
	if len(s.Findings) == 0 {
		return ""
	}
	text, critical := units.Count(len(s.Findings), "finding", "findings"), 0
	for _, x := range s.Findings {
		if x.Severity == doctor.Critical {
			critical++
		}
	}
	if critical > 0 {
		text += " (" + strconv.Itoa(critical) + " critical)"
	}
	return text
}

// About returns the findings that concern a candidate.
func About(s *doctor.State, c *dialect.Candidate) []*doctor.Finding {
	path := znode.Join(s.Path, c.Name)
	var out []*doctor.Finding
	for _, x := range s.Findings {
		if slices.Contains(x.Znodes, path) || c.Session != 0 && slices.Contains(x.Sessions, c.Session) {
			out = append(out, x)
		}
	}
	return out
}

// RiskWarning returns why electop may see no risk to the leader before the leader's znode is deleted, or "".
func RiskWarning(s *doctor.State) string {
	l := s.Leader()
	if l == nil {
		return ""
	}
	if why := s.RiskUnseen(l); why != "" {
		return "The znode of " + l.Label() + " may be deleted before electop sees a risk: " + znode.Safe(why, 0)
	}
	return ""
}
