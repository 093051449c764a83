package feed

import (
	"context"

	"electop/model"
)

// Put queues an observation. It does not wait, so a slow reader of events never
// costs a candidate its lease.
func (f *Feed) Put(o model.Observation) {
	f.qmu.Lock()
	f.queue = append(f.queue, o)
	f.qmu.Unlock()
	mark(f.more)
}

// backlog is how many observations an observer may be ahead of the reader of
// its events. Past that [Feed.PutSlowly] waits: it then reads less often, and
// what it does not see is counted as missed instead of filling the memory.
const backlog = 4096

// PutSlowly is Put for an observer of a cluster.
func (f *Feed) PutSlowly(ctx context.Context, o model.Observation) {
	for {
		f.qmu.Lock()
		if len(f.queue) < backlog {
			f.queue = append(f.queue, o)
			f.qmu.Unlock()
			mark(f.more)
			return
		}
		if f.less == nil {
			f.less = make(chan struct{})
		}
		less := f.less
		f.qmu.Unlock()
		select {
		case <-less:
		case <-ctx.Done():
			return
		}
	}
}
