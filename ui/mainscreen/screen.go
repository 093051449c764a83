// Package mainscreen is the screen but for what comes in front of it: the first line, the
// panels below it, and the last two lines.
//
// [Arrange] is a pure function from the size of the screen and what is to be shown to the
// rectangle of each part. [Screen.Settle] takes what is to be shown and gives each panel its
// place and its part of that; [Screen.Draw] draws it, and changes nothing but the canvas. A
// Screen keeps which panel has the focus, and so what a key or the wheel moves.
//
// The header has the election, the connection and the moment that is shown ([Bar]). What does
// not fit gives way, the least important first. The status line says what was just done, or what
// is typed ([Said], [Typed]). The last line has the keys of the present mode, first the ones
// that matter now; those that cannot act are dim ([Footer]).
package mainscreen

import (
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

// Screen is the main screen. It keeps which panel has the focus.
type Screen struct {
	Focus  Panel
	Zoomed bool // the panel with the focus fills the screen
	At     Arrangement
	Shown
	// under is what had the focus before a text.
	under struct {
		focus  Panel
		zoomed bool
	}
}

// Shown is what the screen shows.
type Shown struct {
	Bar
	// The panels of the election on the screen that keep where the user was in them.
	Candidates *candidates.Panel
	Handoffs   *leadership.Handoffs
	Messages   *messages.Panel
	Texts      *Texts

	Lesson  *lessons.Course // the one on the screen, nil for none
	Journey *travel.Journey // through the past of a running election
	// Spawns and Campaigns say that the user can have one more candidate, or be one.
	Spawns, Campaigns bool
	Asking            bool   // the servers are being asked
	Unasked           string // why they cannot be asked, "" if they can
	// Reread is when the selected candidate's data was read again, zero: it was not.
	Reread time.Time
}

// textWidth bounds the lines of a text: nobody reads longer ones.
const textWidth = 100

// Texts are the panels from [Selected] on.
type Texts [Panels - Selected]overlay.Panel

// text is one of them.
func (x *Screen) text(p Panel) *overlay.Panel { return &x.Texts[p-Selected] }

// Settle takes what to show on a screen of f's size.
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
	for p := Selected; p < Panels; p++ {
		if r := x.At.Panel[p]; !r.Empty() {
			x.text(p).Settle(r, x.content(f, p, min(r.W-4, textWidth)))
		}
	}
}

// TooSmall reports whether there is no room for any panel.
func (x *Screen) TooSmall() bool { return x.At.Header.Empty() }

// shape is what the arrangement depends on.
func (x *Screen) shape() Shape {
	return Shape{
		Focus: x.Focus, Zoomed: x.Zoomed, Lesson: x.Lesson != nil, Workers: x.State.Work.Rules.Workers,
		Messages: x.State.Pace != nil, Rows: x.Candidates.Rows.Len(),
		Live: x.Badge == "" && x.Lesson == nil && len(x.State.Members) == 0, Findings: len(x.State.Findings) > 0 || x.Candidates.Rows.Len() == 0,
	}
}

// Stale reports whether the picture may be wrong by now.
func (x *Shown) Stale() bool {
	s := x.State
	return x.Ended && x.Badge != Replay && x.Held != Past || !s.DownSince.IsZero() && s.Link.Link != model.Connected
}

// AsOf says how old a stale picture is, "" for a current one.
func (x *Shown) AsOf(f *term.Frame) string {
	if !x.Stale() {
		return ""
	}
	if x.Held == Past {
		return "as of " + f.Clock(x.State.DownSince) + ", there is no connection"
	}
	f.Ticks(term.TickCalm)
	return "as of " + f.Clock(f.Picture) + ", " + units.Seconds(f.Now.Truncate(term.TickCalm).Sub(f.Picture)) + " ago"
}

// candidates is what the panel of candidates shows. It says how slowly
// the server answers where the recipe is not beside it.
func (x *Screen) candidates(f *term.Frame) candidates.Shown {
	s, focused := x.State, x.Focus == Candidates
	return candidates.Shown{
		State: s, Focused: focused, Zoomed: x.Zoomed && focused,
		Pace: !x.wide() || x.Zoomed || s.Work.Rules.Workers || wording.Foreign(s) != nil,
		AsOf: x.AsOf(f), Why: candidates.Explain(f, s, x.Cluster, x.Spawns, x.Campaigns),
		PointedAt: x.Lesson.Target(), Since: x.Lesson.Since(), Moment: x.Held == Past,
	}
}

// belief is the panel of what is believed and what is so.
func (x *Screen) belief() leadership.Belief {
	return leadership.Belief{State: x.State, Focused: x.Focus == Recipe, Wide: x.wide()}
}

// content is what a text says, on lines of w cells.
func (x *Screen) content(f *term.Frame, p Panel, w int) (text overlay.Text) {
	v := detail.Panel{
		State: x.State, Row: x.Candidates.Row(), ReadAt: x.Reread, Stale: x.AsOf(f), Asking: x.Asking, Why: x.Unasked,
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

// handoffs is what the panel of handoffs shows: what came after the moment that is on
// the screen, too.
func (x *Screen) handoffs(f *term.Frame) leadership.HandoffsShown {
	believed := x.belief()
	out := leadership.HandoffsShown{
		State: x.State, Focused: x.Focus == Handoffs, Properties: believed.PropertySpans(f),
		Zoomed: x.Zoomed, Now: f.Calm(), Selected: x.Candidates.Row().Ref(),
	}
	if h := wording.Newest(x.State); h != nil && x.Held == Live {
		out.Came = h.At
	}
	switch reel, j := x.Playing, x.Journey; {
	case reel != nil:
		out.Head, out.Whole, out.First, out.Last = f.Picture, reel.Whole, reel.First, reel.Last
		if !reel.Stopped && !reel.Ended {
			out.Playing = f.Theme.Glyph.Play
		}
	case j.On && j.Known:
		out.Playing = j.PlayWords(&f.Theme.Glyph)
		out.Head, out.Whole, out.Now = j.Shown, j.Whole.State, j.Whole.At.Truncate(term.TickCalm)
	}
	return out
}

// Next is the panel that gets the focus next.
func (x *Screen) Next() Panel { return x.shape().Next(x.W, x.H) }

// Turn gives a panel the focus, and keeps which one had it for [Screen.Close].
func (x *Screen) Turn(p Panel) {
	if x.Focus < Selected {
		x.under.focus, x.under.zoomed = x.Focus, x.Zoomed
	}
	x.Focus = p
}

// Open gives a text the focus, from its beginning. It fills the screen unless all of it is
// there already. Open reports false where the text had the focus: then it is closed.
func (x *Screen) Open(p Panel) bool {
	if x.Focus == p {
		x.Close()
		return false
	}
	zoomed := Arrange(x.W, x.H, x.shape()).Panel[p].Empty() || x.text(p).Long()
	x.Turn(p)
	x.Zoomed = zoomed
	x.text(p).Top()
	return true
}

// Closes reports whether there is something for [Screen.Close] to do.
func (x *Screen) Closes() bool { return x.Zoomed || x.Focus >= Selected }

// Close leaves a text, for what was on the screen before it, or ends the zoom.
func (x *Screen) Close() {
	if x.Zoomed = false; x.Focus >= Selected {
		x.Focus, x.Zoomed = x.under.focus, x.under.zoomed
	}
}

// moves is what the keys and the wheel move in p, nil for nothing.
func (x *Screen) moves(p Panel) interface{ Move(input.Command) } {
	switch {
	case p >= Selected:
		return x.text(p)
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

// Move moves what has the focus, and reports whether a candidate was selected by it.
func (x *Screen) Move(do input.Command) (chose bool) {
	at := x.Focus
	if at < Selected && x.Lesson != nil && x.Lesson.Pages(do) {
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

// Wheel moves a panel as a notch of the wheel does: a text by so many lines, a selection
// by one. It reports whether a candidate was selected by it.
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

// Draw draws what was settled. It changes nothing but the canvas.
func (x *Screen) Draw(f *term.Frame) {
	if x.TooSmall() {
		drawTooSmall(f)
		return
	}
	x.Bar.Draw(f, x.At.Header)
	a, s := &x.At, x.State
	if r := a.Panel[Candidates]; !r.Empty() {
		x.Candidates.Draw(f)
	}
	if r := a.Panel[Recipe]; !r.Empty() {
		p := leadership.Recipe{State: s, Focused: x.Focus == Recipe, Held: x.Candidates.Rows.Held, Since: x.Lesson.Since()}
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
	for p := Selected; p < Panels; p++ {
		if !a.Panel[p].Empty() {
			x.text(p).Draw(f)
		}
	}
	fades := append(slices.Delete(slices.Clone(a.Panel[:]), int(Lesson), int(Selected)), a.Belief, a.Brief)
	if x.Stale() {
		for _, r := range fades {
			f.Restyle(r.Inner(), term.Fade)
		}
	}
}

// drawTooSmall says what is missing, in the middle of what there is.
func drawTooSmall(f *term.Frame) {
	text := fmt.Sprintf("electop needs %dx%d, this terminal is %dx%d", MinWidth, MinHeight, f.W, f.H)
	lines := term.Wrap(text, f.W)
	lines = slices.Clip(lines[:min(len(lines), f.H)])
	y := (f.H - len(lines)) / 2
	for i, line := range lines {
		f.Put(max(0, (f.W-term.Width(line))/2), y+i, f.W, term.Text, line)
	}
}
