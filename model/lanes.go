package model

import (
	"slices"
	"time"

	"electop/model/dialect"
)

// Lanes is what each candidate did over time, as far as it is known: of our own members
// what they believed and which fault they had, and of everybody where its znode was. It
// is derived from what the journal keeps of each change, so it is the same live, in
// time travel and in a replay: the lane at a time is what the state at that time was.
type Lanes struct {
	// All are the lanes in the order in which their znodes were created; members that never
	// had one are last.
	All []*Lane
	// More counts the contenders in the queue that have no lane here, and Left those
	// that left; of who left at Cut or before it may be more, zero: all are kept.
	More, Left int
	Cut        time.Time
	// From is since when nothing is missing, zero: from the beginning; Until is the time of
	// the last observation.
	From, Until time.Time
	// Notices are the last notifications that the embedded server sent, those of whole
	// deletions, at most [NoticesMax], oldest first.
	Notices []Notice
	// Writes are the last attempts of leaders' workers, oldest first.
	Writes []Tried
	// Gaps are the times in which nothing was observed, oldest first. What the lanes say
	// then of znodes is what was so before.
	Gaps []Gap
}

// NoticesMax bounds [Lanes.Notices]: a herd of 300 gets as many at each handoff.
const NoticesMax = 4096

// Gap is a time in which the election was not observed; To is zero while it lasts.
type Gap struct{ From, To time.Time }

// Lane is one candidate over time: a member of ours with all znodes that it had, or one
// znode of a third-party client.
type Lane struct {
	Member string // [Member.ID], "" for a third-party client
	Name   string // of the member; not safe to show
	// From is since when the lane is known; zero: from the beginning.
	From      time.Time
	Stretches []Stretch   // oldest first; the last one has not ended
	Znodes    []LaneZnode // oldest first
}

// Stretch is a time in which nothing changed in a lane, up to the next one.
type Stretch struct {
	From time.Time
	Standing
}

// Standing is what a candidate is at one time.
type Standing struct {
	Place Place // of its znode
	// Belief and Fault are what a member said last; both are "" of a third-party
	// client, whose belief is not visible, and before the member came.
	Belief Belief
	Fault  Fault
	// Departed says that the member is not among ours any more. What it said last is
	// still in Belief and Fault.
	Departed bool
}

// Place is where the znode of a candidate is.
type Place string

const (
	NoZnode Place = ""
	Queued  Place = "queued" // it exists
	Holds   Place = "holds"  // it has the role: see [State.Holders]
)

// LaneZnode is a znode of a candidate.
type LaneZnode struct {
	*dialect.Candidate
	// End is when it was deleted, zero while it exists, and Cause why, as far as known.
	End   time.Time
	Cause Cause
}

// Notice is a notification that the embedded server sent to the watcher of a znode.
type Notice struct {
	At       time.Time // when the znode was deleted
	From, To int       // indexes in [Lanes.All]; -1: it has no lane
}

// At returns what the candidate was at t, false before the lane is known.
func (l *Lane) At(t time.Time) (Standing, bool) {
	if t.Before(l.From) {
		return Standing{}, false
	}
	i, found := slices.BinarySearchFunc(l.Stretches, t, func(s Stretch, t time.Time) int { return s.From.Compare(t) })
	if !found {
		i--
	}
	if i < 0 {
		return Standing{}, true
	}
	return l.Stretches[i].Standing, true
}

// Over reports whether nothing will happen in the lane any more: there is neither a
// znode nor a member.
func (l *Lane) Over() bool {
	last := l.Last()
	return last.Place == NoZnode && (l.Member == "" || last.Departed)
}

// Last is what the candidate is now.
func (l *Lane) Last() Standing {
	if n := len(l.Stretches); n > 0 {
		return l.Stretches[n-1].Standing
	}
	return Standing{}
}
