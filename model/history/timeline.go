package history

import (
	"cmp"
	"reflect"
	"slices"
	"sort"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/session"
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
	aMoment marks = 1 << iota
	withEvent
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

func marksOf(events []model.Event) marks {
	m := aMoment
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

// Position is a moment of a [Timeline] that was found and not computed yet. It stays
// good whatever the timeline does.
type Position struct {
	N           uint64
	First, Last bool
	kept        int
	segment     *segment
	index       int                 // of the moment, in moments
	moments     []mark              // what the segment has so far
	all         []model.Observation // likewise
	shown       *stills
}

// Position finds the moment to which m leads, as [Timeline.Seek] does.
func (t *Timeline) Find(n uint64, m Move) (c Position, ok bool) {
	first := t.first()
	if first > t.n {
		return Position{}, false
	}
	n = t.move(min(max(n, first-1), t.n), m, first)
	s := t.segmentOf(n)
	return Position{
		N: n, First: n == first, Last: n == t.n, kept: t.max,
		segment: s, index: int(n - s.before - 1), moments: s.moments, all: s.all, shown: t.shown,
	}, true
}

// first is the number of the first moment that there still is, one more than
// the last for none.
func (t *Timeline) first() uint64 { return t.segments[0].before + 1 }

// segmentOf returns the segment with that moment.
func (t *Timeline) segmentOf(n uint64) *segment {
	return t.segments[t.find(func(s *segment) bool { return s.before < n })]
}

// find returns the last segment of which begins holds, as it does for all those
// before it; -1 for none.
func (t *Timeline) find(begins func(*segment) bool) int {
	return sort.Search(len(t.segments), func(i int) bool { return !begins(t.segments[i]) }) - 1
}

// Observation returns the observation with that index, from 0, and the number
// of the last moment up to it. ok is false if it was not made yet; for one that
// is no longer kept o is nil.
func (t *Timeline) Observation(index uint64) (o model.Observation, n uint64, ok bool) {
	k := t.find(func(s *segment) bool { return s.index <= index })
	if k < 0 {
		return nil, 0, true
	}
	s := t.segments[k]
	i := index - s.index
	if i >= uint64(len(s.all)) {
		return nil, 0, false
	}
	upTo := sort.Search(len(s.moments), func(m int) bool { return s.moments[m].index > int(i) })
	return s.all[i], s.before + uint64(upTo), true
}

// steps are the moves to the next moment of a kind.
var steps = map[Move]struct {
	by   int64
	what marks
}{
	MoveBack: {-1, aMoment}, MoveBackToEvent: {-1, withEvent}, MoveBackToHandoff: {-1, withHandoff},
	MoveOn: {1, aMoment}, MoveToEvent: {1, withEvent}, MoveToHandoff: {1, withHandoff},
}

// move returns where m leads from n, which is at most one before the first.
func (t *Timeline) move(n uint64, m Move, first uint64) uint64 {
	switch m {
	case MoveToFirst:
		return first
	case MoveToLast:
		return t.n
	}
	if step, ok := steps[m]; ok {
		for i := n + uint64(step.by); first <= i && i <= t.n; i += uint64(step.by) {
			if s := t.segmentOf(i); s.moments[i-s.before-1].what&step.what != 0 {
				return i
			}
		}
	}
	return min(max(n, first), t.n)
}

// stills are the moments of a segment that were computed last: whoever goes
// back one by one wants the others next.
type stills struct {
	of      *segment
	first   int // index of the first
	moments []Moment
}

// stillsMax bounds them, in children and members of all their states together.
const stillsMax = 1 << 20

// Moment computes the moment. It may be called while the timeline grows, but not
// for two moments of a timeline at a time.
func (c Position) Moment() Moment {
	k := c.shown
	if i := c.index - k.first; k.of != c.segment || i < 0 || i >= len(k.moments) {
		c.compute()
	}
	m := k.moments[c.index-k.first]
	m.N, m.First, m.Last, m.Kept = c.N, c.First, c.Last, c.kept
	return m
}

// compute applies the segment again, up to its end or, if it is of very many
// candidates, up to the moment.
func (c Position) compute() {
	j := c.segment.from.Clone()
	first, end := 0, len(c.moments)
	if room := max(1, stillsMax/(1+j.Size())); end > room {
		first, end = max(0, c.index+1-room), c.index+1
	}
	k := c.shown
	*k = stills{of: c.segment, first: first, moments: make([]Moment, 0, end-first)}
	next := 0
	for i, o := range c.all[:c.moments[end-1].index+1] {
		events := j.Apply(o)
		if c.moments[next].index != i {
			continue
		}
		if next >= first {
			k.moments = append(k.moments, Moment{At: c.moments[next].at, State: j.State(), Events: events})
		}
		next++
	}
}

// Journal returns a journal as it was right after the moment, the caller's own,
// and the index of the observation that came next (see [Timeline.Observation]).
// Unlike Moment it may be called at any time.
func (c Position) Journal() (j *doctor.Journal, next uint64) {
	j = c.segment.from.Clone()
	k := c.moments[c.index].index + 1
	for _, o := range c.all[:k] {
		j.Apply(o)
	}
	return j, c.segment.index + uint64(k)
}

// memoryOf estimates the memory of an observation, with its index and what is remembered of
// a child that left.
func memoryOf(o model.Observation) int {
	const each, left = 160, 400
	candidate := int(reflect.TypeFor[dialect.Candidate]().Size())
	n := each + referred(reflect.ValueOf(o))
	switch o := o.(type) {
	case *model.Read:
		return n + len(o.New)*candidate + len(o.Gone)*left
	case *model.Delta:
		return n + candidate + min(1, len(o.Gone))*left
	case *model.Refresh:
		return n + candidate
	case *session.Table:
		return 2 * n // with the doctor's indexes of it
	case *model.Cast, *model.Wake, *model.Pace, *model.Write:
		return 2 * n // with what the journal makes of it
	}
	return n
}

// referred returns the size of what a value refers to.
func referred(v reflect.Value) (n int) {
	switch v.Kind() {
	case reflect.String:
		n = v.Len()
	case reflect.Pointer:
		if !v.IsNil() {
			n = int(v.Type().Elem().Size()) + referred(v.Elem())
		}
	case reflect.Slice:
		n = v.Len() * int(v.Type().Elem().Size())
		for i := 0; i < v.Len() && v.Index(i).Kind() > reflect.Complex128; i++ {
			n += referred(v.Index(i))
		}
	case reflect.Struct:
		for i := 0; i < v.NumField() && v.Type() != reflect.TypeFor[time.Time](); i++ {
			n += referred(v.Field(i))
		}
	}
	return n
}
