package observer

import (
	"context"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"
	"golang.org/x/sync/errgroup"

	"electop/model"
	"electop/model/dialect"
	"electop/model/znode"
	"electop/zkwatch/client"
)

// apply hands on the changes up to the one of that number.
func (w *watching) apply(ctx context.Context, upTo uint64) error {
	n := 0
	for n < len(w.changes) && w.changes[n].N <= upTo {
		n++
	}
	znodes, err := w.readCreated(ctx, n)
	if err != nil {
		return err
	}
	batch := w.changes[:n]
	w.changes = w.changes[n:]
	for i := range batch {
		c := &batch[i]
		notified, heard := w.now.of(c.At), w.now.of(c.Heard)
		switch {
		case c.Below == "" && c.Kind == zk.EventNodeDeleted:
			return byReads{notified, heard}
		case c.Kind == zk.EventNodeDataChanged || !isChild(c.Below):
			err = w.other(ctx)
		case c.Kind == zk.EventNodeCreated:
			err = w.joined(ctx, c, znodes[i], notified, heard)
		case c.Kind == zk.EventNodeDeleted:
			err = w.left(ctx, c, notified, heard)
		}
		if err != nil {
			return err
		}
	}
	return w.hidden(ctx)
}

func isChild(below string) bool {
	for i := range len(below) {
		if below[i] == '/' {
			return false
		}
	}
	return below != ""
}

// readCreated reads the children that the first n changes created, and returns them by
// the index of the change. One that was deleted or replaced before it was read is Unread.
func (w *watching) readCreated(ctx context.Context, n int) (map[int]znode.Znode, error) {
	changes := w.changes[:n]
	var fresh []int
	for i := range changes {
		if changes[i].Kind == zk.EventNodeCreated && isChild(changes[i].Below) {
			fresh = append(fresh, i)
		}
	}
	if len(fresh) == 0 {
		return nil, nil
	}
	results := make(map[int]created, len(fresh))
	if len(fresh) == 1 { // of which most are
		z, seen, err := w.f.Child(ctx, changes[fresh[0]].Below)
		if err != nil {
			return nil, err
		}
		results[fresh[0]] = created{z, seen}
	} else if err := w.readMany(ctx, changes, fresh, results); err != nil {
		return nil, err
	}
	if err := w.take(); err != nil { // what came meanwhile
		return nil, err
	}
	znodes := make(map[int]znode.Znode)
	next := make(map[string]uint64) // the number of the next change of that child
	for i := len(w.changes) - 1; i >= 0; i-- {
		c := &w.changes[i]
		if c.Kind == zk.EventNodeDataChanged {
			continue
		}
		if r, ok := results[i]; ok {
			if later, ok := next[c.Below]; ok && later <= r.seen {
				r.znode = znode.Znode{Name: c.Below, Unread: true}
			}
			znodes[i] = r.znode
		}
		next[c.Below] = c.N
	}
	return znodes, nil
}

// A created is a child that was read after an event; seen is the number of the last event
// before the reply.
type created struct {
	znode znode.Znode
	seen  uint64
}

// readMany reads the children that those changes created, at most pipelined at a time.
func (w *watching) readMany(ctx context.Context, changes []client.Change, which []int, into map[int]created) error {
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(pipelined)
	var mu sync.Mutex
	for _, i := range which {
		reads.Go(func() error {
			z, seen, err := w.f.Child(ctx, changes[i].Below)
			mu.Lock()
			defer mu.Unlock()
			into[i] = created{z, seen}
			return err
		})
	}
	return reads.Wait()
}

func (w *watching) joined(ctx context.Context, c *client.Change, z znode.Znode, notified, heard time.Time) error {
	if w.known.has(c.Below) {
		return errReread
	}
	witnesses, err := w.witnessed(ctx, c.Below)
	if err != nil {
		return err
	}
	w.parent.Cversion++
	w.parent.Children++
	w.known.add(&z)
	w.due = true
	w.cfg.Put(ctx, &model.Delta{At: w.now(), Notified: notified, Heard: heard, New: &z, Witnesses: witnesses})
	return nil
}

// witnessed returns which znodes exist that show the system of a child of that name.
func (w *watching) witnessed(ctx context.Context, name string) ([]string, error) {
	if len(dialect.Witnesses(w.cfg.Path, []string{name})) == 0 {
		return w.witnesses, nil
	}
	return w.readWitnesses(ctx, w.conn, w.parent.Czxid, []string{name})
}

func (w *watching) left(ctx context.Context, c *client.Change, notified, heard time.Time) error {
	if !w.known.has(c.Below) {
		return errReread
	}
	w.due = true
	w.parent.Cversion++
	w.parent.Children--
	w.known.remove(c.Below)
	w.cfg.Put(ctx, &model.Delta{At: notified, Notified: notified, Heard: heard, Gone: c.Below})
	return nil
}

// other counts a change that is not of a child.
func (w *watching) other(ctx context.Context) error {
	if w.others.Add(1, time.Now()) && w.cfg.Follow != FollowWatch {
		return w.fallBack(ctx, model.FollowFlooded)
	}
	return nil
}
