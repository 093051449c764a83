package zkserver

import (
	"context"
	"log/slog"
	"time"
)

// alarm is a timer whose callback the server waits for when it closes.
// Guarded by the server's lock.
type alarm struct {
	t       *time.Timer
	done    func()
	stopped bool
}

// after calls f under s.mu, d from now, unless the alarm is stopped or the
// server closed before. The caller holds s.mu.
func (s *Server) after(d time.Duration, f func()) *alarm {
	s.wg.Add(1)
	a := &alarm{done: s.wg.Done}
	a.t = time.AfterFunc(d, func() {
		defer a.done()
		defer s.recovered("timer")
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.closed && !a.stopped {
			f()
		}
	})
	return a
}

// debug logs without waiting, for callers that hold s.mu: a log handler may block.
func (s *Server) debug(what string, args ...any) {
	if s.log.Enabled(context.Background(), slog.LevelDebug) {
		s.wg.Go(func() { s.log.Debug(what, args...) })
	}
}

// stop may be called on nil and more than once. A callback that waits for the
// lock already will do nothing when it gets it.
func (a *alarm) stop() {
	if a == nil || a.stopped {
		return
	}
	a.stopped = true
	if a.t.Stop() {
		a.done()
	}
}

// elapsed is the time since the server was made.
func (s *Server) elapsed() time.Duration { return time.Since(s.start) }
