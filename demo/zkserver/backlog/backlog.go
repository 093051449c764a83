// Package backlog holds the messages of a server in slow motion until they are due or
// released. They leave in the order in which they were made, over all connections. It
// does not know how a message is sent: see [Message].
package backlog

import (
	"slices"
	"time"
)

// A Message is held. It must not call the queue.
type Message interface {
	Send() // when it leaves
	Lose() // when its connection ended first
}

// passedMax bounds the messages that are remembered after they left.
const passedMax = 256

// Held describes a message that is held.
type Held[A any] struct {
	N     int // counts the messages, up from 1
	Since time.Time
	About A
}

// Passed describes a message that is no longer held.
type Passed[A any] struct {
	Held[A]
	Left time.Time
	Lost bool // its connection ended first: it was never sent
}

// A Queue holds messages M, in the order in which they were made. The delay is the same
// for all, so the first that was made is always the first to leave, and the order of each
// session is kept. A is what the server tells about a message. It has the lock.
type Queue[M Message, A any] struct {
	now     func() time.Time
	after   func(d time.Duration, f func()) (stop func())
	delay   time.Duration // negative: none
	items   []*item[M, A]
	count   int    // of all that there ever were
	stop    func() // the alarm for the first message; nil: there is none
	changed chan struct{}

	passed   []Passed[A] // since [Queue.TakePassed]
	unlisted int         // that passed before those
}

type item[M Message, A any] struct {
	Held[A]
	m M
}

// New returns an empty queue without a delay. now returns the time. after calls f under
// the server's lock, d from now, unless it is stopped before.
func New[M Message, A any](now func() time.Time, after func(d time.Duration, f func()) (stop func())) *Queue[M, A] {
	return &Queue[M, A]{now: now, after: after, changed: make(chan struct{}, 1)}
}

// Add holds a message.
func (q *Queue[M, A]) Add(m M, about A) {
	q.count++
	q.items = append(q.items, &item[M, A]{Held[A]{q.count, q.now(), about}, m})
	q.signal()
	if len(q.items) == 1 {
		q.due()
	}
}

// SetDelay changes how long messages are held, also those that are held already: with a
// negative delay until they are released.
func (q *Queue[M, A]) SetDelay(d time.Duration) {
	q.delay = d
	q.due()
	q.signal()
}

// Step releases the oldest message, and reports whether there was one.
func (q *Queue[M, A]) Step() (first Held[A], ok bool) {
	if len(q.items) == 0 {
		return first, false
	}
	first = q.items[0].Held
	q.release(1)
	return first, true
}

// Drop loses messages: those of a connection that ends.
func (q *Queue[M, A]) Drop(which func(M) bool) {
	q.items = slices.DeleteFunc(q.items, func(it *item[M, A]) bool {
		lost := which(it.m)
		if lost {
			q.pass(it, true)
			it.m.Lose()
		}
		return lost
	})
	q.due()
	q.signal()
}

// release sends the first n messages.
func (q *Queue[M, A]) release(n int) {
	for _, it := range q.items[:n] {
		q.pass(it, false)
		it.m.Send()
	}
	q.items = slices.Delete(q.items, 0, n)
	q.due()
	q.signal()
}

// pass notes that a message leaves, or is lost.
func (q *Queue[M, A]) pass(it *item[M, A], lost bool) {
	if len(q.passed) == passedMax {
		q.passed = slices.Delete(q.passed, 0, 1)
		q.unlisted++
	}
	q.passed = append(q.passed, Passed[A]{Held: it.Held, Left: q.now(), Lost: lost})
}

// due releases what has been held for long enough, and sets the alarm for the rest.
func (q *Queue[M, A]) due() {
	if q.stop != nil {
		q.stop()
		q.stop = nil
	}
	if q.delay < 0 {
		return
	}
	n, now := 0, q.now()
	for n < len(q.items) && now.Sub(q.items[n].Since) >= q.delay {
		n++
	}
	if n > 0 {
		q.release(n) // which comes back here
	} else if len(q.items) > 0 {
		q.stop = q.after(q.delay-now.Sub(q.items[0].Since), q.due)
	}
}

func (q *Queue[M, A]) signal() {
	select {
	case q.changed <- struct{}{}:
	default: // nobody has taken the last one yet
	}
}

// Len returns the number of held messages.
func (q *Queue[M, A]) Len() int { return len(q.items) }

// First returns the first n held messages.
func (q *Queue[M, A]) First(n int) (held []Held[A]) {
	for _, it := range q.items[:max(0, min(n, len(q.items)))] {
		held = append(held, it.Held)
	}
	return held
}

// TakePassed returns the last messages that left since it was called last, and how many
// more there were before these.
func (q *Queue[M, A]) TakePassed() (passed []Passed[A], unlisted int) {
	passed, unlisted = q.passed, q.unlisted
	q.passed, q.unlisted = nil, 0
	return passed, unlisted
}

// Changed returns a channel that has a value after something has changed, one for any
// number of changes.
func (q *Queue[M, A]) Changed() <-chan struct{} { return q.changed }
