package observer

import (
	"context"
	"errors"
	"slices"

	"github.com/go-zookeeper/zk"
	"golang.org/x/sync/errgroup"

	"electop/model"
	"electop/model/dialect"
	"electop/model/znode"
	"electop/zkwatch/client"
)

// pipelined is how many reads of new children are in flight at once.
const pipelined = 64

// readNew reads children, at most pipelined of them at a time. One that no longer
// exists is Unread; one whose data is forbidden has its stat only.
func (o *Observer) readNew(ctx context.Context, conn *client.Conn, names []string) ([]znode.Znode, error) {
	znodes := make([]znode.Znode, len(names))
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(pipelined)
	for i, name := range names {
		reads.Go(func() (err error) {
			znodes[i], err = o.readOne(ctx, conn, name)
			return err
		})
	}
	return znodes, reads.Wait()
}

// readWitnesses returns which znodes exist that show the system of
// children with these names. It asks until they are found.
func (o *Observer) readWitnesses(ctx context.Context, conn *client.Conn, parent int64, names []string) ([]string, error) {
	if o.witnessesOf != parent {
		o.witnesses, o.witnessesOf = nil, parent
	}
	for _, path := range dialect.Witnesses(o.cfg.Path, names) {
		if slices.Contains(o.witnesses, path) {
			continue
		}
		exists, _, err := conn.Exists(ctx, path)
		o.effort.trips++
		o.effort.asked(0)
		switch {
		case errors.Is(err, zk.ErrNoAuth): // not known to exist
		case err != nil:
			return nil, err
		case exists:
			o.witnesses = append(slices.Clone(o.witnesses), path)
		}
	}
	return o.witnesses, nil
}

func (o *Observer) readOne(ctx context.Context, conn *client.Conn, name string) (znode.Znode, error) {
	return conn.ReadZnode(ctx, o.child(name), name, func(send func() error) error { return send() })
}

// rereading asks for a known child's data to be read again; parent: for the parent's stat
// instead.
type rereading struct {
	name   string
	parent bool
}

// reread reads a known child's data again.
func (o *Observer) reread(ctx context.Context, conn *client.Conn, r rereading) {
	if o.single {
		r.name = o.cfg.Path
	}
	if !o.known.has(r.name) {
		return
	}
	z, err := o.readOne(ctx, conn, r.name)
	if err != nil || z.Unread {
		return
	}
	o.cfg.Put(ctx, &model.Refresh{At: o.now(), Znode: z})
}
