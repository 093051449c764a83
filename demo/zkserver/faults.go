package zkserver

import (
	"bufio"
	"container/list"
	"fmt"
	"io"
	"time"

	"electop/zkwatch/wire"
)

// Faults on demand. Each befalls one session, named by its id, at the moment
// of the call; the lock that every request takes sees to it that there is a
// before and an after. Nothing that other sessions ask for or watch changes or
// waits, but for what ZooKeeper itself tells them, such as that a node is gone.
//
// Two of them, Partition and Hold, last. What a connection knows of them is in
// its connFaults; its goroutine waits there, off the lock.

// connFaults is a connection's part in faults. Guarded by s.mu.
type connFaults struct {
	cut      int64           // partitioned with this session; 0 if not
	held     []*list.Element // its messages in the backlog that keeps them, the first first
	heldSize int             // their size, with an overhead
	wake     chan struct{}   // closed when one of these has changed; nil if nobody waits
	lost     bool            // the peer went while its handshake waited
	asked    []byte          // the request being carried out

	in    *bufio.Reader   // belongs to the connection's goroutine
	heard <-chan struct{} // closed when listen no longer uses in
}

// faulty calls f under s.mu with a living session.
func (s *Server) faulty(what string, id int64, f func(*session) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	sess := s.sessions.byID[id]
	if sess == nil {
		return fmt.Errorf("zkserver: %s session %#x: no such session", what, uint64(id))
	}
	return f(sess)
}

// DropConnection closes a session's connection, if it has one, together with
// what was queued or held for it. The session lives on and can be resumed until
// it expires.
func (s *Server) DropConnection(id int64) error {
	return s.faulty("drop the connection of", id, func(sess *session) error {
		if c := sess.conn; c != nil {
			s.detach(c)
			c.closeSoon()
		}
		return nil
	})
}

// LoseCreateReply loses the reply of the session's next create that succeeds,
// be it alone or in a multi: the node is made, and in place of the reply, after
// everything that was to be told before it and is not held, the connection is
// closed. A create that fails is answered, and the fault waits on.
func (s *Server) LoseCreateReply(id int64) error {
	return s.faulty("lose the next create's reply of", id, func(sess *session) error {
		sess.loseCreate = true
		return nil
	})
}

// creates reports whether a request that succeeded made a node.
func creates(op wire.Op, body wire.Appender) bool {
	switch op {
	case wire.OpCreate, wire.OpCreate2, wire.OpCreateContainer, wire.OpCreateTTL:
		return true
	case wire.OpMulti:
		rsp, _ := body.(*wire.MultiResponse)
		for i := 0; rsp != nil && i < len(rsp.Results); i++ {
			if op := rsp.Results[i].Op; op == wire.OpCreate || op == wire.OpCreate2 {
				return true
			}
		}
	}
	return false
}

// Partition parts a session from the server while on is true. Nothing passes
// either way: no request, ping or reply, no event, no end of a connection, and
// no handshake that asks for the session, so that its client cannot come back
// through another connection. The session's deadline runs, and it may expire.
//
// Healing, with on false, lets through what waits: requests, queued output, and
// the news that a connection was closed or the session is gone. It succeeds
// also when there was no partition.
//
// What had been handed to the connection before has passed. What the client
// writes meanwhile waits in the connection, which for one made by [Server.Dial]
// means that the write blocks. A client whose output queue grows too long is
// cut off, as always.
func (s *Server) Partition(id int64, on bool) error {
	if !on {
		s.heal(id)
		return nil
	}
	return s.faulty("partition", id, func(sess *session) error {
		s.cut[id] = struct{}{}
		if c := sess.conn; c != nil && c.cut == 0 {
			c.cut = id
			c.stop()
		}
		return nil
	})
}

func (s *Server) heal(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.cut[id]; !ok || s.closed {
		return
	}
	delete(s.cut, id)
	for c := range s.conns {
		if c.cut == id {
			c.cut = 0
			c.resume()
			c.wakeUp()
		}
	}
}

// stall makes a handshake wait while the session that it asks for is
// partitioned, and reports whether there is still somebody to answer to.
func (s *Server) stall(c *conn, id int64) bool {
	for {
		if _, cut := s.cut[id]; !cut || s.closed || c.gone || c.lost {
			return !s.closed && !c.gone && !c.lost
		}
		c.cut = id
		if c.heard == nil {
			c.heard = c.listen(func() { c.cut, c.lost = 0, true })
		}
		c.await(func() bool { return c.cut == 0 })
	}
}

// Restart does what the restart of a standalone server does: all connections
// are closed, none is taken for as long as down says, and then they are again.
// Sessions do not expire meanwhile and begin their timeout anew at the end; the
// tree stays, watches go with their connections. It does not wait for the end.
// Statistics go on.
func (s *Server) Restart(down time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	for c := range s.conns {
		s.detach(c)
		c.closeSoon()
	}
	s.down = true
	s.armExpiry() // nothing expires
	s.reopen.stop()
	if s.reopen = nil; down > 0 {
		s.reopen = s.after(down, s.up)
		return
	}
	s.up()
}

// up ends a restart.
func (s *Server) up() {
	s.down, s.reopen = false, nil
	for _, sess := range s.sessions.byID {
		s.touch(sess)
	}
	s.armExpiry()
	if len(s.tree.reapable) > 0 {
		s.armReaper()
	}
}

// await waits until done holds or the server is closed. The caller holds s.mu,
// which is released while it waits.
func (c *conn) await(done func() bool) {
	for !c.s.closed && !done() {
		if c.wake == nil {
			c.wake = make(chan struct{})
		}
		wake := c.wake
		c.s.mu.Unlock()
		<-wake
		c.s.mu.Lock()
	}
}

// wakeUp makes those who wait for the connection look again.
func (c *conn) wakeUp() {
	if c.wake != nil {
		close(c.wake)
		c.wake = nil
	}
}

// listen calls gone, under s.mu, when the peer goes while nobody reads what it
// sends. The channel is closed at the next sign of it, a request for one: until
// then in must not be used. The caller holds s.mu.
func (c *conn) listen(gone func()) <-chan struct{} {
	heard := make(chan struct{})
	c.s.wg.Add(1)
	go func() {
		defer c.s.wg.Done()
		defer close(heard)
		if _, err := c.in.Peek(1); err != nil {
			c.s.mu.Lock()
			defer c.s.mu.Unlock()
			gone()
			c.wakeUp()
		}
	}()
	return heard
}

// overhear calls gone, under s.mu, when the peer goes, and throws away what it
// sends before: pings, for one. The caller holds s.mu.
func (c *conn) overhear(gone func()) {
	c.s.wg.Add(1)
	go func() {
		defer c.s.wg.Done()
		io.Copy(io.Discard, c.in)
		c.s.mu.Lock()
		defer c.s.mu.Unlock()
		gone()
	}()
}

// part holds the end of a connection back as long as a partition keeps the peer
// from seeing it or, if its last messages matter, one of them is held.
func (c *conn) part(deliver bool) {
	s := c.s
	s.mu.Lock()
	defer s.mu.Unlock()
	c.await(func() bool { return c.cut == 0 })
	if !deliver || len(c.held) == 0 {
		return
	}
	s.mu.Unlock()
	c.flush() // what was to come before them
	s.mu.Lock()
	c.overhear(c.dropHeld)
	c.await(func() bool { return c.cut == 0 && len(c.held) == 0 })
}
