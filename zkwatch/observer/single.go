package observer

import (
	"context"
	"errors"
	"slices"

	"github.com/go-zookeeper/zk"

	"electop/model"
	"electop/model/dialect"
	"electop/model/znode"
	"electop/zkwatch/client"
)

// Some elections have no queue: the leader creates one ephemeral znode, and the
// others wait until it is deleted. There is nothing to list and nothing to count.
// The observer watches the znode's data while it exists and its creation while it
// does not. The latter watch can never be removed, so one is kept and used again.

// decide finds out what the path is: an ephemeral znode is an election by itself,
// any other is the parent of one. If nothing exists, the names beside it may show that
// a system has its leader there; otherwise it stays undecided.
func (o *Observer) decide(ctx context.Context, conn *client.Conn) error {
	exists, stat, err := conn.Exists(ctx, o.cfg.Path)
	o.effort.trips++
	o.effort.asked(0)
	switch {
	case errors.Is(err, zk.ErrNoAuth): // standard servers need no permission here; the list will decide
		return nil
	case err != nil:
		return err
	case exists:
		o.decided, o.single = true, stat.EphemeralOwner != 0
	case dialect.MaybeSingle(o.cfg.Path):
		return o.decideAbsent(ctx, conn)
	}
	return nil
}

// decideAbsent is decide for a path that does not exist.
func (o *Observer) decideAbsent(ctx context.Context, conn *client.Conn) error {
	dir := znode.Dir(o.cfg.Path)
	exists, stat, err := conn.Exists(ctx, dir)
	o.effort.trips++
	o.effort.asked(0)
	if err != nil || !exists || stat.NumChildren > model.NamesMax {
		return unlessDenied(err)
	}
	names, _, err := conn.Children(ctx, dir)
	o.effort.trips++
	o.effort.asked(size(names))
	o.single = dialect.Sure(o.cfg.Path) || slices.Contains(dialect.Vacant(dir, names), o.cfg.Path)
	o.decided = o.single
	return unlessDenied(err)
}

// unlessDenied is err, and nil for what a further read will decide.
func unlessDenied(err error) error {
	if errors.Is(err, zk.ErrNoAuth) || errors.Is(err, zk.ErrNoNode) {
		return nil
	}
	return err
}

// readSingle reads the leader's own znode, if there is one. It sets a watch
// unless there is one outstanding.
func (o *Observer) readSingle(ctx context.Context, conn *client.Conn, outstanding <-chan zk.Event) (r *model.Read, w <-chan zk.Event, err error) {
	r = &model.Read{Presence: model.Present, Single: true}
	var data []byte
	var stat *zk.Stat
	r.Sent = o.now()
	if outstanding == nil {
		data, stat, w, err = conn.GetW(ctx, o.cfg.Path)
	} else {
		data, stat, err = conn.Get(ctx, o.cfg.Path)
	}
	r.At = o.now()
	o.effort.trips++
	o.effort.asked(len(data))
	denied := errors.Is(err, zk.ErrNoAuth)
	if denied || errors.Is(err, zk.ErrNoNode) { // exists asks for no permission
		var exists bool
		o.effort.trips++
		o.effort.asked(0)
		if outstanding == nil {
			exists, stat, w, err = conn.ExistsW(ctx, o.cfg.Path)
		} else {
			exists, stat, err = conn.Exists(ctx, o.cfg.Path)
		}
		r.At = o.now()
		switch {
		case err != nil:
			return r, w, err
		case !exists:
			o.known.forget(0)
			return r, w, nil
		case !denied: // it was created just now, and w is a data watch
			if outstanding == nil {
				outstanding = w
			}
			r, _, err = o.readSingle(ctx, conn, outstanding)
			return r, w, err
		}
	}
	if err != nil {
		return r, w, err
	}
	if stat.EphemeralOwner == 0 {
		// It is a parent now. The data watch ends when that is deleted.
		o.single = false
		return o.read(ctx, conn, nil, false)
	}
	z := client.Znode(o.cfg.Path, stat, data)
	z.Data.Denied = denied
	r.New = []znode.Znode{z}
	if !o.known.has(z.Name) {
		o.known.forget(0)
		o.known.add(&z)
	}
	return r, w, nil
}

// child is the full path of what a read names.
func (o *Observer) child(name string) string {
	if o.single {
		return o.cfg.Path
	}
	return znode.Join(o.cfg.Path, name)
}
