package observer

import (
	"context"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model"
	"electop/model/dialect"
	"electop/model/znode"
	"electop/zkwatch/client"
)

// apply hands on the changes up to the one of that number.
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
			r.notified, r.heard = r.now.of(c.At), r.now.of(c.Heard)
			return errReread
		case !r.persistent: // a watch that a server has still
		case c.Kind == zk.EventNodeDataChanged || !isChild(c.Below):
			err = r.other(ctx)
		default:
			err = r.child(ctx, c, znodes[i])
		}
		if err != nil {
			return err
		}
	}
	if r.persistent && r.known.denied > 0 {
		// Servers withhold the events of a child that may not be read (since
		// ZOOKEEPER-4799, CVE-2024-23944).
		return r.fallBack(ctx, model.FollowHidden)
	}
	return nil
}

func isChild(below string) bool { return below != "" && !strings.Contains(below, "/") }

// readCreated reads the children that the first n changes created, and returns them by
// the index of the change. One that was deleted or replaced before it was read is Unread.
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
	results, err := r.readMany(ctx, names)
	if err != nil {
		return nil, err
	}
	if err := r.take(); err != nil { // what came meanwhile
		return nil, err
	}
	znodes := make(map[int]*znode.Znode, len(at))
	next := make(map[string]uint64) // the number of the next change of that child
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

// child hands on the creation or deletion of a child; z is the child that was created.
func (r *reader) child(ctx context.Context, c *client.Change, z *znode.Znode) (err error) {
	created := c.Kind == zk.EventNodeCreated
	if r.known.has(c.Below) == created {
		return errMissed
	}
	d := &model.Delta{Notified: r.now.of(c.At), Heard: r.now.of(c.Heard)}
	r.due = true
	r.parent.Cversion++
	if !created {
		r.parent.Children--
		r.known.remove(c.Below)
		d.At, d.Gone = d.Notified, c.Below
		r.cfg.Put(ctx, d)
		return nil
	}
	d.Witnesses = r.witnesses
	if len(dialect.Witnesses(r.cfg.Path, []string{c.Below})) > 0 {
		if d.Witnesses, err = r.readWitnesses(ctx, r.parent.Czxid, []string{c.Below}); err != nil {
			return err
		}
	}
	r.parent.Children++
	r.known.add(z)
	d.At, d.New = r.now(), z
	r.cfg.Put(ctx, d)
	return nil
}

// A recursive watch brings every change below its path. More than floodMax in floodWindow
// that nobody wants cost more than reading does.
const (
	floodWindow = 10 * time.Second
	floodMax    = 2_000
)

// other counts a change that is not of a child.
func (r *reader) other(ctx context.Context) error {
	if now := time.Now(); now.Sub(r.othersSince) > floodWindow {
		r.others, r.othersSince = 0, now
	}
	if r.others++; r.others > floodMax {
		return r.fallBack(ctx, model.FollowFlooded)
	}
	return nil
}
