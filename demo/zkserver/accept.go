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
	patient := patientListener{l, s}
	for {
		nc, err := patient.Accept()
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

// patientListener is a listener that retries after temporary failures. One goroutine
// accepts from it.
type patientListener struct {
	net.Listener
	s *Server
}

// Accept returns the first permanent error, or the last error when the server closes.
func (l patientListener) Accept() (net.Conn, error) {
	var failed time.Time
	for pause := acceptPause; ; pause = min(2*pause, acceptPauseMax) {
		nc, err := l.Listener.Accept()
		if err == nil && !failed.IsZero() {
			l.trouble(fmt.Sprintf("accepting connections to %s again, after %v", l.Addr(), time.Since(failed).Round(time.Millisecond)))
		}
		if err == nil || !temporary(err) {
			return nc, err
		}
		if failed.IsZero() {
			failed = time.Now()
			l.trouble(fmt.Sprintf("cannot accept connections to %s: %v; retrying", l.Addr(), err))
		}
		l.s.dropSilent()
		select {
		case <-time.After(pause):
		case <-l.s.closing:
			return nil, err
		}
	}
}

// temporary reports whether Accept may succeed after an error.
func temporary(err error) bool {
	var t interface{ Temporary() bool }
	return errors.As(err, &t) && t.Temporary()
}

// trouble sends a line to the operator.
func (l patientListener) trouble(text string) {
	l.s.log.Warn(text)
	if l.s.opts.Trouble != nil {
		l.s.opts.Trouble(text)
	}
}
