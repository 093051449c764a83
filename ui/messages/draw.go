package messages

import (
	"fmt"
	"time"

	"electop/model"
	"electop/ui/term"
	"electop/ui/wording"
)

// headLines are the names above the ladder.
const headLines = 1

// Lines is the least height of the panel with its border.
const Lines = 10

// stampFormat is the time of an entry; from stampsFrom cells on there is room for it.
const (
	stampFormat = "04:05.000"
	stampsFrom  = 60
)

// tickFlight is how often a delayed message moves: a cell or two at a time.
const tickFlight = 50 * time.Millisecond

// Draw draws the ladder.
func (v Panel) Draw(f *term.Frame) {
	s := v.State
	tail := wording.PaceSpans(s)
	if v.back > 0 {
		tail = append(tail, term.Span{Style: term.You, Text: fmt.Sprintf("%d newer below", v.back), Keep: 9})
	}
	a := f.Box(v.place, "Messages", v.Focused, term.TrimSpans(tail)...).Inset(1)
	if len(v.entries) == 0 && (s.Pace == nil || len(s.Pace.Held) == 0) {
		v.drawNothing(f, a)
		return
	}
	d := newLadder(f, a)
	d.head(&v.left, &v.right)
	all := v.inView()
	for i := range all {
		d.entry(headLines+i, &all[i])
	}
	v.drawHeld(d, headLines+len(all), v.held)
	v.drawLegend(d, headLines+len(all)+v.held)
}

// drawNothing says what will be here.
func (v *Panel) drawNothing(f *term.Frame, a term.Area) {
	words := []string{"No message was held yet.", "[ slows the server, and . steps: then each request, reply and notification is shown here, with the znodes that are deleted and the steps of the recipe."}
	if p := v.State.Pace; p != nil && (p.Steps || p.Delay > 0) {
		words[1] = "The next request, reply or notification is shown here. s spawns a candidate, d lets the selected one resign."
	}
	f.Prose(a, 0, append(words, legend...))
}

// legend explains the ladder.
var legend = []string{
	"An arrow to ZooKeeper is a request that it carried out, an arrow from it what it sent.",
	"Pings and checks of a lease are never held, and not shown.",
}

// drawLegend draws the explanation where there is room to spare.
func (v *Panel) drawLegend(d *ladder, y int) {
	var lines []string
	for _, text := range legend {
		lines = append(lines, term.Wrap(text, d.Area.Width())...)
	}
	from := d.Area.Height() - len(lines)
	if from < y+1 {
		return
	}
	d.life(y, from-1)
	for i, line := range lines {
		d.Area.Pen(from+i).Text(term.Muted, line)
	}
}

// drawHeld draws what is held, the first to be released first, on n lines.
func (v *Panel) drawHeld(d *ladder, y, n int) {
	s := v.State
	d.life(y, y+n)
	p := s.Pace
	if p == nil || len(p.Held) == 0 {
		words := wording.PaceLine(s)
		if p == nil || !p.Steps && p.Delay == 0 {
			words = "full speed: [ slows the server"
		}
		if words != "" {
			d.across(y, term.You, words)
		}
		return
	}
	shown := min(len(p.Held), n)
	if all := max(p.Waiting, len(p.Held)); all > shown && shown > 1 {
		shown--
		d.across(y+shown, term.You, more(all-shown))
	}
	for i := range p.Held[:shown] {
		m := &p.Held[i]
		of := elsewhere
		switch member := memberWith(s, m.Session); {
		case v.left.has(member, m.Session):
			of = left
		case v.right.has(member, m.Session):
			of = right
		}
		if d.held(y+i, of, v.heldText(of, m), p.Steps && i == 0); p.Delay > 0 {
			d.flies(y+i, of, v.heldText(of, m), float64(d.f.Picture.Sub(m.Since))/float64(p.Delay))
		}
	}
	if p.Delay > 0 {
		d.f.Every(tickFlight)
	}
}

func (v *Panel) heldText(of side, m *model.Message) string {
	if of == elsewhere {
		return heldFor(v.State, m)
	}
	return waits(v.State, m)
}
