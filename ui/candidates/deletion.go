package candidates

import (
	"sort"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
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
