package detail

import (
	"strings"

	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/znode"
	"electop/ui/overlay"
	"electop/ui/plain"
	"electop/ui/term"
	"electop/ui/wording"
)

// Doctor is the findings of the election, as they are read at three in the morning, and what was
// not checked, on lines of w cells.
func (v *Panel) Doctor(f *term.Frame, w int) overlay.Text {
	title := "Doctor"
	if badge := wording.FindingsBadge(v.State); badge != "" {
		title += "  " + badge
	}
	return overlay.Text{Title: title, Lines: term.FactLines(w, v.diagnosis(f))}
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
	holes := plain.NotChecked(s)
	if s.Answers == nil {
		holes[0].Setting = nil
		if holes[0].Why = "v asks the servers"; why != "" {
			holes[0].Why = why
		}
	}
	if len(holes) > 0 && len(found) > 0 {
		out = append(out, term.Fact{Name: "not checked", Style: term.Muted, Text: plain.Brief(holes)}, term.Fact{})
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
		out = append(out, verdict, term.Fact{})
	}
	name := "not checked"
	for _, u := range holes {
		add(name, term.Text, u.String())
		name = ""
	}
	if len(holes) == 0 {
		add("servers", term.Text, "all "+f.Int(int64(len(s.Answers.Servers)))+" that were asked answered")
	}
	if text := wording.RiskWarning(s); text != "" && s.Answers != nil {
		add("risk", term.Text, text)
	}
	return out
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
