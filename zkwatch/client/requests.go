package client

import (
	"context"

	"github.com/go-zookeeper/zk"
)

// The operations below take paths inside the chroot and return such. Each
// returns at the latest when ctx is done or the connection is lost. Their
// errors say what was tried on which path, and wrap the server's (zk.ErrNoNode
// and so on), or ErrNotConnected where nothing was sent. A write that was sent
// and not answered is an ErrUnknownOutcome.
//
// A watch that is set here is set again by the library after a lost connection.
// Its channel gets one event, with a path inside the chroot, and is closed; when
// the Conn ends the event is a zk.EventNotWatching. The library can take back
// no watch: keep one for each path and kind at a time.

// Children lists the children of path.
func (c *Conn) Children(ctx context.Context, path string) ([]string, *zk.Stat, error) {
	r, err := do(ctx, c, call{op: "getChildren", path: path}, func(full string) (r reply[[]string], err error) {
		r.value, r.stat, err = c.zk.Children(full)
		return r, err
	})
	return r.value, r.stat, err
}

// ChildrenW lists the children of path and watches for children that are created
// or deleted.
func (c *Conn) ChildrenW(ctx context.Context, path string) ([]string, *zk.Stat, <-chan zk.Event, error) {
	r, err := do(ctx, c, call{op: "getChildren", path: path}, func(full string) (r reply[[]string], err error) {
		r.value, r.stat, r.events, err = c.zk.ChildrenW(full)
		return watched(c, r, err)
	})
	return r.value, r.stat, r.events, err
}

// Get reads the data of path.
func (c *Conn) Get(ctx context.Context, path string) ([]byte, *zk.Stat, error) {
	r, err := do(ctx, c, call{op: "getData", path: path}, func(full string) (r reply[[]byte], err error) {
		r.value, r.stat, err = c.zk.Get(full)
		return r, err
	})
	return r.value, r.stat, err
}

// GetW reads the data of path and watches for its change or deletion. Unlike
// ExistsW it sets no watch where the znode is absent.
func (c *Conn) GetW(ctx context.Context, path string) ([]byte, *zk.Stat, <-chan zk.Event, error) {
	r, err := do(ctx, c, call{op: "getData", path: path}, func(full string) (r reply[[]byte], err error) {
		r.value, r.stat, r.events, err = c.zk.GetW(full)
		return watched(c, r, err)
	})
	return r.value, r.stat, r.events, err
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

// Exists tells whether path exists. The Stat is nil if not.
func (c *Conn) Exists(ctx context.Context, path string) (bool, *zk.Stat, error) {
	r, err := do(ctx, c, call{op: "exists", path: path}, func(full string) (r reply[bool], err error) {
		r.value, r.stat, err = c.zk.Exists(full)
		return r, err
	})
	if !r.value {
		r.stat = nil
	}
	return r.value, r.stat, err
}

// ExistsW tells whether path exists and watches for its creation, change or
// deletion. If the znode does not exist, the watch may last as long as the session:
// to wait for a deletion, GetW is better.
func (c *Conn) ExistsW(ctx context.Context, path string) (bool, *zk.Stat, <-chan zk.Event, error) {
	r, err := do(ctx, c, call{op: "exists", path: path}, func(full string) (r reply[bool], err error) {
		r.value, r.stat, r.events, err = c.zk.ExistsW(full)
		return watched(c, r, err)
	})
	if !r.value {
		r.stat = nil
	}
	return r.value, r.stat, r.events, err
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
		return c.cfg.Servers.inner(created), err
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

// Sync waits until the server has caught up with the ensemble's leader, so that
// a read that follows sees all that was written before.
func (c *Conn) Sync(ctx context.Context, path string) error {
	_, err := do(ctx, c, call{op: "sync", path: path}, func(full string) (string, error) {
		return c.zk.Sync(full)
	})
	return err
}

// A reply is what a read returns.
type reply[T any] struct {
	value  T
	stat   *zk.Stat
	events <-chan zk.Event
}

// watched replaces the library's channel of a reply by one whose event has a
// path inside the chroot, if there is one. Otherwise the event takes the shorter
// way, for which a handoff waits.
func watched[T any](c *Conn, r reply[T], err error) (reply[T], error) {
	if err != nil || c.cfg.Servers.Chroot == "" {
		return r, err
	}
	events, out := r.events, make(chan zk.Event, 1)
	c.calls.Add(1) // the caller, an admitted call, still counts
	go func() {
		defer c.calls.Done()
		defer close(out)
		event, ok := <-events
		if ok {
			event.Path = c.cfg.Servers.inner(event.Path)
			out <- event
		}
	}()
	r.events = out
	return r, nil
}
