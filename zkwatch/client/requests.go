package client

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/zkwatch/wire"
)

// The methods below take and return paths relative to the chroot. A method with a ctx returns at the
// latest when ctx is done or the connection is lost. Its error wraps an error of the server, of this
// package, of package zk, or of ctx. Only writes return ErrUnknownOutcome.
//
// A watch's channel receives one event and is then closed. The event's path includes the chroot. The
// library sets watches again after a lost connection. If the Conn ends first, the event is a
// zk.EventNotWatching. The library cannot remove a watch: keep at most one for each path and kind.

// Children lists the children of path.
func (c *Conn) Children(ctx context.Context, path string) ([]string, *zk.Stat, error) {
	return read(ctx, c, "getChildren", path, c.zk.Children)
}

// ChildrenW lists the children of path and watches the list.
func (c *Conn) ChildrenW(ctx context.Context, path string) ([]string, *zk.Stat, <-chan zk.Event, error) {
	return watch(ctx, c, "getChildren", path, c.zk.ChildrenW)
}

// Get reads the data of path.
func (c *Conn) Get(ctx context.Context, path string) ([]byte, *zk.Stat, error) {
	return read(ctx, c, "getData", path, c.zk.Get)
}

// GetW reads the data of path and watches for its change or deletion. It sets no watch if the znode does not exist.
func (c *Conn) GetW(ctx context.Context, path string) ([]byte, *zk.Stat, <-chan zk.Event, error) {
	return watch(ctx, c, "getData", path, c.zk.GetW)
}

// Exists reports whether path exists. The Stat is nil if it does not.
func (c *Conn) Exists(ctx context.Context, path string) (bool, *zk.Stat, error) {
	exists, stat, err := read(ctx, c, "exists", path, c.zk.Exists)
	if !exists {
		stat = nil
	}
	return exists, stat, err
}

// ExistsW reports whether path exists and watches for its creation, change or deletion. The watch
// on a missing znode may last as long as the session, so use GetW to wait for a deletion.
func (c *Conn) ExistsW(ctx context.Context, path string) (bool, *zk.Stat, <-chan zk.Event, error) {
	exists, stat, events, err := watch(ctx, c, "exists", path, c.zk.ExistsW)
	if !exists {
		stat = nil
	}
	return exists, stat, events, err
}

// Touch sends a small request, so that [Conn.Anchor] becomes recent.
func (c *Conn) Touch(ctx context.Context) error {
	_, _, err := c.Exists(ctx, "/")
	return err
}

// EnsembleConfig returns the text of /zookeeper/config, which lists the members of the ensemble. The
// chroot does not apply. Before ZooKeeper 3.5 the znode is missing (zk.ErrNoNode). From 3.5, its ACL
// may forbid the read (zk.ErrNoAuth).
func (c *Conn) EnsembleConfig(ctx context.Context) (string, error) {
	data, err := do(ctx, c, call{op: "getData", path: "/zookeeper/config", absolute: true}, func(full string) ([]byte, error) {
		data, _, err := c.zk.Get(full)
		return data, err
	})
	return string(data), err
}

// Create creates a znode, but no TTL node and no container, and returns its path.
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

// Set writes the data of path if path has the given version. -1 matches any version.
func (c *Conn) Set(ctx context.Context, path string, data []byte, version int32) (*zk.Stat, error) {
	return do(ctx, c, call{op: "setData", path: path, write: true, size: len(data)}, func(full string) (*zk.Stat, error) {
		return c.zk.Set(full, data, version)
	})
}

// Delete removes path if path has the given version. -1 matches any version.
func (c *Conn) Delete(ctx context.Context, path string, version int32) error {
	_, err := do(ctx, c, call{op: "delete", path: path, write: true}, func(full string) (struct{}, error) {
		return struct{}{}, c.zk.Delete(full, version)
	})
	return err
}

// Sync waits until the server has applied all transactions that were committed before the ensemble
// leader received the sync. An unanswered write may still be executed after Sync. An isolated ensemble
// leader also answers, although the other servers may have committed more.
func (c *Conn) Sync(ctx context.Context, path string) error {
	_, err := do(ctx, c, call{op: "sync", path: path}, c.zk.Sync)
	return err
}

func read[T any](ctx context.Context, c *Conn, op, path string, request func(string) (T, *zk.Stat, error)) (T, *zk.Stat, error) {
	value, stat, _, err := watch(ctx, c, op, path, func(full string) (T, *zk.Stat, <-chan zk.Event, error) {
		value, stat, err := request(full)
		return value, stat, nil, err
	})
	return value, stat, err
}

func watch[T any](
	ctx context.Context, c *Conn, op, path string, request func(string) (T, *zk.Stat, <-chan zk.Event, error),
) (T, *zk.Stat, <-chan zk.Event, error) {
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

// Renew renews the lease: it commits a check that path exists. Renew changes no znode and fires no watch.
// It adds one transaction to the servers' logs.
//
// Servers since 3.4 commit a multi with only a check. A read or a sync needs no quorum, so it would prove no lease.
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

// EndLease ends the connection and the lease now, but not the session. Use EndLease only if the
// server can expire the session on demand.
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
		n.fail(errors.New("the lease was ended on demand"))
	}
}

// CheckLease returns [ErrTimeoutTooShort] if the session timeout leaves no room for a lease.
func (c *Conn) CheckLease() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lease.gap() <= c.lease.timeout/2 {
		return nil
	}
	return fmt.Errorf("%w: it is %v, and the servers' tick is %v: request %v or more", ErrTimeoutTooShort, c.lease.timeout, c.lease.tick, 2*c.lease.tick)
}

// SetFenced sets the data of path if the znode guard exists, in one transaction. If guard does not exist, SetFenced
// changes nothing and returns ErrFenced.
//
// Use a guard with a sequence number, because SetFenced cannot notice that a guard was deleted and
// created again.
func (c *Conn) SetFenced(ctx context.Context, path string, data []byte, guard string) (*zk.Stat, error) {
	k := call{op: "setData", path: path, write: true, size: len(data) + requestOverhead + len(c.cfg.Servers.full(guard))}
	if err := wire.ValidatePath(guard); err != nil {
		return nil, k.failed(fmt.Errorf("check %s: %w: %w", guard, zk.ErrInvalidPath, err))
	}
	return do(ctx, c, k, func(full string) (*zk.Stat, error) {
		results, err := c.zk.Multi(
			&zk.CheckVersionRequest{Path: c.cfg.Servers.full(guard), Version: -1},
			&zk.SetDataRequest{Path: full, Data: data, Version: -1},
		)
		// A failed transaction has a result for each part. The parts before the failed part have no error.
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
