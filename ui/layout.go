package ui

import (
	"electop/ui/belief"
	"electop/ui/messages"
	"electop/ui/recipe"
	"electop/ui/term"
)

// The smallest screen the dashboard can be read on.
const (
	minWidth  = 60
	minHeight = 20
)

// wideFrom is the width from which the recipe stands beside the candidates.
// asideFrom is that from which a third column does, and asidesFrom that from which
// there are two of them where there is much to show.
const (
	wideFrom   = 100
	asideFrom  = 160
	asidesFrom = 240
)

// tallFrom is the height between header and status line from which the lists get what
// the recipe does not need.
const tallFrom = 40

// besideLesson is how many lines the candidates and the recipe need besides a lesson
// before the handoffs get any.
const besideLesson = 18

// panel is a part of the main screen that can have the focus.
type panel int

const (
	panelCandidates panel = iota
	panelRecipe
	panelHandoffs
	panelMessages
	panelLesson
	panels
)

// shape is what the arrangement depends on besides the screen's size.
type shape struct {
	focus    panel
	zoomed   bool // the panel with the focus fills the screen
	lesson   bool // one is on
	workers  bool // leaders have workers: what is believed is shown
	messages bool // the server reports its messages
	rows     int  // of candidates
}

// arrangement is where everything is.
type arrangement struct {
	header       term.Rect
	panel        [panels]term.Rect
	about        term.Rect // what is known of the selected candidate
	doctor       term.Rect // the findings
	servers      term.Rect // what they answer
	belief       term.Rect // what is believed and what is so
	brief        term.Rect // the same on few lines
	status, keys term.Rect
}

// arrange lays out a screen of w by h cells. A narrow screen has no room for
// the recipe beside the candidates and shows it, when it has the focus, in
// their place, and without a lesson instead of everything else. A lesson takes the
// place of the handoffs, unless the screen is tall.
//
// A very wide screen has a third column, for the lesson, the messages, the selected
// candidate, the findings and the servers; with room for two of them the messages have their own. On others the messages
// take the place of the recipe while they have the focus.
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
	beside := s.focus == panelRecipe || s.focus == panelMessages // stands in the place of others
	if s.zoomed || w < wideFrom && beside && !s.lesson {
		a.panel[s.focus] = body
		return a
	}
	if w >= asideFrom {
		body = a.arrangeAside(body, s)
		s.lesson = false
	}
	upper := body
	if s.lesson {
		upper.H -= lessonHeight(body.H)
		a.panel[panelLesson] = term.Rect{X: 0, Y: upper.Y + upper.H, W: body.W, H: body.H - upper.H}
	}
	if low := handoffsHeight(upper.H, body.W, s); !s.lesson || upper.H-low >= besideLesson {
		upper.H -= low
		a.panel[panelHandoffs] = term.Rect{X: 0, Y: upper.Y + upper.H, W: body.W, H: low}
	}
	if w < wideFrom {
		shown := panelCandidates
		if beside {
			shown = s.focus
		}
		a.panel[shown] = upper
		return a
	}
	right := min(max(44, body.W*37/100), 58)
	a.panel[panelCandidates] = term.Rect{X: 0, Y: upper.Y, W: body.W - right, H: upper.H}
	shown := panelRecipe
	if w < asideFrom && s.focus == panelMessages {
		shown = panelMessages
	}
	a.panel[shown] = term.Rect{X: body.W - right, Y: upper.Y, W: right, H: upper.H}
	return a
}

// handoffsHeight is how many of h lines the handoffs get: enough for the strip, its axis
// and a handoff or two. On a tall screen they get what the others do not need; the
// others' part grows in steps, so that no panel moves for each candidate that comes.
func handoffsHeight(h, w int, s shape) int {
	const lowMost = 14        // of what they need not have
	const alone, step = 30, 8 // what the recipe needs with the numbers of some handoffs and a sentence
	low := max(6, h/3)
	if h >= tallFrom {
		need := (s.rows/step + 2) * step
		if w >= wideFrom {
			need = max(need, alone)
		}
		if s.workers {
			need = max(need, recipe.Lines+2+belief.Lines)
		}
		return max(min(low, lowMost), h-need)
	}
	if s.focus == panelHandoffs && w < wideFrom {
		low = max(low, h/2)
	}
	return low
}

// lessonMost is as many lines of a lesson as most parts need. How many the present one
// needs makes no difference, so that the panels keep their place.
const lessonMost = 18

// lessonHeight is how many of h lines a lesson gets: half at most, so that what it is
// about stays in view.
func lessonHeight(h int) int { return min(lessonMost+2, h/2) }

// lessonPlace is how wide a line of a lesson is on such a screen, and how many there is
// room for in its usual place.
func lessonPlace(w, h int, s shape) (width, room int) {
	s.lesson = true
	r := arrange(w, h, s).panel[panelLesson]
	if r.Empty() { // behind the panel that fills the screen
		r = term.Rect{W: w, H: h - 3}
	}
	return r.W - 4, r.H - 2
}

// arrangeAside puts what a very wide screen has room for into columns at the right of
// body, and returns the rest of it.
func (a *arrangement) arrangeAside(body term.Rect, s shape) term.Rect {
	const asideLines, asideLeast = 26, 12 // of a panel that is not always there
	column := term.Rect{Y: body.Y, W: min(max(52, body.W*33/100), 70), H: body.H}
	take := func() term.Rect {
		body.W -= column.W
		column.X = body.X + body.W
		return column
	}
	rest := take()
	if s.lesson {
		r := rest
		r.H = max(rest.H/2, min(lessonMost+2, rest.H-messages.Lines))
		a.panel[panelLesson] = r
		rest.Y, rest.H = rest.Y+r.H, rest.H-r.H
	}
	if s.messages && body.W+rest.W >= asidesFrom {
		a.panel[panelMessages] = take()
		s.messages = false
	}
	// What is left is for what enter, ! and S show, the most important first.
	low := func(lines int) term.Rect { // takes lines from the end of rest
		r := rest
		r.Y, r.H = rest.Y+rest.H-lines, lines
		rest.H -= lines
		return r
	}
	if rest.H >= 3*asideLines {
		a.servers = low(rest.H - 2*asideLines)
	}
	if rest.H >= 2*asideLines+asideLeast || !s.messages && rest.H >= 2*asideLeast {
		a.doctor = low(min(asideLines, rest.H/2))
	}
	switch about := min(asideLines, rest.H*2/5); {
	case !s.messages:
		a.about = rest
	case about < asideLeast:
		a.panel[panelMessages] = rest
	default:
		a.about = low(about)
		a.panel[panelMessages] = rest
	}
	return body
}

// shows reports whether the panel can have the focus on a screen of that shape.
func (p panel) shows(w, h int, s shape) bool {
	if p == panelLesson && !s.lesson || p == panelMessages && !s.messages {
		return false
	}
	s.focus, s.zoomed = p, false
	a := arrange(w, h, s)
	return !a.panel[p].Empty() || p == panelRecipe && !a.belief.Empty() || a.header.Empty()
}

// body is everything between the header and the status line.
func (a arrangement) body() term.Rect {
	return term.Rect{X: 0, Y: a.header.Y + 1, W: a.header.W, H: a.status.Y - a.header.Y - 1}
}
