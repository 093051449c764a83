package ui

import (
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"electop/model"
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
	f := &frame{canvas: &d.canvas, th: d.theme, now: now, picture: now}
	f.resize(d.w, d.h)
	s := d.shown()
	switch {
	case d.paused != nil:
		f.picture, f.held = d.since, true
	case !s.DownSince.IsZero():
		f.picture, f.held = s.DownSince, true
	case d.ended && d.o.Mode == ModeReplay:
		f.picture, f.held = s.At, true
	case d.ended:
		f.picture, f.held = d.endedAt, true
	}
	lesson := d.lessonFor(d.theme)
	a := arrange(d.w, d.h, shape{d.focus, d.zoomed, len(lesson)})
	if a.header.empty() {
		d.drawTooSmall(f)
		d.drawn = f.render(d.theme)
		return time.Time{}
	}
	d.drawHeader(f, a.header)
	if r := a.panel[panelCandidates]; !r.empty() && d.asGrid(f, r) {
		d.drawGrid(f, r)
	} else if !r.empty() {
		d.drawCandidates(f, r)
	}
	if r := a.panel[panelRecipe]; !r.empty() {
		d.drawRecipe(f, r)
	}
	if r := a.panel[panelHandoffs]; !r.empty() && lesson != nil {
		d.drawLesson(f, r, lesson)
	} else if !r.empty() && d.brieflyBelief() {
		d.drawBriefBelief(f, r)
	} else if !r.empty() {
		d.drawHandoffs(f, r)
	}
	if d.stale() {
		for i, r := range a.panel {
			if lesson == nil || panel(i) != panelHandoffs {
				f.restyle(r.inner(), fade)
			}
		}
	}
	switch d.front() {
	case modeInspect, modeDoctor, modeServers, modeHelp, modeFaults, modeLessons, modeJoin:
		f.restyle(a.body(), fade) // what is in front is to be read
	}
	switch d.front() {
	case modeInspect:
		d.drawInspect(f)
	case modeDoctor:
		d.drawDoctor(f)
	case modeServers:
		d.drawServers(f)
	case modeElections:
		body := a.body()
		f.blank(body)
		d.drawElections(f, body)
	case modeHelp:
		d.drawHelp(f)
	case modeFaults:
		d.drawFaults(f)
	case modeLessons:
		d.drawLessons(f)
	case modeJoin:
		d.drawJoin(f)
	}
	d.drawStatus(f, a.status)
	d.drawKeys(f, a.keys)
	d.drawn = f.render(d.theme)
	return f.wake
}

// stale reports whether the picture may be wrong by now.
func (d *dashboard) stale() bool {
	s := d.shown()
	return d.ended && d.o.Mode != ModeReplay && !d.past.on || !s.DownSince.IsZero() && s.Link.Link != model.Connected
}

// fade takes the colour from what may be wrong by now, but for alarms.
func fade(st style) style {
	switch st &^ styleSelected {
	case styleAlarm, styleBorder, styleFocus:
		return st
	case styleOnPast, styleOnLead:
		return styleOnFaint | st&styleSelected
	}
	return styleFaint | st&styleSelected
}

// drawTooSmall says what is missing, in the middle of what there is.
func (d *dashboard) drawTooSmall(f *frame) {
	text := tooSmall(d.w, d.h)
	lines := wrap(text, d.w)
	lines = slices.Clip(lines[:min(len(lines), d.h)])
	y := (d.h - len(lines)) / 2
	for i, line := range lines {
		f.put(max(0, (d.w-width(line))/2), y+i, d.w, styleText, line)
	}
}
