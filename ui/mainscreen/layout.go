package mainscreen

import (
	"electop/ui/leadership"
	"electop/ui/messages"
	"electop/ui/term"
)

// On a smaller screen, the dashboard shows only the size that it needs and the size of the screen.
const (
	MinWidth  = 60
	MinHeight = 20
)

const (
	WideFrom         = 100 // width from which there is a second column
	ThirdColumnFrom  = 160 // width from which there is a third column
	fourthColumnFrom = 240 // width from which there can be a fourth column, and the help below the handoffs
)

const (
	handoffsMost = 30 // lines of the handoffs if the help is below them
	helpLeast    = 30 // the help needs at least this many lines

	tallFrom   = 40 // in a column of at least this height, the handoffs get all lines that the panels above do not need
	aboveLeast = 18 // a lesson hides the handoffs if there are fewer lines above them
	rowsLeast  = 3  // a narrow screen has room for this many candidates even if there are fewer
)

// Panel is a part of the main screen that can have the focus.
type Panel int

const (
	Candidates Panel = iota
	Recipe
	Handoffs
	Messages
	Lesson
	Selected // the selected candidate
	Doctor   // the findings
	Servers
	Panels
)

// Shape determines the arrangement, together with the size of the screen.
type Shape struct {
	Focus       Panel
	Zoomed      bool // the panel with the focus fills the screen
	Lesson      bool
	Workers     bool // leaders have workers, and the beliefs are shown
	Messages    bool // the server reports its messages
	Rows        int  // lines of the candidates; 0: the panel shows no queue
	Watching    bool // the cluster is live, no lesson is running, and electop has no candidates
	DoctorFirst bool // if Watching is set and Doctor or Selected replaces the recipe, prefers Doctor
}

// Arrangement is the place of each part of the screen.
type Arrangement struct {
	Header       term.Rect
	Panel        [Panels]term.Rect
	Belief       term.Rect // leadership.Belief, drawn by Draw
	Brief        term.Rect // leadership.Belief, drawn by DrawBrief
	Help         term.Rect // signs and keys
	Status, Keys term.Rect
}

// Arrange lays out a screen of w by h cells.
func Arrange(w, h int, s Shape) Arrangement {
	a := arrangePanels(w, h, s)
	if !s.Workers {
		return a
	}
	if r := &a.Panel[Recipe]; r.H >= leadership.RecipeLines+2+leadership.BeliefLines {
		a.Belief = takeBottom(r, max(leadership.BeliefLines, r.H/2))
	} else {
		a.Belief, *r = *r, term.Rect{}
	}
	if w < WideFrom && s.Focus == Candidates && !s.Lesson {
		a.Brief, a.Panel[Handoffs] = a.Panel[Handoffs], term.Rect{}
	}
	return a
}

func takeBottom(r *term.Rect, lines int) term.Rect {
	r.H -= lines
	return term.Rect{X: r.X, Y: r.Y + r.H, W: r.W, H: lines}
}

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
	beside := s.Focus == Recipe || s.Focus == Messages // these panels replace others on a narrow screen
	if s.Zoomed || w < WideFrom && beside && !s.Lesson {
		a.Panel[s.Focus] = body
		return a
	}
	if w >= ThirdColumnFrom {
		body = a.arrangeColumns(body, s)
		s.Lesson = false
	}
	upper, spare := body, 0 // spare is the number of lines that the candidates of a narrow screen do not need
	if w < WideFrom && body.H < tallFrom && s.Rows > 0 && !beside {
		spare = body.H - max(s.Rows, rowsLeast) - 3
	}
	if s.Lesson {
		a.Panel[Lesson] = takeBottom(&upper, min(lessonLines+2, max(body.H/2, spare)))
	}
	if lines := max(handoffsHeight(upper.H, body.W, s), upper.H-body.H+spare); !s.Lesson || upper.H-lines >= aboveLeast {
		a.Panel[Handoffs] = takeBottom(&upper, lines)
		if w >= fourthColumnFrom && lines >= handoffsMost+helpLeast {
			a.Help = takeBottom(&a.Panel[Handoffs], lines-handoffsMost)
		}
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
	if w < ThirdColumnFrom && s.Focus == Messages {
		shown = Messages
	}
	switch {
	case !s.Watching || shown != Recipe || s.Focus == Recipe:
	case w >= ThirdColumnFrom:
		a.Panel[Candidates].W = body.W
		return a
	case s.Focus >= Selected:
		shown = s.Focus
	case s.DoctorFirst:
		shown = Doctor
	default:
		shown = Selected
	}
	a.Panel[shown] = term.Rect{X: body.W - right, Y: upper.Y, W: right, H: upper.H}
	return a
}

// handoffsHeight changes in steps if h is large, so that a new candidate rarely moves a panel.
func handoffsHeight(h, w int, s Shape) int {
	const linesMost = 14 // on a tall screen, the most lines that the handoffs take from other panels
	const recipeWhole = 30
	const step = 8
	lines := max(6, h/3)
	if h >= tallFrom {
		need := (s.Rows/step + 2) * step
		if w >= WideFrom {
			need = max(need, recipeWhole)
		}
		if s.Workers {
			need = max(need, leadership.RecipeLines+2+leadership.BeliefLines)
		}
		return max(min(lines, linesMost), h-need)
	}
	if s.Focus == Handoffs && w < WideFrom {
		lines = max(lines, h/2)
	}
	if s.Workers && w >= WideFrom {
		lines = max(6, min(lines, h-leadership.BeliefLines-1))
	}
	return lines
}

// Body returns the place between the header and the status line.
func (a Arrangement) Body() term.Rect {
	return term.Rect{X: 0, Y: a.Header.Y + 1, W: a.Header.W, H: a.Status.Y - a.Header.Y - 1}
}

// arrangeColumns places the panels of the third and fourth column, and returns the rest of body.
func (a *Arrangement) arrangeColumns(body term.Rect, s Shape) term.Rect {
	const usual, least = 26, 12 // heights of a panel
	column := term.Rect{Y: body.Y, W: min(max(52, body.W*33/100), 70), H: body.H}
	take := func() term.Rect {
		body.W -= column.W
		column.X = body.X + body.W
		return column
	}
	rest := take()
	if s.Lesson {
		below := takeBottom(&rest, rest.H-max(rest.H/2, min(lessonLines+2, rest.H-messages.Lines)))
		a.Panel[Lesson], rest = rest, below
	}
	if s.Messages && body.W+rest.W >= fourthColumnFrom {
		a.Panel[Messages] = take()
		s.Messages = false
	}
	if !s.Messages && rest.H >= 3*usual {
		a.Panel[Servers] = takeBottom(&rest, rest.H-2*usual)
	}
	if rest.H >= 2*usual+least || !s.Messages && rest.H >= 2*least {
		a.Panel[Doctor] = takeBottom(&rest, min(usual, rest.H/2))
	}
	switch lines := min(usual, rest.H*2/5); {
	case !s.Messages:
		a.Panel[Selected] = rest
	case lines < least:
		a.Panel[Messages] = rest
	default:
		a.Panel[Selected] = takeBottom(&rest, lines)
		a.Panel[Messages] = rest
	}
	return body
}

// lessonLines is the usual number of lines for a lesson's text. A new text does not change it, and moves no panel.
const lessonLines = 18

// LessonPlace returns the cells and lines for a lesson's text, those of a zoomed panel if the lesson has no place.
func LessonPlace(w, h int, s Shape) (width, room int) {
	s.Lesson = true
	r := Arrange(w, h, s).Panel[Lesson]
	if r.Empty() {
		r = term.Rect{W: w, H: h - 3}
	}
	return r.W - 4, r.H - 2
}

func (p Panel) shownOn(w, h int, s Shape) bool {
	if p == Lesson && !s.Lesson || p == Messages && !s.Messages {
		return false
	}
	s.Focus, s.Zoomed = p, s.Zoomed && p >= Selected
	a := Arrange(w, h, s)
	return !a.Panel[p].Empty() || p == Recipe && !a.Belief.Empty() || a.Header.Empty()
}

// Focused returns s.Focus, or another panel if s.Focus has no place on the screen.
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

// Next returns the panel that gets the focus after s.Focus.
func (s Shape) Next(w, h int) Panel {
	for p := (s.Focus + 1) % Panels; p != s.Focus; p = (p + 1) % Panels {
		if p.shownOn(w, h, s) {
			return p
		}
	}
	return s.Focus
}

// Name returns the footer's name of the panel.
func (p Panel) Name(workers bool) string {
	if p == Recipe && workers {
		return "belief"
	}
	return [Panels]string{"candidates", "recipe", "handoffs", "messages", "lesson", "candidate", "doctor", "servers"}[p]
}

// PanelAt returns the panel at (x, y); false: there is none.
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
