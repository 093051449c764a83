package client

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model/znode"
	"electop/zkwatch/wire"
)

// maxChanges bounds the changes that wait to be taken. After that many they are
// dropped, and their owner has to read everything again.
const maxChanges = 10_000

// A Change is what a persistent watch reported.
type Change struct {
	// N numbers the events of a connection. A reply whose Seen is N or more was made
	// after the change.
	N    uint64
	Kind zk.EventType // EventNodeCreated, EventNodeDeleted or EventNodeDataChanged
	// Below is the path below the one that is followed: "" for itself, "n_1" for a
	// child.
	Below string
	// At is when the event came, and Heard when the last request was sent that was
	// answered before: the change is later than that.
	At, Heard time.Time
}

// A Following is a persistent recursive watch (addWatch, ZooKeeper 3.6) on one
// connection. It reports each creation, deletion and change of data below a path, in
// order. Its reads are ordered among these: servers send events and replies in the
// order of the changes. It ends with the connection, and there is no catching up.
type Following struct {
	conn       *Conn
	n          *serverConn
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
	f := &Following{conn: c, n: n, lost: lost, path: path, full: c.cfg.Servers.full(path), more: make(chan struct{}, 1)}
	n.mu.Lock()
	n.followings = append(n.followings, f) // the first event may come before the reply
	n.mu.Unlock()
	if _, err := n.ask(ctx, lost, k, wire.OpAddWatch, &wire.AddWatchRequest{Path: f.full, Mode: wire.WatchPersistentRecursive}, nil); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Stop removes the watch, and with it all others of this Conn on the same znode.
func (f *Following) Stop(ctx context.Context) error {
	f.Close()
	k := call{op: "removeWatches", path: f.path}
	_, err := f.n.ask(ctx, f.lost, k, wire.OpRemoveWatches, &wire.WatcherTypeRequest{Path: f.full, Type: wire.WatcherAny}, nil)
	return err
}

// Close ends the following here. The server keeps the watch until the connection ends.
func (f *Following) Close() {
	f.n.mu.Lock()
	defer f.n.mu.Unlock()
	for i, g := range f.n.followings {
		if g == f {
			f.n.followings = append(f.n.followings[:i:i], f.n.followings[i+1:]...)
			return
		}
	}
}

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

func (f *Following) add(c Change) {
	f.mu.Lock()
	if len(f.changes) < maxChanges {
		f.changes = append(f.changes, c)
	} else {
		f.changes, f.dropped = nil, true
	}
	f.mu.Unlock()
	select {
	case f.more <- struct{}{}:
	default:
	}
}

// drop is called where events may be lost.
func (f *Following) drop() {
	f.mu.Lock()
	f.changes, f.dropped = nil, true
	f.mu.Unlock()
	select {
	case f.more <- struct{}{}:
	default:
	}
}

// Children lists the children. seen is the N of the last change before.
func (f *Following) Children(ctx context.Context) (names []string, stat *zk.Stat, seen uint64, err error) {
	var r wire.Children2Response
	seen, err = f.n.ask(ctx, f.lost, call{op: "getChildren", path: f.path}, wire.OpGetChildren2, &wire.PathWatchRequest{Path: f.full}, &r)
	return r.Children, statOf(&r.Stat), seen, err
}

// Exists reads the stat, nil if the znode does not exist.
func (f *Following) Exists(ctx context.Context) (stat *zk.Stat, seen uint64, err error) {
	var r wire.Stat
	seen, err = f.n.ask(ctx, f.lost, call{op: "exists", path: f.path}, wire.OpExists, &wire.PathWatchRequest{Path: f.full}, &r)
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
	seen, err = f.n.ask(ctx, f.lost, call{op: "getData", path: path}, wire.OpGetData, request, &r)
	if errors.Is(err, zk.ErrNoAuth) {
		var later uint64
		later, err = f.n.ask(ctx, f.lost, call{op: "exists", path: path}, wire.OpExists, request, &r.Stat)
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

// noteEvent hands the event that n.head begins to those that follow its path. It stays
// where it is for the library: a server sends one event for a persistent watch and
// another on the same znode.
func (n *serverConn) noteEvent() error {
	n.mu.Lock()
	followings := n.followings
	n.mu.Unlock()
	if len(followings) == 0 {
		return nil
	}
	n.events++
	if n.left > n.ahead.Size() {
		for _, f := range followings {
			f.drop()
		}
		return nil
	}
	frame, err := n.ahead.Peek(n.left)
	if err != nil {
		return n.explain(err)
	}
	d := wire.NewDecoder(frame[prefixSize+replyHeaderSize:])
	var event wire.WatcherEvent
	if event.Decode(d); d.Err() != nil {
		return fmt.Errorf("%w: an event: %w", ErrProtocol, d.Err())
	}
	change := Change{N: n.events, Kind: zk.EventType(event.Type), At: time.Now()}
	n.c.mu.Lock()
	change.Heard = n.c.anchor.Sent
	n.c.mu.Unlock()
	for _, f := range followings {
		below, ok := strings.CutPrefix(event.Path, f.full)
		switch {
		case !ok:
			continue
		case below == "":
		case f.full == "/":
		case below[0] != '/':
			continue
		default:
			below = below[1:]
		}
		change.Below = below
		f.add(change)
	}
	return nil
}

// replaced is called when the server has answered a frame that sets watches, nil if it
// sets none. In 3.6 to 3.8 a watch that fires once takes the place of a persistent one of
// the same session on the same znode (ZOOKEEPER-4466). The caller holds n.mu.
func (n *serverConn) replaced(frame []byte) {
	if frame == nil {
		return
	}
	for _, f := range n.followings {
		if hasPath(frame, f.full) {
			f.drop()
		}
	}
}

// xidOf is the xid of a reply.
func xidOf(head []byte) int32 { return int32(binary.BigEndian.Uint32(head)) }
