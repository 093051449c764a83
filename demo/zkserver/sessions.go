package zkserver

import (
	"container/heap"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"math"
	"time"

	"electop/zkwatch/wire"
)

// serverID is the high byte of session ids, 1 in a standalone Apache too.
const serverID = 1

// never is when a session is looked at whose deadline is paused.
const never time.Duration = math.MaxInt64

// session is a client's lease. All times are relative to the server's start.
type session struct {
	id       int64
	passwd   [16]byte
	timeout  time.Duration
	deadline time.Duration // last sign of life + timeout
	check    time.Duration // when to look whether the deadline has passed
	index    int           // in the heap
	conn     *conn         // nil while not connected

	// Of faults on demand.
	loseCreate bool          // the reply of the next create is lost
	hold       *Hold         // nil if it has none of its own
	held       int           // messages, by its Hold or by the Pace
	paused     bool          // a message is held: the deadline moves with time
	pausedAt   time.Duration // since when, or since the last sign of life

	wake *wake // that it counts for
}

// sessions holds the live sessions and a heap of them by the time at which
// each is to be looked at. A sign of life only moves a session's deadline; the
// heap follows when the old one comes up, so that a touch costs nothing.
type sessions struct {
	byID   map[int64]*session
	next   int64
	queue  checkQueue
	alarm  *alarm
	alarmA time.Duration // when it is due
}

// init seeds the ids like Apache: the server id in the high byte, then 40 bits
// of the time in milliseconds, then a counter. Here that does not begin at zero
// but with the rest of the time: servers in a process can begin, and end, many
// in a millisecond, and one does not know the sessions of another.
func (q *sessions) init(now time.Time) {
	q.byID = make(map[int64]*session)
	fraction := uint64(now.Nanosecond()%int(time.Millisecond)) / 16
	q.next = int64(uint64(now.UnixMilli())<<24>>8 | serverID<<56 | fraction)
	q.alarmA = math.MaxInt64
}

// connect carries out a handshake and reports whether the session is good; if
// not, the answer that says so is queued and the connection is to be closed.
func (s *Server) connect(c *conn, req *wire.ConnectRequest) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || c.gone {
		return false
	}
	c.handshake.stop()
	c.stats.received++
	s.counters.openings.Add(1)
	if !s.stall(c, req.SessionID) {
		return false
	}
	sess := s.openSession(c, req)
	rsp := wire.ConnectResponse{HasReadOnly: req.HasReadOnly}
	if sess == nil {
		rsp.Passwd = make([]byte, 16)
	} else {
		rsp.Timeout = int32(sess.timeout / time.Millisecond)
		rsp.SessionID = sess.id
		rsp.Passwd = sess.passwd[:]
	}
	c.sendRaw(wire.AppendFrame(nil, &rsp))
	c.stats.sent++
	s.counters.packetsOut.Add(1)
	return sess != nil
}

// openSession makes or resumes a session and ties it to c. It returns nil if
// the one asked for is gone.
func (s *Server) openSession(c *conn, req *wire.ConnectRequest) *session {
	if req.LastZxidSeen > s.zxid {
		return nil // see the package comment
	}
	// In milliseconds, so that no timeout overflows.
	ms := min(max(int64(req.Timeout), s.opts.MinSessionTimeout.Milliseconds()), s.opts.MaxSessionTimeout.Milliseconds())
	timeout := max(time.Duration(ms), 1) * time.Millisecond
	var sess *session
	if req.SessionID == 0 {
		sess = &session{id: s.sessions.next, check: -1}
		rand.Read(sess.passwd[:]) // never fails
		s.sessions.next++
		s.sessions.byID[sess.id] = sess
		s.zxid++
		c.stats.done(s, "SESS", 0, 0)
	} else {
		sess = s.sessions.byID[req.SessionID]
		if sess == nil || subtle.ConstantTimeCompare(sess.passwd[:], req.Passwd) != 1 {
			return nil
		}
		if old := sess.conn; old != nil {
			s.detach(old)
			old.closeSoon()
		}
	}
	sess.conn, c.sess = c, sess
	if sess.timeout != timeout {
		sess.timeout = timeout
		s.note(sess.entry)
	}
	s.seal()
	s.touch(sess)
	return sess
}

// touch extends a session's life.
func (s *Server) touch(sess *session) {
	sess.deadline = s.elapsed() + sess.timeout
	if sess.paused {
		sess.pausedAt = s.elapsed()
		return
	}
	s.schedule(sess)
}

// schedule sees to it that a session is looked at when its deadline passes.
func (s *Server) schedule(sess *session) {
	q := &s.sessions
	check := s.expiry(sess)
	switch {
	case sess.check < 0:
		sess.check = check
		heap.Push(&q.queue, sess)
	case check < sess.check: // resumed with a shorter timeout
		sess.check = check
		heap.Fix(&q.queue, sess.index)
	default:
		return
	}
	s.armExpiry()
}

// expiry is the tick at which a session expires unless touched.
func (s *Server) expiry(sess *session) time.Duration {
	tick, deadline := s.opts.Tick, sess.deadline
	if sess.paused {
		deadline += s.elapsed() - sess.pausedAt
	}
	return (deadline + tick - 1) / tick * tick
}

// armExpiry sets the alarm for the session that is to be looked at first.
func (s *Server) armExpiry() {
	q := &s.sessions
	if len(q.queue) == 0 || q.queue[0].check == never || s.down || s.closed {
		q.alarm.stop()
		q.alarm, q.alarmA = nil, math.MaxInt64
		return
	}
	first := q.queue[0].check
	if q.alarmA <= first {
		return
	}
	q.alarm.stop()
	q.alarmA = first
	q.alarm = s.after(first-s.elapsed(), s.expireDue)
}

// expireDue ends the sessions whose deadline has passed.
func (s *Server) expireDue() {
	q := &s.sessions
	now := s.elapsed()
	for len(q.queue) > 0 && q.queue[0].check <= now {
		sess := q.queue[0]
		if sess.paused {
			sess.check = never
			heap.Fix(&q.queue, 0)
			continue
		}
		if sess.check = s.expiry(sess); sess.check > now {
			heap.Fix(&q.queue, 0)
			continue
		}
		s.counters.expired.Add(1)
		s.notes = append(s.notes, note{"session expired", []any{"session", fmt.Sprintf("%#x", sess.id), "timeout", sess.timeout}})
		s.endSession(sess, true)
	}
	q.alarm, q.alarmA = nil, math.MaxInt64
	s.armExpiry()
}

// endSession removes a session and its ephemeral nodes in one transaction,
// and with drop set closes its connection.
func (s *Server) endSession(sess *session, drop bool) {
	q := &s.sessions
	delete(q.byID, sess.id)
	heap.Remove(&q.queue, sess.index)
	sess.leaveWake()
	s.zxid++
	x := txn{zxid: s.zxid, now: s.clock.Now().UnixMilli()}
	for _, path := range s.tree.ephemeralsOf(sess.id) {
		s.apply(&change{op: wire.OpDelete, path: path}, x)
	}
	s.note(endEntry(sess.id))
	s.seal()
	if c := sess.conn; c != nil && drop {
		s.detach(c)
		c.closeSoon()
	}
	if sess.hold != nil && drop {
		sess.hold.end(false)
	}
	s.armExpiry()
}

// over reports whether a session is no more.
func (s *Server) over(sess *session) bool { return s.sessions.byID[sess.id] != sess }

// Deadline returns when a session expires unless its client is heard of before,
// by the server's clock, and whether it has a connection; ok is false for no
// session. While a message to the session is held, that moves on with time.
func (s *Server) Deadline(id int64) (at time.Time, connected, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sess := s.sessions.byID[id]
	if sess == nil || s.closed {
		return time.Time{}, false, false
	}
	return s.start.Add(s.expiry(sess)), sess.conn != nil, true
}

// ExpireSession ends a session now, as if its client had been silent for too
// long: its ephemeral nodes go and its connection, if any, is closed.
func (s *Server) ExpireSession(id int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	sess := s.sessions.byID[id]
	if sess == nil {
		return fmt.Errorf("zkserver: expire session %#x: no such session", id)
	}
	s.counters.expired.Add(1)
	s.endSession(sess, true)
	return nil
}

// checkQueue is a heap of sessions by check.
type checkQueue []*session

func (q checkQueue) Len() int           { return len(q) }
func (q checkQueue) Less(i, j int) bool { return q[i].check < q[j].check }
func (q checkQueue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}
func (q *checkQueue) Push(x any) {
	sess := x.(*session)
	sess.index = len(*q)
	*q = append(*q, sess)
}
func (q *checkQueue) Pop() any {
	old := *q
	last := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	return last
}
