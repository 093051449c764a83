package mainscreen

import (
	"electop/ui/input"
	"electop/ui/layout"
)

// Next is the panel that gets the focus next, on a screen of w by h cells.
func (x *Screen) Next(w, h int) layout.Panel { return x.shape().Next(w, h) }

// Turn gives a panel the focus, and keeps which one had it for [Screen.Close].
func (x *Screen) Turn(p layout.Panel) {
	if x.Focus < layout.Selected {
		x.under.focus, x.under.zoomed = x.Focus, x.Zoomed
	}
	x.Focus = p
}

// Open gives a text the focus, from its beginning. It fills the screen, of w by h cells, unless all
// of it is there already. Open reports false where the text had the focus: then it is closed.
func (x *Screen) Open(p layout.Panel, w, h int) bool {
	if x.Focus == p {
		x.Close()
		return false
	}
	zoomed := layout.Arrange(w, h, x.shape()).Panel[p].Empty() || x.text(p).Long()
	x.Turn(p)
	x.Zoomed = zoomed
	x.text(p).Top()
	return true
}

// Closes reports whether there is something for [Screen.Close] to do.
func (x *Screen) Closes() bool { return x.Zoomed || x.Focus >= layout.Selected }

// Close leaves a text, for what was on the screen before it, or ends the zoom.
func (x *Screen) Close() {
	if x.Zoomed = false; x.Focus >= layout.Selected {
		x.Focus, x.Zoomed = x.under.focus, x.under.zoomed
	}
}

// Move moves what has the focus, and reports whether a candidate was selected by it.
func (x *Screen) Move(do input.Command) (chose bool) {
	switch {
	case x.Focus >= layout.Selected:
		x.text(x.Focus).Move(do)
	case x.Lesson != nil && (x.Focus == layout.Lesson || x.Lesson.Pages(do)):
		x.Lesson.Scroll(do)
	case x.Focus == layout.Messages:
		x.Messages.Move(do)
	case x.Focus == layout.Handoffs:
		x.Handoffs.Move(do)
	case do != input.CmdLeft && do != input.CmdRight:
		x.Candidates.Move(do)
		return true
	case x.Zoomed && x.Focus == layout.Candidates:
		return x.Candidates.Column(do)
	}
	return false
}

// Wheel moves a panel as a notch of the wheel does: a text by so many lines, a selection
// by one. It reports whether a candidate was selected by it.
func (x *Screen) Wheel(p layout.Panel, do input.Command, lines int) (chose bool) {
	if p == layout.Candidates {
		x.Candidates.Move(do)
		return true
	}
	for range lines {
		switch {
		case p == layout.Handoffs:
			x.Handoffs.Move(do)
		case p == layout.Messages:
			x.Messages.Move(do)
		case p == layout.Lesson && x.Lesson != nil:
			x.Lesson.Scroll(do)
		case p >= layout.Selected:
			x.text(p).Move(do)
		}
	}
	return false
}
