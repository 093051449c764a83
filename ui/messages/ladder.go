package messages

import (
	"fmt"
	"strings"
	"time"

	"electop/model"
	"electop/ui/term"
	"electop/ui/wording"
)

const (
	Lines     = 10 // the panel should have at least this height, with its border
	headLines = 1

	stampFormat = "04:05.000"
	stampRoom   = len(stampFormat) + 1
	stampsFrom  = 60 // width from which times are shown
	laneRoom    = 25 // least width of a lane, if there are more than two

	progressTick = 50 * time.Millisecond // interval at which the lines of delayed messages grow
)

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
	d := newLadder(f, a, len(v.lanes))
	d.head(v.lanes)
	all := v.inView()
	for i := range all {
		d.entry(headLines+i, &all[i])
	}
	v.drawHeld(d, headLines+len(all), v.held)
	v.drawLegend(d, headLines+len(all)+v.held)
}

func (v *Panel) drawNothing(f *term.Frame, a term.Area) {
	words := []string{"No message was held yet.", "[ slows the server, and . steps: then each request, reply and notification is shown here, with the znodes that are deleted and the steps of the recipe."}
	if v.State.Pace.Slowed() {
		words[1] = "The next request, reply or notification is shown here. s spawns a candidate, d lets the selected one resign."
	}
	f.Prose(a, 0, append(words, legend...))
}

var legend = []string{
	"Arrows to ZooKeeper are requests that it carried out. Arrows from ZooKeeper: what it sent.",
	"Pings and lease checks are never held and never shown.",
}

func (v *Panel) drawLegend(d *ladder, y int) {
	var lines []string
	for _, text := range legend {
		lines = append(lines, term.Wrap(text, d.Area.Width())...)
	}
	from := d.Area.Height() - len(lines)
	if from < y+1 {
		return
	}
	d.lifelines(y, from-1)
	for i, line := range lines {
		d.Area.Pen(from+i).Text(term.Muted, line)
	}
}

func (v *Panel) drawHeld(d *ladder, y, n int) {
	s := v.State
	d.lifelines(y, y+n)
	p := s.Pace
	if p == nil || len(p.Held) == 0 {
		words := wording.PaceLine(s)
		if !p.Slowed() {
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
		d.across(y+shown, term.You, fmt.Sprintf("and %d more held", all-shown))
	}
	for i := range p.Held[:shown] {
		m := &p.Held[i]
		of := sideOf(v.lanes, memberWith(s, m.Session), m.Session)
		text := heldText(s, m, !d.nextToServer(of))
		if d.held(y+i, of, text, p.Steps && i == 0); p.Delay > 0 {
			d.progress(y+i, of, text, float64(d.f.Picture.Sub(m.Since))/float64(p.Delay))
		}
	}
	if p.Delay > 0 {
		d.f.Every(progressTick)
	}
}

type ladder struct {
	f           *term.Frame
	Area        term.Area
	left, right int   // first and last column, on the canvas
	lines       []int // columns of all lifelines
	lanes       []int // columns of the lanes' lifelines
	server      int   // column of the server's lifeline
	stamps      bool
}

func newLadder(f *term.Frame, a term.Area, n int) *ladder {
	d := &ladder{f: f, Area: a, left: a.Rect.X, right: a.Rect.X + a.Width() - 1, stamps: a.Width() >= stampsFrom}
	if d.stamps {
		d.left += stampRoom
	}
	for i := range n + 1 {
		x := d.left + i*(d.right-d.left)/n
		if d.lines = append(d.lines, x); i == (n+1)/2 {
			d.server = x
		} else {
			d.lanes = append(d.lanes, x)
		}
	}
	return d
}

func (d *ladder) isLeft(of side) bool { return of >= 0 && d.lanes[of] < d.server }

func (d *ladder) put(y, x, end int, st term.Style, text string) int {
	if y < 0 || y >= d.Area.Height() {
		return x
	}
	return d.f.Put(x, d.Area.Rect.Y+y, end, st, text)
}

func (d *ladder) nextToServer(of side) bool {
	n := side(len(d.lines) / 2)
	return of == n-1 || of == n
}

func (d *ladder) head(lanes []lane) {
	const middle = "ZooKeeper"
	d.put(0, d.server-len(middle)/2, d.right+1, term.Strong, middle)
	for i, l := range lanes {
		name := term.Cut(l.name(), (d.right-d.left)/len(lanes)-len(middle)/2-1)
		x := max(d.left, min(d.lanes[i]-term.Width(name)/2, d.right+1-term.Width(name)))
		d.put(0, x, d.right+1, l.style(), name)
	}
}

func (d *ladder) lifelines(y, end int) {
	for ; y < end; y++ {
		for _, x := range d.lines {
			d.put(y, x, x+1, term.Border, d.f.Theme.Glyph.V)
		}
	}
}

func (d *ladder) across(y int, st term.Style, text string) {
	text = " " + term.Cut(text, d.right-d.left-3) + " "
	x := max(d.left+1, d.server-term.Width(text)/2)
	d.put(y, x, d.right, st, text)
}

func (d *ladder) span(of side) (from, to int) {
	switch {
	case of < 0:
		return d.left + 1, d.right - 1
	case d.isLeft(of):
		return d.lanes[of] + 1, d.server - 1
	}
	return d.server + 1, d.lanes[of] - 1
}

func (d *ladder) entry(y int, e *entry) {
	d.lifelines(y, y+1)
	if d.stamps && !e.at.IsZero() {
		d.Area.Pen(y).Text(term.Muted, e.at.In(d.f.Now.Location()).Format(stampFormat))
	}
	switch e.kind {
	case sent:
		st := term.Text
		if e.notifies {
			st = term.Watch
		}
		if e.lost != arrived {
			d.lost(y, e, st)
			return
		}
		d.arrow(y, e.side, d.isLeft(e.side), st, e.text)
	case request:
		d.arrow(y, e.side, !d.isLeft(e.side), term.Text, e.text)
	case step:
		d.beside(y, e.side, term.Gold, e.text)
	case fault:
		d.beside(y, e.side, term.Alarm, e.text)
	case deleted:
		d.across(y, term.Strong, e.text)
	case missing, others:
		d.across(y, term.Muted, e.text)
	}
}

func (d *ladder) arrow(y int, of side, toLeft bool, st term.Style, text string) {
	g := &d.f.Theme.Glyph
	from, to := d.span(of)
	line := strings.Repeat(g.H, to-from+1)
	edge := term.Muted
	if st == term.Watch {
		edge = st
	}
	d.put(y, from, to+1, edge, line)
	for _, x := range d.lines {
		if from < x && x < to {
			d.put(y, x, x+1, edge, g.Crossed)
		}
	}
	near, far := from, to
	switch n := (d.right - d.left) / len(d.lanes); { // the text is between the lane and the next lifeline
	case d.nextToServer(of):
	case d.isLeft(of):
		far = from + n - 2
	default:
		near = to - n + 2
	}
	text = " " + term.Cut(text, far-near-3) + " "
	d.put(y, near+(far-near+1-term.Width(text))/2, to+1, st, text)
	if toLeft {
		d.put(y, from, from+1, edge, g.ToLeft)
	} else {
		d.put(y, to, to+1, edge, g.ToRight)
	}
}

func (d *ladder) lost(y int, e *entry, st term.Style) {
	g := &d.f.Theme.Glyph
	from, to := d.span(e.side)
	room := to - from + 1
	mark := g.Expired
	switch e.lost { // a frozen or partitioned client may still read the message later
	case loss(model.Frozen):
		mark = g.Frozen
	case loss(model.Partitioned):
		mark = g.Parted
	}
	text := g.H + " " + term.Cut(e.text, room-6) + " "
	reason := mark + " " + string(e.lost)
	if d.isLeft(e.side) {
		text = " " + term.Cut(e.text, room-6) + " " + g.H
		reason = term.Cut(string(e.lost), room-term.Width(text)-2) + " " + mark
		x := to + 1 - term.Width(text)
		d.put(y, x, to+1, st, text)
		d.put(y, x-term.Width(reason), x, term.Trouble, reason)
		return
	}
	x := d.put(y, from, to+1, st, text)
	d.put(y, x, to+1, term.Trouble, term.Cut(reason, to+1-x))
}

func (d *ladder) beside(y int, of side, st term.Style, text string) {
	x, end := d.lanes[of]+1, d.right
	if !d.isLeft(of) {
		x, end = d.left+1, d.lanes[of]
	}
	text = term.Cut(text, end-x)
	if !d.isLeft(of) {
		x = end - term.Width(text)
	}
	d.put(y, x, end, st, text)
}

func (d *ladder) held(y int, of side, text string, next bool) {
	g := &d.f.Theme.Glyph
	const key = " . "
	from, to := d.span(of)
	room := to - from + 1 - 2
	if next {
		room -= len(key) + 1
	}
	text = term.Cut(text, room)
	switch {
	case d.isLeft(of):
		text += " " + g.Notice
		from = to + 1 - term.Width(text)
	case of == elsewhere:
		text = g.Notice + " " + text
		from = max(to+1-room-2, d.server-term.Width(text)/2)
		d.put(y, from-1, from, term.You, " ")
		d.put(y, from+term.Width(text), to+1, term.You, " ")
	default:
		text = g.Notice + " " + text
	}
	d.put(y, from, to+1, term.You, text)
	switch {
	case !next:
	case of >= 0 && !d.isLeft(of):
		d.put(y, from+term.Width(text)+1, to+1, term.Badge, key)
	default:
		d.put(y, max(d.left+1, from-len(key)-1), from, term.Badge, key)
	}
}

func (d *ladder) progress(y int, of side, text string, passed float64) {
	g := &d.f.Theme.Glyph
	from, to := d.span(of)
	track := to - from + 1 - term.Width(g.Notice+" "+text+" ")
	const least, most = 3, 0.97 // most: the line must not arrive before the message
	if of == elsewhere || track < least {
		return
	}
	n := int(max(0, min(passed, most)) * float64(track))
	line := strings.Repeat(g.H, n)
	if d.isLeft(of) {
		x := to + 1 - term.Width(g.Notice+" "+text+" ")
		d.put(y, x-n, x, term.You, line)
		d.put(y, x-n-1, x-n, term.You, g.ToLeft)
		return
	}
	x := d.put(y, from+term.Width(g.Notice+" "+text+" "), to+1, term.You, line)
	d.put(y, x, to+1, term.You, g.ToRight)
}
