package model

import (
	"time"

	"electop/model/session"
)

// timeBounds are when something changed, as far as that is known. A read shows
// what changed since the read before: after the request for that one's list was
// sent, and before the answer to this one's. A notification narrows that down.
// It was on its way for an unknown time, so a change is no earlier than the last
// answered request before it; and it reports the first change only.
//
// All of it is about the server that electop is connected to. A follower may
// apply a change later than others.
type timeBounds struct {
	// It was in between, if these are known.
	earliest, latest time.Time
	// likely is the best guess, zero if there is none.
	likely time.Time
}

// seenAt is a moment that was seen by the same clock.
func seenAt(at time.Time) timeBounds { return timeBounds{at, at, at} }

// known reports whether anything is.
func (m timeBounds) known() bool { return !m.likely.IsZero() }

// bounded reports whether both bounds are.
func (m timeBounds) bounded() bool { return !m.earliest.IsZero() && !m.latest.IsZero() }

// since is the lower bound, or what serves as one if a recording has none.
func (m timeBounds) since() time.Time {
	if m.earliest.IsZero() {
		return m.likely
	}
	return m.earliest
}

// between guesses a time in a span.
func between(from, to time.Time) time.Time {
	if from.IsZero() || !from.Before(to) {
		return to
	}
	return from.Add(to.Sub(from) / 2)
}

// Span bounds a duration.
type Span struct{ Least, Most time.Duration }

// lasted is how long it was from one moment to another, which came after it:
// the best guess, and bounds; nil: not known. Clocks may lie, but none
// of them makes the result negative.
func lasted(from, to timeBounds) (*time.Duration, *Span) {
	if !from.known() || !to.known() {
		return nil, nil
	}
	d := max(0, to.likely.Sub(from.likely))
	if !from.bounded() || !to.bounded() {
		return &d, nil
	}
	s := &Span{Least: max(0, to.earliest.Sub(from.latest))}
	s.Most = max(s.Least, to.latest.Sub(from.earliest))
	d = min(max(d, s.Least), s.Most)
	return &d, s
}

// Loose reports whether the duration d is known so badly that it should be
// shown as a guess.
func (s *Span) Loose(d time.Duration) bool {
	return s != nil && max(s.Most-d, d-s.Least) > d/10+looseLeast
}

// looseLeast is the time of a read on a good network, and no less than a screen
// shows of a duration that matters.
const looseLeast = 10 * time.Millisecond

// listTimes are when the last list of the children was requested and answered.
type listTimes struct{ sent, at time.Time } // zero: not known

// changed returns when the changes that a read shows happened: n changes, negative
// if the number is not known. In a gap only the bounds are known.
func (l listTimes) changed(r *Read, n int, gap bool) timeBounds {
	at, notified := wall(r.At), wall(r.Notified)
	if gap {
		return timeBounds{earliest: l.sent, latest: at}
	}
	m := timeBounds{earliest: l.sent, latest: at, likely: at}
	if r.Notified.IsZero() || notified.After(at) {
		return m
	}
	if !r.Heard.IsZero() {
		m.earliest = session.Later(m.earliest, wall(r.Heard))
	}
	// A notification that came before the last list was answered may be of a
	// change that the list shows.
	first := l.at.IsZero() || notified.After(l.at)
	switch {
	case n == 1 && first, l.sent.IsZero(): // of a recording without bounds
		m.likely = notified
	default:
		m.likely = between(notified, at)
	}
	if n == 1 && first {
		m.latest = notified
	}
	if m.earliest.After(m.latest) { // a clock that was set
		m.earliest, m.latest = time.Time{}, time.Time{}
	}
	return m
}

// timesOf returns the times of a read's list.
func timesOf(r *Read) listTimes {
	l := listTimes{at: wall(r.At)}
	if !r.Sent.IsZero() && !r.Sent.After(r.At) {
		l.sent = wall(r.Sent)
	}
	return l
}

// wall drops a monotonic reading: a recording has none, and what is computed
// from it must be the same.
func wall(t time.Time) time.Time { return t.Round(0) }
