package client

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"
)

// The operations below take paths inside the chroot and return such. Each
// returns at the latest when ctx is done or the connection is lost. Their
// errors say what was tried on which path, and wrap the server's (zk.ErrNoNode
// and so on), or ErrNotConnected where nothing was sent. A write that was sent
// and not answered is an ErrUnknownOutcome.
//
// A watch that is set here is set again by the library after a lost connection.
// Its channel gets one event, whose path includes the chroot, and is closed; when
// the Conn ends the event is a zk.EventNotWatching. The library can take back
// no watch: keep one for each path and kind at a time.

// Children lists the children of path.
func (c *Conn) Children(ctx context.Context, path string) ([]string, *zk.Stat, error) {
	return read(ctx, c, "getChildren", path, c.zk.Children)
}

// Get reads the data of path.
func (c *Conn) Get(ctx context.Context, path string) ([]byte, *zk.Stat, error) {
	return read(ctx, c, "getData", path, c.zk.Get)
}

// GetW reads the data of path and watches for its change or deletion. Unlike
// ExistsW it sets no watch where the znode is absent.
func (c *Conn) GetW(ctx context.Context, path string) ([]byte, *zk.Stat, <-chan zk.Event, error) {
	return watch(ctx, c, "getData", path, c.zk.GetW)
}

// Exists tells whether path exists. The Stat is nil if not.
func (c *Conn) Exists(ctx context.Context, path string) (bool, *zk.Stat, error) {
	exists, stat, err := read(ctx, c, "exists", path, c.zk.Exists)
	if !exists {
		stat = nil
	}
	return exists, stat, err
}

// ExistsW tells whether path exists and watches for its creation, change or
// deletion. If the znode does not exist, the watch may last as long as the session:
// to wait for a deletion, GetW is better.
func (c *Conn) ExistsW(ctx context.Context, path string) (bool, *zk.Stat, <-chan zk.Event, error) {
	exists, stat, events, err := watch(ctx, c, "exists", path, c.zk.ExistsW)
	if !exists {
		stat = nil
	}
	return exists, stat, events, err
}

// Touch sends the server a small request, so that the next [Conn.Anchor] is recent.
// Without Touch the anchor may be as old as the last ping, a third of the timeout.
func (c *Conn) Touch(ctx context.Context) error {
	_, _, err := c.Exists(ctx, "/")
	return err
}

// ensembleConfig is where servers keep their ensemble's configuration, outside
// of any chroot.
const ensembleConfig = "/zookeeper/config"

// EnsembleConfig returns the text of /zookeeper/config, which lists the members
// of the ensemble: there whatever the chroot is. Servers older than 3.5 have
// none (zk.ErrNoNode), and it may be forbidden (zk.ErrNoAuth).
func (c *Conn) EnsembleConfig(ctx context.Context) (string, error) {
	data, err := do(ctx, c, call{op: "getData", path: ensembleConfig, absolute: true}, func(full string) ([]byte, error) {
		data, _, err := c.zk.Get(full)
		return data, err
	})
	return string(data), err
}

// Create creates a znode and returns its path. The path of a sequential znode ends
// with the number from the server. flags are package zk's, without TTL nodes and
// containers.
func (c *Conn) Create(ctx context.Context, path string, data []byte, flags int32, acl []zk.ACL) (string, error) {
	size := len(data)
	for _, a := range acl {
		size += 12 + len(a.Scheme) + len(a.ID)
	}
	sequential := flags&zk.FlagSequence != 0 && flags <= zk.FlagEphemeralSequential
	return do(ctx, c, call{op: "create", path: path, write: true, size: size, sequential: sequential}, func(full string) (string, error) {
		created, err := c.zk.Create(full, data, flags, acl)
		return strings.TrimPrefix(created, c.cfg.Servers.Chroot), err
	})
}

// Set writes the data of path if its version is the given one, or -1.
func (c *Conn) Set(ctx context.Context, path string, data []byte, version int32) (*zk.Stat, error) {
	return do(ctx, c, call{op: "setData", path: path, write: true, size: len(data)}, func(full string) (*zk.Stat, error) {
		return c.zk.Set(full, data, version)
	})
}

// Delete removes path if its version is the given one, or -1.
func (c *Conn) Delete(ctx context.Context, path string, version int32) error {
	_, err := do(ctx, c, call{op: "delete", path: path, write: true}, func(full string) (struct{}, error) {
		return struct{}{}, c.zk.Delete(full, version)
	})
	return err
}

// Sync waits until the server has caught up with the ensemble leader, so that a
// read that follows sees all that the ensemble leader had committed. A write that
// was not answered may be on its way to the ensemble leader, and be executed after
// a Sync. And an isolated ensemble leader answers, and does not know what the
// others have committed.
func (c *Conn) Sync(ctx context.Context, path string) error {
	_, err := do(ctx, c, call{op: "sync", path: path}, c.zk.Sync)
	return err
}

// read makes a request that reads.
func read[T any](ctx context.Context, c *Conn, op, path string, request func(string) (T, *zk.Stat, error)) (T, *zk.Stat, error) {
	value, stat, _, err := watch(ctx, c, op, path, func(full string) (T, *zk.Stat, <-chan zk.Event, error) {
		value, stat, err := request(full)
		return value, stat, nil, err
	})
	return value, stat, err
}

// watch makes a request that reads and sets a watch.
func watch[T any](ctx context.Context, c *Conn, op, path string, request func(string) (T, *zk.Stat, <-chan zk.Event, error)) (T, *zk.Stat, <-chan zk.Event, error) {
	type reply struct {
		value  T
		stat   *zk.Stat
		events <-chan zk.Event
	}
	r, err := do(ctx, c, call{op: op, path: path}, func(full string) (r reply, err error) {
		r.value, r.stat, r.events, err = request(full)
		return r, err
	})
	return r.value, r.stat, r.events, err
}

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

// SetFenced replaces a znode's data if the znode guard exists, both in one
// transaction: multi(check(guard), set(path)). Where guard is gone it returns
// ErrFenced and has changed nothing. The Stat is that after the change, whose
// zxid is its Mzxid.
//
// A guard's name must never be used again, so it needs a sequence number: a guard
// that was deleted and created again would exist.
func (c *Conn) SetFenced(ctx context.Context, path string, data []byte, guard string) (*zk.Stat, error) {
	k := call{op: "setData", path: path, write: true, size: len(data) + requestOverhead + len(c.cfg.Servers.full(guard))}
	if err := ValidatePath(guard); err != nil {
		return nil, k.failed(fmt.Errorf("check %s: %w: %w", guard, zk.ErrInvalidPath, err))
	}
	return do(ctx, c, k, func(full string) (*zk.Stat, error) {
		results, err := c.zk.Multi(
			&zk.CheckVersionRequest{Path: c.cfg.Servers.full(guard), Version: -1},
			&zk.SetDataRequest{Path: full, Data: data, Version: -1},
		)
		// Of a transaction that failed every part has an error: the one that was
		// the reason its own, those before it none, those after it another.
		switch {
		case len(results) > 0 && errors.Is(results[0].Error, zk.ErrNoNode):
			return nil, fmt.Errorf("%w: %s does not exist", ErrFenced, guard)
		case len(results) > 0 && results[0].Error != nil:
			return nil, fmt.Errorf("check %s: %w", guard, results[0].Error)
		case err != nil:
			return nil, err
		case len(results) != 2 || results[1].Stat == nil:
			return nil, fmt.Errorf("%w: a transaction of two operations has %d results", ErrProtocol, len(results))
		}
		return results[1].Stat, nil
	})
}
