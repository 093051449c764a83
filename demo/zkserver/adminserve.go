package zkserver

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"electop/demo/zkserver/status"
)

// What strangers may cost the AdminServer. Answers are made in memory, each in
// one go, and there are at most as many at a time as there are connections.
const (
	adminConnections = 32
	adminRequest     = 8 << 10 // bytes of line and headers
	adminRead        = 5 * time.Second
	adminWrite       = 30 * time.Second // a slow reader of a long answer
	adminIdle        = 30 * time.Second
)

// adminListener lets the server's Close end an HTTP server as it ends a
// listener for clients.
type adminListener struct {
	net.Listener
	http   *http.Server
	ending atomic.Bool
}

func (l *adminListener) Close() error {
	l.ending.Store(true)
	l.Listener.Close() // the HTTP server does not know it before it serves
	return l.http.Close()
}

// AdminHandler answers as the AdminServer of Apache does: /commands is an
// index, /commands/NAME the answer of a command, as JSON. It takes GET and HEAD
// requests without authentication. Like Apache, it answers an unknown command with
// status 200 and an error in the JSON. The HTTP server must set timeouts and bounds,
// as [Server.ServeAdmin] does.
func (s *Server) AdminHandler() http.Handler {
	return status.Handler(statusOf(s, 0))
}

// ServeAdmin serves [Server.AdminHandler] on l until the server is closed and
// then returns nil. Before it returns it closes l and its connections. Any
// other end of the listener is an error. Requests, their duration and the number of
// connections are bounded; further connections are closed immediately.
func (s *Server) ServeAdmin(l net.Listener) error {
	var open atomic.Int64
	a := &adminListener{Listener: l}
	a.http = &http.Server{
		Handler:                      s.AdminHandler(),
		DisableGeneralOptionsHandler: true, // refused like any other method
		ReadTimeout:                  adminRead,
		WriteTimeout:                 adminWrite,
		IdleTimeout:                  adminIdle,
		MaxHeaderBytes:               adminRequest,
		ErrorLog:                     slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
		ConnState: func(c net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew: // from Serve, which s.wg counts
				s.wg.Add(1)
				// The HTTP server overlooks one that is accepted while it closes.
				if open.Add(1) > adminConnections || a.ending.Load() {
					c.Close()
				}
			case http.StateClosed:
				open.Add(-1)
				s.wg.Done()
			}
		},
	}
	if !s.listen(a, false) {
		return ErrClosed
	}
	defer s.wg.Done()
	err := a.http.Serve(patientListener{l, s})
	a.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	delete(s.listeners, a)
	return fmt.Errorf("zkserver: admin on %s: %w", l.Addr(), err)
}
