package mainscreen

import (
	"time"

	"electop/ui/candidates"
	"electop/ui/handoffs"
	"electop/ui/header"
	"electop/ui/layout"
	"electop/ui/lessons"
	"electop/ui/messages"
	"electop/ui/pager"
	"electop/ui/term"
	"electop/ui/travel"
)

// Screen is the main screen. It keeps which panel has the focus.
type Screen struct {
	Focus  layout.Panel
	Zoomed bool // the panel with the focus fills the screen
	At     layout.Arrangement
	Shown
	// under is what had the focus before a text.
	under struct {
		focus  layout.Panel
		zoomed bool
	}
}

// Shown is what the screen shows.
type Shown struct {
	header.Bar
	Panels
	Lesson  *lessons.Course // the one on the screen, nil for none
	Journey *travel.Journey // through the past of a running election
	Came    time.Time       // when the newest handoff came
	// Spawns and Campaigns say that the user can have one more candidate, or be one.
	Spawns, Campaigns bool
	Asking            bool   // the servers are being asked
	Unasked           string // why they cannot be asked, "" if they can
	// Reread is when the selected candidate's data was read again, zero: it was not.
	Reread time.Time
}

// Panels are the panels of the election on the screen that keep where the user was in them.
type Panels struct {
	Candidates *candidates.Panel
	Handoffs   *handoffs.Panel
	Messages   *messages.Panel
	Texts      *Texts
}

// textWidth bounds the lines of a text: nobody reads longer ones.
const textWidth = 100

// Texts are the panels from [layout.Selected] on.
type Texts [layout.Panels - layout.Selected]pager.Panel

// text is one of them.
func (x *Screen) text(p layout.Panel) *pager.Panel { return &x.Texts[p-layout.Selected] }

// Settle takes what to show on a screen of f's size.
func (x *Screen) Settle(f *term.Frame, shown Shown) {
	x.Shown = shown
	x.Wide, x.Roomy = f.W >= layout.WideFrom, f.W >= layout.AsideFrom
	shape := x.shape()
	x.Focus = shape.Focused(f.W, f.H)
	shape.Focus = x.Focus
	var lesson [][]term.Span
	if x.Lesson != nil {
		w, room := layout.LessonPlace(f.W, f.H, shape)
		lesson = x.Lesson.Lines(&f.Theme.Glyph, w, room)
	}
	x.At = layout.Arrange(f.W, f.H, shape)
	if x.TooSmall() {
		return
	}
	if r := x.At.Panel[layout.Candidates]; !r.Empty() {
		x.Candidates.Settle(x.candidates(f), r)
	}
	if r := x.At.Panel[layout.Lesson]; !r.Empty() {
		x.Lesson.Settle(lesson, r)
	}
	if r := x.At.Panel[layout.Handoffs]; !r.Empty() {
		x.Handoffs.Settle(x.handoffs(f), r)
	}
	if r := x.At.Panel[layout.Messages]; !r.Empty() {
		x.Messages.Settle(messages.Shown{State: x.State, Focused: x.Focus == layout.Messages, Selected: x.Candidates.Row()}, r)
	}
	for p := layout.Selected; p < layout.Panels; p++ {
		if r := x.At.Panel[p]; !r.Empty() {
			x.text(p).Settle(r, x.content(f, p, min(r.W-4, textWidth)))
		}
	}
}

// TooSmall reports whether there is no room for any panel.
func (x *Screen) TooSmall() bool { return x.At.Header.Empty() }

// shape is what the arrangement depends on.
func (x *Screen) shape() layout.Shape {
	return layout.Shape{
		Focus: x.Focus, Zoomed: x.Zoomed, Lesson: x.Lesson != nil, Workers: x.State.Work.Rules.Workers,
		Messages: x.State.Pace != nil, Rows: x.Candidates.Rows.Len(),
		Live: x.Badge == "" && x.Lesson == nil && len(x.State.Members) == 0, Findings: len(x.State.Findings) > 0 || x.Candidates.Rows.Len() == 0,
	}
}
