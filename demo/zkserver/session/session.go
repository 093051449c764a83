// Package session has the sessions of a ZooKeeper server: their ids, their
// passwords and their timeouts, and which expires when. It knows neither
// connections nor the tree, and has no timer: times are durations since the
// server's start, which the caller gives, and [Table.Next] says when to ask
// [Table.Due] which have expired. The caller has the lock.
package session

import (
	"crypto/rand"
	"crypto/subtle"
	"iter"
	"maps"
	"math"
	"time"
)

// serverID is the high byte of session ids, 1 in a standalone Apache too.
const serverID = 1

// never is when the next session expires if none can.
const never time.Duration = math.MaxInt64

// A Session is a client's lease. Client is what the server keeps with it.
type Session[T any] struct {
	ID      int64
	Passwd  [16]byte
	Timeout time.Duration
	Client  T

	deadline time.Duration // last sign of life + timeout
	paused   bool          // the deadline moves with time
	pausedAt time.Duration // since when, or since the last sign of life
}

// Deadline returns when a session ends if its client stays silent, except for a
// pause.
func (s *Session[T]) Deadline() time.Duration { return s.deadline }

// Held reports whether the deadline moves with time: see [Table.Pause].
func (s *Session[T]) Held() bool { return s.paused }

// Knows reports whether a password is the session's.
func (s *Session[T]) Knows(passwd []byte) bool {
	return subtle.ConstantTimeCompare(s.Passwd[:], passwd) == 1
}

// A Table holds the live sessions. A sign of life only moves a session's deadline:
// the table looks at all sessions again when the first one could have expired. A
// client sends a ping within a third of its timeout, so this is rare.
type Table[T any] struct {
	tick   time.Duration
	byID   map[int64]*Session[T]
	nextID int64
	check  time.Duration // no session expires before this time
}

// New returns an empty table. Sessions expire at multiples of tick.
//
// It seeds the ids like Apache: the server id in the high byte, then 40 bits of
// the time in milliseconds, then a counter. Here that does not begin at zero but
// with the rest of the time: servers in a process can begin, and end, many in a
// millisecond, and one does not know the sessions of another.
func New[T any](tick time.Duration, now time.Time) *Table[T] {
	fraction := uint64(now.Nanosecond()%int(time.Millisecond)) / 16
	return &Table[T]{
		tick:   tick,
		byID:   make(map[int64]*Session[T]),
		check:  never,
		nextID: int64(uint64(now.UnixMilli())<<24>>8 | serverID<<56 | fraction),
	}
}

// Open makes a session, which has no deadline before its first [Table.Touch].
func (t *Table[T]) Open() *Session[T] {
	s := &Session[T]{ID: t.nextID}
	rand.Read(s.Passwd[:]) // never fails
	t.byID[s.ID] = s
	t.nextID++
	return s
}

// Get returns the session with an id, or nil.
func (t *Table[T]) Get(id int64) *Session[T] { return t.byID[id] }

// Has reports whether a session has not ended.
func (t *Table[T]) Has(s *Session[T]) bool { return t.byID[s.ID] == s }

// Len returns the number of sessions.
func (t *Table[T]) Len() int { return len(t.byID) }

// All yields the sessions in no particular order.
func (t *Table[T]) All() iter.Seq[*Session[T]] { return maps.Values(t.byID) }

// End ends a session.
func (t *Table[T]) End(s *Session[T]) { delete(t.byID, s.ID) }

// Touch extends a session's life, and reports whether [Table.Next] may be
// earlier now.
func (t *Table[T]) Touch(s *Session[T], now time.Duration) bool {
	s.deadline = now + s.Timeout
	if s.paused {
		s.pausedAt = now
		return false
	}
	return t.schedule(s, now)
}

// Pause lets a session's deadline move with time.
func (t *Table[T]) Pause(s *Session[T], now time.Duration) {
	s.paused, s.pausedAt = true, now
}

// Resume ends a pause, if there is one, and reports as [Table.Touch] does.
func (t *Table[T]) Resume(s *Session[T], now time.Duration) bool {
	if !s.paused {
		return false
	}
	s.deadline += now - s.pausedAt
	s.paused = false
	return t.schedule(s, now)
}

// schedule keeps the time of the next check, and reports whether it is earlier now.
func (t *Table[T]) schedule(s *Session[T], now time.Duration) bool {
	expiry := t.Expiry(s, now)
	earlier := expiry < t.check
	t.check = min(t.check, expiry)
	return earlier
}

// Expiry is the tick at which a session expires unless touched.
func (t *Table[T]) Expiry(s *Session[T], now time.Duration) time.Duration {
	deadline := s.deadline
	if s.paused {
		deadline += now - s.pausedAt
	}
	return (deadline + t.tick - 1) / t.tick * t.tick
}

// Next returns when to call [Table.Due] next, or false for never. It may be too
// early, but not too late.
func (t *Table[T]) Next() (time.Duration, bool) { return t.check, t.check != never }

// Due returns sessions whose deadline has passed, at most limit. The caller ends them.
// If there may be more, [Table.Next] is not after now.
func (t *Table[T]) Due(now time.Duration, limit int) (due []*Session[T]) {
	if now < t.check {
		return nil
	}
	first := never
	for _, s := range t.byID {
		if s.paused {
			continue
		}
		expiry := t.Expiry(s, now)
		if expiry > now {
			first = min(first, expiry)
			continue
		}
		if due = append(due, s); len(due) == limit {
			return due
		}
	}
	t.check = first
	return due
}
