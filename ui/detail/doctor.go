package detail

import (
	"cmp"
	"strings"

	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/znode"
	"electop/ui/overlay"
	"electop/ui/plain"
	"electop/ui/term"
	"electop/ui/wording"
)

// Doctor returns the findings of the election and what was not checked, on lines of w cells.
func (v *Panel) Doctor(f *term.Frame, w int) overlay.Text {
	s, found := v.State, v.State.Early()
	title := "Doctor"
	if badge := wording.FindingsBadge(s); badge != "" {
		title += "  " + badge
	}
	var out facts
	if v.Stale != "" {
		out = facts{{Name: "stale", Label: term.Alarm, Style: term.Trouble, Text: v.Stale}, {}}
	}
	notChecked := plain.NotChecked(s)
	if s.Answers == nil {
		notChecked[0].Setting, notChecked[0].Why = nil, cmp.Or(v.Why, "v queries the servers")
	}
	if len(notChecked) > 0 && len(found) > 0 {
		out = append(out, term.Fact{Name: "not checked", Style: term.Muted, Text: plain.Brief(notChecked)}, term.Fact{})
	}
	for _, x := range found {
		out = append(append(out, finding(f, s.Path, x)...), term.Fact{})
	}
	if len(found) == 0 {
		text, well := phrase.NothingFound(s)
		result := term.Fact{Style: term.Strong, Text: text}
		if well {
			result.Name, result.Label = f.Theme.Glyph.Yes, term.Good
		}
		out = append(out, result, term.Fact{})
	}
	name := "not checked"
	for _, u := range notChecked {
		out.add(name, term.Text, u.String())
		name = ""
	}
	if len(notChecked) == 0 {
		n := f.Int(int64(len(s.Answers.Servers)))
		out.add("servers", term.Text, n+" of "+n+" queried servers answered")
	}
	if s.Answers != nil {
		out.safe("risk", term.Text, wording.RiskWarning(s))
	}
	return overlay.Text{Title: title, Lines: term.FactLines(w, out)}
}

func finding(f *term.Frame, path string, x *doctor.Finding) facts {
	st, sign, word := wording.Severity(&f.Theme.Glyph, x.Severity)
	title := znode.Safe(x.Title, 0)
	if !x.Since.IsZero() {
		title += "   found at " + f.Clock(x.Since)
	}
	out := facts{{Name: sign + " " + word, Label: st, Style: term.Strong, Text: title}}
	name := "seen"
	for _, e := range x.Evidence {
		out.add(name, term.Text, znode.Safe(e, 0))
		name = ""
	}
	out.safe("harm", term.Text, x.Harm)
	out.safe("do", term.Text, x.Advice)
	var znodes, ids []string
	for _, z := range x.Znodes {
		znodes = append(znodes, strings.TrimPrefix(z, path+"/"))
	}
	for _, id := range x.Sessions {
		ids = append(ids, znode.Hex(id))
	}
	if len(znodes) > 0 {
		out.add("znodes", term.Muted, phrase.Names(znodes, 4))
	}
	if len(ids) > 0 {
		out.add("sessions", term.Muted, phrase.Names(ids, 4))
	}
	out.safe("see", term.Muted, strings.Join(x.References, ", "))
	return out
}
