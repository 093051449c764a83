package client

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model/znode"
	"electop/zkwatch/client/serverconn"
	"electop/zkwatch/wire"
)

// maxChanges bounds the changes that wait to be taken. After that many they are
// dropped, and their owner has to read everything again.
const maxChanges = 10_000

// A Change is what a persistent watch reported: the creation or deletion of a znode, or
// a change of its data.
type Change struct {
	serverconn.Event
	// Heard is when the last request was sent that was answered before the event came:
	// the change is later than that.
	Heard time.Time
}

// A Following is a persistent recursive watch (addWatch, ZooKeeper 3.6) on one
// connection. It reports each creation, deletion and change of data below a path, in
// order. Its reads are ordered among these: servers send events and replies in the
// order of the changes. It ends with the connection, and there is no catching up.
type Following struct {
	conn       *Conn
	over       *serverconn.Conn
	lost       <-chan struct{}
	path, full string
	more       chan struct{} // capacity 1: there are changes

	mu      sync.Mutex
	changes []Change
	dropped bool // changes were
}

// Follow sets a persistent recursive watch on path, which need not exist, over the
// present connection.
func (c *Conn) Follow(ctx context.Context, path string) (*Following, error) {
	c.mu.Lock()
	n, lost, err := c.link, c.lost, error(nil)
	if lost == nil {
		err = c.notConnected()
	}
	c.mu.Unlock()
	k := call{op: "addWatch", path: path}
	if err == nil {
		err = ValidatePath(path)
	}
	if err != nil {
		return nil, k.failed(err)
	}
	f := &Following{conn: c, over: n, lost: lost, path: path, full: c.cfg.Servers.full(path), more: make(chan struct{}, 1)}
	n.Listen(f.full, listener{f}) // the first event may come before the reply
	if _, err := f.ask(ctx, k, wire.OpAddWatch, &wire.AddWatchRequest{Path: f.full, Mode: wire.WatchPersistentRecursive}, nil); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Stop removes the watch, and with it all others of this Conn on the same znode.
func (f *Following) Stop(ctx context.Context) error {
	f.Close()
	k := call{op: "removeWatches", path: f.path}
	_, err := f.ask(ctx, k, wire.OpRemoveWatches, &wire.WatcherTypeRequest{Path: f.full, Type: wire.WatcherAny}, nil)
	return err
}

// Close ends the following here. The server keeps the watch until the connection ends.
func (f *Following) Close() { f.over.Unlisten(listener{f}) }

// Lost is closed when the connection is lost.
func (f *Following) Lost() <-chan struct{} { return f.lost }

// More receives when there are changes to take.
func (f *Following) More() <-chan struct{} { return f.more }

// Take returns the changes that came since the last Take, oldest first. complete is
// false if some are not among them: there were too many, or another watch of this Conn
// may have replaced this one. Then Follow has to set it again.
func (f *Following) Take() (changes []Change, complete bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	changes, complete = f.changes, !f.dropped
	f.changes, f.dropped = nil, false
	return changes, complete
}

// A listener is a Following as its connection sees it.
type listener struct{ *Following }

// Happened implements serverconn.Listener.
func (f listener) Happened(e serverconn.Event) {
	f.conn.mu.Lock()
	heard := f.conn.anchor.Sent
	f.conn.mu.Unlock()
	f.mu.Lock()
	if len(f.changes) < maxChanges {
		f.changes = append(f.changes, Change{e, heard})
	} else {
		f.changes, f.dropped = nil, true
	}
	f.mu.Unlock()
	f.wake()
}

// Missed implements serverconn.Listener.
func (f listener) Missed() {
	f.mu.Lock()
	f.changes, f.dropped = nil, true
	f.mu.Unlock()
	f.wake()
}

func (f listener) wake() {
	select {
	case f.more <- struct{}{}:
	default:
	}
}

// Children lists the children. seen is the N of the last change before.
func (f *Following) Children(ctx context.Context) (names []string, stat *zk.Stat, seen uint64, err error) {
	var r wire.Children2Response
	seen, err = f.ask(ctx, call{op: "getChildren", path: f.path}, wire.OpGetChildren2, &wire.PathWatchRequest{Path: f.full}, &r)
	return r.Children, statOf(&r.Stat), seen, err
}

// Exists reads the stat, nil if the znode does not exist.
func (f *Following) Exists(ctx context.Context) (stat *zk.Stat, seen uint64, err error) {
	var r wire.Stat
	seen, err = f.ask(ctx, call{op: "exists", path: f.path}, wire.OpExists, &wire.PathWatchRequest{Path: f.full}, &r)
	if errors.Is(err, zk.ErrNoNode) {
		return nil, seen, nil
	}
	return statOf(&r), seen, err
}

// Child reads a child, as [Conn.ReadZnode] does. seen is that of the first reply: the
// data is at least as new.
func (f *Following) Child(ctx context.Context, name string) (z znode.Znode, seen uint64, err error) {
	path := znode.Join(f.path, name)
	request := &wire.PathWatchRequest{Path: f.conn.cfg.Servers.full(path)}
	var r wire.DataResponse
	seen, err = f.ask(ctx, call{op: "getData", path: path}, wire.OpGetData, request, &r)
	if errors.Is(err, zk.ErrNoAuth) {
		var later uint64
		later, err = f.ask(ctx, call{op: "exists", path: path}, wire.OpExists, request, &r.Stat)
		seen = max(seen, later)
		r.Data = nil
		z.Data.Denied = err == nil
	}
	switch {
	case errors.Is(err, zk.ErrInvalidPath):
		return znode.Znode{Name: name, Data: znode.Data{Denied: true}}, seen, nil
	case errors.Is(err, zk.ErrNoNode):
		return znode.Znode{Name: name, Unread: true}, seen, nil
	case err != nil:
		return znode.Znode{}, seen, err
	}
	denied := z.Data.Denied
	z = Znode(name, statOf(&r.Stat), r.Data)
	z.Data.Denied = denied
	return z, seen, nil
}

func statOf(s *wire.Stat) *zk.Stat {
	return &zk.Stat{
		Czxid: s.Czxid, Mzxid: s.Mzxid, Ctime: s.Ctime, Mtime: s.Mtime,
		Version: s.Version, Cversion: s.Cversion, Aversion: s.Aversion,
		EphemeralOwner: s.EphemeralOwner, DataLength: s.DataLength, NumChildren: s.NumChildren, Pzxid: s.Pzxid,
	}
}
