// Package mainscreen is the screen without overlays: the header ([Bar]), the panels, the status
// line ([Message]) and the keys ([Footer]).
//
// [Arrange] is a pure function from the size of the screen and a [Shape] to the place of each part.
// [Screen.Settle] places the panels. [Screen.Draw] draws the header and the panels.
//
// Keys scroll or select in the panel with the focus, in the lesson, or in the candidates. The wheel acts on the panel
// under the pointer. A narrow header or footer leaves out what is least important.
package mainscreen

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"electop/model"
	"electop/model/units"
	"electop/ui/candidates"
	"electop/ui/detail"
	"electop/ui/input"
	"electop/ui/leadership"
	"electop/ui/lessons"
	"electop/ui/messages"
	"electop/ui/overlay"
	"electop/ui/term"
	"electop/ui/travel"
	"electop/ui/wording"
)

// Screen is the main screen.
type Screen struct {
	Focus  Panel
	Zoomed bool // the panel with the focus fills the screen
	At     Arrangement
	Shown
	before struct { // Close returns to this focus from one of the Details
		focus  Panel
		zoomed bool
	}
	help     overlay.Panel   // in view only on the largest screens; it never has the focus
	footKeys []input.FootKey // buffer of Footer; the spots of the last frame point into it
}

// Shown has the contents of the screen.
type Shown struct {
	Bar
	Candidates *candidates.Panel
	Handoffs   *leadership.Handoffs
	Messages   *messages.Panel
	Details    *Details
	Help       func(w int) [][]term.Span // returns the help as lines of at most w cells

	Lesson    *lessons.Panel // nil: no lesson is running, or time travel hides it
	Journey   *travel.Journey
	Spawns    bool      // the user can add a candidate
	Campaigns bool      // this program can become a candidate
	Verifying bool      // a request of the user for the servers' watches is under way
	NoVerify  string    // why the servers cannot be queried, "" if they can
	Reread    time.Time // when the selected candidate's data was reread; zero if another candidate's data was reread last
}

const detailWidth = 100 // longer lines are hard to read

// Details holds the panels Selected, Doctor and Servers.
type Details [Panels - Selected]overlay.Panel

func (x *Screen) detail(p Panel) *overlay.Panel { return &x.Details[p-Selected] }

// Settle stores the contents, and places the panels.
func (x *Screen) Settle(f *term.Frame, shown Shown) {
	x.Shown = shown
	shape := x.shape()
	x.Focus = shape.Focused(f.W, f.H)
	shape.Focus = x.Focus
	var lesson [][]term.Span
	if x.Lesson != nil {
		w, room := LessonPlace(f.W, f.H, shape)
		lesson = x.Lesson.Lines(&f.Theme.Glyph, w, room)
	}
	x.At = Arrange(f.W, f.H, shape)
	if x.TooSmall() {
		return
	}
	if r := x.At.Panel[Candidates]; !r.Empty() {
		x.Candidates.Settle(x.candidates(f), r)
	}
	if r := x.At.Panel[Lesson]; !r.Empty() {
		x.Lesson.Settle(lesson, r)
	}
	if r := x.At.Panel[Handoffs]; !r.Empty() {
		x.Handoffs.Settle(x.handoffs(f), r)
	}
	if r := x.At.Panel[Messages]; !r.Empty() {
		x.Messages.Settle(messages.Shown{State: x.State, Focused: x.Focus == Messages, Selected: x.Candidates.Row()}, r)
	}
	if r := x.At.Help; !r.Empty() {
		x.help.Settle(r, overlay.Text{Title: "Signs and keys", Key: "?", Lines: x.Help(r.W - 4)})
	}
	for p := Selected; p < Panels; p++ {
		if r := x.At.Panel[p]; !r.Empty() {
			x.detail(p).Settle(r, x.content(f, p, min(r.W-4, detailWidth)))
		}
	}
}

// TooSmall reports whether there is no room for any panel.
func (x *Screen) TooSmall() bool { return x.At.Header.Empty() }

func (x *Screen) shape() Shape {
	s := x.State
	rows := s.Queue.Len() // not only the rows that the filter shows, so that typing rarely moves a panel
	if n := len(x.Candidates.Rows.NoZnode); n > 0 {
		rows += 1 + n // with their heading, without the rows that the filter hides
	}
	if wording.PaceLine(s) != "" {
		rows++
	}
	if len(s.Ignored) > 0 {
		rows++
	}
	if s.Phase != model.Live || s.Queue.Len() == 0 || wording.Single(s) {
		rows = 0
	}
	return Shape{
		Focus: x.Focus, Zoomed: x.Zoomed, Lesson: x.Lesson != nil, Workers: s.Work.Rules.Workers,
		Messages: s.Pace != nil, Rows: rows,
		Watching: x.Badge == "" && x.Lesson == nil && len(s.Members) == 0, DoctorFirst: len(s.Findings) > 0 || x.Candidates.Rows.Len() == 0,
	}
}

// Stale reports whether the screen shows the state as outdated.
func (x *Shown) Stale() bool {
	s := x.State
	return x.Ended && x.Badge != Replay && x.TimeShown != Past || !s.DownSince.IsZero() && s.Link.Link != model.Connected
}

// AsOf returns in words when a stale state was current, "" for a state that is not stale.
func (x *Shown) AsOf(f *term.Frame) string {
	if !x.Stale() {
		return ""
	}
	at := cmp.Or(x.State.DownSince, f.Picture)
	if x.TimeShown == Past {
		return "as of " + f.Clock(at) + ", there is no connection"
	}
	f.Ticks(term.TickCalm)
	return "as of " + f.Clock(at) + ", " + units.Seconds(f.Now.Truncate(term.TickCalm).Sub(at)) + " ago"
}

func (x *Screen) candidates(f *term.Frame) candidates.Shown {
	s, focused := x.State, x.Focus == Candidates
	return candidates.Shown{
		State: s, Focused: focused, Zoomed: x.Zoomed && focused,
		Pace: !x.wide() || x.Zoomed || s.Work.Rules.Workers || wording.Foreign(s) != nil,
		AsOf: x.AsOf(f), Why: candidates.Explain(f, s, x.Cluster, x.Spawns, x.Campaigns),
		PointedAt: x.Lesson.Target(), Since: x.Lesson.Since(), Past: x.TimeShown == Past, StepLine: leadership.StepLine,
	}
}

func (x *Screen) belief() leadership.Belief {
	return leadership.Belief{State: x.State, Focused: x.Focus == Recipe, Wide: x.wide()}
}

func (x *Screen) content(f *term.Frame, p Panel, w int) (text overlay.Text) {
	v := detail.Panel{
		State: x.State, Row: x.Candidates.Row(), ReadAt: x.Reread, Stale: x.AsOf(f), Verifying: x.Verifying, Why: x.NoVerify, Recorded: x.Playing != nil,
	}
	key := ""
	switch p {
	case Selected:
		text, key = v.Candidate(f, w), "enter"
	case Doctor:
		text, key = v.Doctor(f, w), "!"
	default:
		text, key = v.Servers(f, w), "S"
	}
	if x.Focus != p {
		text.Key = key
	}
	return text
}

func (x *Screen) handoffs(f *term.Frame) leadership.HandoffsShown {
	believed, now := x.belief(), f.Calm()
	if at := x.State.At; at.After(now) && !at.After(f.Picture) {
		now = at // the time line includes the last change, as the other panels do
	}
	out := leadership.HandoffsShown{
		State: x.State, Focused: x.Focus == Handoffs, Properties: believed.PropertySpans(f),
		Zoomed: x.Zoomed, Now: now, Selected: x.Candidates.Row().Ref(),
	}
	if h := wording.Newest(x.State); h != nil && x.TimeShown == Live {
		out.Came = h.At
	}
	switch playing, j := x.Playing, x.Journey; {
	case playing != nil:
		out.Head, out.Whole, out.First, out.Last = f.Picture, playing.Whole, playing.First, playing.Last
		if !playing.Stopped && !playing.Ended {
			out.Playing = f.Theme.Glyph.Play
		}
	case j.On && j.Known:
		out.Playing = j.PlayWords(&f.Theme.Glyph)
		out.Head, out.Whole, out.Now = j.Shown, j.Whole.State, j.Whole.At.Truncate(term.TickCalm)
	}
	return out
}

// Next returns the panel that gets the focus next.
func (x *Screen) Next() Panel { return x.shape().Next(x.W, x.H) }

// FocusOn gives p the focus. [Screen.Close] returns from the [Details] to the last panel outside them.
func (x *Screen) FocusOn(p Panel) {
	if x.Focus < Selected {
		x.before.focus, x.before.zoomed = x.Focus, x.Zoomed
	}
	x.Focus = p
}

// Open gives p, one of the [Details], the focus. If p has the focus already, Open closes p and returns false.
func (x *Screen) Open(p Panel) bool {
	if x.Focus == p {
		x.Close()
		return false
	}
	zoomed := Arrange(x.W, x.H, x.shape()).Panel[p].Empty() || x.detail(p).Long()
	x.FocusOn(p)
	x.Zoomed = zoomed
	x.detail(p).From(0)
	return true
}

// Closes reports whether [Screen.Close] has something to close.
func (x *Screen) Closes() bool { return x.Zoomed || x.Focus >= Selected }

// Close returns from the [Details] to the last panel outside them, or ends the zoom.
func (x *Screen) Close() {
	if x.Zoomed = false; x.Focus >= Selected {
		x.Focus, x.Zoomed = x.before.focus, x.before.zoomed
	}
}

func (x *Screen) moves(p Panel) interface{ Move(input.Command) } {
	switch {
	case p >= Selected:
		return x.detail(p)
	case p == Candidates:
		return x.Candidates
	case p == Handoffs:
		return x.Handoffs
	case p == Messages:
		return x.Messages
	case p == Lesson && x.Lesson != nil:
		return x.Lesson
	}
	return nil
}

// Move applies do to the panel with the focus, to the lesson, or to the candidates.
// chose means that the selected candidate may have changed.
func (x *Screen) Move(do input.Command) (chose bool) {
	at := x.Focus
	if at < Selected && x.Lesson != nil && x.Lesson.Pages(do) && !Arrange(x.W, x.H, x.shape()).Panel[Lesson].Empty() {
		at = Lesson
	}
	switch m := x.moves(at); {
	case at != Candidates && m != nil:
		m.Move(do)
		return false
	case do == input.CmdLeft || do == input.CmdRight:
		return x.Zoomed && at == Candidates && x.Candidates.Column(do)
	}
	x.Candidates.Move(do)
	return true
}

// Wheel applies do to panel p, lines times or, for Candidates, once. chose means that the selection may have changed.
func (x *Screen) Wheel(p Panel, do input.Command, lines int) (chose bool) {
	if p == Candidates {
		lines = 1
	}
	if m := x.moves(p); m != nil {
		for range lines {
			m.Move(do)
		}
	}
	return p == Candidates
}

// Draw draws the header and the panels.
func (x *Screen) Draw(f *term.Frame) {
	if x.TooSmall() {
		drawTooSmall(f)
		return
	}
	x.Bar.Draw(f, x.At.Header)
	a := &x.At
	if !a.Panel[Candidates].Empty() {
		x.Candidates.Draw(f)
	}
	if r := a.Panel[Recipe]; !r.Empty() {
		p := leadership.Recipe{State: x.State, Focused: x.Focus == Recipe, Held: x.Candidates.Rows.Held, Since: x.Lesson.Since()}
		p.Draw(f, r)
	}
	believed := x.belief()
	if !a.Belief.Empty() {
		believed.Draw(f, a.Belief)
	}
	if !a.Brief.Empty() {
		believed.DrawBrief(f, a.Brief)
	}
	if !a.Panel[Lesson].Empty() {
		x.Lesson.Draw(f, x.Focus == Lesson)
	}
	if !a.Panel[Handoffs].Empty() {
		x.Handoffs.Draw(f)
	}
	if !a.Panel[Messages].Empty() {
		x.Messages.Draw(f)
	}
	if !a.Help.Empty() {
		x.help.Draw(f)
	}
	for p := Selected; p < Panels; p++ {
		if !a.Panel[p].Empty() {
			x.detail(p).Draw(f)
		}
	}
	if x.Stale() {
		for _, r := range append(slices.Delete(slices.Clone(a.Panel[:]), int(Lesson), int(Lesson)+1), a.Belief, a.Brief) {
			f.Restyle(r.Inner(), term.Fade)
		}
	}
}

func drawTooSmall(f *term.Frame) {
	lines := term.Wrap(fmt.Sprintf("electop needs %dx%d, this terminal is %dx%d", MinWidth, MinHeight, f.W, f.H), f.W)
	lines = lines[:min(len(lines), f.H)]
	for i, line := range lines {
		f.Put(max(0, (f.W-term.Width(line))/2), (f.H-len(lines))/2+i, f.W, term.Text, line)
	}
}
