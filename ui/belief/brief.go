package belief

import "electop/ui/term"

// DrawBrief draws the most important part: beliefs, the truth and the writes; in the
// title, whether that was safe.
func (v *Panel) DrawBrief(f *term.Frame, r term.Rect) {
	s := v.State
	tail := append([]term.Span{guardSpan(s)}, v.PropertySpans(f)...)
	a := f.Box(r, "Belief", false, tail...)
	w := a.Width() - 2
	var lines [][]term.Span
	add := func(line ...term.Span) { lines = append(lines, line) }
	all := v.believers(f)
	nameWidth := nameWidthOf(all, w)
	if a.Height() > 2*len(all) {
		add(believerHeads(nameWidth))
	}
	for _, b := range all {
		v.addBeliever(f, b, nameWidth, w, add)
	}
	add(append([]term.Span{{Style: term.Muted, Text: "counter   "}}, counterSpans(s, w >= roomyFrom)...)...)
	add(append([]term.Span{{Style: term.Muted, Text: "tokens    "}}, tries(s.Work.Tokens)...)...)
	drawLines(a, lines)
}
