package history

import (
	"cmp"
	"slices"
	"time"

	"electop/model"
	"electop/model/doctor"
)

// Timeline is the past of an election: the observations, and the journal at some
// moments, from which any other is computed again. It is bounded: when it is
// full the oldest part is dropped, and it says where it begins.
//
// A moment is an observation after which there is something new to see. It is
// numbered from 1. Most are events; the others are steps that a member took,
// what was done to it, wakes and writes.
//
// A timeline is for one goroutine. Computing a moment takes long; a [Position] can
// do it in another goroutine.
type Timeline struct {
	journal  *doctor.Journal
	max      int
	segments []*segment // the last one is open
	bytes    int        // of all, roughly
	n        uint64     // moments so far
	shown    *stills
}

// DefaultMax bounds the memory of what a timeline keeps, in bytes, roughly, unless another
// bound is given.
const DefaultMax = 64 << 20

// Moment is one that a [Timeline] has.
type Moment struct {
	N      uint64
	At     time.Time
	State  *doctor.State
	Events []model.Event // that happened at it; none for what is no event
	// First and Last say that there is none before, or none after it. Earlier ones than
	// the first were dropped unless it has number 1. Kept is the bound, in bytes.
	First, Last bool
	Kept        int
}

// Move is a step in the past. One without a target stays where it is.
type Move string

const (
	MoveTo            Move = "to" // the moment itself, or the nearest there is
	MoveBack          Move = "back"
	MoveOn            Move = "on"
	MoveToEvent       Move = "event"          // the next moment with an event
	MoveBackToEvent   Move = "event before"   //
	MoveToHandoff     Move = "handoff"        // the next moment with a handoff
	MoveBackToHandoff Move = "handoff before" //
	MoveToFirst       Move = "first"
	MoveToLast        Move = "last"
)

// segment is a piece of the past: a journal, and what was observed from there
// on. Only the last one of a timeline is added to, and what it has is not changed.
type segment struct {
	from         *doctor.Journal // a clone; only cloned
	index        uint64          // of its first observation, from 0 at the beginning
	before       uint64          // moments before it
	all          []model.Observation
	moments      []mark
	bytes        int // of them
	journalBytes int
	limit        int // observations
}

// mark is a moment of a segment.
type mark struct {
	at    time.Time
	index int // in the segment's observations
	what  marks
}

type marks uint8

const (
	withEvent marks = 1 << iota
	withHandoff
)

// NewTimeline returns an empty timeline of the election of cfg. maxBytes bounds the memory
// of what is kept, roughly; 0 is [DefaultMax].
func NewTimeline(cfg model.Config, maxBytes int) *Timeline {
	t := &Timeline{journal: doctor.NewJournal(cfg), max: cmp.Or(maxBytes, DefaultMax), shown: &stills{}}
	t.cut()
	return t
}

// segmentMin is the least number of observations of a segment. To clone a
// journal takes about as long as to apply an observation for each eight of what
// it holds.
const segmentMin = 512

// cut ends the open segment, and begins another.
func (t *Timeline) cut() {
	j := t.journal.Clone()
	journalBytes, things := j.Memory()
	s := &segment{from: j, journalBytes: journalBytes, limit: segmentMin + things/8, before: t.n}
	if k := len(t.segments); k > 0 {
		s.index = t.segments[k-1].index + uint64(len(t.segments[k-1].all))
	}
	t.bytes += s.journalBytes
	t.segments = append(t.segments, s)
	t.trim()
}

// Keep bounds from now on what is kept, as [NewTimeline] does.
func (t *Timeline) Keep(maxBytes int) {
	t.max = maxBytes
	t.trim()
}

// trim drops what is too much, the oldest first.
func (t *Timeline) trim() {
	drop := 0
	for t.bytes > t.max && drop < len(t.segments)-1 {
		t.bytes -= t.segments[drop].journalBytes + t.segments[drop].bytes
		drop++
	}
	t.segments = slices.Delete(t.segments, 0, drop)
}

// Apply applies an observation as [doctor.Journal.Apply] does, and keeps it.
func (t *Timeline) Apply(o model.Observation) []model.Event {
	s := t.segments[len(t.segments)-1]
	if len(s.all) >= s.limit || s.bytes > max(t.max/8, s.journalBytes) {
		t.cut()
		s = t.segments[len(t.segments)-1]
	}
	j := t.journal
	news := j.News(o)
	happened := j.Events()
	events := j.Apply(o)
	if news || len(events) > 0 || j.Events() != happened { // held ones did happen
		t.n++
		s.moments = append(s.moments, mark{o.When().Round(0), len(s.all), marksOf(events)})
	}
	s.all = append(s.all, o)
	size := memoryOf(o)
	s.bytes += size
	t.bytes += size
	return events
}

func marksOf(events []model.Event) (m marks) {
	for i := range events {
		m |= withEvent
		if _, ok := events[i].Body.(model.Handoff); ok {
			m |= withHandoff
		}
	}
	return m
}

// State returns the newest state.
func (t *Timeline) State() *doctor.State { return t.journal.State() }

// Deadline is as [doctor.Journal.Deadline].
func (t *Timeline) Deadline() (time.Time, bool) { return t.journal.Deadline() }

// Held is as [doctor.Journal.Held].
func (t *Timeline) Held() (time.Time, bool) { return t.journal.Held() }

// Span returns when the first moment was that there still is, and the last.
func (t *Timeline) Span() (first, last time.Time) {
	for _, s := range t.segments {
		if n := len(s.moments); n > 0 {
			if first.IsZero() {
				first = s.moments[0].at
			}
			last = s.moments[n-1].at
		}
	}
	return first, last
}

// Seek returns the moment to which m leads from the moment n; n beyond the last
// one is the last. ok is false for a timeline without moments.
func (t *Timeline) Seek(n uint64, m Move) (at Moment, ok bool) {
	c, ok := t.Find(n, m)
	if !ok {
		return Moment{}, false
	}
	return c.Moment(), true
}
