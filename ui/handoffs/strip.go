package handoffs

import (
	"time"

	"electop/model"
	"electop/ui/term"
)

// A strip is the last reigns over a time axis, one cell for each step of
// time. Steps are round numbers and the axis starts at a multiple of one, so
// that the strip grows by cells and does not crawl.
type strip struct {
	start time.Time
	step  time.Duration
	cells []stripCell
}

type stripCell struct {
	kind  stripKind
	reign int // index in State.Reigns, for a reign's cells
}

type stripKind uint8

const (
	stripNothing stripKind = iota // before or after
	stripPast
	stripNow
	stripDanger  // the leader was silent: killed or frozen, and not yet found out
	stripElected // it was first, and did not lead: before its acknowledgement, or suspended
	stripVacant
	stripEnded   // a reign ended here
	stripExpired // it ended by expiry
)

// steps are the widths of a cell to choose from.
var stripSteps = []time.Duration{
	250 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour,
	24 * time.Hour, 7 * 24 * time.Hour, 30 * 24 * time.Hour,
}

// stripReigns is how many cells a reign should have at least to be told from
// its neighbours and named. It bounds how far back the axis goes.
const stripReigns = 9

// stripLeast is how much of an endless reign is shown before a new one: the
// axis zooms in on a handoff, but keeps where it came from in view.
const stripLeast = 30 * time.Second

// newStrip lays the reigns out over w cells that end not long after now.
// silent returns since when the leader of a reign was silent at its end, zero
// if it was not.
func newStrip(reigns []model.Reign, silent func(model.Reign) time.Time, now time.Time, w int) strip {
	if len(reigns) == 0 || w <= 0 {
		return strip{}
	}
	s := strip{cells: make([]stripCell, w)}
	s.start, s.step = stripAxis(reigns, now, w)

	for i := range reigns {
		r := &reigns[i]
		end, kind := r.To, stripPast
		if end.IsZero() {
			end, kind = now, stripNow
		}
		s.fill(r.From, end, stripCell{kind: kind, reign: i})
		if t := silent(*r); !t.IsZero() && t.Before(end) {
			s.fill(latest(t, r.From), end, stripCell{kind: stripDanger, reign: i})
		}
		if i+1 < len(reigns) {
			s.fill(r.To, reigns[i+1].From, stripCell{kind: stripVacant})
		} else if !r.To.IsZero() {
			s.fill(r.To, now, stripCell{kind: stripVacant})
		}
	}
	// The ends come last, so that not even the shortest reign hides one.
	for _, r := range reigns {
		if at := s.cell(r.To); !r.To.IsZero() && at >= 0 && at < w {
			switch {
			case r.Cause == model.CauseExpired:
				s.cells[at].kind = stripExpired
			case s.cells[at].kind != stripExpired && s.cells[at].kind != stripVacant:
				s.cells[at].kind = stripEnded
			}
		}
	}
	return s
}

// stripAxis chooses where the axis begins and what a cell stands for, such
// that now is on it.
func stripAxis(reigns []model.Reign, now time.Time, w int) (start time.Time, step time.Duration) {
	first := max(0, len(reigns)-max(2, w/stripReigns))
	from := reigns[first].From
	// One endless reign must not flatten the ones after it: its beginning may
	// leave at the left.
	if first+1 < len(reigns) {
		rest := reigns[first+1].From
		from = latest(from, rest.Add(-max(now.Sub(rest), stripLeast)))
	}
	if from.After(now) {
		from = now
	}
	for _, step = range stripSteps {
		start = from.Truncate(step)
		if now.Sub(start) < time.Duration(w)*step {
			break
		}
	}
	earliest := now.Truncate(step).Add(-time.Duration(w-1) * step) // puts now into the last cell
	start = latest(start, earliest)
	// Older reigns fill what is free at the left. The axis then moves by a
	// quarter at a time, and not with each second.
	if quarter := time.Duration(max(1, w/4)) * step; w > 1 {
		if jump := earliest.Add(-1).Truncate(quarter).Add(quarter); jump.Before(start) {
			start = latest(jump, reigns[0].From.Truncate(step))
		}
	}
	return start, step
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// cell returns the cell of t, which may be outside.
func (s *strip) cell(t time.Time) int {
	d := t.Sub(s.start)
	if d < 0 {
		return -1
	}
	return int(d / s.step)
}

// fill gives the cells from one time to another a content. Nothing is too
// short for one cell.
func (s *strip) fill(from, to time.Time, c stripCell) {
	if !to.After(from) && c.kind == stripVacant {
		return
	}
	first, last := s.cell(from), s.cell(to)
	if last < 0 {
		return
	}
	for i := max(0, first); i <= min(last, len(s.cells)-1); i++ {
		s.cells[i] = c
	}
}

// unled marks the part of a reign in which its candidate did not lead.
func (s *strip) unled(reign int, from, to time.Time) {
	first, last := s.cell(from), s.cell(to)
	for i := max(0, first); i <= min(last, len(s.cells)-1); i++ {
		if c := &s.cells[i]; c.reign == reign && (c.kind == stripNow || c.kind == stripPast) {
			c.kind = stripElected
		}
	}
}

// run returns the cells of one reign around i that show nothing else.
func (s *strip) run(i int) (from, to int) {
	c := s.cells[i]
	for to = i; to < len(s.cells) && s.cells[to] == c; to++ {
	}
	return i, to
}

// labels returns where the axis says what time: on round times, far enough
// apart to be read.
func (s *strip) labels(loc *time.Location) (at []int, text []string) {
	const apart = 12
	if s.step == 0 {
		return nil, nil
	}
	every := s.step * apart
	for _, d := range stripSteps {
		if d >= every {
			every = d
			break
		}
	}
	format := term.ClockFormat
	switch {
	case every >= 24*time.Hour:
		format = "Jan 02"
	case every >= time.Minute:
		format = "15:04"
	}
	_, offset := s.start.In(loc).Zone()
	shift := time.Duration(offset) * time.Second
	t := s.start.Add(shift).Truncate(every).Add(-shift)
	for ; ; t = t.Add(every) {
		i := s.cell(t)
		if i < 0 {
			continue
		}
		if i > len(s.cells)-len(format) {
			return at, text
		}
		at, text = append(at, i), append(text, t.In(loc).Format(format))
	}
}
