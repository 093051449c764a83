package zkwatch

import (
	"errors"
	"time"
)

var errLapsed = errors.New("the lease was ended, as was asked for")

// Lapse ends the candidate's connection and its lease, as if no server had been
// reached for all of it: a leader stops at once. It is for who lets a session
// expire on demand, which takes nobody by surprise in earnest.
func (c *Candidate) Lapse() {
	c.mu.Lock()
	conn := c.conn
	c.mu.Unlock()
	if conn == nil {
		return
	}
	conn.mu.Lock()
	n := conn.link
	conn.lease.end = time.Time{}
	conn.status.LeaseEnd = time.Time{}
	if now := time.Now(); now.Before(conn.status.ExpiresFrom) {
		conn.status.ExpiresFrom = now
	}
	conn.mu.Unlock()
	if n != nil {
		n.fail(errLapsed)
	}
}
