package feed

import (
	"context"
	"time"

	"electop/model"
)

// Put queues an observation. It does not wait, so a slow reader of events never
// costs a candidate its lease.
func (f *Feed) Put(o model.Observation) {
	f.qmu.Lock()
	f.enqueue(o)
	f.qmu.Unlock()
	mark(f.more)
}

// enqueue adds an observation. The caller holds f.qmu.
func (f *Feed) enqueue(o model.Observation) {
	f.queue = append(f.queue, o)
	if f.since.IsZero() {
		f.since = time.Now()
	}
}

// Behind returns for how long observations have waited to be applied, 0 while none
// waits. A feed is behind if the reader of its events is slow.
func (f *Feed) Behind() time.Duration {
	f.qmu.Lock()
	defer f.qmu.Unlock()
	if f.since.IsZero() {
		return 0
	}
	return time.Since(f.since)
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
			f.enqueue(o)
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
