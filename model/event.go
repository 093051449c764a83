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

// EventBody is the closed sum of what can happen: the types of this file, [Snapshot], and
// what the doctor raises and clears.
type EventBody interface{ EventBody() }

// Joined is a child that appeared.
type Joined struct {
	Candidate *dialect.Candidate
	Ignored   bool // it is no contender
}

// Left is a child that is gone.
type Left struct {
	Candidate *dialect.Candidate
	Ignored   bool
}

// Cause is why a leader's znode was deleted.
type Cause string

const (
	CauseUnknown  Cause = "unknown"
	CauseResigned Cause = "resigned" // it deleted its znode: only of our own
	CauseClosed   Cause = "closed"   // it closed its session: only of our own
	CauseExpired  Cause = "expired"  // its session expired
	// CauseDeleted: a delete, by whomever: its session was alive after that.
	CauseDeleted Cause = "deleted"
	// CauseLeft: the znode was deleted while its session could not have expired: by a
	// delete, or by closing the session; it is not known (yet) which.
	CauseLeft Cause = "left"
)

// Handoff is a change of the leader. Handoffs chain: each From is the To
// before it; nil means no leader.
type Handoff struct {
	At       time.Time
	From, To *dialect.Candidate
	Cause    Cause
	// Evidence shows the cause, or says why it is unknown; safe to show.
	Evidence string
	Fence    int64 // To's czxid, the fencing token; 0 for no leader

	// Earliest and Latest bound when the leader changed, zero if unknown; At is
	// when that was read.
	Earliest, Latest time.Time

	// The three durations, nil if unknown. Silent: the old leader stopped
	// until its znode was deleted. Takeover: deleted (or created, if there was
	// no leader before) until acknowledged. Vacant: how long the queue was empty.
	Silent, Takeover, Vacant *time.Duration
	// The bounds of each, nil if unknown: the durations are guesses.
	SilentIn, TakeoverIn, VacantIn *Span

	// Timeout is the timeout of From's session, 0 if unknown. Untold says why the servers told
	// nothing of that session; safe to show.
	Timeout time.Duration
	Untold  string
	unacked Unmeasured // why there is no takeover, as long as there is none
}

// Unmeasured says why a duration of a handoff is not known.
type Unmeasured string

const (
	NobodyLed   Unmeasured = "nobody-led"   // before
	NobodyLeads Unmeasured = "nobody-leads" // after
	NotSilent   Unmeasured = "not-silent"   // the session was alive
	NotTold     Unmeasured = "not-told"     // see [Handoff.Untold] and [Handoff.Evidence]
	NoAck       Unmeasured = "no-ack"       // the system's leaders create no znode to acknowledge
	NoAckYet    Unmeasured = "no-ack-yet"
	Unwatched   Unmeasured = "unwatched" // nobody observed when it began
	NotVacant   Unmeasured = "not-vacant"
)

// Measure is one of a handoff's durations.
type Measure struct {
	Name string
	Took *time.Duration // nil: unknown
	In   *Span          // it was within; nil: not known
	Why  Unmeasured     // it is unknown
}

// Guess reports whether the duration should be shown as a guess.
func (m Measure) Guess() bool { return m.Took != nil && m.In.Loose(*m.Took) }

// Measures are the three durations, and the session timeout of the old leader.
func (h *Handoff) Measures() [4]Measure {
	out := [4]Measure{
		{"silent", h.Silent, h.SilentIn, NotTold}, {"takeover", h.Takeover, h.TakeoverIn, h.unacked},
		{"vacant", h.Vacant, h.VacantIn, NotVacant}, {Name: "timeout", Why: NotTold},
	}
	switch {
	case h.From == nil:
		out[0].Why, out[2].Why, out[3].Why = NobodyLed, Unwatched, NobodyLed
	case h.Cause != CauseExpired && h.Cause != CauseUnknown:
		out[0].Why = NotSilent
	}
	if h.To == nil {
		out[1].Why, out[2].Why = NobodyLeads, NobodyLeads
	}
	if h.Timeout > 0 {
		out[3].Took = &h.Timeout
	}
	for i := range out {
		if out[i].Took != nil {
			out[i].Why = ""
		}
	}
	return out
}

// Explained is a handoff that was published, with a better cause: later answers show it.
type Explained struct{ Handoff }

// Acknowledged says that the new leader of a handoff has acknowledged, if the handoff's own
// event could not wait for that.
type Acknowledged struct{ Handoff *Handoff }

// Missed counts changes that happened between two reads and were in neither.
// Known is false if they cannot be counted (the parent was deleted, or its
// counter has jammed).
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
	held []Event // the first one waits, if any
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

// waiting returns what waits, nil for nothing.
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
