package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model/znode"
	"electop/zkwatch/wire"
)

const maxChanges = 10_000

// A Change is an event of a watch. A persistent recursive watch sends no EventNodeChildrenChanged.
type Change struct {
	// N numbers the events of a connection. A read that returns seen >= N shows the change.
	N    uint64
	Kind zk.EventType
	// Below is the znode's path relative to the followed path: "" for the followed znode
	// itself, "n_1" for its child n_1.
	Below string
	At    time.Time // when the event arrived
	// AppliedAfter is a time before the server applied the change: the send time of the last request
	// or ping that was answered before the event.
	AppliedAfter time.Time
}

// A Following reads a path over one connection, and ends when that connection is lost. It receives the
// events of all watches of its Conn at the path and below. A Conn may have only one Following for each
// path at a time.
type Following struct {
	conn       *Conn
	over       *serverConn
	lost       <-chan struct{}
	path, full string
	more       chan struct{} // gets a token after a change

	mu      sync.Mutex
	changes []Change
	dropped bool
}

// Follow begins to follow path over the current connection. path need not exist. Follow sets no watch.
func (c *Conn) Follow(path string) (*Following, error) {
	c.mu.Lock()
	n, lost, err := c.link, c.lost, error(nil)
	if lost == nil {
		err = c.notConnected()
	}
	c.mu.Unlock()
	if err == nil {
		err = wire.ValidatePath(path)
	}
	if err != nil {
		return nil, call{op: "follow", path: path}.failed(err)
	}
	f := &Following{conn: c, over: n, lost: lost, path: path, full: c.cfg.Servers.full(path), more: make(chan struct{}, 1)}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.listeners = append(slices.Clip(n.listeners), f)
	return f, nil
}

// Watch sets a persistent recursive watch (addWatch, ZooKeeper 3.6). Set no one-time watch on the same
// znode: in 3.6 to 3.8 that watch replaces the persistent watch (ZOOKEEPER-4466).
func (f *Following) Watch(ctx context.Context) error {
	_, err := f.roundTrip(ctx, call{op: "addWatch", path: f.path}, wire.OpAddWatch, &wire.AddWatchRequest{Path: f.full, Mode: wire.WatchPersistentRecursive}, nil)
	return err
}

// Stop removes the persistent watch, and all other watches of this Conn on the same znode.
func (f *Following) Stop(ctx context.Context) error {
	k := call{op: "removeWatches", path: f.path}
	_, err := f.roundTrip(ctx, k, wire.OpRemoveWatches, &wire.WatcherTypeRequest{Path: f.full, Type: wire.WatcherAny}, nil)
	return err
}

// Close ends the Following. Without Stop, the server keeps the watch until the connection ends.
func (f *Following) Close() {
	n := f.over
	n.mu.Lock()
	defer n.mu.Unlock()
	n.listeners = slices.DeleteFunc(slices.Clone(n.listeners), func(o *Following) bool { return o == f })
}

// Lost returns a channel that is closed when the connection is lost.
func (f *Following) Lost() <-chan struct{} { return f.lost }

// More returns a channel that receives a value after new changes.
func (f *Following) More() <-chan struct{} { return f.more }

// Take returns the changes since the last Take. If complete is false, changes were dropped, and the
// caller must read everything again.
func (f *Following) Take() (changes []Change, complete bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	changes, complete = f.changes, !f.dropped
	f.changes, f.dropped = nil, false
	return changes, complete
}

// Next waits for a change of the path itself with N > after, and discards all other changes. If
// changes were dropped, Next returns the zero Change.
func (f *Following) Next(ctx context.Context, after uint64) (Change, error) {
	for {
		select {
		case <-f.more:
		case <-f.lost:
			return Change{}, ErrNotConnected
		case <-ctx.Done():
			return Change{}, ctx.Err()
		}
		changes, complete := f.Take()
		if !complete {
			return Change{}, nil
		}
		for _, c := range changes {
			if c.N > after && c.Below == "" {
				return c, nil
			}
		}
	}
}

func (f *Following) add(c Change) {
	f.conn.mu.Lock()
	c.AppliedAfter = f.conn.anchor.Sent
	f.conn.mu.Unlock()
	f.mu.Lock()
	if len(f.changes) < maxChanges {
		f.changes = append(f.changes, c)
	} else {
		f.changes, f.dropped = nil, true
	}
	f.mu.Unlock()
	signal(f.more)
}

func (f *Following) drop() {
	f.mu.Lock()
	f.changes, f.dropped = nil, true
	f.mu.Unlock()
	signal(f.more)
}

// Children lists the children. seen is the N of the last event before the reply.
func (f *Following) Children(ctx context.Context, watch bool) (names []string, stat *zk.Stat, seen uint64, err error) {
	var r wire.Children2Response
	seen, err = f.roundTrip(ctx, call{op: "getChildren", path: f.path}, wire.OpGetChildren2, &wire.PathWatchRequest{Path: f.full, Watch: watch}, &r)
	return r.Children, (*zk.Stat)(&r.Stat), seen, err
}

// Exists returns the stat, or nil if the znode does not exist.
func (f *Following) Exists(ctx context.Context, watch bool) (stat *zk.Stat, seen uint64, err error) {
	var r wire.Stat
	seen, err = f.roundTrip(ctx, call{op: "exists", path: f.path}, wire.OpExists, &wire.PathWatchRequest{Path: f.full, Watch: watch}, &r)
	if errors.Is(err, zk.ErrNoNode) {
		return nil, seen, nil
	}
	return (*zk.Stat)(&r), seen, err
}

// Child reads a child, as [Conn.ReadZnode] does.
func (f *Following) Child(ctx context.Context, name string) (z znode.Znode, seen uint64, err error) {
	return f.read(ctx, name, znode.Join(f.path, name), false)
}

// Znode reads the znode at the path. If watch is true, it also sets a one-time watch, even if the znode
// does not exist. The caller sets absent if it expects no znode, which can save a round trip.
func (f *Following) Znode(ctx context.Context, watch, absent bool) (z znode.Znode, seen uint64, err error) {
	if !absent {
		if z, seen, err = f.read(ctx, f.path, f.path, watch); err != nil || !z.Unread || !watch {
			return z, seen, err
		}
	}
	stat, seen, err := f.Exists(ctx, watch)
	if err != nil || stat == nil {
		return znode.Znode{Name: f.path, Unread: true}, seen, err
	}
	// If watch is true, the watch of Exists reports a deletion between the two reads.
	z, _, err = f.read(ctx, f.path, f.path, false)
	return z, seen, err
}

func (f *Following) read(ctx context.Context, name, path string, watch bool) (z znode.Znode, seen uint64, err error) {
	request := &wire.PathWatchRequest{Path: f.conn.cfg.Servers.full(path), Watch: watch}
	var r wire.DataResponse
	seen, err = f.roundTrip(ctx, call{op: "getData", path: path}, wire.OpGetData, request, &r)
	denied := errors.Is(err, zk.ErrNoAuth)
	if denied { // the exists request needs no permission
		_, err = f.roundTrip(ctx, call{op: "exists", path: path}, wire.OpExists, request, &r.Stat)
	}
	z, err = readAs(name, (*zk.Stat)(&r.Stat), r.Data, denied, err)
	return z, seen, err
}

// noteEvent leaves the event to the library too, because a server sends one event for all watches of a client.
func (n *serverConn) noteEvent() error {
	n.mu.Lock()
	listeners := n.listeners
	n.mu.Unlock()
	if len(listeners) == 0 {
		return nil
	}
	n.events++
	if n.left > n.reader.Size() {
		for _, f := range listeners {
			f.drop()
		}
		return nil
	}
	frame, err := n.reader.Peek(n.left)
	if err != nil {
		return n.explain(err)
	}
	d := wire.NewDecoder(frame[prefixSize+replyHeaderSize:])
	var event wire.WatcherEvent
	if event.Fields(d); d.Err() != nil {
		return fmt.Errorf("%w: an event: %w", ErrProtocol, d.Err())
	}
	now := time.Now()
	for _, f := range listeners {
		if below, ok := cutPath(event.Path, f.full); ok {
			f.add(Change{N: n.events, Kind: zk.EventType(event.Type), Below: below, At: now})
		}
	}
	return nil
}

func cutPath(path, root string) (below string, ok bool) {
	below, ok = strings.CutPrefix(path, root)
	switch {
	case !ok || below == "" || root == "/":
		return below, ok
	case below[0] != '/':
		return "", false
	}
	return below[1:], true
}

// lowestXid and highestXid bound the xids of a Following, below the xids that the protocol reserves. A
// Following sends its own requests, because the library has no addWatch, cannot remove a watch, and
// loses the order of replies and events.
const (
	lowestXid  = math.MinInt32
	highestXid = -1 << 16
)

func isFollowingXid(xid int32) bool { return xid <= highestXid }

type answer struct {
	code wire.Code
	body []byte
	seen uint64 // the N of the last event before the reply
}

// ErrUnsupported means that the server does not know the request. A server older than 3.6 also
// closes the connection.
var ErrUnsupported = errors.New("the server does not know this request")

func (f *Following) roundTrip(ctx context.Context, k call, op wire.Op, request wire.Record, reply wire.Record) (seen uint64, err error) {
	if _, err := f.conn.check(ctx, k); err != nil {
		return 0, err
	}
	n := f.over
	xid, frame, answers := n.expect(op, request)
	defer n.forget(xid)
	sends := f.conn.spawn(func() { // a write may block
		if !f.conn.gate.Pass(n.closed) {
			return
		}
		if err := n.send(frame); err != nil {
			n.fail(fmt.Errorf("write: %w", err))
		}
	})
	if !sends {
		f.conn.mu.Lock()
		defer f.conn.mu.Unlock()
		return 0, k.failed(f.conn.notConnected())
	}
	a, err := await(ctx, f.conn, k, f.lost, answers)
	if err != nil {
		return 0, err
	}
	return a.seen, k.decode(&a, reply)
}

var libraryErrors = map[wire.Code]error{
	wire.NoNode: zk.ErrNoNode, wire.NoAuth: zk.ErrNoAuth, wire.BadArguments: zk.ErrInvalidPath, wire.Unimplemented: ErrUnsupported,
}

func (k call) decode(a *answer, reply wire.Record) error {
	if a.code != wire.OK {
		return k.failed(cmp.Or[error](libraryErrors[a.code], a.code))
	}
	if reply == nil {
		return nil
	}
	d := wire.NewDecoder(a.body)
	if reply.Fields(d); d.Err() != nil {
		return k.failed(fmt.Errorf("%w: %w", ErrProtocol, d.Err()))
	}
	return nil
}

func (n *serverConn) expect(op wire.Op, r wire.Record) (xid int32, frame []byte, answers <-chan answer) {
	c := make(chan answer, 1)
	n.mu.Lock()
	defer n.mu.Unlock()
	xid = n.nextXid
	if n.nextXid++; !isFollowingXid(n.nextXid) {
		n.nextXid = lowestXid
	}
	n.waiting[xid] = c
	frame = wire.AppendFrame(nil, &wire.RequestHeader{Xid: xid, Op: op}, r)
	n.sent[xid] = request{op: op, sentAt: time.Now()}
	n.conn.requests.Add(1)
	return xid, frame, c
}

func (n *serverConn) forget(xid int32) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.waiting, xid)
}

func (n *serverConn) takeAnswer() error {
	frame := make([]byte, n.left)
	if _, err := io.ReadFull(n.reader, frame); err != nil {
		return n.explain(err)
	}
	n.left = 0
	if err := n.received(); err != nil {
		return err
	}
	xid := xidOf(n.head)
	n.mu.Lock()
	c := n.waiting[xid]
	delete(n.waiting, xid) // otherwise a second reply with this xid would block
	n.mu.Unlock()
	if c != nil {
		c <- answer{code: replyCode(n.head), body: frame[prefixSize+replyHeaderSize:], seen: n.events}
	}
	return nil
}

// ReadZnode reads the znode at path. If the znode does not exist, the result is Unread. If the ACL forbids reading the
// data, or this client refuses the path, Data.Denied is true; no error is returned for any of these. ReadZnode passes
// each request to try, which may repeat it.
func (c *Conn) ReadZnode(ctx context.Context, path, name string, try func(send func() error) error) (znode.Znode, error) {
	var data []byte
	var stat *zk.Stat
	err := try(func() (err error) {
		data, stat, err = c.Get(ctx, path)
		return err
	})
	denied := errors.Is(err, zk.ErrNoAuth)
	if denied { // the exists request needs no permission
		err = try(func() (err error) {
			if _, stat, err = c.Exists(ctx, path); err == nil && stat == nil {
				err = zk.ErrNoNode
			}
			return err
		})
	}
	return readAs(name, stat, data, denied, err)
}

func readAs(name string, stat *zk.Stat, data []byte, denied bool, err error) (znode.Znode, error) {
	switch {
	case errors.Is(err, zk.ErrInvalidPath):
		// Old servers permit names that this client refuses.
		return znode.Znode{Name: name, Data: znode.Data{Denied: true}}, nil
	case errors.Is(err, zk.ErrNoNode):
		return znode.Znode{Name: name, Unread: true}, nil
	case err != nil:
		return znode.Znode{}, err
	}
	z := Znode(name, stat, data)
	z.Data.Denied = denied
	return z, nil
}

// Znode converts a znode to the type of package model/znode.
func Znode(name string, stat *zk.Stat, data []byte) znode.Znode {
	z := znode.Znode{
		Name: name, Session: uint64(stat.EphemeralOwner), Czxid: stat.Czxid,
		Ctime: serverTime(stat.Ctime), Data: znode.NewData(data),
	}
	z.Data.Length = int(stat.DataLength)
	if stat.Mzxid != stat.Czxid {
		z.Mtime = serverTime(stat.Mtime)
	}
	return z
}

// Parent converts the stat of an election's znode to the type of package model/znode.
func Parent(s *zk.Stat) znode.Parent {
	return znode.Parent{
		Czxid: s.Czxid, Ctime: serverTime(s.Ctime), Cversion: s.Cversion,
		Children: s.NumChildren, Pzxid: s.Pzxid,
	}
}

func serverTime(ms int64) time.Time {
	const year9999 = 253402300799000 // RFC 3339 cannot write later years
	if ms <= 0 || ms > year9999 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
