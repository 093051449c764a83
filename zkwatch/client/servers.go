package client

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	minPause = 50 * time.Millisecond // a server that is restarted is back in a second or so
	maxPause = time.Second           // a thousand candidates must not hammer a dead one
)

// servers gives the library one server after the other. It replaces the library's
// own HostProvider, which resolves names only once and makes a client with one
// server sleep for a second before each attempt. Here each
// server is tried once without delay; then there is a pause before each round,
// which doubles up to a second until a connection has lasted.
type servers struct {
	addrs []string

	mu       sync.Mutex
	next     int
	attempts int // since a connection lasted
}

func newServers(addrs []string, shuffle func(n int, swap func(i, j int))) *servers {
	s := &servers{addrs: slices.Clone(addrs)}
	shuffle(len(s.addrs), func(i, j int) { s.addrs[i], s.addrs[j] = s.addrs[j], s.addrs[i] })
	return s
}

// Init implements zk.HostProvider. The addresses it is given are those that
// newServers was given.
func (s *servers) Init([]string) error { return nil }

// Len implements zk.HostProvider.
func (s *servers) Len() int { return len(s.addrs) }

// Next implements zk.HostProvider. It never reports that it starts again with the
// first server, because the library would sleep.
func (s *servers) Next() (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	addr := s.addrs[s.next]
	s.next = (s.next + 1) % len(s.addrs)
	return addr, false
}

// Connected implements zk.HostProvider. A connection counts once it has lasted, see
// lost.
func (s *servers) Connected() {}

// lost is called when a connection that had a session is lost after it lasted
// for so long.
func (s *servers) lost(lasted time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if lasted >= maxPause {
		s.attempts = 0
	}
}

// pause waits until the next attempt is due. It reports false if ctx is done.
func (s *servers) pause(ctx context.Context) bool {
	s.mu.Lock()
	var wait time.Duration
	if round := s.attempts / len(s.addrs); round > 0 && s.attempts%len(s.addrs) == 0 {
		wait = min(minPause<<min(round-1, 10), maxPause)
	}
	s.attempts++
	s.mu.Unlock()
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	return ctx.Err() == nil
}
