package observer

import (
	"context"
	"errors"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model"
	"electop/zkwatch/client"
)

// watchChildren reads the children whenever they change, for one session.
func (o *Observer) watchChildren(ctx context.Context, conn *client.Conn, gap bool) {
	var (
		watch    <-chan zk.Event // outstanding; nil: none
		onParent bool            // it waits for the parent's creation
		notified time.Time       // when the last notification came
		heard    time.Time       // when the last request answered before it was sent
		denied   = deniedPause
		failed   = minSpacing // the pause after a read that failed
	)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	statuses := conn.Subscribe(ctx)
	for {
		if !conn.AwaitConnected(ctx) {
			return
		}
		// Spacing uses the monotonic clock: somebody may set the other.
		began, since := time.Now(), conn.Status().Since
		var read *model.Read
		var w <-chan zk.Event
		var err error
		o.reconsider(began)
		if o.mayFollow() {
			err = o.followByWatch(ctx, conn, &gap)
			var reads byReads
			if errors.As(err, &reads) {
				notified, heard, err = reads.notified, reads.heard, nil
			}
			began, since = time.Now(), conn.Status().Since
		}
		if err == nil {
			read, w, err = o.read(ctx, conn, watch, onParent)
		}
		ended := time.Now()
		if w != nil {
			watch, onParent = w, read.Presence == model.Absent
		}
		switch {
		case err == nil:
			if gap {
				o.awaitReported(ctx, conn.Status().Since)
			}
			read.Notified, read.Heard, read.Gap = notified, heard, gap
			notified, heard, gap, failed = time.Time{}, time.Time{}, false, minSpacing
			o.cfg.Put(ctx, read)
			if o.fellBack != "" && !o.single {
				o.report(ctx, model.ByReads, o.fellBack)
			}
		case ctx.Err() != nil:
			return
		case errors.Is(err, client.ErrReplyTooLarge): // the next connection has a larger limit
			o.tooLarge = true
			return
		default: // the connection was lost meanwhile: retry when it is back
			gap = true
			if !pause(ctx, failed) {
				return
			}
			if !client.Unanswered(err) { // the next answer may be the same
				failed = min(2*failed, failedMax)
			}
			continue
		}
		if read.Presence == model.Denied {
			if !pause(ctx, denied) {
				return
			}
			denied = min(2*denied, deniedPauseMax)
			continue
		}
		denied = deniedPause

		// Wait for the next reason to read.
	wait:
		for !o.mayFollow() || read.Presence == model.Absent {
			select {
			case event := <-watch:
				watch = nil
				notified, heard = o.now.notified(conn, o.cfg.Path, event, since)
				break wait
			case st, ok := <-statuses:
				if !ok {
					return
				}
				// The watch that the library sets again reports what changed while
				// disconnected. The gap itself is reported once.
				if st.State == client.Disconnected && !(read.Gap && st.Since.Before(began)) {
					gap = true
				}
				if st.State == client.Connected && gap {
					break wait
				}
			case r := <-o.refresh:
				o.reread(ctx, conn, r)
			case <-ctx.Done():
				return
			}
		}
		if !pause(ctx, o.effort.spacing(ended.Sub(began), conn.Status().Distance)-time.Since(ended)) {
			return
		}
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

// read lists the children and reads those that are new. It watches for the
// next change unless a watch is still outstanding: a second one could never be
// removed. w is the new watch, nil if none was set; it can be set even if the read
// fails later.
func (o *Observer) read(ctx context.Context, conn *client.Conn, outstanding <-chan zk.Event, onParent bool) (r *model.Read, w <-chan zk.Event, err error) {
	o.effort = effort{}
	if !o.decided {
		if err := o.decide(ctx, conn); err != nil {
			return nil, nil, err
		}
	}
	if o.single {
		return o.readSingle(ctx, conn, outstanding)
	}
	r = &model.Read{Presence: model.Present}
	var names []string
	var stat *zk.Stat
	r.Sent = o.now()
	if outstanding == nil || onParent {
		names, stat, w, err = conn.ChildrenW(ctx, o.cfg.Path)
	} else {
		names, stat, err = conn.Children(ctx, o.cfg.Path)
	}
	r.At = o.now()
	o.effort.trips++
	o.effort.asked(size(names))
	switch {
	case errors.Is(err, zk.ErrNoNode):
		return o.absent(ctx, conn, r, outstanding, onParent)
	case errors.Is(err, zk.ErrNoAuth):
		r.Presence = model.Denied
		return r, nil, nil
	case err != nil:
		return r, w, err
	case stat.EphemeralOwner != 0: // it was created just now: a leader's own znode
		o.decided, o.single = true, true
		return o.readSingle(ctx, conn, nil)
	}
	return r, w, o.listed(ctx, conn, r, names, stat)
}

// listed completes a read by the list of the children: it reads those that are new.
func (o *Observer) listed(ctx context.Context, conn *client.Conn, r *model.Read, names []string, stat *zk.Stat) error {
	r.Parent = client.Parent(stat)
	r.Full = o.known.parent != stat.Czxid
	fresh := o.known.list(stat.Czxid, names)
	znodes, err := o.readNew(ctx, conn, fresh)
	if err != nil {
		return err
	}
	if r.Witnesses, err = o.readWitnesses(ctx, conn, stat.Czxid, fresh); err != nil {
		return err
	}
	o.effort.trips += (len(fresh) + pipelined - 1) / pipelined
	for i := range znodes {
		o.effort.asked(znodes[i].Data.Length)
	}

	// From here on nothing fails: what is reported is what is known.
	if r.Full {
		o.known.forget(stat.Czxid)
	}
	r.Gone = o.known.gone()
	for i := range znodes {
		o.known.add(&znodes[i])
	}
	r.New = znodes
	if len(znodes) > 0 {
		r.End = o.now()
	}
	return nil
}

// size is how long a reply with these names is.
func size(names []string) (bytes int) {
	for _, name := range names {
		bytes += len(name) + 4
	}
	return bytes
}

// absent watches for the creation of a parent that is not there.
func (o *Observer) absent(ctx context.Context, conn *client.Conn, r *model.Read, outstanding <-chan zk.Event, onParent bool) (*model.Read, <-chan zk.Event, error) {
	r.Presence = model.Absent
	o.known.forget(0)
	o.decided = false
	if outstanding != nil { // it is on the children, and has fired or will
		return r, nil, nil
	}
	o.effort.trips++
	o.effort.asked(0)
	exists, _, w, err := conn.ExistsW(ctx, o.cfg.Path)
	switch {
	case err != nil:
		return r, nil, err
	case exists:
		// It was created just now: read again at once. The watch that was set is a
		// data watch now, which ends when the parent is deleted.
		return r, fired(), nil
	}
	return r, w, nil
}

// fired returns a watch that has fired.
func fired() <-chan zk.Event {
	c := make(chan zk.Event)
	close(c)
	return c
}
