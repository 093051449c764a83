package mainscreen

import (
	"electop/ui/leadership"
	"electop/ui/messages"
	"electop/ui/term"
)

// The smallest screen that the dashboard can be read on.
const (
	MinWidth  = 60
	MinHeight = 20
)

// WideFrom is the width from which the recipe stands beside the candidates.
// AsideFrom is that from which a third column does, and asidesFrom that from which
// there are two of them where there is much to show.
const (
	WideFrom   = 100
	AsideFrom  = 160
	asidesFrom = 240
)

// tallFrom is the height between header and status line from which the lists get what
// the recipe does not need.
const tallFrom = 40

// besideLesson is how many lines the candidates and the recipe need besides a lesson
// before the handoffs get any.
const besideLesson = 18

// Panel is a part of the main screen that can have the focus.
type Panel int

const (
	Candidates Panel = iota
	Recipe
	Handoffs
	Messages
	Lesson
	Selected // what is known of the selected candidate
	Doctor   // the findings
	Servers  // what they answer
	Panels   // how many there are
)

// Shape is what the arrangement depends on besides the screen's size.
type Shape struct {
	Focus    Panel
	Zoomed   bool // the panel with the focus fills the screen
	Lesson   bool // one is on
	Workers  bool // leaders have workers: what is believed is shown
	Messages bool // the server reports its messages
	Rows     int  // of candidates
	Live     bool // a live cluster without a lesson, and none of the candidates is electop's: the recipe is behind tab
	Findings bool // there are some, or there is no candidate to show
}

// Arrangement is where everything is.
type Arrangement struct {
	Header       term.Rect
	Panel        [Panels]term.Rect
	Belief       term.Rect // what is believed and what is so
	Brief        term.Rect // the same on few lines
	Status, Keys term.Rect
}

// Arrange lays out a screen of w by h cells. A narrow screen has no room for
// the recipe beside the candidates and shows it, when it has the focus, in
// their place, and without a lesson instead of everything else. A lesson takes the
// place of the handoffs, unless the screen is tall.
//
// A very wide screen has a third column, for the lesson, the messages, the selected
// candidate, the findings and the servers; with room for two of them the messages have their own. On others the messages
// take the place of the recipe while they have the focus. What has no place of its own
// is seen zoomed.
//
// On a live cluster the recipe has a place only while it has the focus. Otherwise the
// findings are there or, if there is none, the selected candidate. Without candidates it is
// the findings that say so.
//
// Where leaders have workers, belief takes the place of the recipe, or is below
// it on a tall screen. A narrow screen shows it in brief in the place of the
// handoffs, until they have the focus.
func Arrange(w, h int, s Shape) Arrangement {
	a := arrangePanels(w, h, s)
	if !s.Workers {
		return a
	}
	if r := a.Panel[Recipe]; r.H >= leadership.RecipeLines+2+leadership.BeliefLines {
		a.Belief = r
		a.Belief.H = max(leadership.BeliefLines, r.H/2)
		a.Belief.Y += r.H - a.Belief.H
		a.Panel[Recipe].H -= a.Belief.H
	} else {
		a.Belief, a.Panel[Recipe] = r, term.Rect{}
	}
	if w < WideFrom && s.Focus == Candidates && !s.Lesson {
		a.Brief, a.Panel[Handoffs] = a.Panel[Handoffs], term.Rect{}
	}
	return a
}

// arrangePanels lays out a screen with the recipe on it.
func arrangePanels(w, h int, s Shape) Arrangement {
	if w < MinWidth || h < MinHeight {
		return Arrangement{}
	}
	a := Arrangement{
		Header: term.Rect{X: 0, W: w, H: 1},
		Status: term.Rect{X: 0, Y: h - 2, W: w, H: 1},
		Keys:   term.Rect{X: 0, Y: h - 1, W: w, H: 1},
	}
	body := term.Rect{X: 0, Y: 1, W: w, H: h - 3}
	beside := s.Focus == Recipe || s.Focus == Messages // stands in the place of others
	if s.Zoomed || w < WideFrom && beside && !s.Lesson {
		a.Panel[s.Focus] = body
		return a
	}
	if w >= AsideFrom {
		body = a.arrangeAside(body, s)
		s.Lesson = false
	}
	upper := body
	if s.Lesson {
		upper.H -= min(lessonMost+2, body.H/2) // so that what it is about stays in view
		a.Panel[Lesson] = term.Rect{X: 0, Y: upper.Y + upper.H, W: body.W, H: body.H - upper.H}
	}
	if low := handoffsHeight(upper.H, body.W, s); !s.Lesson || upper.H-low >= besideLesson {
		upper.H -= low
		a.Panel[Handoffs] = term.Rect{X: 0, Y: upper.Y + upper.H, W: body.W, H: low}
	}
	if w < WideFrom {
		shown := Candidates
		if beside {
			shown = s.Focus
		}
		a.Panel[shown] = upper
		return a
	}
	right := min(max(44, body.W*37/100), 58)
	a.Panel[Candidates] = term.Rect{X: 0, Y: upper.Y, W: body.W - right, H: upper.H}
	shown := Recipe
	if w < AsideFrom && s.Focus == Messages {
		shown = Messages
	}
	switch {
	case !s.Live || shown != Recipe || s.Focus == Recipe:
	case w >= AsideFrom: // what would be here has a place of its own
		a.Panel[Candidates].W = body.W
		return a
	case s.Focus >= Selected:
		shown = s.Focus
	case s.Findings:
		shown = Doctor
	default:
		shown = Selected
	}
	a.Panel[shown] = term.Rect{X: body.W - right, Y: upper.Y, W: right, H: upper.H}
	return a
}

// handoffsHeight is how many of h lines the handoffs get: enough for the lanes that
// matter most, their axis and a handoff or two. On a tall screen they get what the others do not need; the
// others' part grows in steps, so that no panel moves for each candidate that comes.
func handoffsHeight(h, w int, s Shape) int {
	const lowMost = 14        // of what they need not have
	const alone, step = 30, 8 // what the recipe needs with the numbers of some handoffs and a sentence
	low := max(6, h/3)
	if h >= tallFrom {
		need := (s.Rows/step + 2) * step
		if w >= WideFrom {
			need = max(need, alone)
		}
		if s.Workers {
			need = max(need, leadership.RecipeLines+2+leadership.BeliefLines)
		}
		return max(min(low, lowMost), h-need)
	}
	if s.Focus == Handoffs && w < WideFrom {
		low = max(low, h/2)
	}
	return low
}

// Body is everything between the header and the status line.
func (a Arrangement) Body() term.Rect {
	return term.Rect{X: 0, Y: a.Header.Y + 1, W: a.Header.W, H: a.Status.Y - a.Header.Y - 1}
}

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

// lessonMost is as many lines of a lesson as most parts need. How many the present one
// needs makes no difference, so that the panels keep their place.
const lessonMost = 18

// LessonPlace is how wide a line of a lesson is on such a screen, and how many there is
// room for in its usual place.
func LessonPlace(w, h int, s Shape) (width, room int) {
	s.Lesson = true
	r := Arrange(w, h, s).Panel[Lesson]
	if r.Empty() { // behind the panel that fills the screen
		r = term.Rect{W: w, H: h - 3}
	}
	return r.W - 4, r.H - 2
}

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
