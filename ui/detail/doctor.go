package detail

import (
	"strings"

	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/pager"
	"electop/ui/term"
	"electop/ui/wording"
)

// Doctor is the findings of the election, as they are read at three in the morning, and what was
// not checked, on lines of w cells.
func (v *Panel) Doctor(f *term.Frame, w int) pager.Text {
	title := "Doctor"
	if badge := wording.FindingsBadge(v.State); badge != "" {
		title += "  " + badge
	}
	return pager.Text{Title: title, Lines: term.FactLines(w, v.diagnosis(f))}
}

// diagnosis is what the doctor has to say.
func (v *Panel) diagnosis(f *term.Frame) []term.Fact {
	s, stale, why := v.State, v.Stale, v.Why
	found := s.Early()
	var out []term.Fact
	add := func(name string, st term.Style, text string) {
		out = append(out, term.Fact{Name: name, Style: st, Text: text})
	}
	if stale != "" {
		out = append(out, term.Fact{Name: "stale", Label: term.Alarm, Style: term.Trouble, Text: stale}, term.Fact{})
	}
	if gap := gapBrief(s, why); gap != "" && len(found) > 0 {
		out = append(out, term.Fact{Name: "not checked", Style: term.Muted, Text: gap}, term.Fact{})
	}
	for i, x := range found {
		if i > 0 {
			add("", term.Text, "")
		}
		out = append(out, finding(f, s.Path, x)...)
	}
	if len(found) > 0 {
		add("", term.Text, "")
	} else {
		text, well := phrase.NothingFound(s)
		verdict := term.Fact{Style: term.Strong, Text: text}
		if well {
			verdict.Name, verdict.Label = f.Theme.Glyph.Yes, term.Good
		}
		out = append(out, verdict)
		add("", term.Text, "")
		add("checked", term.Text, checked(s))
	}
	if t := s.Answers; t == nil {
		text := "The servers were not asked for watches, connections and sessions. So watches are inferred from the recipe, and a lost connection shows only when its znode is deleted."
		if why == "" {
			text += " v asks them."
		} else {
			text += " They cannot be: " + why
		}
		add("not checked", term.Text, text)
	} else {
		holes := unanswered(t)
		if len(holes) == 0 {
			add("servers", term.Text, "all that were asked answered: "+addresses(t))
		}
		for i, text := range holes {
			name := "not checked"
			if i > 0 {
				name = ""
			}
			add(name, term.Text, text)
		}
	}
	if text := wording.RiskWarning(s); text != "" && s.Answers != nil {
		add("risk", term.Text, text)
	}
	return out
}

// gapBrief is in one line what the servers did not report, with the setting that
// would allow it; "" for nothing.
func gapBrief(s *doctor.State, why string) string {
	t := s.Answers
	switch {
	case t == nil && why == "":
		return "watches, connections and sessions; v asks the servers"
	case t == nil:
		return "watches, connections and sessions; more at the end"
	}
	holes := unanswered(t)
	if len(holes) == 0 {
		return ""
	}
	text := holes[0]
	if n := len(holes) - 1; n > 0 {
		text += "; " + units.Count(n, "more gap", "more gaps") + " at the end"
	}
	return text
}

// finding is one finding: what, by what
// it is known, what it does, what to do.
func finding(f *term.Frame, path string, x *doctor.Finding) []term.Fact {
	st, sign, word := wording.Severity(&f.Theme.Glyph, x.Severity)
	found := ""
	if !x.Since.IsZero() {
		found = "   found at " + f.Clock(x.Since)
	}
	out := []term.Fact{{Name: sign + " " + word, Label: st, Style: term.Strong, Text: znode.Safe(x.Title, 0) + found}}
	for i, e := range x.Evidence {
		name := "seen"
		if i > 0 {
			name = ""
		}
		out = append(out, term.Fact{Name: name, Style: term.Text, Text: znode.Safe(e, 0)})
	}
	add := func(name, text string) {
		if text != "" {
			out = append(out, term.Fact{Name: name, Style: term.Text, Text: text})
		}
	}
	add("harm", znode.Safe(x.Harm, 0))
	add("do", znode.Safe(x.Advice, 0))
	if len(x.Znodes) > 0 {
		short := make([]string, 0, len(x.Znodes))
		for _, z := range x.Znodes { // those of this election by their names
			short = append(short, strings.TrimPrefix(z, path+"/"))
		}
		out = append(out, term.Fact{Name: "znodes", Style: term.Muted, Text: phrase.Names(short, 4)})
	}
	if len(x.Sessions) > 0 {
		var ids []string
		for _, id := range x.Sessions {
			ids = append(ids, znode.Hex(id))
		}
		out = append(out, term.Fact{Name: "sessions", Style: term.Muted, Text: phrase.Names(ids, 4)})
	}
	if len(x.References) > 0 {
		out = append(out, term.Fact{Name: "see", Style: term.Muted, Text: znode.Safe(strings.Join(x.References, ", "), 0)})
	}
	return out
}

// checked says what an empty list of findings rests on.
func checked(s *doctor.State) string {
	parts := []string{"the queue and its history"}
	if s.Ack.Path != "" {
		parts = append(parts, "the acknowledgement")
	}
	if s.Answers != nil {
		parts = append(parts, answeredBy(s.Answers)...)
	}
	return strings.Join(parts, ", ")
}
