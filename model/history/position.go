package history

import (
	"slices"
	"sort"

	"electop/model"
	"electop/model/doctor"
)

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
	s := t.segments[t.find(func(s *segment) bool { return s.before < n })]
	return Position{
		N: n, First: n == first, Last: n == t.n, kept: t.max,
		segment: s, index: int(n - s.before - 1), moments: s.moments, all: s.all, shown: t.shown,
	}, true
}

// first is the number of the first moment that there still is, one more than
// the last for none.
func (t *Timeline) first() uint64 { return t.segments[0].before + 1 }

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

// move returns where m leads from n, which is at most one before the first.
func (t *Timeline) move(n uint64, m Move, first uint64) uint64 {
	within := func(n uint64) uint64 { return min(max(n, first), t.n) }
	switch m {
	case MoveBack:
		if n <= first {
			return first
		}
		return n - 1
	case MoveOn:
		return within(n + 1)
	case MoveToFirst:
		return first
	case MoveToLast:
		return t.n
	case MoveToEvent:
		return within(t.next(n, withEvent))
	case MoveToHandoff:
		return within(t.next(n, withHandoff))
	case MoveBackToEvent:
		return within(t.before(n, withEvent))
	case MoveBackToHandoff:
		return within(t.before(n, withHandoff))
	}
	return within(n)
}

// next returns the first moment after n that is one of what, n for none.
func (t *Timeline) next(n uint64, what marks) uint64 {
	for _, s := range t.segments {
		for i := range s.moments {
			if at := s.before + uint64(i) + 1; at > n && s.moments[i].what&what != 0 {
				return at
			}
		}
	}
	return n
}

// before returns the last moment before n that is one of what, n for none.
func (t *Timeline) before(n uint64, what marks) uint64 {
	for _, s := range slices.Backward(t.segments) {
		for i := range slices.Backward(s.moments) {
			if at := s.before + uint64(i) + 1; at < n && s.moments[i].what&what != 0 {
				return at
			}
		}
	}
	return n
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
