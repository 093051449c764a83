package candidates

import (
	"slices"
	"sort"
	"strconv"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/znode"
	"electop/ui/term"
	"electop/ui/wording"
)

// A deletion is a znode that was deleted while the notifications of it are on
// their way to its watchers. Meanwhile its row is shown in its place in the queue.
//
// What is drawn depends on the state and the time alone. At its full pace the
// server's notifications take less than a millisecond, so their way is shown
// in slow motion ([TravelShown]). One that is held back is on its way as long
// as it is held; if the user releases each, it stands still just before its watcher.
type deletion struct {
	Candidate *dialect.Candidate
	At        int  // its position in the queue
	Stands    bool // it is in the queue as shown: the list was not read again yet
	// way is how far the notification to each session got, from 0 to 1.
	way map[uint64]float64
}

const (
	// TravelShown is how long a notification is shown on its way from the
	// deleted znode to its watcher. It takes less than a millisecond; this is
	// long enough for the eye to find it and follow, and over before the next
	// event. TickTravel is how often it moves meanwhile: a cell or two at a
	// time, which looks like one movement.
	TravelShown = 600 * time.Millisecond
	TickTravel  = 50 * time.Millisecond

	// deletionsMax is how many are drawn at once, deletionsLooked how many of the last
	// deletions are looked at.
	deletionsMax, deletionsLooked = 3, 16
	// stillAt is where a notification waits to be released.
	stillAt = 0.97
)

// deletionsOf returns the znodes whose watchers are being notified, the newest first; none
// that was deleted before since.
func deletionsOf(f *term.Frame, s *doctor.State, since time.Time) (out []deletion) {
	if len(s.Wakes) == 0 {
		return nil
	}
	took := TravelShown
	var held map[string]map[uint64]time.Time // since when a notification is held, by what was deleted and session
	if s.Pace != nil {
		if !s.Pace.Steps {
			took = max(took, s.Pace.Delay)
		}
		held = make(map[string]map[uint64]time.Time)
		for i := range s.Pace.Held {
			if m := &s.Pace.Held[i]; wording.Notifies(m) && m.Event == "deleted" {
				name := znode.Base(m.Path)
				if held[name] == nil {
					held[name] = make(map[uint64]time.Time)
				}
				held[name][m.Session] = m.Since
			}
		}
	}
	for i := len(s.Wakes) - 1; i >= max(0, len(s.Wakes)-deletionsLooked) && len(out) < deletionsMax; i-- {
		w := s.Wakes[i]
		if w.Deleted.Before(since) {
			break
		}
		if way := travels(f, w, held[w.Znode], took); len(way) > 0 {
			out = append(out, placed(s, w, way))
		}
	}
	return out
}

// travels returns how far each notification of w got, none that has arrived.
func travels(f *term.Frame, w *model.Woken, held map[uint64]time.Time, took time.Duration) map[uint64]float64 {
	if ago := f.Picture.Sub(w.Deleted); ago >= took && held == nil || ago < -took {
		return nil
	}
	way := make(map[uint64]float64, len(w.Notified))
	for _, session := range w.Notified {
		since, waiting := held[session]
		if !waiting {
			since = w.Deleted
		}
		at := max(0, float64(f.Picture.Sub(since))/float64(took))
		switch {
		case waiting && at >= stillAt:
			at = stillAt
		case at >= 1:
			continue
		default:
			f.Every(TickTravel)
		}
		way[session] = at
	}
	return way
}

// placed finds the place of what was deleted.
func placed(s *doctor.State, w *model.Woken, way map[uint64]float64) deletion {
	c := w.Candidate
	if c == nil { // electop did not see it in the queue
		c = &dialect.Candidate{Znode: znode.Znode{Name: w.Znode}}
		c.Sequence, c.HasSequence = znode.Sequence(w.Znode)
	}
	at := sort.Search(s.Queue.Len(), func(i int) bool { return !s.Recipe.Before(s.Queue.At(i), c) })
	stands := at < s.Queue.Len() && s.Queue.At(at).ID() == c.ID()
	return deletion{Candidate: c, At: at, Stands: stands, way: way}
}

// line is one of the candidates panel: a row, or what was deleted.
type line struct {
	row      int
	deletion *deletion // nil for a row
}

// lines are the rows from top on with what was deleted among them, at most n.
func (v *Panel) lines(gone []deletion, n int) []line {
	out := make([]line, 0, max(0, n))
	for i := v.top; len(out) < n && i <= v.Rows.Queued(); i++ {
		for k := len(gone) - 1; k >= 0; k-- {
			if x := &gone[k]; x.At == i && !x.Stands && len(out) < n {
				out = append(out, line{row: -1, deletion: x})
			}
		}
		if i == v.Rows.Queued() || len(out) == n {
			break
		}
		l := line{row: i}
		for k := range gone {
			if x := &gone[k]; x.At == i && x.Stands {
				l.deletion = x
			}
		}
		out = append(out, l)
	}
	return out
}

// deletedWord stands in the row of what was deleted.
const deletedWord = "deleted"

// drawDeleted draws the row of a znode that is no more: faded and struck.
func (v *Panel) drawDeleted(f *term.Frame, p *term.Pen, c columns, x *deletion, selected bool) {
	if selected {
		p.OnChosen()
	}
	number := "-"
	if x.Candidate.HasSequence {
		number = strconv.FormatInt(x.Candidate.Sequence, 10)
	}
	p.Text(term.Text, " ").Text(term.Alarm, f.Theme.Glyph.Killed)
	p.Text(term.Faint, term.Blanks(gutter-2+c.seq-term.Width(number))+number+"  "+term.Fitted(x.Candidate.Label(), c.name))
	p.Text(term.Faint, term.Blanks(c.start()-c.before()-c.name)).Text(term.Trouble, deletedWord)
	p.Text(term.Faint, term.Blanks(p.Room()-1))
}

// drawNotifications draws, over the rows, the deleted znodes, and the
// notifications of them on their way along the edges to who watched them. The
// first of lines is at y0.
func (v *Panel) drawNotifications(f *term.Frame, a term.Area, c columns, y0 int, gone []deletion, lines []line) {
	lineOf := func(position int) (y int, seen bool) {
		if i := slices.IndexFunc(lines, func(l line) bool { return l.row == position }); i >= 0 {
			return y0 + i, true
		}
		if position < v.top {
			return y0 - 1, false
		}
		return y0 + len(lines), false
	}
	start := c.start()
	for k := range gone {
		x := &gone[k]
		number := f.Theme.Glyph.Up + " " + phrase.Numbered(x.Candidate)
		e := edges{
			a: a, f: f, top: y0, end: y0 + len(lines),
			from: start + term.Width(deletedWord) + 1, to: start + term.Width(number) + 1,
			bus: min(a.Width()-2, start+min(c.watches, edgeMost)-2) - 2*k,
		}
		e.at, _ = lineOf(x.At)
		if i := slices.IndexFunc(lines, func(l line) bool { return l.deletion == x }); i >= 0 {
			e.at, e.seen = y0+i, true
			v.drawDeleted(f, a.Pen(e.at), c, x, lines[i].row == v.Index)
		}
		for i, q := range v.State.Queue.All() {
			way, ok := x.way[q.Session]
			if !ok || q.Session == 0 || q.ID() == x.Candidate.ID() {
				continue
			}
			y, seen := lineOf(i)
			if seen {
				p := a.Pen(y)
				if i == v.Index {
					p.OnChosen()
				}
				p.Gap(start).Text(term.Watch, number)
				p.Text(term.Text, term.Blanks(p.Room()-1))
			}
			if k := slices.IndexFunc(e.notices, func(n notice) bool { return n.y == y }); k >= 0 { // one for all that are out of view
				e.notices[k].way = max(e.notices[k].way, way)
			} else {
				e.notices = append(e.notices, notice{y, way})
			}
		}
		if len(e.notices) > 0 && e.bus-2 > max(e.from, e.to) { // otherwise a long number is in a narrow column
			e.draw()
		}
	}
}

// edgeMost is how far an edge reaches to the right: further away nobody could follow it.
const edgeMost = 40

// notice is a line whose candidate is being notified, which may be out of view, and how far the
// notification to it got.
type notice struct {
	y   int
	way float64
}

// edges are those from what was deleted to who watched it, and the notifications on
// them.
type edges struct {
	top, end int  // lines in view
	at       int  // the line of what was deleted
	seen     bool // that is in view
	// From the right of what was deleted to a line that leads up and down, and from there
	// into the rows of who watched it.
	from, bus, to int

	f       *term.Frame
	a       term.Area
	notices []notice
}

// path returns the cells of the edge to line y, and how many of them a notification has
// passed that is so far on its way.
func (e *edges) path(y int, way float64) (cells [][2]int, passed int) {
	for x := e.from; x < e.bus; x++ {
		cells = append(cells, [2]int{x, e.at})
	}
	step := 1
	if y < e.at {
		step = -1
	}
	for at := e.at; at != y; at += step {
		cells = append(cells, [2]int{e.bus, at})
	}
	for x := e.bus; x >= e.to; x-- {
		cells = append(cells, [2]int{x, y})
	}
	return cells, int(way * float64(len(cells)-1))
}

// draw draws the edges: all of each, then as far as its notification is, then the
// notifications.
func (e *edges) draw() {
	g := &e.f.Theme.Glyph
	high, low, turns := e.at, e.at, map[int]bool{e.at: true}
	for _, t := range e.notices {
		high, low, turns[t.y] = min(high, t.y), max(low, t.y), true
	}
	for _, st := range []term.Style{term.Faint, term.Text, term.Lead} {
		for _, t := range e.notices {
			cells, passed := e.path(t.y, t.way)
			switch st {
			case term.Lead:
				e.put(cells[passed], st, g.Notice, true)
				continue
			case term.Text:
				cells = cells[:passed+1]
			}
			for i, c := range cells {
				switch y := c[1]; {
				case c[0] == e.bus && !turns[y]:
					e.put(c, st, g.V, false)
				case c[0] == e.bus && high < y && low > y:
					e.put(c, st, g.HerdMore, true)
				case c[0] == e.bus && high < y:
					e.put(c, st, g.BR, true)
				case c[0] == e.bus:
					e.put(c, st, g.TR, true)
				case c[0] == e.to && i >= e.bus-e.from:
					e.put(c, term.Watch, g.HerdHead, true)
				default:
					e.put(c, st, g.H, true)
				}
			}
		}
	}
}

// put draws a cell of an edge if it is in view. What is in its place stays
// unless over is set; the selected row's background does.
func (e *edges) put(c [2]int, st term.Style, glyph string, over bool) {
	x, y := c[0], c[1]
	if y < e.top || y >= e.end || x < 0 || x >= e.a.Width() {
		return
	}
	x, y = x+e.a.Rect.X, y+e.a.Rect.Y
	have, ok := e.f.Cell(x, y)
	if !ok || !over && have.Text != "" && have.Text != " " {
		return
	}
	e.f.Put(x, y, x+1, st|have.Style&term.Selected, glyph)
}
