package observer

import (
	"context"
	"sync"

	"electop/model"
	"electop/model/znode"
	"electop/zkwatch/client"
)

// pipelined is how many reads of new children are in flight at once.
const pipelined = 64

// readNew reads children, at most pipelined of them at a time. One that no longer
// exists is Unread; one whose data is forbidden has its stat only.
func (o *Observer) readNew(ctx context.Context, conn *client.Conn, names []string) ([]znode.Znode, error) {
	if len(names) == 0 {
		return nil, nil
	}
	znodes := make([]znode.Znode, len(names))
	if len(names) == 1 {
		var err error
		znodes[0], err = o.readOne(ctx, conn, names[0])
		return znodes, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(pipelined, len(names)) {
		wg.Go(func() {
			for i := range next {
				z, err := o.readOne(ctx, conn, names[i])
				if err != nil {
					cancel(err)
					return
				}
				znodes[i] = z
			}
		})
	}
feeding:
	for i := range names {
		select {
		case next <- i:
		case <-ctx.Done():
			break feeding
		}
	}
	close(next)
	wg.Wait()
	return znodes, context.Cause(ctx)
}

func (o *Observer) readOne(ctx context.Context, conn *client.Conn, name string) (znode.Znode, error) {
	return conn.ReadZnode(ctx, o.child(name), name, func(send func() error) error { return send() })
}

// reread reads a known child's data again, for [Observer.Refresh].
func (o *Observer) reread(ctx context.Context, conn *client.Conn, name string) {
	if o.single {
		name = o.cfg.Path
	}
	if _, ok := o.known[name]; !ok {
		return
	}
	if z, err := o.readOne(ctx, conn, name); err == nil && !z.Unread {
		o.cfg.Put(ctx, &model.Refresh{At: o.cfg.Now(), Znode: z})
	}
}
