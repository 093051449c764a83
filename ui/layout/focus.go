package layout

// shownOn reports whether p can have the focus on a screen of that shape.
func (p Panel) shownOn(w, h int, s Shape) bool {
	if p == Lesson && !s.Lesson || p == Messages && !s.Messages {
		return false
	}
	s.Focus, s.Zoomed = p, s.Zoomed && p >= Selected
	a := Arrange(w, h, s)
	return !a.Panel[p].Empty() || p == Recipe && !a.Belief.Empty() || a.Header.Empty()
}

// Focused is the panel that has the focus: another one where that of s is not on the
// screen.
func (s Shape) Focused(w, h int) Panel {
	switch {
	case s.Focus.shownOn(w, h, s):
		return s.Focus
	case s.Focus == Handoffs && s.Lesson:
		return Lesson
	case s.Focus == Lesson:
		return Handoffs
	}
	return Candidates
}

// Next is the panel that gets the focus next.
func (s Shape) Next(w, h int) Panel {
	for p := (s.Focus + 1) % Panels; p != s.Focus; p = (p + 1) % Panels {
		if p.shownOn(w, h, s) {
			return p
		}
	}
	return s.Focus
}

// Name is what the footer calls the panel, where leaders have workers or not.
func (p Panel) Name(workers bool) string {
	if p == Recipe && workers {
		return "belief"
	}
	return [Panels]string{"candidates", "recipe", "handoffs", "messages", "lesson", "candidate", "doctor", "servers"}[p]
}

// PanelAt is the panel of the main screen at (x, y), false if there is none.
func (a *Arrangement) PanelAt(x, y int) (Panel, bool) {
	for p, r := range a.Panel {
		if r.Has(x, y) {
			return Panel(p), true
		}
	}
	if a.Belief.Has(x, y) || a.Brief.Has(x, y) {
		return Recipe, true
	}
	return 0, false
}
