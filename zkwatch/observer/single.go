package observer

import (
	"context"
	"errors"

	"github.com/go-zookeeper/zk"

	"electop/model"
	"electop/model/dialect"
	"electop/model/znode"
)

// Some elections have no queue: the leader creates one ephemeral znode, and the
// others wait until it is deleted. There is nothing to list and nothing to count.
// The observer watches the znode's data while it exists and its creation while it
// does not.

// decide finds out what the path is: an ephemeral znode is an election by itself,
// any other is the parent of one. If nothing exists, the names beside it may show that
// a system has its leader there; otherwise it stays undecided.
func (r *reader) decide(ctx context.Context) error {
	exists, stat, err := r.conn.Exists(ctx, r.cfg.Path)
	r.effort.trip(0)
	switch {
	case errors.Is(err, zk.ErrNoAuth): // standard servers need no permission here; the list will decide
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

// decideAbsent decides for a path that does not exist.
func (r *reader) decideAbsent(ctx context.Context) error {
	dir := znode.Dir(r.cfg.Path)
	exists, stat, err := r.conn.Exists(ctx, dir)
	r.effort.trip(0)
	if err != nil || !exists || stat.NumChildren > model.NamesMax {
		return unlessDenied(err)
	}
	names, _, err := r.conn.Children(ctx, dir)
	r.effort.trip(size(names))
	d := dialect.Recognise(dialect.Evidence{Path: r.cfg.Path, Siblings: append([]string{}, names...)})
	r.single = d != nil && d.Single
	r.decided = r.single
	return unlessDenied(err)
}

// unlessDenied returns err, or nil if a further read will decide.
func unlessDenied(err error) error {
	if errors.Is(err, zk.ErrNoAuth) || errors.Is(err, zk.ErrNoNode) {
		return nil
	}
	return err
}

// readSingle reads the leader's own znode, if there is one.
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
	case z.Session == 0: // it is a parent now
		r.single = false
		return nil, errReread
	default:
		read.New = []znode.Znode{z}
	}
	r.known.forget(0)
	return read, nil
}
