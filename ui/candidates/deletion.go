package candidates

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/znode"
	"electop/ui/term"
	"electop/ui/wording"
)

// deletion is a deleted znode whose notifications are shown on their way to the watchers.
// A notification may take less than a millisecond, so the panel draws it slowly.
type deletion struct {
	candidate *dialect.Candidate
	at        int                // position in the queue
	listed    bool               // the queue still has the znode
	progress  map[uint64]float64 // of the notification to each session, from 0 to 1
}

const (
	TravelShown = 600 * time.Millisecond // least time in which a drawn notification reaches its watcher
	TickTravel  = 50 * time.Millisecond  // time between two positions of a drawn notification

	deletionsMax        = 3    // deletions drawn in one frame
	deletionsConsidered = 16   // newest deletions considered
	heldAt              = 0.97 // progress at which a held notification stops
)

func deletionsOf(f *term.Frame, s *doctor.State, since time.Time) (out []deletion) {
	if len(s.Deletions) == 0 {
		return nil
	}
	took := TravelShown
	var held map[string]map[uint64]time.Time // start of the hold, by deleted znode and session
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
	for i := len(s.Deletions) - 1; i >= max(0, len(s.Deletions)-deletionsConsidered) && len(out) < deletionsMax; i-- {
		w := s.Deletions[i]
		if w.Deleted.Before(since) {
			break
		}
		if progress := progressOf(f, w, held[w.Znode], took); len(progress) > 0 {
			out = append(out, placed(s, w, progress))
		}
	}
	return out
}

func progressOf(f *term.Frame, w *model.ReportedDeletion, held map[uint64]time.Time, took time.Duration) map[uint64]float64 {
	if ago := f.Picture.Sub(w.Deleted); ago >= took && held == nil || ago < -took {
		return nil
	}
	progress := make(map[uint64]float64, len(w.Notified))
	for _, session := range w.Notified {
		since, waiting := held[session]
		if !waiting {
			since = w.Deleted
		}
		at := max(0, float64(f.Picture.Sub(since))/float64(took))
		switch {
		case waiting && at >= heldAt:
			at = heldAt
		case at >= 1:
			continue
		default:
			f.Every(TickTravel)
		}
		progress[session] = at
	}
	return progress
}

func placed(s *doctor.State, w *model.ReportedDeletion, progress map[uint64]float64) deletion {
	c := w.Candidate
	if c == nil { // never read
		c = &dialect.Candidate{Znode: znode.Znode{Name: w.Znode}}
		c.Sequence, c.HasSequence = znode.Sequence(w.Znode)
	}
	at := sort.Search(s.Queue.Len(), func(i int) bool { return !s.Recipe.Before(s.Queue.At(i), c) })
	listed := at < s.Queue.Len() && s.Queue.At(at).ID() == c.ID()
	return deletion{candidate: c, at: at, listed: listed, progress: progress}
}

type line struct {
	row      int // -1 for a deleted znode that is not in the queue
	deletion *deletion
}

func (v *Panel) lines(deletions []deletion, n int) []line {
	out := make([]line, 0, max(0, n))
	for i := v.top; len(out) < n && i <= v.Rows.Queued(); i++ {
		for k := len(deletions) - 1; k >= 0; k-- {
			if x := &deletions[k]; x.at == i && !x.listed && len(out) < n {
				out = append(out, line{row: -1, deletion: x})
			}
		}
		if i == v.Rows.Queued() || len(out) == n {
			break
		}
		l := line{row: i}
		for k := range deletions {
			if x := &deletions[k]; x.at == i && x.listed {
				l.deletion = x
			}
		}
		out = append(out, l)
	}
	return out
}

const (
	deletedWord = "deleted"
	edgeMost    = 40 // greatest width of an edge
)

func (v *Panel) drawDeleted(f *term.Frame, p *term.Pen, c columns, x *deletion, selected bool) {
	if selected {
		p.OnSelected()
	}
	number := cmp.Or(numberOf(x.candidate), "-")
	p.Text(term.Text, " ").Text(term.Alarm, f.Theme.Glyph.Killed)
	p.Text(term.Faint, term.Blanks(gutter-2+c.seq-term.Width(number))+number+term.Blanks(c.mode+2)+term.Fitted(x.candidate.Label(), c.name))
	p.Text(term.Faint, term.Blanks(c.watchesStart()-c.nameStart()-c.name)).Text(term.Trouble, deletedWord)
	p.Text(term.Faint, term.Blanks(p.Room()-1))
}

// drawNotifications draws the deleted znodes, the edges to their watchers, and the notifications on
// the edges. The first element of lines is in line 1 of the area.
func (v *Panel) drawNotifications(f *term.Frame, a term.Area, c columns, deletions []deletion, lines []line) {
	lineOf := func(position int) (y int, seen bool) {
		if i := slices.IndexFunc(lines, func(l line) bool { return l.row == position }); i >= 0 {
			return 1 + i, true
		}
		if position < v.top {
			return 0, false
		}
		return 1 + len(lines), false
	}
	start := c.watchesStart()
	for k := range deletions {
		x := &deletions[k]
		number := f.Theme.Glyph.Up + " " + phrase.NumberOrName(x.candidate)
		e := edges{
			a: a, f: f, top: 1, end: 1 + len(lines),
			from: start + term.Width(deletedWord) + 1, to: start + term.Width(number) + 1,
			bus: min(a.Width()-2, start+min(c.watches, edgeMost)-2) - 2*k,
		}
		e.at, _ = lineOf(x.at)
		if i := slices.IndexFunc(lines, func(l line) bool { return l.deletion == x }); i >= 0 {
			e.at = 1 + i
			v.drawDeleted(f, a.Pen(e.at), c, x, lines[i].row == v.Index)
		}
		for i, q := range v.State.Queue.All() {
			progress, ok := x.progress[q.Session]
			if !ok || q.Session == 0 || q.ID() == x.candidate.ID() {
				continue
			}
			y, seen := lineOf(i)
			if seen {
				p := a.Pen(y)
				if i == v.Index {
					p.OnSelected()
				}
				p.Gap(start).Text(term.Watch, number)
				p.Text(term.Text, term.Blanks(p.Room()-1))
			}
			if k := slices.IndexFunc(e.notices, func(n notice) bool { return n.y == y }); k >= 0 { // rows out of view share a notice
				e.notices[k].progress = max(e.notices[k].progress, progress)
			} else {
				e.notices = append(e.notices, notice{y, progress})
			}
		}
		if len(e.notices) > 0 && e.bus-2 > max(e.from, e.to) { // a long number may leave no room
			e.draw()
		}
	}
}

// notice stands for the notifications to line y. This line may be out of view.
type notice struct {
	y        int
	progress float64
}

type edges struct {
	top, end int // the lines in view are those from top to end-1
	at       int // the line of the deleted znode
	// Columns of an edge: its start, its turn and its end.
	from, bus, to int

	f       *term.Frame
	a       term.Area
	notices []notice
}

func (e *edges) path(n notice) (cells [][2]int, passed int) {
	for x := e.from; x < e.bus; x++ {
		cells = append(cells, [2]int{x, e.at})
	}
	step, y := 1, n.y
	if y < e.at {
		step = -1
	}
	for at := e.at; at != y; at += step {
		cells = append(cells, [2]int{e.bus, at})
	}
	for x := e.bus; x >= e.to; x-- {
		cells = append(cells, [2]int{x, y})
	}
	return cells, int(n.progress * float64(len(cells)-1))
}

// draw draws the edges, then the parts that notifications have passed, then the notifications.
func (e *edges) draw() {
	g := &e.f.Theme.Glyph
	high, low, turns := e.at, e.at, map[int]bool{e.at: true}
	for _, n := range e.notices {
		high, low, turns[n.y] = min(high, n.y), max(low, n.y), true
	}
	for _, st := range []term.Style{term.Faint, term.Text, term.Lead} {
		for _, n := range e.notices {
			cells, passed := e.path(n)
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
