package ui

import (
	"sort"
	"strconv"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/znode"
)

// A fall is a znode that was deleted while the notifications of it are on
// their way to its watchers. As long, its row is shown where it stood.
//
// What is drawn depends on the state and the time alone. At its full pace the
// server's notifications take less than a millisecond, so their way is shown
// in slow motion ([travelShown]); one that is held back is on its way for as
// long as it is held, and where each is let go by hand it stands still just
// before its watcher until then.
type fall struct {
	wake      *model.Woken
	candidate *dialect.Candidate
	at        int  // its position in the queue: where it stands or stood
	stands    bool // it is in the queue as shown: the list was not read again yet
	// way is how far the notification to each session got, from 0 to 1.
	way map[uint64]float64
}

const (
	// fallsMax is how many are drawn at once, fallsLooked how many of the last
	// deletions are looked at.
	fallsMax, fallsLooked = 3, 16
	// stillAt is where a notification waits to be let go.
	stillAt = 0.97
)

// falls returns the znodes whose watchers are being told, the newest first.
func (d *dashboard) falls(f *frame) []fall {
	s := d.shown()
	if len(s.Wakes) == 0 || d.rows.matching != nil {
		return nil
	}
	took := travelShown
	if s.Pace != nil && !s.Pace.Steps {
		took = max(took, s.Pace.Delay)
	}
	var held map[string][]*model.Message // the notifications, by what was deleted
	if s.Pace != nil {
		for i := range s.Pace.Held {
			if m := &s.Pace.Held[i]; notifies(m) && m.Event == "deleted" {
				if held == nil {
					held = make(map[string][]*model.Message)
				}
				name := znode.Base(m.Path)
				held[name] = append(held[name], m)
			}
		}
	}
	var out []fall
	for i := len(s.Wakes) - 1; i >= max(0, len(s.Wakes)-fallsLooked) && len(out) < fallsMax; i-- {
		w := s.Wakes[i]
		way, moves := travels(f, w, held[w.Znode], took)
		if way == nil {
			continue
		}
		if moves {
			f.every(tickTravel)
		}
		out = append(out, d.fallen(w, way))
	}
	return out
}

// travels returns how far each notification of w got, nil if all have come;
// and whether any of them moves.
func travels(f *frame, w *model.Woken, held []*model.Message, took time.Duration) (way map[uint64]float64, moves bool) {
	ago := f.picture.Sub(w.Deleted)
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
		at := max(0, float64(f.picture.Sub(since))/float64(took))
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

// fallen finds the place of what was deleted.
func (d *dashboard) fallen(w *model.Woken, way map[uint64]float64) fall {
	s := d.shown()
	c := w.Candidate
	if c == nil { // nobody saw it stand
		c = &dialect.Candidate{Znode: znode.Znode{Name: w.Znode}}
		c.Sequence, c.HasSequence = znode.Sequence(w.Znode)
	}
	at := sort.Search(len(s.Queue), func(i int) bool { return !s.Recipe.Before(s.Queue[i], c) })
	stands := at < len(s.Queue) && s.Queue[at].ID() == c.ID()
	return fall{w, c, at, stands, way}
}

// line is one of the candidates panel: a row, or what fell.
type line struct {
	row  int
	fall *fall // nil for a row
}

// lines are the rows from top on with what fell among them, at most n.
func (d *dashboard) lines(falls []fall, n int) []line {
	var out []line
	for i := d.top; len(out) < n && i <= d.rows.queued(); i++ {
		for k := len(falls) - 1; k >= 0; k-- {
			if fl := &falls[k]; fl.at == i && !fl.stands && len(out) < n {
				out = append(out, line{-1, fl})
			}
		}
		if i == d.rows.queued() || len(out) == n {
			break
		}
		l := line{row: i}
		for k := range falls {
			if fl := &falls[k]; fl.at == i && fl.stands {
				l.fall = fl
			}
		}
		out = append(out, l)
	}
	return out
}

// fallenWord stands in the row of what fell.
const fallenWord = "deleted"

// drawFallen draws the row of a znode that is no more: faded and struck.
func (d *dashboard) drawFallen(f *frame, p *pen, c columns, fl *fall, selected bool) {
	if selected {
		p.chosen = styleSelected
	}
	number := "-"
	if fl.candidate.HasSequence {
		number = strconv.FormatInt(fl.candidate.Sequence, 10)
	}
	p.text(styleText, " ").text(styleAlarm, f.th.glyph.Killed)
	p.text(styleFaint, blanks(gutter-2+c.seq-width(number))+number+"  "+fitted(fl.candidate.Label(), c.name))
	p.text(styleFaint, blanks(c.start()-c.before()-c.name)).text(styleTrouble, fallenWord)
	p.text(styleFaint, blanks(p.room()-1))
}
