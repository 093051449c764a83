package ui

// The smallest screen the dashboard can be read on.
const (
	minWidth  = 60
	minHeight = 20
)

// wideFrom is the width from which the recipe stands beside the candidates.
const wideFrom = 100

// rect is a part of the screen, in cells. The zero rect is hidden.
type rect struct{ x, y, w, h int }

func (r rect) empty() bool { return r.w <= 0 || r.h <= 0 }

// inner is what a border leaves.
func (r rect) inner() rect { return rect{r.x + 1, r.y + 1, max(0, r.w-2), max(0, r.h-2)} }

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
	focus  panel
	zoomed bool // the panel with the focus fills the screen
	lesson int  // lines of the lesson that is on, 0: none is
}

// arrangement is where everything is.
type arrangement struct {
	header       rect
	panel        [panels]rect
	status, keys rect
}

// arrange lays out a screen of w by h cells. A narrow screen has no room for
// the recipe beside the candidates and shows it, when it has the focus, in
// their place, and without a lesson instead of everything else.
func arrange(w, h int, s shape) arrangement {
	if w < minWidth || h < minHeight {
		return arrangement{}
	}
	a := arrangement{
		header: rect{0, 0, w, 1},
		status: rect{0, h - 2, w, 1},
		keys:   rect{0, h - 1, w, 1},
	}
	body := rect{0, 1, w, h - 3}
	if s.zoomed || w < wideFrom && s.focus == panelRecipe && s.lesson == 0 {
		a.panel[s.focus] = body
		return a
	}
	low := max(6, body.h/3) // the strip, its axis and a handoff or two
	if s.focus == panelHandoffs && w < wideFrom {
		low = max(low, body.h/2)
	}
	if s.lesson > 0 {
		low = min(max(6, s.lesson+2), lessonRoom(h, false)+2)
	}
	upper := rect{0, body.y, w, body.h - low}
	a.panel[panelHandoffs] = rect{0, upper.y + upper.h, w, low}
	if w < wideFrom {
		beside := panelCandidates
		if s.focus == panelRecipe {
			beside = panelRecipe
		}
		a.panel[beside] = upper
		return a
	}
	right := min(max(44, w*37/100), 58)
	a.panel[panelCandidates] = rect{0, upper.y, w - right, upper.h}
	a.panel[panelRecipe] = rect{w - right, upper.y, right, upper.h}
	return a
}

// lessonRoom is how many lines of a lesson fit on a screen of h: half of it at
// most, so that what it is about stays in view.
func lessonRoom(h int, zoomed bool) int {
	if zoomed {
		return h - 5
	}
	return (h-3)/2 - 2
}

// body is everything between the header and the status line.
func (a arrangement) body() rect {
	return rect{0, a.header.y + 1, a.header.w, a.status.y - a.header.y - 1}
}

// overlay is where a text of that many lines goes, in front of the panels.
func overlay(w, h, width, lines int) rect {
	ow, oh := min(w-4, width), min(h-4, lines+2)
	return rect{(w - ow) / 2, 1 + max(0, (h-3-oh)/2), ow, oh}
}
