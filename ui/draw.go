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
	"electop/ui/recipe"
	"electop/ui/servers"
	"electop/ui/term"
	"electop/ui/wording"
)

// redraw draws a frame if the last one is out of date, and returns the tick
// for the next moment at which it would be.
func (d *dashboard) redraw() tea.Cmd {
	if d.w == 0 || d.h == 0 {
		d.drawn = ""
		return nil
	}
	if !d.dirty {
		return nil
	}
	d.dirty = false
	wake := d.draw()
	d.frames++
	now := d.o.Now()
	switch {
	case wake.IsZero():
		d.tickAt = time.Time{}
		d.gen++ // whatever is on its way is not needed
		return nil
	case !d.tickAt.IsZero() && !d.tickAt.After(wake) && d.tickAt.After(now):
		return nil // the one on its way is early enough; it will look again
	}
	d.gen++
	d.tickAt = wake
	return d.doer.tick(wake.Sub(now), d.gen)
}

// draw draws the frame and returns when the picture changes next, zero for
// never.
func (d *dashboard) draw() time.Time {
	now := d.o.Now()
	f := &term.Frame{Canvas: &d.canvas, Theme: d.theme, Now: now, Picture: now}
	f.Resize(d.w, d.h)
	s := d.shown()
	switch {
	case d.paused != nil:
		f.Picture, f.Held = d.since, true
	case !s.DownSince.IsZero():
		f.Picture, f.Held = s.DownSince, true
	case d.ended && d.o.Mode == ModeReplay:
		f.Picture, f.Held = s.At, true
	case d.ended:
		f.Picture, f.Held = d.endedAt, true
	}
	var lesson [][]term.Span
	if d.learning() {
		lesson = d.course.Lines(&d.theme.Glyph, d.w-4, lessonRoom(d.h, d.zoomed && d.focus == panelHandoffs))
	}
	a := arrange(d.w, d.h, shape{d.focus, d.zoomed, len(lesson)})
	if a.header.Empty() {
		d.drawTooSmall(f)
		d.drawn = f.Render(d.theme)
		return time.Time{}
	}
	d.drawHeader(f, a.header)
	if r := a.panel[panelCandidates]; !r.Empty() {
		d.candidatesPanel(f).Draw(f, r)
	}
	if r := a.panel[panelRecipe]; !r.Empty() {
		d.drawRecipe(f, r)
	}
	if r := a.panel[panelHandoffs]; !r.Empty() && lesson != nil {
		d.course.Draw(f, r, lesson, d.focus == panelHandoffs)
	} else if !r.Empty() && d.brieflyBelief() {
		d.beliefPanel().DrawBrief(f, r)
	} else if !r.Empty() {
		d.handoffsPanel(f).Draw(f, r)
	}
	if d.stale() {
		for i, r := range a.panel {
			if lesson == nil || panel(i) != panelHandoffs {
				f.Restyle(r.Inner(), term.Fade)
			}
		}
	}
	switch d.front() {
	case input.ModeInspect, input.ModeDoctor, input.ModeServers, input.ModeHelp, input.ModeFaults, input.ModeLessons, input.ModeJoin:
		f.Restyle(a.body(), term.Fade) // what is in front is to be read
	}
	switch d.front() {
	case input.ModeInspect:
		v := inspect.Panel{State: d.shown(), Row: d.inspected(), Text: d.text(), ReadAt: d.over.readAt}
		v.Draw(f)
	case input.ModeDoctor:
		_, why := d.action(Verify, "")
		findings.Draw(f, d.text(), d.shown(), d.asOf(f), why)
	case input.ModeServers:
		_, why := d.action(Verify, "")
		v := servers.Panel{State: d.shown(), Text: d.text(), Asking: !d.asked.IsZero(), Why: why}
		v.Draw(f)
	case input.ModeElections:
		body := a.body()
		f.Blank(body)
		d.electionsPanel().Draw(f, body)
	case input.ModeHelp:
		input.DrawHelp(d.table, d.text(), f)
	case input.ModeFaults:
		d.faultsPanel().Draw(f)
	case input.ModeLessons:
		d.course.DrawMenu(f)
	case input.ModeJoin:
		v := join.Panel{Invitations: d.o.Invitations, Open: d.o.Open, Cannot: d.cannotJoin(), Text: d.text()}
		v.Draw(f)
	}
	d.drawStatus(f, a.status)
	d.drawKeys(f, a.keys)
	d.drawn = f.Render(d.theme)
	return f.Wake
}

// stale reports whether the picture may be wrong by now.
func (d *dashboard) stale() bool {
	s := d.shown()
	return d.ended && d.o.Mode != ModeReplay && !d.past.on || !s.DownSince.IsZero() && s.Link.Link != model.Connected
}

// drawTooSmall says what is missing, in the middle of what there is.
func (d *dashboard) drawTooSmall(f *term.Frame) {
	text := tooSmall(d.w, d.h)
	lines := term.Wrap(text, d.w)
	lines = slices.Clip(lines[:min(len(lines), d.h)])
	y := (d.h - len(lines)) / 2
	for i, line := range lines {
		f.Put(max(0, (d.w-term.Width(line))/2), y+i, d.w, term.Text, line)
	}
}

// candidatesPanel is the panel of candidates as it is now.
func (d *dashboard) candidatesPanel(f *term.Frame) *candidates.Panel {
	focused := d.focus == panelCandidates
	_, spawn := d.action(Spawn, "")
	_, campaign := d.action(Campaign, "")
	return &candidates.Panel{
		List: d.List, State: d.shown(), Focused: focused, Zoomed: d.zoomed && focused,
		Pace: !d.besideRecipe(), AsOf: d.asOf(f), Why: candidates.Explain(f, d.shown(), d.o.Cluster, spawn == "", campaign == ""), PointedAt: d.pointedAt(),
	}
}

// besideRecipe reports whether the recipe's panel is on the screen as well,
// and says how slowly the server speaks.
func (d *dashboard) besideRecipe() bool {
	return d.w >= wideFrom && !d.zoomed && !d.shown().Work.Rules.Workers && wording.Foreign(d.shown()) == nil
}

// drawRecipe draws the recipe. Where leaders have workers, what is believed and
// what is true comes in its place, or below it on a tall screen.
func (d *dashboard) drawRecipe(f *term.Frame, r term.Rect) {
	if d.shown().Work.Rules.Workers {
		below := r
		if r.H >= recipe.Lines+2+belief.Lines {
			below.H = max(belief.Lines, r.H/2)
			below.Y += r.H - below.H
			r.H -= below.H
		}
		d.beliefPanel().Draw(f, below)
		if below == r {
			return
		}
	}
	p := recipe.Panel{State: d.shown(), Focused: d.focus == panelRecipe, Held: d.Rows.Held}
	p.Draw(f, r)
}

func (d *dashboard) beliefPanel() *belief.Panel {
	return &belief.Panel{State: d.shown(), Focused: d.focus == panelRecipe, Wide: d.w >= wideFrom}
}

func (d *dashboard) handoffsPanel(f *term.Frame) *handoffs.Panel {
	p := &handoffs.Panel{
		State: d.shown(), Focused: d.focus == panelHandoffs, Scroll: &d.scroll[panelHandoffs],
		Properties: d.beliefPanel().PropertySpans(f),
	}
	if d.paused == nil {
		p.Came = d.handoffCame
	}
	return p
}

// brieflyBelief reports whether what is believed and what is true is shown in
// the place of the handoffs: on a screen with no room for it beside the
// candidates, until the handoffs have the focus.
func (d *dashboard) brieflyBelief() bool {
	return d.w < wideFrom && d.focus == panelCandidates && d.shown().Work.Rules.Workers
}
