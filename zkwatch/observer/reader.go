package observer

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model"
	"electop/model/znode"
	"electop/zkwatch/client"
)

// The parent's stat is compared with what the persistent watch reported: checkAfter after
// a change at the soonest, and every checkIdle without one. Nothing else would show that a
// server withheld an event.
const (
	checkAfter = time.Second
	checkIdle  = 15 * time.Second
)

// After the persistent watch missed changes missesMax times within missesWindow, it is
// not relied on for a while.
const (
	missesMax    = 3
	missesWindow = 10 * time.Minute
)

// unwatchMax bounds the wait for the end of a watch that is no longer needed.
const unwatchMax = time.Second

// watchAgain is the time after which a persistent watch is tried again that was given up for
// a flood, hidden children, or missed changes. If the reason is still there, that costs one
// more list, or floodMax events.
const watchAgain = 10 * time.Minute

var (
	// errReread: only another read shows what comes next.
	errReread = errors.New("read everything again")
	// errMissed: changes were dropped, or the persistent watch and a read differ.
	errMissed = errors.New("the watch missed changes")
)

// A reader reads the election's children over one connection.
type reader struct {
	*Observer
	conn   *client.Conn
	f      *client.Following
	once   bool // no watch is set
	gap    bool // changes before the next read went unwatched
	read   bool // a read was handed on
	effort effort

	persistent bool            // the watch, since the last read
	seen       uint64          // the number of the last change that the last read shows
	changes    []client.Change // taken, and not applied yet
	// notified and heard are the times of the notification that causes the next read.
	notified, heard time.Time

	denied time.Duration // the pause after a read that the ACL forbids

	// While the watch is persistent:
	parent      znode.Parent // as the changes up to now make it
	compared    time.Time
	due         bool        // a change was seen since
	misses      []time.Time // when changes were missed
	others      int         // changes that are not of children, since othersSince
	othersSince time.Time
}

// watchChildren follows the children for one session, over one connection after the other.
func (o *Observer) watchChildren(ctx context.Context, conn *client.Conn, gap bool) {
	failed := minSpacing
	for conn.AwaitConnected(ctx) {
		f, err := conn.Follow(o.cfg.Path)
		if err == nil {
			r := &reader{Observer: o, conn: conn, f: f, gap: gap, denied: deniedPause}
			if err = r.run(ctx); r.read {
				failed = minSpacing
			}
			if r.persistent && o.removed.Err() != nil { // the session goes on
				stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), unwatchMax)
				_ = f.Stop(stop) // without a connection the watch is gone
				cancel()
			}
			f.Close()
		}
		if errors.Is(err, client.ErrReplyTooLarge) { // the next connection has a larger limit
			o.tooLarge = true
			return
		}
		gap = true
		if !pause(ctx, failed) {
			return
		}
		if !client.Unanswered(err) { // the next answer may be the same
			failed = min(2*failed, failedMax)
		}
	}
}

// run reads and hands on, again and again, until the connection is lost or a read fails.
func (r *reader) run(ctx context.Context) error {
	for {
		began := time.Now() // its monotonic clock: somebody may set the other
		read, err := r.readAll(ctx)
		if err != nil {
			return err
		}
		ended := time.Now()
		r.handOn(ctx, read)
		err = r.await(ctx, read.Presence)
		if errors.Is(err, errMissed) {
			err = r.missed(ctx, time.Now())
		}
		if !errors.Is(err, errReread) {
			return err
		}
		if !pause(ctx, r.effort.spacing(ended.Sub(began), r.conn.Status().Distance)-time.Since(ended)) {
			return ctx.Err()
		}
	}
}

// readAll reads the election, and watches for what comes next.
func (r *reader) readAll(ctx context.Context) (*model.Read, error) {
	for {
		read, err := r.tryRead(ctx)
		if !errors.Is(err, errReread) {
			return read, err
		}
		if !pause(ctx, minSpacing) { // a server may contradict itself each time
			return nil, ctx.Err()
		}
	}
}

// tryRead reads the election, or returns errReread if it became another kind meanwhile.
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

// watch sets the persistent watch, if there may be one. It does so before each list: a
// watch for one event on the same znode may have replaced it (ZOOKEEPER-4466).
func (r *reader) watch(ctx context.Context) error {
	if !r.retryAt.IsZero() && !time.Now().Before(r.retryAt) {
		r.fellBack, r.retryAt = "", time.Time{}
	}
	if r.fellBack != "" {
		return nil
	}
	err := r.f.Watch(ctx)
	switch {
	case client.Unanswered(err), ctx.Err() != nil:
		return err
	case errors.Is(err, client.ErrUnsupported):
		r.unsupported.Store(true)
		r.fellBack = model.FollowUnsupported
	case err != nil:
		r.fellBack = model.FollowRefused
	}
	r.persistent = err == nil
	return nil
}

// readChildren lists the children and reads those that are new.
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
	case stat.EphemeralOwner != 0: // it was created just now: a leader's own znode
		r.decided, r.single = true, true
		return nil, errReread
	}
	read.Parent = client.Parent(stat)
	read.Full = r.known.parent != stat.Czxid
	fresh := r.known.list(stat.Czxid, names)
	znodes, err := r.readMany(ctx, fresh)
	if err != nil {
		return nil, err
	}
	if read.Witnesses, err = r.readWitnesses(ctx, stat.Czxid, fresh); err != nil {
		return nil, err
	}
	r.effort.trips += (len(fresh) + pipelined - 1) / pipelined

	// From here on nothing fails: what is reported is what is known.
	if read.Full {
		r.known.forget(stat.Czxid)
	}
	read.Gone = r.known.gone()
	for _, z := range znodes {
		r.effort.asked(z.znode.Data.Length)
		r.known.add(&z.znode)
		read.New = append(read.New, z.znode)
	}
	if len(znodes) > 0 {
		read.End = r.now()
	}
	return read, nil
}

// absent waits for the creation of a parent that is not there.
func (r *reader) absent(ctx context.Context, read *model.Read) (*model.Read, error) {
	read.Presence = model.Absent
	r.known.forget(0)
	r.decided = false
	if r.once || r.persistent { // the persistent watch reports it, too
		return read, nil
	}
	stat, seen, err := r.f.Exists(ctx, true)
	r.effort.trip(0)
	switch {
	case err != nil:
		return nil, err
	case stat != nil: // it was created just now
		return nil, errReread
	}
	r.seen = seen
	return read, nil
}

// handOn hands on a read, and how changes are followed if that is news.
func (r *reader) handOn(ctx context.Context, read *model.Read) {
	if r.gap {
		r.awaitReported(ctx, r.conn.Status().Since)
	}
	read.Notified, read.Heard, read.Gap = r.notified, r.heard, r.gap
	r.notified, r.heard, r.gap = time.Time{}, time.Time{}, false
	r.read = true
	r.parent = read.Parent
	r.cfg.Put(ctx, read)
	f := model.Follow{At: r.now(), By: model.ByReads, Why: r.fellBack}
	switch {
	case r.persistent && read.Presence == model.Present:
		f.By, f.Why = model.ByWatch, ""
	case r.fellBack == "" || r.single:
		return
	}
	if r.reportedBy != f.By || r.reportedWhy != f.Why {
		r.reportedBy, r.reportedWhy = f.By, f.Why
		r.cfg.Put(ctx, &f)
	}
}

// awaitReported waits until the model knows of the connection that came about at
// since.
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

// await hands on what a persistent watch reports, and returns errReread or errMissed if
// there is a reason to read everything.
func (r *reader) await(ctx context.Context, p model.Presence) error {
	if p == model.Denied { // no watch reports a change of an ACL
		pause(ctx, r.denied)
		r.denied = min(2*r.denied, deniedPauseMax)
		return errReread
	}
	r.denied = deniedPause
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
		if r.persistent && p == model.Present {
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

// take takes the changes that the last read does not show.
func (r *reader) take() error {
	changes, complete := r.f.Take()
	for _, c := range changes {
		if c.N > r.seen {
			r.changes = append(r.changes, c)
		}
	}
	if !complete {
		return errMissed
	}
	return nil
}

// compare compares the parent's stat with the changes. Servers send an event before
// any reply that shows its change.
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
	if stat == nil {
		return errReread
	}
	parent := client.Parent(stat)
	if parent.Czxid != r.parent.Czxid || parent.Cversion != r.parent.Cversion || parent.Children != r.parent.Children {
		return errMissed
	}
	r.cfg.Put(ctx, &model.Delta{At: r.now(), Parent: &parent})
	return nil
}

// missed notes that changes were missed, and stops to follow by the persistent watch if
// that was missesMax times within missesWindow.
func (r *reader) missed(ctx context.Context, now time.Time) error {
	old := func(t time.Time) bool { return now.Sub(t) > missesWindow }
	r.misses = append(slices.DeleteFunc(r.misses, old), now)
	if r.persistent && len(r.misses) >= missesMax {
		return r.fallBack(ctx, model.FollowMissed)
	}
	return errReread
}

// fallBack stops to follow by the persistent watch for watchAgain.
func (r *reader) fallBack(ctx context.Context, why model.FollowReason) error {
	r.fellBack, r.retryAt = why, time.Now().Add(watchAgain)
	if err := r.f.Stop(ctx); client.Unanswered(err) {
		return err
	}
	return errReread
}

// reread reads a known child's data again.
func (r *reader) reread(ctx context.Context, name string) {
	if r.single || !r.known.has(name) { // the data of a single znode is watched
		return
	}
	z, _, err := r.f.Child(ctx, name)
	if err == nil && !z.Unread {
		r.cfg.Put(ctx, &model.Refresh{At: r.now(), Znode: z})
	}
}
