package ui

import (
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"electop/model"
	"electop/ui/belief"
	"electop/ui/candidates"
	"electop/ui/findings"
	"electop/ui/handoffs"
	"electop/ui/input"
	"electop/ui/inspect"
	"electop/ui/join"
	"electop/ui/layout"
	"electop/ui/messages"
	"electop/ui/pager"
	"electop/ui/recipe"
	"electop/ui/servers"
	"electop/ui/term"
	"electop/ui/wording"
)

// redraw settles the panels and draws a frame if the last one is out of date, and
// returns the tick for the next moment at which it would be.
func (d *dashboard) redraw() tea.Cmd {
	if d.w == 0 || d.h == 0 {
		d.drawn = ""
		return nil
	}
	if !d.dirty {
		return nil
	}
	d.dirty = false
	f := d.frame()
	d.settle(f)
	d.drawn = d.draw(f)
	d.frames++
	now := d.o.Now()
	switch {
	case f.Wake.IsZero():
		d.tickAt = time.Time{}
		d.gen++ // whatever is on its way is not needed
		return nil
	case !d.tickAt.IsZero() && !d.tickAt.After(f.Wake) && d.tickAt.After(now):
		return nil // the one on its way is early enough; it will look again
	}
	d.gen++
	d.tickAt = f.Wake
	return d.doer.tick(f.Wake.Sub(now), d.gen)
}

// frame is an empty picture of this moment.
func (d *dashboard) frame() *term.Frame {
	now := d.o.Now()
	f := &term.Frame{Canvas: &d.canvas, Theme: d.theme, Now: now, Picture: now}
	f.Resize(d.w, d.h)
	s := d.shown()
	switch {
	case d.paused != nil:
		f.Picture, f.Held = d.past.since(), true
	case !s.DownSince.IsZero():
		f.Picture, f.Held = s.DownSince, true
	case d.ended && d.o.Mode == ModeReplay:
		f.Picture, f.Held = s.At, true
	case d.ended:
		f.Picture, f.Held = d.endedAt, true
	}
	if d.past.journey.Plays() {
		f.At(now.Add(playEvery))
	}
	return f
}

// settle gives each part of the screen its place and what it shows. After it,
// keys move by what is in view, whether or not it was drawn.
func (d *dashboard) settle(f *term.Frame) {
	s := d.shown()
	x := d.shape()
	d.focus = x.Focused(d.w, d.h)
	x.Focus = d.focus
	var lesson [][]term.Span
	if d.lesson() != nil {
		w, room := layout.LessonPlace(d.w, d.h, x)
		lesson = d.course.Lines(&d.theme.Glyph, w, room)
	}
	d.at = layout.Arrange(d.w, d.h, x)
	if d.at.Header.Empty() {
		return // too small
	}
	if r := d.at.Panel[layout.Candidates]; !r.Empty() {
		d.candidates.Settle(d.candidatesShown(f), r)
	}
	if r := d.at.Panel[layout.Lesson]; !r.Empty() {
		d.course.Settle(lesson, r)
	}
	if r := d.at.Panel[layout.Handoffs]; !r.Empty() {
		d.handoffs.Settle(d.handoffsShown(f), r)
	}
	if r := d.at.Panel[layout.Messages]; !r.Empty() {
		d.messages.Settle(messages.Shown{State: s, Focused: d.focus == layout.Messages, Selected: d.candidates.Row()}, r)
	}
	switch d.modes.Front() {
	case input.ModeElections:
		d.elections.Settle(d.electionsShown(), d.at.Body())
	case input.ModeLessons:
		d.course.Menu.Settle(d.w, d.h)
	case input.ModeFaults:
		d.faults.Settle(d.faultsShown())
	case input.ModePalette:
		d.palette.Settle(d.w, d.h, d.paletteShown())
	}
	if text, ok := d.front().(*pager.Front); ok {
		text.Settle(d.w, d.h, d.content(f))
	}
}

// shape is what the arrangement depends on now.
func (d *dashboard) shape() layout.Shape {
	s := d.shown()
	return layout.Shape{
		Focus: d.focus, Zoomed: d.zoomed, Lesson: d.lesson() != nil, Workers: s.Work.Rules.Workers,
		Messages: s.Pace != nil, Rows: d.candidates.Rows.Len(),
	}
}

// content is the text in front of the panels.
func (d *dashboard) content(f *term.Frame) pager.Text {
	switch d.modes.Front() {
	case input.ModeInspect:
		v := inspect.Panel{State: d.shown(), Row: d.row(d.over.of), ReadAt: d.over.readAt}
		return v.Text(f)
	case input.ModeDoctor:
		_, why := d.action(Verify, "")
		return findings.Text(f, d.shown(), d.asOf(f), why)
	case input.ModeServers:
		_, why := d.action(Verify, "")
		v := servers.Panel{State: d.shown(), Asking: !d.asked.IsZero(), Why: why}
		return v.Text(f)
	case input.ModeJoin:
		v := join.Panel{Invitations: d.o.Invitations, Open: d.o.Open, Cannot: d.o.cannotJoin(d.path)}
		return v.Text(f)
	}
	const width = 92
	of := input.Mode(0) // all
	if !d.helpAll {
		of = d.helpOf()
	}
	return pager.Text{Title: "Help", Width: width, Lines: input.HelpLines(d.table, &d.theme.Glyph, term.TextWidth(d.w, width), of)}
}

// draw draws what was settled. It changes nothing but the canvas.
func (d *dashboard) draw(f *term.Frame) string {
	a := &d.at
	if a.Header.Empty() {
		drawTooSmall(f)
		return f.Render(d.theme)
	}
	bar := d.header()
	bar.Draw(f, a.Header)
	d.drawPanels(f)
	d.drawFront(f)
	d.drawStatus(f, a.Status)
	keys := d.footer()
	input.DrawFooter(f, a.Keys, keys.Keys(&f.Theme.Glyph, d.table))
	return f.Render(d.theme)
}

func (d *dashboard) drawPanels(f *term.Frame) {
	a, s := &d.at, d.shown()
	if r := a.Panel[layout.Candidates]; !r.Empty() {
		d.candidates.Draw(f)
	}
	if r := a.Panel[layout.Recipe]; !r.Empty() {
		p := recipe.Panel{State: s, Focused: d.focus == layout.Recipe, Held: d.candidates.Rows.Held, Since: d.lesson().Since()}
		p.Draw(f, r)
	}
	believed := d.believed()
	if !a.Belief.Empty() {
		believed.Draw(f, a.Belief)
	}
	if !a.Brief.Empty() {
		believed.DrawBrief(f, a.Brief)
	}
	if !a.Panel[layout.Lesson].Empty() {
		d.course.Draw(f, d.focus == layout.Lesson)
	}
	if !a.Panel[layout.Handoffs].Empty() {
		d.handoffs.Draw(f)
	}
	if !a.Panel[layout.Messages].Empty() {
		d.messages.Draw(f)
	}
	if !a.About.Empty() {
		v := inspect.Panel{State: s, Row: d.candidates.Row()}
		v.Draw(f, a.About)
	}
	if !a.Doctor.Empty() {
		_, why := d.action(Verify, "")
		findings.Draw(f, a.Doctor, s, d.asOf(f), why)
	}
	if !a.Servers.Empty() {
		_, why := d.action(Verify, "")
		v := servers.Panel{State: s, Asking: !d.asked.IsZero(), Why: why}
		v.Draw(f, a.Servers)
	}
	fades := append(a.Panel[:layout.Lesson:layout.Lesson], a.Belief, a.Brief, a.About, a.Doctor, a.Servers)
	if d.stale() {
		for _, r := range fades {
			f.Restyle(r.Inner(), term.Fade)
		}
	}
}

// drawFront draws what is in front of the panels, which is to be read: they
// fade.
func (d *dashboard) drawFront(f *term.Frame) {
	m := d.modes.Front()
	if !m.Main() && m != input.ModeElections {
		f.Restyle(d.at.Body(), term.Fade)
	}
	if p := d.front(); p != nil {
		p.Draw(f)
	}
}

// drawTooSmall says what is missing, in the middle of what there is.
func drawTooSmall(f *term.Frame) {
	lines := term.Wrap(tooSmall(f.W, f.H), f.W)
	lines = slices.Clip(lines[:min(len(lines), f.H)])
	y := (f.H - len(lines)) / 2
	for i, line := range lines {
		f.Put(max(0, (f.W-term.Width(line))/2), y+i, f.W, term.Text, line)
	}
}

// stale reports whether the picture may be wrong by now.
func (d *dashboard) stale() bool {
	s := d.shown()
	return d.ended && d.o.Mode != ModeReplay && !d.past.journey.On || !s.DownSince.IsZero() && s.Link.Link != model.Connected
}

// candidatesShown is what the panel of candidates shows now. It says how slowly
// the server answers where the recipe is not beside it.
func (d *dashboard) candidatesShown(f *term.Frame) candidates.Shown {
	s, focused := d.shown(), d.focus == layout.Candidates
	_, spawn := d.action(Spawn, "")
	_, campaign := d.action(Campaign, "")
	return candidates.Shown{
		State: s, Focused: focused, Zoomed: d.zoomed && focused,
		Pace: d.w < layout.WideFrom || d.zoomed || s.Work.Rules.Workers || wording.Foreign(s) != nil,
		AsOf: d.asOf(f), Why: candidates.Explain(f, s, d.o.Cluster, spawn == "", campaign == ""), PointedAt: d.lesson().Target(), Since: d.lesson().Since(), Moment: d.past.journey.On,
	}
}

// believed is the panel of what is believed and what is so.
func (d *dashboard) believed() belief.Panel {
	return belief.Panel{State: d.shown(), Focused: d.focus == layout.Recipe, Wide: d.w >= layout.WideFrom}
}

func (d *dashboard) handoffsShown(f *term.Frame) handoffs.Shown {
	believed := d.believed()
	x := handoffs.Shown{
		State: d.shown(), Focused: d.focus == layout.Handoffs, Properties: believed.PropertySpans(f),
		Zoomed: d.zoomed, Now: f.Calm(), Selected: d.candidates.Row().Ref(),
	}
	if d.paused == nil {
		x.Came = d.handoffCame
	}
	switch reel, j := d.past.reel(), &d.past.journey; {
	case reel != nil:
		playing := reel.Playing()
		x.Head, x.Whole, x.First, x.Last = f.Picture, playing.Whole, playing.First, playing.Last
		if !playing.Stopped && !playing.Ended {
			x.Playing = f.Theme.Glyph.Play
		}
	case j.On && j.Known:
		x.Playing = j.PlayWords(&f.Theme.Glyph)
		x.Head, x.Whole, x.Now = j.Shown, j.Whole.State, j.Whole.At.Truncate(term.TickCalm)
	}
	return x
}
