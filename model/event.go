package model

import (
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
	// Evidence is what the cause is known by, or why it is not; safe to show.
	Evidence string
	Fence    int64 // To's czxid, the fencing token; 0 for no leader

	// Earliest and Latest bound when the leader changed, zero where unknown; At is
	// when that was read.
	Earliest, Latest time.Time

	// The three durations, nil where unknown. Silent: the old leader stopped
	// until its znode was deleted. Takeover: deleted (or created, where there was
	// no leader before) until acknowledged. Vacant: how long the queue was empty.
	Silent, Takeover, Vacant *time.Duration
	// The bounds of each, nil where unknown: the durations are guesses.
	SilentIn, TakeoverIn, VacantIn *Span
}

// Measure is one of a handoff's durations.
type Measure struct {
	Name string
	Took *time.Duration // nil: unknown
	In   *Span          // it was within; nil: not known
}

// Guess reports whether the duration should be shown as a guess.
func (m Measure) Guess() bool { return m.Took != nil && m.In.Loose(*m.Took) }

// Measures are the three durations.
func (h *Handoff) Measures() [3]Measure {
	return [3]Measure{{"silent", h.Silent, h.SilentIn}, {"takeover", h.Takeover, h.TakeoverIn}, {"vacant", h.Vacant, h.VacantIn}}
}

// Explained is a handoff that was published, with a better cause: later answers show it.
type Explained struct{ Handoff }

// Acknowledged says that the new leader of a handoff has acknowledged, where the handoff's own
// event could not wait for that.
type Acknowledged struct{ Handoff *Handoff }

// Missed counts changes that happened between two reads and were in neither.
// Known is false where they cannot be counted (the parent was deleted, or its
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
