package zkwatch

import (
	"context"
	"fmt"
	"time"

	"github.com/go-zookeeper/zk"
)

// Renew has the ensemble commit that path exists, and proves with it that the
// session lives: it moves Status.LeaseEnd on, from the second one over a
// connection, or from the first if the session was just created or carried to
// another server. It changes nothing and fires no watch. It costs a transaction:
// one record in the log of each voter, and a part of an fsync.
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
			return struct{}{}, fmt.Errorf("%w: a transaction of one answered with %d results", ErrProtocol, len(results))
		}
		return struct{}{}, nil
	})
	return err
}

// checkLease returns errTooShort where no lease can be proved.
func (c *Conn) checkLease() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.lease.tooShort() {
		return nil
	}
	return fmt.Errorf("%w: it is %v, and the servers' tick is %v: ask for %v or more", errTooShort, c.lease.timeout, c.lease.tick, 2*c.lease.tick)
}

// A leader keeps away from the end of its lease, and renews it long before.
const (
	leaseMarginShare = 10 // of the timeout: for clocks that run differently, and for stopping
	renewalShare     = 10 // of the timeout, between two renewals
)

// leaseMargin is how long before the end of its lease a leader stops.
func leaseMargin(timeout time.Duration) time.Duration { return timeout / leaseMarginShare }

// renewEvery is how often a leader renews its lease.
func renewEvery(timeout time.Duration) time.Duration { return timeout / renewalShare }
