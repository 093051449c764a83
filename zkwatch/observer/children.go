package observer

import (
	"context"
	"errors"
	"slices"

	"github.com/go-zookeeper/zk"
	"golang.org/x/sync/errgroup"

	"electop/model/dialect"
	"electop/model/znode"
)

// known has the children of an election that were handed on.
type known struct {
	parent   int64 // czxid of their parent; 0: nothing is known
	children map[string]child
	denied   int // how many may not be read
	lists    uint64
}

type child struct {
	list   uint64 // the number of the list that had it last; 0: unread
	denied bool
}

func (k *known) has(name string) bool {
	_, ok := k.children[name]
	return ok
}

// forget forgets all children; those to come have a parent of that czxid.
func (k *known) forget(parent int64) {
	k.parent, k.denied, k.children = parent, 0, make(map[string]child)
}

// list takes a list of names, and returns those that are not known under this parent.
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

// gone removes and returns the children that the last list did not have.
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
	if z.Unread { // a later list can only have another child of that name
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

// A readChild is a child that was read; seen is the number of the last event before the
// reply.
type readChild struct {
	znode znode.Znode
	seen  uint64
}

// pipelined bounds the reads of new children that are in flight at the same time.
const pipelined = 64

// readMany reads children, at most pipelined of them at a time. One that no longer
// exists is Unread; one whose data is forbidden has its stat only.
func (r *reader) readMany(ctx context.Context, names []string) ([]readChild, error) {
	out := make([]readChild, len(names))
	if len(names) == 1 { // usually
		var err error
		out[0].znode, out[0].seen, err = r.f.Child(ctx, names[0])
		return out, err
	}
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(pipelined)
	for i, name := range names {
		reads.Go(func() (err error) {
			out[i].znode, out[i].seen, err = r.f.Child(ctx, name)
			return err
		})
	}
	return out, reads.Wait()
}

// readWitnesses returns which znodes exist that show the system of
// children with these names. It asks until they are found.
func (r *reader) readWitnesses(ctx context.Context, parent int64, names []string) ([]string, error) {
	if r.witnessesOf != parent {
		r.witnesses, r.witnessesOf = nil, parent
	}
	for _, path := range dialect.Witnesses(r.cfg.Path, names) {
		if slices.Contains(r.witnesses, path) {
			continue
		}
		exists, _, err := r.conn.Exists(ctx, path)
		r.effort.trip(0)
		switch {
		case errors.Is(err, zk.ErrNoAuth): // not known to exist
		case err != nil:
			return nil, err
		case exists:
			r.witnesses = append(slices.Clone(r.witnesses), path)
		}
	}
	return r.witnesses, nil
}

// size returns the length of a reply with these names.
func size(names []string) (bytes int) {
	for _, name := range names {
		bytes += len(name) + 4
	}
	return bytes
}
