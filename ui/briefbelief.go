package ui

// brieflyBelief reports whether what is believed and what is true is shown in
// the place of the handoffs: on a screen with no room for it beside the
// candidates, until the handoffs have the focus.
func (d *dashboard) brieflyBelief() bool {
	return d.w < wideFrom && d.focus == panelCandidates && d.shown().Work.Rules.Workers
}

// drawBriefBelief draws the part of it that comes first: who believes, what is
// true, what was written; in the title, whether that was safe.
func (d *dashboard) drawBriefBelief(f *frame, r rect) {
	s := d.shown()
	tail := append([]span{fenceSpan(s)}, d.propertySpans(f)...)
	a := f.box(r, "Belief", false, tail...)
	w := a.width() - 2
	var lines [][]span
	add := func(line ...span) { lines = append(lines, line) }
	all := d.believers(f)
	nameWidth := nameWidthOf(all, w)
	if a.height() > 2*len(all) {
		add(believerHeads(nameWidth))
	}
	for _, b := range all {
		d.addBeliever(f, b, nameWidth, w, add)
	}
	add(append([]span{{styleMuted, "counter   ", 0}}, counterSpans(s, w >= roomyFrom)...)...)
	add(append([]span{{styleMuted, "tokens    ", 0}}, tries(s.Work.Tokens)...)...)
	drawLines(a, lines)
}
