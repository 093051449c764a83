package model

import (
	"time"

	"electop/model/session"
)

// timeBounds bounds the time at which the server of electop's session applied a change. Compared with a read, a
// notification gives a closer lower bound and, for one change of the children, a closer upper bound. A notification's
// delay is unknown, so the lower bound is when electop sent the last request whose reply came before the notification.
type timeBounds struct {
	earliest, latest time.Time // zero: unknown
	likely           time.Time // the best guess; zero: none
}

func exactly(at time.Time) timeBounds { return timeBounds{at, at, at} }

func (m timeBounds) known() bool { return !m.likely.IsZero() }

func (m timeBounds) bounded() bool { return !m.earliest.IsZero() && !m.latest.IsZero() }

// lower returns the lower bound; if there is none, as in older recordings, the best guess.
func (m timeBounds) lower() time.Time {
	if m.earliest.IsZero() {
		return m.likely
	}
	return m.earliest
}

// Span bounds a duration.
type Span struct{ Least, Most time.Duration }

// lasted returns nothing negative, even if a clock was wrong.
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

// Loose reports whether d should be shown as a guess, because its bounds are far apart.
func (s *Span) Loose(d time.Duration) bool {
	return s != nil && max(s.Most-d, d-s.Least) > d/10+looseLeast
}

// looseLeast is about the time of a read on a good network.
const looseLeast = 10 * time.Millisecond

type listTimes struct{ sent, at time.Time } // of the request and of the reply; zero: unknown

// changed bounds the time of each change in r. n is the number of changes, negative for unknown.
func (l listTimes) changed(r *Read, n int, gap bool) timeBounds {
	at, notified := wallClock(r.At), wallClock(r.Notified)
	if gap {
		return timeBounds{earliest: l.sent, latest: at}
	}
	m := timeBounds{earliest: l.sent, latest: at, likely: at}
	if r.Notified.IsZero() || notified.After(at) {
		return m
	}
	if !r.AppliedAfter.IsZero() {
		m.earliest = session.Later(m.earliest, wallClock(r.AppliedAfter))
	}
	// If the notification came before the reply with the previous list, that list may already show the change.
	first := l.at.IsZero() || notified.After(l.at)
	switch {
	case n == 1 && first, l.sent.IsZero(): // l.sent is zero in older recordings
		m.likely = notified
	default:
		m.likely = notified.Add(at.Sub(notified) / 2)
	}
	if n == 1 && first {
		m.latest = notified
	}
	if m.earliest.After(m.latest) { // the clock was set back
		m.earliest, m.latest = time.Time{}, time.Time{}
	}
	return m
}

func timesOf(r *Read) listTimes {
	l := listTimes{at: wallClock(r.At)}
	if !r.Sent.IsZero() && !r.Sent.After(r.At) {
		l.sent = wallClock(r.Sent)
	}
	return l
}

// wallClock drops t's monotonic reading, because a replay has none and must compute the same values.
func wallClock(t time.Time) time.Time { return t.Round(0) }
