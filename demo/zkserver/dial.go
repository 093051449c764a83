package zkserver

import (
	"errors"
	"fmt"
	"net"
)

// ErrRefused is returned by [Server.Dial] while [Server.Refuse] is in force.
var ErrRefused = errors.New("zkserver: connection refused")

// Dial returns the client's end of a connection in memory that s serves. It
// uses net.Pipe and hence no operating system resource, and it works inside a
// testing/synctest bubble. To the four-letter words and to the ip
// authentication scheme it looks like one from 127.0.0.1.
func (s *Server) Dial() (net.Conn, error) { return s.dial(false) }

// DialBackstage is [Server.Dial] for an observer: its messages are not delayed, and
// no [Tally] counts it. This applies to the connection: if the session continues on
// another connection, it is like any other.
func (s *Server) DialBackstage() (net.Conn, error) { return s.dial(true) }

func (s *Server) dial(backstage bool) (net.Conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, ErrClosed
	case s.refusing:
		return nil, ErrRefused
	}
	client, server := net.Pipe()
	s.piped++
	nc := pipeConn{Conn: server, remote: pipeAddr(s.piped), backstage: backstage}
	s.wg.Go(func() { s.ServeConn(nc) })
	return client, nil
}

// pipeConn is the server's end of a connection made by Dial. Its remote
// address tells one from another.
type pipeConn struct {
	net.Conn
	remote    pipeAddr
	backstage bool
}

func (c pipeConn) RemoteAddr() net.Addr { return c.remote }

type pipeAddr int

func (pipeAddr) Network() string  { return "pipe" }
func (a pipeAddr) String() string { return fmt.Sprintf("127.0.0.1:%d", int(a)) }
