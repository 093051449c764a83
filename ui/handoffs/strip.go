package handoffs

import (
	"time"

	"electop/model"
)

// A strip is the last reigns over a time axis.
type strip struct {
	axis
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

// newStrip lays out the reigns up to now. silent returns since when the leader of a
// reign was silent at its end, zero if it was not.
func newStrip(x axis, reigns []model.Reign, silent func(model.Reign) time.Time, now time.Time) strip {
	w := x.w
	if len(reigns) == 0 || w <= 0 {
		return strip{}
	}
	s := strip{axis: x, cells: make([]stripCell, w)}

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
