package layout

import (
	"electop/ui/messages"
	"electop/ui/term"
)

// arrangeAside puts what a very wide screen has room for into columns at the right of
// body, and returns the rest of it.
func (a *Arrangement) arrangeAside(body term.Rect, s Shape) term.Rect {
	const asideLines, asideLeast = 26, 12 // of a panel that is not always there
	column := term.Rect{Y: body.Y, W: min(max(52, body.W*33/100), 70), H: body.H}
	take := func() term.Rect {
		body.W -= column.W
		column.X = body.X + body.W
		return column
	}
	rest := take()
	if s.Lesson {
		r := rest
		r.H = max(rest.H/2, min(lessonMost+2, rest.H-messages.Lines))
		a.Panel[Lesson] = r
		rest.Y, rest.H = rest.Y+r.H, rest.H-r.H
	}
	if s.Messages && body.W+rest.W >= asidesFrom {
		a.Panel[Messages] = take()
		s.Messages = false
	}
	// What is left is for what enter, ! and S show, the most important first.
	low := func(lines int) term.Rect { // takes lines from the end of rest
		r := rest
		r.Y, r.H = rest.Y+rest.H-lines, lines
		rest.H -= lines
		return r
	}
	if rest.H >= 3*asideLines {
		a.Panel[Servers] = low(rest.H - 2*asideLines)
	}
	if rest.H >= 2*asideLines+asideLeast || !s.Messages && rest.H >= 2*asideLeast {
		a.Panel[Doctor] = low(min(asideLines, rest.H/2))
	}
	switch about := min(asideLines, rest.H*2/5); {
	case !s.Messages:
		a.Panel[Selected] = rest
	case about < asideLeast:
		a.Panel[Messages] = rest
	default:
		a.Panel[Selected] = low(about)
		a.Panel[Messages] = rest
	}
	return body
}
