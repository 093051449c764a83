package zkserver

import (
	"fmt"
	"time"

	"electop/zkwatch/wire"
)

// connect carries out a handshake and reports whether the session is good; if
// not, the answer that says so is queued and the connection is to be closed.
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
	c.out.sendRaw(wire.AppendFrame(nil, &rsp))
	c.stats.sent++
	s.counters.sent++
	return sess != nil
}

// openSession makes or resumes a session and ties it to c. It returns nil if
// the one asked for is gone.
func (c *conn) openSession(req *wire.ConnectRequest) *session {
	s := c.s
	if req.LastZxidSeen > s.zxid {
		return nil // see the package comment
	}
	// In milliseconds, so that no timeout overflows.
	ms := min(max(int64(req.Timeout), s.opts.MinSessionTimeout.Milliseconds()), s.opts.MaxSessionTimeout.Milliseconds())
	timeout := max(time.Duration(ms), 1) * time.Millisecond
	var sess *session
	if req.SessionID == 0 {
		s.zxid++
		sess = s.sessions.open()
		c.stats.done("SESS", 0, s.zxid, s.elapsed(), 0)
	} else {
		sess = s.sessions.byID[req.SessionID]
		if sess == nil || !sess.knows(req.Passwd) {
			return nil
		}
		if old := sess.conn; old != nil {
			old.drop()
		}
	}
	sess.timeout = timeout
	sess.conn, c.sess = c, sess
	s.touch(sess)
	return sess
}

// Deadline returns when a session expires if its client stays silent; ok is false for an
// unknown session. While a message to the session is held, the deadline moves with time.
func (s *Server) Deadline(id int64) (at time.Time, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sess := s.sessions.byID[id]
	if sess == nil || s.closed {
		return time.Time{}, false
	}
	return s.start.Add(s.sessions.expiry(sess, s.elapsed())), true
}

// ExpireSession ends a session now, as if its client had been silent for too
// long: its ephemeral nodes are deleted and its connection, if any, is closed.
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
	s.counters.Expired++
	s.endSession(sess, true)
	return nil
}
