package check

import (
	"slices"
	"sync/atomic"
	"time"

	"electop/zkwatch/wire"
)

var gap = Check{
	Name:   "gap",
	Title:  "a predecessor that disappears between getChildren and exists is noticed",
	Source: "recipe Leader Election, step 3: exists can report that the znode is gone; then read the children again",
	do: func(w *world) {
		leader := w.start(1)
		in := w.add()
		var deleted atomic.Pointer[time.Time]
		in.onRequest = func(m *message) {
			if m.path == leader.path && m.watch && (m.op == wire.OpExists || m.op == wire.OpGetData) && deleted.Load() == nil {
				leader.of.kill()
				_ = w.server.ExpireSession(leader.Owner)
				now := time.Now()
				deleted.Store(&now)
			}
		}
		w.join(in, joinLimit)
		if !w.await(grace, func() bool { return deleted.Load() != nil }) {
			w.unknown("%s set no watch on its predecessor", in.id)
		}
		noticed := func() bool {
			return in.leads() || w.p.Leading == nil && slices.ContainsFunc(in.messages(*deleted.Load()), func(m message) bool {
				return slices.Contains([]wire.Op{wire.OpGetChildren, wire.OpGetChildren2, wire.OpCreate, wire.OpCreate2}, m.op)
			})
		}
		if !w.await(grace, noticed) {
			w.fail("%s waits for a znode that was deleted before the watch was set", in.id)
		}
		w.needLeading()
	},
}
