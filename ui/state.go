package ui

import (
	"time"

	"electop/ui/input"
	"electop/ui/lessons"
	"electop/ui/mainscreen"
	"electop/ui/rows"
	"electop/ui/term"
)

// dashboard is everything the screen depends on. It belongs to bubbletea's
// event loop.
type dashboard struct {
	o     Options
	doer  doer
	table []input.Binding
	themes
	w, h int

	watched // the elections
	past    timeTravel
	inFront // what is in front of the panels

	ended bool // there will be no newer state
	// endedAt is up to when they were true.
	endedAt time.Time

	screen mainscreen.Screen
	reread struct {
		of rows.Ref // the candidate whose data was read again last
		at time.Time
	}
	listing  bool // the last Listing action said that the list of elections is on it
	dragging bool // the mouse moves the playhead
	course   lessons.Course
	unknown  unknownKeys
	question *question
	status   mainscreen.Said

	canvas term.Canvas
	drawn  string
	dirty  bool
	frames int       // drawn so far
	gen    uint64    // of the tick that counts
	tickAt time.Time // when it comes; zero: none is on its way
}

// say puts text into the status line, "" for none.
func (d *dashboard) say(st term.Style, text string) {
	if text == "" {
		return
	}
	d.status.Say(st, text, d.o.Now())
	d.dirty = true
}
