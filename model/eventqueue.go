package model

import (
	"slices"
	"time"
)

// AckWait is how long the event of a handoff waits for the acknowledgement, so
// that it can report the takeover. Later events wait behind it.
const AckWait = time.Second

// heldMax bounds the events that wait behind a handoff, in case the clock stops.
const heldMax = 4096

// eventQueue numbers events in order. A handoff or a snapshot that waits for the
// acknowledgement holds back all events after it.
type eventQueue struct {
	n    uint64  // the number of the last event that is due
	due  []Event // since the last observation
	held []Event // the first is what waits, if something does
}

// add adds an event: due at once, or held behind what waits.
func (q *eventQueue) add(at time.Time, body EventBody) {
	if len(q.held) >= heldMax {
		q.release(nil, nil)
	}
	if len(q.held) > 0 {
		q.held = append(q.held, Event{At: at, Body: body})
		return
	}
	q.n++
	q.due = append(q.due, Event{N: q.n, At: at, Body: body})
}

// hold adds a handoff that waits, or a snapshot without its state. Nothing else may wait.
func (q *eventQueue) hold(e Event) { q.held = append(q.held, e) }

// waiting is what waits, nil for nothing.
func (q *eventQueue) waiting() EventBody {
	if len(q.held) == 0 {
		return nil
	}
	return q.held[0].Body
}

// release makes all held events due, the handoff with its takeover, nil for
// unknown.
func (q *eventQueue) release(took *time.Duration, within *Span) {
	held := q.held
	q.held = nil
	for i, e := range held {
		if h, ok := e.Body.(Handoff); ok && i == 0 {
			h.Takeover, h.TakeoverIn = took, within
			e.Body = h
		}
		q.add(e.At, e.Body)
	}
}

// settle releases a handoff that has waited for [AckWait]. A clock that went back
// by as much releases it too: otherwise it would wait until the clock catches up.
func (q *eventQueue) settle(at time.Time) {
	if q.settled(at) {
		q.release(nil, nil)
	}
}

// settled reports whether something has waited for so long.
func (q *eventQueue) settled(at time.Time) bool {
	if len(q.held) == 0 {
		return false
	}
	waited := at.Sub(q.held[0].At)
	return waited >= AckWait || waited <= -AckWait
}

// until returns until when events are held back, if any are.
func (q *eventQueue) until() (time.Time, bool) {
	if len(q.held) == 0 {
		return time.Time{}, false
	}
	return q.held[0].At.Add(AckWait), true
}

func (q eventQueue) clone() eventQueue { return eventQueue{n: q.n, held: slices.Clone(q.held)} }
