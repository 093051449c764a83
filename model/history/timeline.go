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

// Timeline keeps the past of an election. It drops the oldest moments to bound its memory.
//
// A moment is an observation at which time travel can stop. Moments are numbered from 1.
//
// Only one goroutine may use a timeline. The methods of a [Position], which are slow, may run in
// another goroutine.
type Timeline struct {
	journal  *doctor.Journal
	max      int
	segments []*segment
	bytes    int    // estimated memory of all segments
	n        uint64 // number of moments so far, including dropped moments
	computed *computed
}

// DefaultMax is the default bound of a timeline's estimated memory, in bytes.
const DefaultMax = 64 << 20

// Moment is a moment of a [Timeline].
type Moment struct {
	N      uint64
	At     time.Time
	State  *doctor.State
	Events []model.Event

	First, Last bool // this is the first or the last moment that is kept
	MaxBytes    int  // bound of the timeline's estimated memory
}

// Move is a move during time travel. If no moment fits, a move leads to the kept moment that is nearest to n of Seek.
type Move string

const (
	MoveTo            Move = "to" // moment n of Seek, or the nearest that is kept
	MoveBack          Move = "back"
	MoveOn            Move = "on"
	MoveToEvent       Move = "event"
	MoveBackToEvent   Move = "event before"
	MoveToHandoff     Move = "handoff"
	MoveBackToHandoff Move = "handoff before"
	MoveToFirst       Move = "first"
	MoveToLast        Move = "last"
)

// segment has slices that positions in other goroutines read, so their elements never change.
type segment struct {
	from         *doctor.Journal // the journal before all[0]; never changed
	index        uint64          // of all[0] among the timeline's observations, from 0
	before       uint64          // number of moments before the segment
	all          []model.Observation
	moments      []mark
	bytes        int // estimated memory of the observations
	journalBytes int // estimated memory of the journal
	limit        int // bound of len(all)
}

type mark struct {
	at    time.Time
	index int // of the observation in segment.all
	kinds kinds
}

type kinds uint8

const (
	aMoment kinds = 1 << iota
	withEvent
	withHandoff
)

// NewTimeline returns an empty timeline. maxBytes bounds its estimated memory; 0 means [DefaultMax].
func NewTimeline(cfg model.Config, maxBytes int) *Timeline {
	t := &Timeline{journal: doctor.NewJournal(cfg), max: cmp.Or(maxBytes, DefaultMax), computed: &computed{}}
	t.addSegment()
	return t
}

// segmentMin is the least limit of a segment. Children and members raise the limit, because cloning eight
// children or members takes about as long as applying one observation.
const segmentMin = 512

func (t *Timeline) addSegment() {
	j := t.journal.Clone()
	journalBytes, values := j.Memory()
	s := &segment{from: j, journalBytes: journalBytes, limit: segmentMin + values/8, before: t.n}
	if k := len(t.segments); k > 0 {
		s.index = t.segments[k-1].index + uint64(len(t.segments[k-1].all))
	}
	t.bytes += s.journalBytes
	t.segments = append(t.segments, s)
	t.trim()
}

// Keep sets the bound of the timeline's estimated memory.
func (t *Timeline) Keep(maxBytes int) {
	t.max = maxBytes
	t.trim()
}

func (t *Timeline) trim() {
	drop := 0
	for t.bytes > t.max && drop < len(t.segments)-1 {
		t.bytes -= t.segments[drop].journalBytes + t.segments[drop].bytes
		drop++
	}
	t.segments = slices.Delete(t.segments, 0, drop)
}

// Apply applies an observation to the journal, keeps the observation, and returns the events.
func (t *Timeline) Apply(o model.Observation) []model.Event {
	s := t.segments[len(t.segments)-1]
	if len(s.all) >= s.limit || s.bytes > max(t.max/8, s.journalBytes) {
		t.addSegment()
		s = t.segments[len(t.segments)-1]
	}
	j := t.journal
	news := j.News(o)
	eventsBefore := j.Events()
	events := j.Apply(o)
	if news || len(events) > 0 || j.Events() != eventsBefore { // the journal may hold new events back
		t.n++
		s.moments = append(s.moments, mark{o.When().Round(0), len(s.all), kindsOf(events)})
	}
	s.all = append(s.all, o)
	size := memoryOf(o)
	s.bytes += size
	t.bytes += size
	return events
}

func kindsOf(events []model.Event) kinds {
	k := aMoment
	for i := range events {
		k |= withEvent
		if _, ok := events[i].Body.(model.Handoff); ok {
			k |= withHandoff
		}
	}
	return k
}

// State returns the newest state.
func (t *Timeline) State() *doctor.State { return t.journal.State() }

// Deadline returns [doctor.Journal.Deadline] after the newest observation.
func (t *Timeline) Deadline() (time.Time, bool) { return t.journal.Deadline() }

// Held returns [model.Journal.Held] after the newest observation.
func (t *Timeline) Held() (time.Time, bool) { return t.journal.Held() }

// Span returns the times of the timeline's first and last moments, zero if it has no moments.
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

// Seek returns the moment to which m leads from moment n, or from the last one if n is larger. ok is false for a
// timeline without moments.
func (t *Timeline) Seek(n uint64, m Move) (at Moment, ok bool) {
	c, ok := t.Find(n, m)
	if !ok {
		return Moment{}, false
	}
	return c.Moment(), true
}

// Position is a moment that is not computed yet; it stays valid when the timeline changes.
type Position struct {
	N           uint64
	First, Last bool
	maxBytes    int
	segment     *segment
	index       int                 // of the moment in moments
	moments     []mark              // the segment's moments so far
	all         []model.Observation // the segment's observations so far
	computed    *computed
}

// Find is [Timeline.Seek] without the computation of the moment.
func (t *Timeline) Find(n uint64, m Move) (c Position, ok bool) {
	first := t.first()
	if first > t.n {
		return Position{}, false
	}
	n = t.move(min(max(n, first-1), t.n), m, first)
	s := t.segmentOf(n)
	return Position{
		N: n, First: n == first, Last: n == t.n, maxBytes: t.max,
		segment: s, index: int(n - s.before - 1), moments: s.moments, all: s.all, computed: t.computed,
	}, true
}

func (t *Timeline) first() uint64 { return t.segments[0].before + 1 }

func (t *Timeline) segmentOf(n uint64) *segment {
	return t.segments[t.find(func(s *segment) bool { return s.before < n })]
}

func (t *Timeline) find(begins func(*segment) bool) int {
	return sort.Search(len(t.segments), func(i int) bool { return !begins(t.segments[i]) }) - 1
}

// Observation returns the observation with this index, from 0. n is the number of the last moment up to
// that observation. For a dropped observation, o is nil and n is 0. ok is false if the index is too large.
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

var steps = map[Move]struct {
	by   int64
	kind kinds
}{
	MoveBack: {-1, aMoment}, MoveBackToEvent: {-1, withEvent}, MoveBackToHandoff: {-1, withHandoff},
	MoveOn: {1, aMoment}, MoveToEvent: {1, withEvent}, MoveToHandoff: {1, withHandoff},
}

func (t *Timeline) move(n uint64, m Move, first uint64) uint64 {
	switch m {
	case MoveToFirst:
		return first
	case MoveToLast:
		return t.n
	}
	if step, ok := steps[m]; ok {
		for i := n + uint64(step.by); first <= i && i <= t.n; i += uint64(step.by) {
			if s := t.segmentOf(i); s.moments[i-s.before-1].kinds&step.kind != 0 {
				return i
			}
		}
	}
	return min(max(n, first), t.n)
}

// computed caches moments of one segment, because a user often steps back.
type computed struct {
	of      *segment
	first   int // index of moments[0] in of.moments
	moments []Moment
}

// computedMax bounds the number of cached moments times the size of segment.from. At least one moment is cached.
const computedMax = 1 << 20

// Moment computes the moment, also while the timeline grows. For positions of one timeline, calls of
// Moment must not overlap with each other or with [Timeline.Seek].
func (c Position) Moment() Moment {
	k := c.computed
	if i := c.index - k.first; k.of != c.segment || i < 0 || i >= len(k.moments) {
		c.compute()
	}
	m := k.moments[c.index-k.first]
	m.N, m.First, m.Last, m.MaxBytes = c.N, c.First, c.Last, c.maxBytes
	return m
}

func (c Position) compute() {
	j := c.segment.from.Clone()
	first, end := 0, len(c.moments)
	if room := max(1, computedMax/(1+j.Size())); end > room {
		first, end = max(0, c.index+1-room), c.index+1
	}
	k := c.computed
	*k = computed{of: c.segment, first: first, moments: make([]Moment, 0, end-first)}
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

// Journal returns a new journal right after the moment, and the index of the next observation.
// Unlike calls of Moment, calls of Journal may overlap.
func (c Position) Journal() (j *doctor.Journal, next uint64) {
	j = c.segment.from.Clone()
	k := c.moments[c.index].index + 1
	for _, o := range c.all[:k] {
		j.Apply(o)
	}
	return j, c.segment.index + uint64(k)
}

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
		return 2 * n // the journal and the doctor keep indexes of the table
	case *model.Cast, *model.DeletionReport, *model.Pace, *model.Write:
		return 2 * n // the journal derives values and keeps them
	}
	return n
}

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
