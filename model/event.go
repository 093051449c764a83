package model

import (
	"time"

	"electop/model/dialect"
)

// Event is something that happened in an election. N counts the events from 1.
type Event struct {
	N    uint64
	At   time.Time
	Body EventBody
}

// EventBody is a type of this package (such as [Joined]) or of package doctor.
type EventBody interface{ EventBody() }

// Joined is a new child.
type Joined struct {
	Candidate *dialect.Candidate
	Ignored   bool // not a contender
}

// Left is a deleted child.
type Left struct {
	Candidate *dialect.Candidate
	Ignored   bool // not a contender
}

// Cause is the reason why a contender's znode was deleted.
type Cause string

const (
	CauseUnknown  Cause = "unknown"
	CauseResigned Cause = "resigned" // a member closed its session on request
	CauseClosed   Cause = "closed"   // a member closed its session for another reason
	CauseExpired  Cause = "expired"
	CauseDeleted  Cause = "deleted" // a client deleted the znode of a live session
	CauseLeft     Cause = "left"    // the session did not expire: its client closed it, or a client deleted the znode
)

// Explained is an earlier handoff with a corrected cause.
type Explained struct{ Handoff }

// Acknowledged is an earlier handoff whose acknowledgement came after the [Handoff] event.
type Acknowledged struct{ Handoff *Handoff }

// Missed counts the changes between two reads that neither read shows. Known is false if the
// changes cannot be counted, for example because the parent was deleted.
type Missed struct {
	Creates, Deletes int
	Known            bool
}

// LinkChanged is a change of the observer's connection.
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

// AckWait bounds how long a [Handoff] or [Snapshot] event waits for the acknowledgement.
const AckWait = time.Second

// heldMax bounds the events that wait.
const heldMax = 4096

type eventQueue struct {
	n    uint64  // the number of the last event that became due
	due  []Event // became due at or after the last observation
	held []Event // the first waits for the acknowledgement, and is a Handoff or an empty Snapshot
}

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

func (q *eventQueue) waiting() EventBody {
	if len(q.held) == 0 {
		return nil
	}
	return q.held[0].Body
}

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

func (q *eventQueue) timedOut(at time.Time) bool {
	if len(q.held) == 0 {
		return false
	}
	waited := at.Sub(q.held[0].At) // negative if the clock went back
	return waited >= AckWait || waited <= -AckWait
}
