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

// The parent's stat is compared with what the watch reported: checkAfter after a change
// at the soonest, and every checkIdle without one. Nothing else would show that a server
// withheld an event.
const (
	checkAfter = time.Second
	checkIdle  = 15 * time.Second
)

// After the watch missed changes missesMax times within missesWindow, it is not relied on
// for a while.
const (
	missesMax    = 3
	missesWindow = 10 * time.Minute
)

// errReread says that the watch and the list differ, or that changes were dropped.
var errReread = errors.New("read everything again")

// byReads says that the watch cannot show what comes next; the times are those of the
// notification that said so, zero if none did.
type byReads struct{ notified, heard time.Time }

func (byReads) Error() string { return "follow by reads" }

// watching follows the children of one parent by a persistent watch, over one
// connection.
type watching struct {
	*Observer
	conn *client.Conn
	f    *client.Following

	parent   znode.Parent    // as the changes up to now make it
	changes  []client.Change // taken, and not applied yet
	tick     *time.Timer     // the next comparison
	compared time.Time
	due      bool // a change was seen since

	misses []time.Time // when changes were missed

	others client.Flood // changes that are not of children
}

// mayFollow reports whether a persistent watch is to be tried.
func (o *Observer) mayFollow() bool {
	return o.fellBack == "" && !(o.decided && o.single)
}

// reconsider forgets why there was no watch, after [client.FollowAgainAfter].
func (o *Observer) reconsider(now time.Time) {
	if !o.retryAt.IsZero() && !now.Before(o.retryAt) {
		o.fellBack, o.retryAt = "", time.Time{}
	}
}

// followByWatch follows the children until the connection is lost, or until the watch
// cannot show what comes next (byReads). The first read that it hands on ends the gap.
func (o *Observer) followByWatch(ctx context.Context, conn *client.Conn, gap *bool) error {
	if !o.decided {
		if err := o.decide(ctx, conn); err != nil {
			return err
		}
	}
	if !o.decided || !o.mayFollow() {
		return byReads{}
	}
	w := &watching{Observer: o, conn: conn, tick: time.NewTimer(checkIdle)}
	defer w.tick.Stop()
	for {
		began := time.Now()
		err := w.set(ctx)
		if err != nil {
			return err
		}
		err = w.list(ctx, gap)
		ended := time.Now()
		if err == nil {
			o.report(ctx, model.ByWatch, "")
			err = w.follow(ctx)
		}
		switch {
		case !errors.Is(err, errReread):
			w.f.Close()
			return err
		case w.missedOften(time.Now()):
			return w.fallBack(ctx, model.FollowMissed)
		}
		w.f.Close()
		if !pause(ctx, o.effort.spacing(ended.Sub(began), conn.Status().Distance)-time.Since(ended)) {
			return ctx.Err()
		}
	}
}

// set sets the watch. It does so before each list: another watch on the same znode may
// have replaced it (ZOOKEEPER-4466).
func (w *watching) set(ctx context.Context) (err error) {
	w.f, err = w.conn.Follow(ctx, w.cfg.Path)
	switch {
	case err == nil, client.Unanswered(err), ctx.Err() != nil:
		return err
	case errors.Is(err, client.ErrUnsupported):
		w.unsupported.Store(true)
		w.fellBack = model.FollowUnsupported
	default:
		w.fellBack = model.FollowRefused
	}
	return byReads{}
}

// missedOften notes that the watch missed changes, and reports whether that was
// missesMax times within missesWindow.
func (w *watching) missedOften(now time.Time) bool {
	old := func(t time.Time) bool { return now.Sub(t) > missesWindow }
	w.misses = append(slices.DeleteFunc(w.misses, old), now)
	return len(w.misses) >= missesMax
}

// fallBack stops to follow by the watch for [client.FollowAgainAfter].
func (w *watching) fallBack(ctx context.Context, why model.FollowReason) error {
	w.fellBack, w.retryAt = why, time.Now().Add(client.FollowAgainAfter)
	if err := w.f.Stop(ctx); client.Unanswered(err) {
		return err
	}
	return byReads{}
}

// report says how the children are followed, if that is news.
func (o *Observer) report(ctx context.Context, by model.FollowedBy, why model.FollowReason) {
	if o.reportedBy != by || o.reportedWhy != why {
		o.reportedBy, o.reportedWhy = by, why
		o.cfg.Put(ctx, &model.Follow{At: o.now(), By: by, Why: why})
	}
}

// list reads all children and hands them on.
func (w *watching) list(ctx context.Context, gap *bool) error {
	w.effort = effort{}
	r := &model.Read{Presence: model.Present, Gap: *gap, Sent: w.now()}
	names, stat, seen, err := w.f.Children(ctx)
	r.At = w.now()
	w.effort.trips++
	w.effort.asked(size(names))
	switch {
	case errors.Is(err, zk.ErrNoNode), errors.Is(err, zk.ErrNoAuth):
		return byReads{}
	case err != nil:
		return err
	case stat.EphemeralOwner != 0: // a leader's own znode
		return byReads{}
	}
	if err := w.listed(ctx, w.conn, r, names, stat); err != nil {
		return err
	}
	if *gap {
		w.awaitReported(ctx, w.conn.Status().Since)
	}
	w.parent = r.Parent
	w.cfg.Put(ctx, r)
	*gap = false
	changes, complete := w.f.Take()
	if !complete {
		return errReread
	}
	w.changes = nil
	for _, c := range changes {
		if c.N > seen {
			w.changes = append(w.changes, c)
		}
	}
	w.compared, w.due = time.Now(), false
	return w.hidden(ctx)
}

// hidden falls back where a child may not be read: servers withhold its events
// (since ZOOKEEPER-4799, CVE-2024-23944).
func (w *watching) hidden(ctx context.Context) error {
	if len(w.known.denied) > 0 {
		return w.fallBack(ctx, model.FollowHidden)
	}
	return nil
}

// follow hands on changes until something ends it.
func (w *watching) follow(ctx context.Context) error {
	for {
		for len(w.changes) > 0 {
			if err := w.apply(ctx, math.MaxUint64); err != nil {
				return err
			}
		}
		wait := checkIdle
		if w.due {
			wait = checkAfter
		}
		w.tick.Reset(max(0, wait-time.Since(w.compared)))
		select {
		case <-w.f.More():
			if err := w.take(); err != nil {
				return err
			}
		case <-w.tick.C:
			if err := w.compare(ctx); err != nil {
				return err
			}
		case <-w.f.Lost():
			return client.ErrNotConnected
		case r := <-w.refresh:
			if r.parent {
				if err := w.compare(ctx); err != nil {
					return err
				}
				continue
			}
			w.reread(ctx, w.conn, r)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (w *watching) take() error {
	changes, complete := w.f.Take()
	w.changes = append(w.changes, changes...)
	if !complete {
		return errReread
	}
	return nil
}

// compare compares the parent's stat with the changes. Servers send events before the
// replies that show what they tell of.
func (w *watching) compare(ctx context.Context) error {
	stat, seen, err := w.f.Exists(ctx)
	if err != nil {
		return err
	}
	if err := w.take(); err != nil {
		return err
	}
	if err := w.apply(ctx, seen); err != nil {
		return err
	}
	w.compared, w.due = time.Now(), false
	if stat == nil {
		return byReads{}
	}
	parent := client.Parent(stat)
	if parent.Czxid != w.parent.Czxid || parent.Cversion != w.parent.Cversion || parent.Children != w.parent.Children {
		return errReread
	}
	w.cfg.Put(ctx, &model.Delta{At: w.now(), Parent: &parent})
	return nil
}
