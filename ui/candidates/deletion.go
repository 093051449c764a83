package candidates

import (
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
// their way to its watchers. As long, its row is shown where it stood.
//
// What is drawn depends on the state and the time alone. At its full pace the
// server's notifications take less than a millisecond, so their way is shown
// in slow motion ([TravelShown]); one that is held back is on its way for as
// long as it is held, and where each is let go by hand it stands still just
// before its watcher until then.
type deletion struct {
	Candidate *dialect.Candidate
	At        int  // its position in the queue: where it stands or stood
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
	// stillAt is where a notification waits to be let go.
	stillAt = 0.97
)

// deletionsOf returns the znodes whose watchers are being told, the newest first; none that
// was deleted before since.
func deletionsOf(f *term.Frame, s *doctor.State, since time.Time) []deletion {
	if len(s.Wakes) == 0 {
		return nil
	}
	took := TravelShown
	if s.Pace != nil && !s.Pace.Steps {
		took = max(took, s.Pace.Delay)
	}
	var held map[string][]*model.Message // the notifications, by what was deleted
	if s.Pace != nil {
		for i := range s.Pace.Held {
			if m := &s.Pace.Held[i]; wording.Notifies(m) && m.Event == "deleted" {
				if held == nil {
					held = make(map[string][]*model.Message)
				}
				name := znode.Base(m.Path)
				held[name] = append(held[name], m)
			}
		}
	}
	var out []deletion
	for i := len(s.Wakes) - 1; i >= max(0, len(s.Wakes)-deletionsLooked) && len(out) < deletionsMax; i-- {
		w := s.Wakes[i]
		if w.Deleted.Before(since) {
			break
		}
		way, moves := travels(f, w, held[w.Znode], took)
		if way == nil {
			continue
		}
		if moves {
			f.Every(TickTravel)
		}
		out = append(out, placed(s, w, way))
	}
	return out
}

// wayTo is how far the notification to a session got, false for none.
func (x *deletion) wayTo(session uint64) (way float64, ok bool) {
	way, ok = x.way[session]
	return way, ok
}

// travels returns how far each notification of w got, nil if all have come;
// and whether any of them moves.
func travels(f *term.Frame, w *model.Woken, held []*model.Message, took time.Duration) (way map[uint64]float64, moves bool) {
	ago := f.Picture.Sub(w.Deleted)
	if ago >= took && held == nil || ago < -took {
		return nil, false
	}
	waits := make(map[uint64]time.Time, len(held))
	for _, m := range held {
		waits[m.Session] = m.Since
	}
	way = make(map[uint64]float64, len(w.Notified))
	for _, session := range w.Notified {
		since, waiting := waits[session]
		if !waiting {
			since = w.Deleted
		}
		at := max(0, float64(f.Picture.Sub(since))/float64(took))
		switch {
		case at < stillAt:
			moves = true
		case waiting:
			at = stillAt
		case at >= 1:
			continue
		default:
			moves = true
		}
		way[session] = at
	}
	if len(way) == 0 {
		return nil, false
	}
	return way, moves
}

// placed finds the place of what was deleted.
func placed(s *doctor.State, w *model.Woken, way map[uint64]float64) deletion {
	c := w.Candidate
	if c == nil { // nobody saw it stand
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
	for k := range gone {
		x := &gone[k]
		start := c.start()
		number := f.Theme.Glyph.Up + " " + phrase.Numbered(x.Candidate)
		e := edges{
			top: y0, end: y0 + len(lines),
			from: start + term.Width(deletedWord) + 1, to: start + term.Width(number) + 1,
			bus: min(a.Width()-2, start+min(c.watches, edgeMost)-2) - 2*k,
		}
		first, last, shift := v.top, v.top, 0
		e.at = y0 + x.At - v.top
		for i, l := range lines {
			if l.row >= 0 {
				first, last, shift = min(first, l.row), l.row, i-(l.row-v.top)
			}
			if l.deletion == x {
				e.at, e.seen = y0+i, true
				v.drawDeleted(f, a.Pen(y0+i), c, x, l.row == v.Index)
			}
		}
		if x.At > last && !e.seen {
			e.at += shift
		}
		room := e.bus-2 > max(e.from, e.to)  // else a long number is in a narrow column
		row := make(map[int]int, len(lines)) // the lines of the rows
		for i, l := range lines {
			if l.row >= 0 {
				row[l.row] = y0 + i
			}
		}
		for i, q := range v.State.Queue.All() {
			at, ok := x.wayTo(q.Session)
			if !ok || q.Session == 0 || q.ID() == x.Candidate.ID() {
				continue
			}
			y, seen := row[i]
			switch {
			case seen:
				p := a.Pen(y)
				if i == v.Index {
					p.OnChosen()
				}
				p.Gap(start).Text(term.Watch, number)
				p.Text(term.Text, term.Blanks(p.Room()-1))
			case i < first:
				y = y0 - (first - i)
			default:
				y = y0 + i - v.top + shift
			}
			e.add(y, at)
		}
		if room {
			e.draw(f, a)
		}
	}
}

// edgeMost is how far an edge reaches to the right: further away nobody sees
// where it comes from.
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

// add adds the edge to line y. way is how far the notification got on it.
func (e *edges) add(y int, way float64) { e.notices = append(e.notices, notice{y, way}) }

// draw draws the edges on a.
func (e *edges) draw(f *term.Frame, a term.Area) {
	if len(e.notices) == 0 {
		return
	}
	e.f, e.a = f, a
	g := &e.f.Theme.Glyph
	// How far the edges lead, and how far a notification got on them.
	high, low, reachedHigh, reachedLow := e.at, e.at, e.at, e.at
	along := 0
	for _, t := range e.notices {
		high, low = min(high, t.y), max(low, t.y)
		_, y := e.place(t)
		reachedHigh, reachedLow = min(reachedHigh, y), max(reachedLow, y)
		along = max(along, e.travelled(t))
	}
	state := func(reached bool) term.Style {
		if reached {
			return term.Text
		}
		return term.Faint
	}
	for y := max(high, e.top); y <= min(low, e.end-1); y++ {
		if y != e.at {
			e.put(e.bus, y, state(y >= reachedHigh && y <= reachedLow), g.V, false)
		}
	}
	if e.seen {
		for x := e.from; x < e.bus; x++ {
			e.put(x, e.at, state(x-e.from < along), g.H, true)
		}
		e.put(e.bus, e.at, state(along >= e.bus-e.from), corner(g, high < e.at, low > e.at), true)
	}
	for _, t := range e.notices {
		x0, y0 := e.place(t)
		if t.y == e.at {
			continue
		}
		e.put(e.bus, t.y, state(y0 == t.y), corner(g, t.y > e.at || high < t.y, t.y < e.at || low > t.y), true)
		for x := e.to + 1; x < e.bus; x++ {
			e.put(x, t.y, state(y0 == t.y && x > x0), g.H, true)
		}
		e.put(e.to, t.y, term.Watch, g.HerdHead, true)
	}
	for _, t := range e.notices {
		x, y := e.place(t)
		if y != e.at || e.seen {
			e.put(x, y, term.Lead, g.Notice, true)
		}
	}
}

// corner joins an edge from the left with those up and down.
func corner(g *term.Glyphs, up, down bool) string {
	switch {
	case up && down:
		return g.HerdMore
	case up:
		return g.BR
	}
	return g.TR
}

// travelled is how many cells the notification is along its edge.
func (e *edges) travelled(t notice) int {
	return int(t.way * float64(e.bus-e.from+max(t.y-e.at, e.at-t.y)+e.bus-e.to))
}

// place is where the notification is.
func (e *edges) place(t notice) (x, y int) {
	n := e.travelled(t)
	if n < e.bus-e.from {
		return e.from + n, e.at
	}
	n -= e.bus - e.from
	if v := t.y - e.at; v >= 0 && n < v {
		return e.bus, e.at + n
	} else if v < 0 && n < -v {
		return e.bus, e.at - n
	} else if v < 0 {
		n += v
	} else {
		n -= v
	}
	return max(e.to, e.bus-n), t.y
}

// put draws a cell of an edge if it is in view. What is in its place stays
// unless over is set; the selected row's background does.
func (e *edges) put(x, y int, st term.Style, glyph string, over bool) {
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
