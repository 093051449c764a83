package zkserver

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"log/slog"
	"time"

	"electop/zkwatch/wire"
)

// session is guarded by Server.mu. Its deadline and heldSince are times since the server's start.
type session struct {
	id      int64
	passwd  [16]byte
	timeout time.Duration
	conn    *conn // nil while not connected

	deadline  time.Duration
	held      int
	heldSince time.Duration // time of the first held message or of the last request, whichever is later
	alarm     *alarm        // fires at the expiry or earlier

	count *count // nil: no Tally counts the session's requests
}

// firstID returns the first session id of a server. As in Apache, the high byte is the
// server id (1 in a standalone server), the next 40 bits are the time in milliseconds, and
// the rest is a counter. Unlike in Apache, the counter begins with a fraction of the
// millisecond. So two servers that start in the same millisecond rarely have the same ids.
func firstID(now time.Time) int64 {
	fraction := uint64(now.Nanosecond()%int(time.Millisecond)) / 16
	return int64(uint64(now.UnixMilli())<<24>>8 | 1<<56 | fraction)
}

// connect requires that, after false, the caller sends the queued output and closes the connection.
func (c *conn) connect(req *wire.ConnectRequest) bool {
	s := c.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || c.gone {
		return false
	}
	c.stats.received++
	s.counters.received++
	sess := c.openSession(req)
	rsp := wire.ConnectResponse{HasReadOnly: req.HasReadOnly}
	if sess == nil {
		rsp.Passwd = make([]byte, 16)
	} else {
		rsp.Timeout = int32(sess.timeout / time.Millisecond)
		rsp.SessionID = sess.id
		rsp.Passwd = sess.passwd[:]
	}
	c.out.send(&rsp)
	c.stats.sent++
	s.counters.sent++
	return sess != nil
}

func (c *conn) openSession(req *wire.ConnectRequest) *session {
	s := c.s
	if req.LastZxidSeen > s.zxid {
		return nil // the client has seen another server's data; see the package comment
	}
	sess := s.sessions[req.SessionID]
	if req.SessionID == 0 {
		s.zxid++
		sess = &session{id: s.nextID}
		rand.Read(sess.passwd[:]) // never fails
		s.sessions[sess.id] = sess
		s.nextID++
		c.stats.done("SESS", 0, s.zxid, s.elapsed(), 0)
	} else if sess == nil || subtle.ConstantTimeCompare(sess.passwd[:], req.Passwd) != 1 {
		return nil
	} else if old := sess.conn; old != nil {
		old.drop()
	}
	ms := min(max(int64(req.Timeout), s.opts.MinSessionTimeout.Milliseconds()), s.opts.MaxSessionTimeout.Milliseconds())
	sess.timeout = time.Duration(max(ms, 1)) * time.Millisecond
	sess.conn, c.sess = c, sess
	s.touch(sess)
	s.arm(sess)
	return sess
}

func (s *Server) touch(sess *session) {
	sess.heldSince = s.elapsed()
	sess.deadline = sess.heldSince + sess.timeout
}

func (s *Server) hold(sess *session) {
	if sess.held++; sess.held == 1 {
		sess.heldSince = s.elapsed()
		sess.deadline = max(sess.deadline, sess.heldSince+1) // after its deadline, a session lives until the next tick
		sess.count.addHolding(+1)
	}
}

func (s *Server) release(sess *session) {
	if sess.held--; sess.held > 0 {
		return
	}
	sess.count.addHolding(-1)
	sess.deadline += s.elapsed() - sess.heldSince
}

func (s *Server) lives(sess *session) bool { return s.sessions[sess.id] == sess }

func (s *Server) expiry(sess *session) time.Duration {
	deadline := sess.deadline
	if sess.held > 0 {
		deadline += s.elapsed() - sess.heldSince
	}
	return (deadline + s.opts.Tick - 1) / s.opts.Tick * s.opts.Tick
}

func (s *Server) arm(sess *session) {
	sess.alarm.stop()
	sess.alarm = s.after(s.expiry(sess)-s.elapsed(), func() {
		if s.expiry(sess) > s.elapsed() {
			s.arm(sess)
			return
		}
		if timeout := sess.timeout; s.log.Enabled(context.Background(), slog.LevelDebug) {
			// A log handler may block, but this callback holds s.mu.
			s.wg.Go(func() { s.log.Debug("session expired", "session", fmt.Sprintf("%#x", sess.id), "timeout", timeout) })
		}
		s.expire(sess)
	})
}

func (s *Server) expire(sess *session) {
	s.counters.Expired++
	s.endSession(sess)
	if c := sess.conn; c != nil {
		c.drop()
	}
}

func (s *Server) endSession(sess *session) {
	sess.stopCounting()
	sess.alarm.stop()
	delete(s.sessions, sess.id)
	s.deleteAll(s.tree.EphemeralsOf(sess.id))
}

// Deadline returns when a session expires if its client stays silent. While a message to the
// session is held, the deadline moves with time. ok is false if the session is unknown or the server is closed.
func (s *Server) Deadline(id int64) (at time.Time, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sess := s.sessions[id]
	if sess == nil || s.closed {
		return time.Time{}, false
	}
	return s.start.Add(s.expiry(sess)), true
}

// ExpireSession ends a session now, as if its client had been silent for too long.
func (s *Server) ExpireSession(id int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	sess := s.sessions[id]
	if sess == nil {
		return fmt.Errorf("zkserver: expire session %#x: no such session", id)
	}
	s.expire(sess)
	return nil
}
