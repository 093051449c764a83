package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-zookeeper/zk"
)

// Renew makes the ensemble commit that path exists, which proves that the session
// is alive. It extends Status.LeaseEnd from the second call over a connection on,
// or from the first if the session was just created or moved to another server. It
// changes nothing and fires no watch. It costs a transaction: one record in the log of
// each voter, and a part of an fsync.
//
// The request is a multi with nothing but a check. A check by itself, a read and
// a sync need no quorum, and prove nothing.
func (c *Conn) Renew(ctx context.Context, path string) error {
	_, err := do(ctx, c, call{op: "check", path: path, write: true, size: requestOverhead}, func(full string) (struct{}, error) {
		results, err := c.zk.Multi(&zk.CheckVersionRequest{Path: full, Version: -1})
		switch {
		case len(results) == 1 && results[0].Error != nil:
			return struct{}{}, results[0].Error
		case err != nil:
			return struct{}{}, err
		case len(results) != 1:
			return struct{}{}, fmt.Errorf("%w: a transaction of one operation has %d results", ErrProtocol, len(results))
		}
		return struct{}{}, nil
	})
	return err
}

var errLeaseEnded = errors.New("the lease was ended on request")

// EndLease ends the connection and the lease, as if no server had answered for the
// whole lease. It is for a session that expires on demand: otherwise the lease ends
// earlier by itself.
func (c *Conn) EndLease() {
	c.mu.Lock()
	n := c.link
	c.lease.end = time.Time{}
	c.status.LeaseEnd = time.Time{}
	if now := time.Now(); now.Before(c.status.ExpiresFrom) {
		c.status.ExpiresFrom = now
	}
	c.mu.Unlock()
	if n != nil {
		n.fail(errLeaseEnded)
	}
}

// CheckLease returns [ErrTimeoutTooShort] if no lease can be proved.
func (c *Conn) CheckLease() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.lease.tooShort() {
		return nil
	}
	return fmt.Errorf("%w: it is %v, and the servers' tick is %v: request %v or more", ErrTimeoutTooShort, c.lease.timeout, c.lease.tick, 2*c.lease.tick)
}
