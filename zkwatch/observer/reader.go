package observer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"
	"golang.org/x/sync/errgroup"

	"electop/model"
	"electop/model/dialect"
	"electop/model/znode"
	"electop/zkwatch/client"
)

// A comparison of the parent's stat with the events of a persistent watch detects a missing event.
const (
	checkAfter = time.Second
	checkIdle  = 15 * time.Second
)

const unwatchTimeout = time.Second

const rewatchDelay = 10 * time.Minute

var errReread = errors.New("read everything again")

type reader struct {
	*Observer
	conn   *client.Conn
	f      *client.Following
	once   bool // sets no watch
	gap    bool // the next read is the first after a lost connection, an ended session or an error
	read   bool // a read was reported
	effort effort

	persistent bool            // the last read set a persistent watch
	queue      bool            // the children are a queue's items
	seen       uint64          // the last read shows each change whose N is at most seen
	changes    []client.Change // received and not applied yet

	notified, appliedAfter time.Time

	nextDeniedPause time.Duration

	// While the watch is persistent:
	parent      znode.Parent // the last read's parent, with the changes since then; zero: absent
	compared    time.Time    // the time of the last read or comparison
	missed      time.Time    // the time of the last comparison that showed a missed change
	due         bool         // a child was created or deleted after compared
	others      int          // events since othersSince, see floodMax
	othersSince time.Time
}

func (o *Observer) watchChildren(ctx context.Context, conn *client.Conn, gap bool) {
	followPath(ctx, conn, o.cfg.Path, func(f *client.Following) (read bool, err error) {
		r := &reader{Observer: o, conn: conn, f: f, gap: gap, nextDeniedPause: deniedPause}
		err = r.run(ctx)
		if r.persistent && o.removed.Err() != nil { // the server keeps the watch until the connection ends
			stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), unwatchTimeout)
			_ = f.Stop(stop)
			cancel()
		}
		if errors.Is(err, client.ErrReplyTooLarge) { // the group's next session has a larger limit, up to 1 GiB
			o.tooLarge = true
			conn.CloseWithError(fmt.Errorf("read %s: %w", o.cfg.Path, client.ErrReplyTooLarge))
		}
		gap = true
		return r.read, err
	})
}

func followPath(ctx context.Context, conn *client.Conn, path string, follow func(*client.Following) (read bool, err error)) {
	retry := minSpacing
	for conn.AwaitConnected(ctx) {
		f, err := conn.Follow(path)
		if err == nil {
			var read bool
			if read, err = follow(f); read {
				retry = minSpacing
			}
			f.Close()
		}
		if !pause(ctx, retry) {
			return
		}
		if !client.Unanswered(err) { // a retry may get the same reply
			retry = min(2*retry, retryPauseMax)
		}
	}
}

func (r *reader) run(ctx context.Context) error {
	for {
		began := time.Now() // not r.now, which may jump
		read, err := r.readAll(ctx)
		if err != nil {
			return err
		}
		ended := time.Now()
		r.report(ctx, read)
		err = r.await(ctx, read.Presence)
		if !errors.Is(err, errReread) {
			return err
		}
		if !pause(ctx, r.effort.spacing(ended.Sub(began), r.conn.Status().Distance)-time.Since(ended)) {
			return ctx.Err()
		}
	}
}

func (r *reader) readAll(ctx context.Context) (*model.Read, error) {
	for {
		read, err := r.tryRead(ctx)
		if !errors.Is(err, errReread) {
			return read, err
		}
		if !pause(ctx, minSpacing) { // the server's replies may contradict each other every time
			return nil, ctx.Err()
		}
	}
}

func (r *reader) tryRead(ctx context.Context) (*model.Read, error) {
	r.effort, r.persistent, r.changes = effort{}, false, nil
	if !r.decided {
		if err := r.decide(ctx); err != nil {
			return nil, err
		}
	}
	if r.single {
		return r.readSingle(ctx)
	}
	if r.decided && !r.once {
		if err := r.watch(ctx); err != nil {
			return nil, err
		}
	}
	return r.readChildren(ctx)
}

// watch repeats addWatch for each read: a one-time watch may have replaced the persistent watch (ZOOKEEPER-4466).
func (r *reader) watch(ctx context.Context) error {
	if !r.retryAt.IsZero() && !time.Now().Before(r.retryAt) {
		r.fallBackReason, r.retryAt = "", time.Time{}
	}
	if r.fallBackReason != "" {
		return nil
	}
	err := r.f.Watch(ctx)
	switch {
	case client.Unanswered(err), ctx.Err() != nil:
		return err
	case errors.Is(err, client.ErrUnsupported):
		r.unsupported.Store(true)
		r.fallBackReason = model.FollowUnsupported
	case err != nil:
		r.fallBackReason = model.FollowRefused
	}
	r.persistent = err == nil
	return nil
}

func (r *reader) readChildren(ctx context.Context) (*model.Read, error) {
	read := &model.Read{Presence: model.Present, Sent: r.now()}
	names, stat, seen, err := r.f.Children(ctx, !r.persistent && !r.once)
	read.At, r.seen = r.now(), seen
	r.effort.trip(size(names))
	switch {
	case errors.Is(err, zk.ErrNoNode):
		return r.absent(ctx, read)
	case errors.Is(err, zk.ErrNoAuth):
		read.Presence = model.Denied
		return read, nil
	case err != nil:
		return nil, err
	case stat.EphemeralOwner != 0: // the path is now a leader's own znode
		r.decided, r.single = true, true
		return nil, errReread
	}
	read.Parent = client.Parent(stat)
	read.Full = r.known.parent != stat.Czxid
	fresh := r.known.list(stat.Czxid, names)
	znodes, err := r.readNew(ctx, names, fresh)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		z, err := r.conn.ReadZnode(ctx, r.cfg.Path, r.cfg.Path, sendOnce)
		if err != nil {
			return nil, err
		}
		read.Data = z.Data
	}
	if read.Markers, err = r.readMarkers(ctx, stat.Czxid, fresh); err != nil {
		return nil, err
	}
	r.effort.trips += (len(fresh) + maxParallel - 1) / maxParallel

	// Nothing below fails, so the read reports each child that r.known gains or loses.
	if read.Full {
		r.known.forget(stat.Czxid)
	}
	read.Gone = r.known.gone()
	for _, z := range znodes {
		r.effort.request(z.znode.Data.Length)
		r.known.add(&z.znode)
		read.New = append(read.New, z.znode)
	}
	if len(znodes) > 0 {
		read.End = r.now()
	}
	return read, nil
}

func (r *reader) absent(ctx context.Context, read *model.Read) (*model.Read, error) {
	read.Presence = model.Absent
	r.known.forget(0)
	r.decided = false
	if r.once || r.persistent { // once sets no watch; a persistent watch also reports the creation
		return read, nil
	}
	stat, seen, err := r.f.Exists(ctx, true)
	r.effort.trip(0)
	switch {
	case err != nil:
		return nil, err
	case stat != nil: // created after getChildren
		return nil, errReread
	}
	r.seen = seen
	return read, nil
}

func (r *reader) report(ctx context.Context, read *model.Read) {
	if r.gap {
		r.awaitReported(ctx, r.conn.Status().Since)
	}
	read.Notified, read.AppliedAfter, read.Gap = r.notified, r.appliedAfter, r.gap
	r.notified, r.appliedAfter, r.gap = time.Time{}, time.Time{}, false
	r.read = true
	r.parent = read.Parent
	r.cfg.Put(ctx, read)
	f := model.Follow{At: r.now(), By: model.ByReads, Why: r.fallBackReason}
	switch {
	case r.persistent && read.Presence == model.Present:
		f.By, f.Why = model.ByWatch, ""
	case r.fallBackReason == "" || r.single:
		return
	}
	if r.reportedBy != f.By || r.reportedWhy != f.Why {
		r.reportedBy, r.reportedWhy = f.By, f.Why
		r.cfg.Put(ctx, &f)
	}
}

func (o *Observer) awaitReported(ctx context.Context, since time.Time) {
	for ctx.Err() == nil {
		reported, changed := o.reported.get()
		if !reported.Before(since) {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

func (r *reader) await(ctx context.Context, lastRead model.Presence) error {
	if lastRead == model.Denied { // no watch reports a change of an ACL
		pause(ctx, r.nextDeniedPause)
		r.nextDeniedPause = min(2*r.nextDeniedPause, deniedPauseMax)
		return errReread
	}
	r.nextDeniedPause = deniedPause
	r.compared, r.due = time.Now(), false
	tick := time.NewTimer(checkIdle)
	defer tick.Stop()
	err := r.take()
	for {
		for err == nil {
			if err = r.apply(ctx, math.MaxUint64); len(r.changes) == 0 {
				break
			}
		}
		if err != nil {
			return err
		}
		var check <-chan time.Time
		if r.persistent {
			wait := checkIdle
			if r.due {
				wait = checkAfter
			}
			tick.Reset(max(0, wait-time.Since(r.compared)))
			check = tick.C
		}
		select {
		case <-r.f.More():
			err = r.take()
		case <-check:
			err = r.compare(ctx)
		case q := <-r.refresh:
			if q.parent && r.persistent {
				err = r.compare(ctx)
			} else {
				r.reread(ctx, q.name)
			}
		case <-r.f.Lost():
			return client.ErrNotConnected
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (r *reader) take() error {
	changes, complete := r.f.Take()
	for _, c := range changes {
		if c.N > r.seen {
			r.changes = append(r.changes, c)
		}
	}
	if !complete {
		return errReread
	}
	return nil
}

// compare can find a missing event, because a server sends an event before any reply that shows the change.
func (r *reader) compare(ctx context.Context) error {
	stat, seen, err := r.f.Exists(ctx, false)
	if err != nil {
		return err
	}
	if err := r.take(); err != nil {
		return err
	}
	if err := r.apply(ctx, seen); err != nil {
		return err
	}
	r.compared, r.due = time.Now(), false
	var parent znode.Parent // zero: absent
	if stat != nil {
		parent = client.Parent(stat)
	}
	if parent.Czxid != r.parent.Czxid || parent.Cversion != r.parent.Cversion || parent.Children != r.parent.Children {
		if time.Since(r.missed) < rewatchDelay {
			return r.fallBack(ctx, model.FollowMissed)
		}
		r.missed = time.Now()
		return errReread // the next read sets the watch again
	}
	if stat != nil {
		r.cfg.Put(ctx, &model.Delta{At: r.now(), Parent: &parent})
	}
	return nil
}

func (r *reader) fallBack(ctx context.Context, why model.FollowReason) error {
	r.fallBackReason, r.retryAt = why, time.Now().Add(rewatchDelay)
	if err := r.f.Stop(ctx); client.Unanswered(err) {
		return err
	}
	return errReread
}

func (r *reader) reread(ctx context.Context, name string) {
	if r.single || r.queue || !r.known.has(name) { // a leader's own znode has a watch on its data
		return
	}
	z, _, err := r.f.Child(ctx, name)
	if err == nil && !z.Unread {
		r.cfg.Put(ctx, &model.Refresh{At: r.now(), Znode: z})
	}
}

type known struct {
	parent   int64 // the parent's czxid; 0: none
	children map[string]child
	denied   int // number of children with unreadable data
	lists    uint64
}

type child struct {
	list   uint64 // the number of the last list with the child, or of the last list before its creation; 0: Unread
	denied bool   // the ACL forbids reading the data
}

func (k *known) has(name string) bool {
	_, ok := k.children[name]
	return ok
}

func (k *known) forget(parent int64) {
	k.parent, k.denied, k.children = parent, 0, make(map[string]child)
}

func (k *known) list(parent int64, names []string) (fresh []string) {
	k.lists++
	for _, name := range names {
		if c := k.children[name]; parent == k.parent && c.list != 0 {
			c.list = k.lists
			k.children[name] = c
		} else {
			fresh = append(fresh, name)
		}
	}
	return fresh
}

func (k *known) gone() (names []string) {
	for name, c := range k.children {
		if c.list != k.lists {
			names = append(names, name)
			k.remove(name)
		}
	}
	return names
}

func (k *known) add(z *znode.Znode) {
	c := child{list: k.lists, denied: z.Data.Denied}
	if z.Unread { // if a later list has this name, the child is a new one
		c.list = 0
	}
	if c.denied {
		k.denied++
	}
	k.children[z.Name] = c
}

func (k *known) remove(name string) {
	if k.children[name].denied {
		k.denied--
	}
	delete(k.children, name)
}

type readChild struct {
	znode znode.Znode
	seen  uint64
}

const maxParallel = 64

func (r *reader) readNew(ctx context.Context, names, fresh []string) (out []readChild, err error) {
	if r.queue = dialect.Items(r.cfg.Path, names); !r.queue {
		return r.readMany(ctx, fresh)
	}
	items, queue, err := Items(ctx, r.conn, r.cfg.Path, fresh, sendOnce)
	if r.queue = queue; !queue && err == nil {
		return r.readMany(ctx, fresh)
	}
	for _, z := range items {
		out = append(out, readChild{znode: z})
	}
	return out, err
}

// Items returns a queue's items with these names. It reads the stats of only the first [dialect.FirstItems] items.
func Items(ctx context.Context, conn *client.Conn, path string, names []string, try func(send func() error) error) (items []znode.Znode, queue bool, err error) {
	for i, name := range slices.Sorted(slices.Values(names)) {
		z := znode.Znode{Name: name}
		if i < dialect.FirstItems {
			var stat *zk.Stat
			err := try(func() (err error) {
				_, stat, err = conn.Exists(ctx, znode.Join(path, name))
				return err
			})
			switch {
			case err != nil, stat != nil && stat.EphemeralOwner != 0:
				return nil, false, err
			case stat == nil:
				z.Unread = true
			default:
				z = client.Znode(name, stat, nil)
			}
		}
		items = append(items, z)
	}
	return items, true, nil
}

func (r *reader) readMany(ctx context.Context, names []string) ([]readChild, error) {
	out := make([]readChild, len(names))
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(maxParallel)
	for i, name := range names {
		reads.Go(func() (err error) {
			out[i].znode, out[i].seen, err = r.f.Child(ctx, name)
			return err
		})
	}
	return out, reads.Wait()
}

func (r *reader) readMarkers(ctx context.Context, parent int64, names []string) ([]string, error) {
	if r.markersOf != parent {
		r.markers, r.markersOf = nil, parent
	}
	for _, path := range dialect.Markers(r.cfg.Path, names) {
		if slices.Contains(r.markers, path) {
			continue
		}
		exists, _, err := r.conn.Exists(ctx, path)
		r.effort.trip(0)
		switch {
		case errors.Is(err, zk.ErrNoAuth): // the marker counts as missing
		case err != nil:
			return nil, err
		case exists:
			r.markers = append(slices.Clone(r.markers), path)
		}
	}
	return r.markers, nil
}

func size(names []string) (bytes int) {
	for _, name := range names {
		bytes += len(name) + 4
	}
	return bytes
}

func (r *reader) decide(ctx context.Context) error {
	exists, stat, err := r.conn.Exists(ctx, r.cfg.Path)
	r.effort.trip(0)
	switch {
	case errors.Is(err, zk.ErrNoAuth): // unusual, because exists needs no permission
		return nil
	case err != nil:
		return err
	case exists:
		r.decided, r.single = true, stat.EphemeralOwner != 0
	case dialect.MaybeSingle(r.cfg.Path):
		return r.decideAbsent(ctx)
	}
	return nil
}

func (r *reader) decideAbsent(ctx context.Context) error {
	dir := znode.Dir(r.cfg.Path)
	exists, stat, err := r.conn.Exists(ctx, dir)
	r.effort.trip(0)
	if err != nil || !exists || stat.NumChildren > model.NamesMax {
		return unlessUnreadable(err)
	}
	names, _, err := r.conn.Children(ctx, dir)
	r.effort.trip(size(names))
	d := dialect.Recognise(dialect.Evidence{Path: r.cfg.Path, Siblings: append([]string{}, names...)})
	r.single = d != nil && d.Single
	r.decided = r.single
	return unlessUnreadable(err)
}

func unlessUnreadable(err error) error {
	if errors.Is(err, zk.ErrNoAuth) || errors.Is(err, zk.ErrNoNode) {
		return nil
	}
	return err
}

func (r *reader) readSingle(ctx context.Context) (*model.Read, error) {
	read := &model.Read{Presence: model.Present, Single: true, Sent: r.now()}
	z, seen, err := r.f.Znode(ctx, !r.once, false)
	if err != nil {
		return nil, err
	}
	read.At, r.seen = r.now(), seen
	r.effort.trip(z.Data.Length)
	switch {
	case z.Unread:
		r.effort.trip(0)
	case z.Session == 0: // the path is now a parent
		r.single = false
		return nil, errReread
	default:
		read.New = []znode.Znode{z}
	}
	r.known.forget(0)
	return read, nil
}

func (r *reader) apply(ctx context.Context, upTo uint64) error {
	n := 0
	for n < len(r.changes) && r.changes[n].N <= upTo {
		n++
	}
	znodes, err := r.readCreated(ctx, n)
	if err != nil {
		return err
	}
	batch := r.changes[:n]
	r.changes = r.changes[n:]
	for i := range batch {
		c := &batch[i]
		switch {
		case c.Below == "" && (!r.persistent || c.Kind != zk.EventNodeDataChanged):
			r.notified, r.appliedAfter = r.now.convert(c.At), r.now.convert(c.AppliedAfter)
			return errReread
		case !r.persistent: // an event of an old persistent watch
		case c.Kind == zk.EventNodeDataChanged || !isChild(c.Below):
			if err = r.countOther(ctx); err == nil && isChild(c.Below) {
				r.reread(ctx, c.Below) // the new data may request the release of a lock
			}
		default:
			err = r.child(ctx, c, znodes[i])
		}
		if err != nil {
			return err
		}
	}
	if r.persistent && r.known.denied > 0 {
		// Since 3.8.4 and 3.9.2, servers send no events of unreadable children (ZOOKEEPER-4799, CVE-2024-23944).
		return r.fallBack(ctx, model.FollowHidden)
	}
	return nil
}

func isChild(below string) bool { return below != "" && !strings.Contains(below, "/") }

// readCreated returns the children that the first n changes created, by index in r.changes. A child is Unread
// if it was deleted or replaced before the read.
func (r *reader) readCreated(ctx context.Context, n int) (map[int]*znode.Znode, error) {
	if !r.persistent {
		return nil, nil
	}
	var at []int
	var names []string
	for i := range r.changes[:n] {
		if c := &r.changes[i]; c.Kind == zk.EventNodeCreated && isChild(c.Below) {
			at, names = append(at, i), append(names, c.Below)
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	var results []readChild
	var err error
	if r.queue && dialect.Items(r.cfg.Path, names) {
		for _, name := range names {
			results = append(results, readChild{znode: znode.Znode{Name: name}})
		}
	} else if results, err = r.readMany(ctx, names); err != nil {
		return nil, err
	}
	if err := r.take(); err != nil { // the changes that came during the reads
		return nil, err
	}
	znodes := make(map[int]*znode.Znode, len(at))
	next := make(map[string]uint64) // N of each child's next change
	for i, k := len(r.changes)-1, len(at)-1; i >= 0; i-- {
		c := &r.changes[i]
		if c.Kind == zk.EventNodeDataChanged {
			continue
		}
		if k >= 0 && at[k] == i {
			z := &results[k]
			if later, ok := next[c.Below]; ok && later <= z.seen {
				z.znode = znode.Znode{Name: c.Below, Unread: true}
			}
			znodes[i] = &z.znode
			k--
		}
		next[c.Below] = c.N
	}
	return znodes, nil
}

func (r *reader) child(ctx context.Context, c *client.Change, z *znode.Znode) (err error) {
	created := c.Kind == zk.EventNodeCreated
	if r.known.has(c.Below) == created {
		return errReread
	}
	d := &model.Delta{Notified: r.now.convert(c.At), AppliedAfter: r.now.convert(c.AppliedAfter)}
	r.due = true
	r.parent.Cversion++
	if !created {
		r.parent.Children--
		r.known.remove(c.Below)
		d.At, d.Gone = d.Notified, c.Below
		r.cfg.Put(ctx, d)
		return nil
	}
	d.Markers = r.markers
	if len(dialect.Markers(r.cfg.Path, []string{c.Below})) > 0 {
		if d.Markers, err = r.readMarkers(ctx, r.parent.Czxid, []string{c.Below}); err != nil {
			return err
		}
	}
	r.parent.Children++
	r.known.add(z)
	d.At, d.New = r.now(), z
	r.cfg.Put(ctx, d)
	return nil
}

// floodMax bounds the events in floodWindow that neither create nor delete a child. If there are more,
// reads cost less than a persistent watch.
const (
	floodWindow = 10 * time.Second
	floodMax    = 2_000
)

func (r *reader) countOther(ctx context.Context) error {
	if now := time.Now(); now.Sub(r.othersSince) > floodWindow {
		r.others, r.othersSince = 0, now
	}
	if r.others++; r.others > floodMax {
		return r.fallBack(ctx, model.FollowFlooded)
	}
	return nil
}
