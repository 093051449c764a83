package model

import (
	"slices"
	"time"

	"electop/model/dialect"
)

// Event is one thing that happened, numbered from 1 without gaps.
type Event struct {
	N    uint64
	At   time.Time
	Body EventBody
}

// EventBody is what happened: a type of this package (such as [Joined]) or of package doctor.
type EventBody interface{ EventBody() }

// Joined is a new child.
type Joined struct {
	Candidate *dialect.Candidate
	Ignored   bool // it is no contender
}

// Left is a deleted child.
type Left struct {
	Candidate *dialect.Candidate
	Ignored   bool // it was no contender
}

// Cause is the reason why a contender's znode was deleted.
type Cause string

const (
	CauseUnknown  Cause = "unknown"
	CauseResigned Cause = "resigned" // it closed its session, on request; our own candidates only
	CauseClosed   Cause = "closed"   // it closed its session, for another reason; likewise
	CauseExpired  Cause = "expired"  // its session expired
	// CauseDeleted means a delete by any client: the session was alive after it.
	CauseDeleted Cause = "deleted"
	// CauseLeft means that the session cannot have expired. Its client deleted the znode
	// or closed the session; which of the two is not known (yet).
	CauseLeft Cause = "left"
)

// Explained is an earlier handoff with a better cause, which a later observation showed.
type Explained struct{ Handoff }

// Acknowledged reports that the new leader of an earlier handoff acknowledged, if the
// handoff's own event could not wait for that.
type Acknowledged struct{ Handoff *Handoff }

// Missed counts changes that happened between two reads, and that neither read shows.
// Known is false if they cannot be counted: for example, the parent was deleted, or its
// counter has jammed.
type Missed struct {
	Creates, Deletes int
	Known            bool
}

// LinkChanged is a change of the observing connection.
type LinkChanged struct {
	Link    Link
	Server  string
	Session uint64
}

func (Joined) EventBody()       {}
func (Left) EventBody()         {}
func (Handoff) EventBody()      {}
func (Acknowledged) EventBody() {}
func (Explained) EventBody()    {}
func (Missed) EventBody()       {}
func (LinkChanged) EventBody()  {}

// AckWait is how long the event of a handoff, or a snapshot, waits for the acknowledgement.
// Later events wait behind it.
const AckWait = time.Second

// heldMax bounds the events that wait, in case the clock stops.
const heldMax = 4096

// eventQueue numbers the events. A handoff or a snapshot that waits for the
// acknowledgement holds back all events after it.
type eventQueue struct {
	n    uint64  // the number of the last event that is due
	due  []Event // since the last observation
	held []Event // the first one waits for the acknowledgement
}

// add adds an event, which is due at once or waits behind held ones.
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

// hold adds a handoff that waits, or a snapshot without its state. No other event waits yet.
func (q *eventQueue) hold(e Event) { q.held = append(q.held, e) }

// waiting returns the event that waits, nil for none.
func (q *eventQueue) waiting() EventBody {
	if len(q.held) == 0 {
		return nil
	}
	return q.held[0].Body
}

// release makes all held events due, and sets the takeover of a handoff that waits, nil
// for unknown.
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

// expire releases the held events if they have waited for [AckWait].
func (q *eventQueue) expire(at time.Time) {
	if q.expired(at) {
		q.release(nil, nil)
	}
}

// expired reports whether an event has waited for [AckWait], or the clock went back by as
// much: otherwise the event would wait until the clock catches up.
func (q *eventQueue) expired(at time.Time) bool {
	if len(q.held) == 0 {
		return false
	}
	waited := at.Sub(q.held[0].At)
	return waited >= AckWait || waited <= -AckWait
}

// until returns the time until which events are held. ok is false if none are.
func (q *eventQueue) until() (time.Time, bool) {
	if len(q.held) == 0 {
		return time.Time{}, false
	}
	return q.held[0].At.Add(AckWait), true
}

func (q eventQueue) clone() eventQueue { return eventQueue{n: q.n, held: slices.Clone(q.held)} }
