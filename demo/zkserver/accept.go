package zkserver

import (
	"errors"
	"fmt"
	"net"
	"time"
)

// When a connection cannot be accepted for lack of something that comes back
// (file descriptors, for one), silent connections are closed and the next attempt is
// made after a pause, which doubles as long as that fails. net/http pauses as well.
const (
	acceptPause    = 5 * time.Millisecond
	acceptPauseMax = time.Second
)

// Serve accepts connections from l until the server is closed and then
// returns nil. Before it returns it closes l. Any other end of the listener is
// an error. A temporary failure is not an error: see [Options.Trouble].
func (s *Server) Serve(l net.Listener) error {
	if !s.listen(l, true) {
		return ErrClosed
	}
	defer s.wg.Done()
	defer l.Close()
	for {
		nc, err := s.accept(l)
		s.mu.Lock()
		closed := s.closed
		if err == nil && !closed {
			s.wg.Go(func() { s.ServeConn(nc) })
			s.mu.Unlock()
			continue
		}
		delete(s.listeners, l)
		s.mu.Unlock()
		if err == nil {
			nc.Close()
		}
		if closed {
			return nil
		}
		return fmt.Errorf("zkserver: accept on %s: %w", l.Addr(), err)
	}
}

// accept accepts a connection. It retries after temporary failures, until the server
// closes.
func (s *Server) accept(l net.Listener) (net.Conn, error) {
	var failed time.Time
	for pause := acceptPause; ; pause = min(2*pause, acceptPauseMax) {
		nc, err := l.Accept()
		if err == nil && !failed.IsZero() {
			s.trouble(fmt.Sprintf("accepting connections to %s again, after %v", l.Addr(), time.Since(failed).Round(time.Millisecond)))
		}
		var t interface{ Temporary() bool }
		if err == nil || !errors.As(err, &t) || !t.Temporary() {
			return nc, err
		}
		if failed.IsZero() {
			failed = time.Now()
			s.trouble(fmt.Sprintf("cannot accept connections to %s: %v; retrying", l.Addr(), err))
		}
		s.dropSilent()
		select {
		case <-time.After(pause):
		case <-s.closing:
			return nil, err
		}
	}
}

// trouble sends a line to the operator.
func (s *Server) trouble(text string) {
	s.log.Warn(text)
	if s.opts.Trouble != nil {
		s.opts.Trouble(text)
	}
}

// listen registers a listener, for clients or for the AdminServer, and counts it
// in s.wg. It closes the listener and reports false if the server is closed.
func (s *Server) listen(l net.Listener, clients bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		l.Close()
		return false
	}
	s.listeners[l] = clients
	s.wg.Add(1)
	return true
}
