package zkserver

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"
	"time"
)

// What one connection may cost.
const (
	// readBuffer holds the usual request whole, and some that are sent together. Each
	// connection has one, so that thousands of idle connections take little memory.
	readBuffer = 1 << 10
	// maxHandshake bounds a connection's first frame: 45 bytes with the usual password.
	maxHandshake = 1 << 10
	// lastWrite is how long a last message may take to be written, and
	// lingerTimeout how long the peer may take to close after it.
	lastWrite     = 10 * time.Second
	lingerTimeout = time.Second
	// lingerBytes bounds what is thrown away meanwhile.
	lingerBytes = 64 << 10
)

// MaxHeld bounds what all connections together hold in memory, in bytes: requests that
// have not arrived in full, and output that waits, in slow motion too. It is checked each
// time an eighth of it has come or was queued; those that hold most are dropped then.
const MaxHeld = 128 << 20

// relieve drops the connections that hold most, where all hold more than [MaxHeld].
func (s *Server) relieve() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.grown.Store(0)
	all, total := slices.SortedFunc(maps.Keys(s.conns), func(a, b *conn) int { return cmp.Compare(a.held(), b.held()) }), 0
	for _, c := range all {
		if total += c.held(); total > MaxHeld {
			c.out.giveUp()
			c.dropHeld()
		}
	}
}

func (c *conn) held() int { return c.out.pending() + c.heldSize + int(c.frame.Load()) }

// silentFor is for how long a peer may send nothing while file descriptors are short:
// clients send their first frame as soon as they are connected.
const silentFor = 100 * time.Millisecond

// dropSilent closes the connections that have been silent for too long, without a session.
func (s *Server) dropSilent() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		if c.stats.received == 0 && time.Since(c.stats.established) > silentFor {
			c.drop()
		}
	}
}

// loopback reports whether a host is this one, by its address.
func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
