package ui

import (
	"electop/ui/belief"
	"electop/ui/recipe"
	"electop/ui/term"
)

// The smallest screen the dashboard can be read on.
const (
	minWidth  = 60
	minHeight = 20
)

// wideFrom is the width from which the recipe stands beside the candidates.
const wideFrom = 100

// panel is a part of the main screen that can have the focus.
type panel int

const (
	panelCandidates panel = iota
	panelRecipe
	panelHandoffs // or the lesson that is on
	panels
)

// shape is what the arrangement depends on besides the screen's size.
type shape struct {
	focus   panel
	zoomed  bool // the panel with the focus fills the screen
	lesson  bool // one is on
	workers bool // leaders have workers: what is believed is shown
}

// arrangement is where everything is.
type arrangement struct {
	header       term.Rect
	panel        [panels]term.Rect
	belief       term.Rect // what is believed and what is so
	brief        term.Rect // the same on few lines
	status, keys term.Rect
}

// arrange lays out a screen of w by h cells. A narrow screen has no room for
// the recipe beside the candidates and shows it, when it has the focus, in
// their place, and without a lesson instead of everything else.
//
// Where leaders have workers, belief takes the place of the recipe, or is below
// it on a tall screen. A narrow screen shows it in brief in the place of the
// handoffs, until they have the focus.
func arrange(w, h int, s shape) arrangement {
	a := arrangePanels(w, h, s)
	if !s.workers {
		return a
	}
	if r := a.panel[panelRecipe]; r.H >= recipe.Lines+2+belief.Lines {
		a.belief = r
		a.belief.H = max(belief.Lines, r.H/2)
		a.belief.Y += r.H - a.belief.H
		a.panel[panelRecipe].H -= a.belief.H
	} else {
		a.belief, a.panel[panelRecipe] = r, term.Rect{}
	}
	if w < wideFrom && s.focus == panelCandidates && !s.lesson {
		a.brief, a.panel[panelHandoffs] = a.panel[panelHandoffs], term.Rect{}
	}
	return a
}

// arrangePanels lays out a screen with the recipe on it.
func arrangePanels(w, h int, s shape) arrangement {
	if w < minWidth || h < minHeight {
		return arrangement{}
	}
	a := arrangement{
		header: term.Rect{X: 0, W: w, H: 1},
		status: term.Rect{X: 0, Y: h - 2, W: w, H: 1},
		keys:   term.Rect{X: 0, Y: h - 1, W: w, H: 1},
	}
	body := term.Rect{X: 0, Y: 1, W: w, H: h - 3}
	if s.zoomed || w < wideFrom && s.focus == panelRecipe && !s.lesson {
		a.panel[s.focus] = body
		return a
	}
	low := max(6, body.H/3) // the strip, its axis and a handoff or two
	if s.focus == panelHandoffs && w < wideFrom {
		low = max(low, body.H/2)
	}
	if s.lesson {
		low = min(lessonMost, lessonRoom(h, false)) + 2
	}
	upper := term.Rect{X: 0, Y: body.Y, W: w, H: body.H - low}
	a.panel[panelHandoffs] = term.Rect{X: 0, Y: upper.Y + upper.H, W: w, H: low}
	if w < wideFrom {
		beside := panelCandidates
		if s.focus == panelRecipe {
			beside = panelRecipe
		}
		a.panel[beside] = upper
		return a
	}
	right := min(max(44, w*37/100), 58)
	a.panel[panelCandidates] = term.Rect{X: 0, Y: upper.Y, W: w - right, H: upper.H}
	a.panel[panelRecipe] = term.Rect{X: w - right, Y: upper.Y, W: right, H: upper.H}
	return a
}

// lessonMost is as much of a lesson as most parts need. How much the present one
// needs makes no difference, so that the panels keep their place.
const lessonMost = 22

// lessonRoom is how many lines of a lesson fit on a screen of h: half of it at
// most, so that what it is about stays in view.
func lessonRoom(h int, zoomed bool) int {
	if zoomed {
		return h - 5
	}
	return (h-3)/2 - 2
}

// body is everything between the header and the status line.
func (a arrangement) body() term.Rect {
	return term.Rect{X: 0, Y: a.header.Y + 1, W: a.header.W, H: a.status.Y - a.header.Y - 1}
}
