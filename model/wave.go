package model

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"electop/model/dialect"
)

// Wave has the reactions of sessions that were notified of a deletion, with times since the deletion.
type Wave struct {
	Znode   string
	Zxid    int64
	Deleted time.Time
	// Reactions has the notified sessions, sorted, at most [ReactionsMax]. More counts the other notified sessions.
	Reactions []Reaction
	More      int
	Counts    []WaveCount   // oldest first, at most [CountsMax]
	Settled   time.Duration // when the server reported final counts; 0: not yet
}

// Reaction is the reaction of a notified session. Third-party clients do not report reactions.
type Reaction struct {
	Session uint64
	Read    time.Duration // when the candidate read the list again, at the latest when it was elected; 0: not reported
	Done    time.Duration // when the candidate set the next watch or was elected; 0: not reported
}

// WaveCount is the server's report about a [Wave], with counts since the deletion.
type WaveCount struct {
	After    time.Duration // the time from the deletion to the report
	Requests int
	Bytes    int64 // of requests, replies and notifications
}

// Bounds of [State.Waves], [Wave.Reactions] and [Wave.Counts].
const (
	WavesMax     = 3
	ReactionsMax = 5000
	CountsMax    = 64
)

// Find returns the index of a session's reaction; ok is false if Reactions does not have it.
func (w *Wave) Find(session uint64) (i int, ok bool) {
	return slices.BinarySearchFunc(w.Reactions, session, func(r Reaction, session uint64) int { return cmp.Compare(r.Session, session) })
}

// Notified counts the notified sessions.
func (w *Wave) Notified() int { return len(w.Reactions) + w.More }

// waves shares last and times with states. So the method own copies last before a change, and count replaces times.
type waves struct {
	last   []*Wave
	shared bool           // a state shares last
	times  map[uint64]int // see [State.Notified]
}

func (w *waves) report(o *DeletionReport, first bool, queue dialect.Queue) {
	if first && len(o.Notified) > 0 {
		w.count(o.Notified, queue)
		x := &Wave{Znode: o.Znode, Zxid: o.Zxid, Deleted: wallClock(o.Deleted), Reactions: make([]Reaction, 0, min(len(o.Notified), ReactionsMax))}
		for _, session := range o.Notified[:cap(x.Reactions)] {
			x.Reactions = append(x.Reactions, Reaction{Session: session})
		}
		slices.SortFunc(x.Reactions, func(a, b Reaction) int { return cmp.Compare(a.Session, b.Session) })
		x.More = len(o.Notified) - len(x.Reactions)
		w.own()
		w.last = keep(w.last, x, WavesMax)
	}
	for i := len(w.last) - 1; i >= 0; i-- {
		if x := w.last[i]; x.Zxid == o.Zxid && x.Znode == o.Znode {
			w.own()
			w.last[i].report(o)
			return
		}
	}
}

func (w *waves) count(notified []uint64, queue dialect.Queue) {
	old := w.times
	w.times = make(map[uint64]int, len(old)+len(notified))
	if len(old) > 2*queue.Len()+len(notified) {
		for _, c := range queue.All() {
			if n := old[c.Session]; n > 0 {
				w.times[c.Session] = n
			}
		}
	} else {
		maps.Copy(w.times, old)
	}
	for _, session := range notified {
		w.times[session]++
	}
}

func (w *Wave) report(o *DeletionReport) {
	after := max(0, wallClock(o.At).Sub(w.Deleted))
	x := WaveCount{After: after, Requests: o.Requests, Bytes: o.BytesIn + o.BytesOut}
	if n := len(w.Counts); n == CountsMax {
		w.Counts[n-1] = x // the newest count is the most important
	} else {
		w.Counts = append(w.Counts, x)
	}
	if o.Settled && w.Settled == 0 {
		w.Settled = max(1, after)
	}
}

func (w *waves) step(m *Member) {
	if m.Session == 0 || m.Step != StepListAgain && m.Step != StepWatchAgain && m.Step != StepLowest {
		return
	}
	for i, x := range w.last {
		after := wallClock(m.StepAt).Sub(x.Deleted)
		k, ok := x.Find(m.Session)
		if !ok || after < 0 || m.StepAt.IsZero() || x.Reactions[k].Done > 0 || x.Reactions[k].Read > 0 && m.Step == StepListAgain {
			continue
		}
		w.own()
		r := &w.last[i].Reactions[k]
		if r.Read == 0 && m.Step != StepWatchAgain {
			r.Read = max(1, after)
		}
		if m.Step != StepListAgain {
			r.Done = max(1, after)
		}
	}
}

func (w *waves) own() {
	if w.shared {
		*w = w.clone()
	}
}

func (w waves) clone() waves {
	w.shared = false
	w.last = slices.Clone(w.last)
	for i, x := range w.last {
		c := *x
		c.Reactions, c.Counts = slices.Clone(x.Reactions), slices.Clone(x.Counts)
		w.last[i] = &c
	}
	return w
}
