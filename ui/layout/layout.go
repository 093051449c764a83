package layout

import (
	"electop/ui/belief"
	"electop/ui/recipe"
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
	if r := a.Panel[Recipe]; r.H >= recipe.Lines+2+belief.Lines {
		a.Belief = r
		a.Belief.H = max(belief.Lines, r.H/2)
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
		upper.H -= lessonHeight(body.H)
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
			need = max(need, recipe.Lines+2+belief.Lines)
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
