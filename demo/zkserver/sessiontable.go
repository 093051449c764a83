package zkserver

import (
	"crypto/rand"
	"crypto/subtle"
	"math"
	"time"
)

// serverID is the high byte of session ids, 1 in a standalone Apache too.
const serverID = 1

// never is when the next session expires if none can.
const never time.Duration = math.MaxInt64

// A session is a client's lease. s.mu guards it. Times are since the server's start.
type session struct {
	id      int64
	passwd  [16]byte
	timeout time.Duration
	conn    *conn // nil while not connected

	// deadline is when the session ends if its client stays silent. While messages to it
	// are held back it moves with time, since heldSince.
	deadline  time.Duration
	held      int
	heldSince time.Duration // or since the last sign of life

	count *count // that it counts for, or nil
}

// knows reports whether a password is the session's.
func (s *session) knows(passwd []byte) bool {
	return subtle.ConstantTimeCompare(s.passwd[:], passwd) == 1
}

// hold notes that a message to the session is held back. The first one stops the
// session's expiry.
func (s *session) hold(now time.Duration) {
	if s.held++; s.held == 1 {
		s.heldSince = now
		s.count.holds(+1)
	}
}

// A sessionTable holds the live sessions. It has no timer: check says when to call due. A
// sign of life only moves a session's deadline: the table looks at all sessions again
// when the first one could have expired. A client sends a ping within a third of its
// timeout, so this is rare.
type sessionTable struct {
	tick   time.Duration // sessions expire at its multiples
	byID   map[int64]*session
	nextID int64
	check  time.Duration // no session expires before this time
}

// newSessionTable returns an empty table.
//
// It seeds the ids like Apache: the server id in the high byte, then 40 bits of
// the time in milliseconds, then a counter. Here that does not begin at zero but
// with the rest of the time: servers in a process can begin, and end, many in a
// millisecond, and one does not know the sessions of another.
func newSessionTable(tick time.Duration, now time.Time) *sessionTable {
	fraction := uint64(now.Nanosecond()%int(time.Millisecond)) / 16
	return &sessionTable{
		tick:   tick,
		byID:   make(map[int64]*session),
		check:  never,
		nextID: int64(uint64(now.UnixMilli())<<24>>8 | serverID<<56 | fraction),
	}
}

// open makes a session, which has no deadline before its first touch.
func (t *sessionTable) open() *session {
	s := &session{id: t.nextID}
	rand.Read(s.passwd[:]) // never fails
	t.byID[s.id] = s
	t.nextID++
	return s
}

// has reports whether a session has not ended.
func (t *sessionTable) has(s *session) bool { return t.byID[s.id] == s }

// touch extends a session's life, and reports whether check is earlier now.
func (t *sessionTable) touch(s *session, now time.Duration) bool {
	s.deadline = now + s.timeout
	if s.held > 0 {
		s.heldSince = now
		return false
	}
	return t.schedule(s, now)
}

// release notes that a message to the session is no longer held, and reports whether check
// is earlier now.
func (t *sessionTable) release(s *session, now time.Duration) bool {
	if s.held--; s.held > 0 {
		return false
	}
	s.count.holds(-1)
	s.deadline += now - s.heldSince
	return t.has(s) && t.schedule(s, now)
}

// schedule keeps the time of the next check, and reports whether it is earlier now.
func (t *sessionTable) schedule(s *session, now time.Duration) bool {
	expiry := t.expiry(s, now)
	earlier := expiry < t.check
	t.check = min(t.check, expiry)
	return earlier
}

// expiry returns the tick at which a session expires unless touched.
func (t *sessionTable) expiry(s *session, now time.Duration) time.Duration {
	deadline := s.deadline
	if s.held > 0 {
		deadline += now - s.heldSince
	}
	return (deadline + t.tick - 1) / t.tick * t.tick
}

// due returns sessions whose deadline has passed, at most limit. The caller ends them.
// If there may be more, check is not after now.
func (t *sessionTable) due(now time.Duration, limit int) (due []*session) {
	if now < t.check {
		return nil
	}
	first := never
	for _, s := range t.byID {
		if s.held > 0 {
			continue
		}
		expiry := t.expiry(s, now)
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
