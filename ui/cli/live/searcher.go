package live

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"electop/model/znode"
	"electop/ui/cli/cluster"
	"electop/ui/cli/search"
	"electop/ui/cli/task"
	list "electop/ui/elections"
	"electop/ui/plain"
	"electop/zkwatch/client"
)

// searcher searches for elections, each time over a connection of its own.
type searcher struct {
	tasks *task.Group
	conn  client.Config
	reach cluster.Reach
	mark  func() // the list changed

	walk atomic.Pointer[list.Walk]

	mu      sync.Mutex
	last    plain.Discovery
	next    time.Time          // when another search may begin; zero: one is under way, or none was
	listing context.CancelFunc // nil: the list is not on the screen
}

// running reports whether a search is under way.
func (s *searcher) running() bool {
	w := s.walk.Load()
	return w != nil && w.Running
}

// start searches below root unless a search is under way. It does not wait.
func (s *searcher) start(root string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.running() {
		s.begin(root)
	}
}

// begin is start for a caller that holds s.mu, while no search is under way.
func (s *searcher) begin(root string) {
	began, search := time.Now(), search.New(search.Below(root))
	if s.last.Root == root {
		search.Keep(s.last)
	}
	s.set(search.Discovery(), true, nil)
	s.tasks.Start("search for elections", func(ctx context.Context) error {
		search.Changed = func() { s.show(search.Discovery(), true, nil) }
		conn, err := cluster.Once(ctx, s.conn, s.reach)
		if err == nil {
			err = search.Run(ctx, conn)
			conn.Close()
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.ended(search.Discovery(), time.Since(began), err)
		return nil // the screen shows errors
	})
}

// ended shows the end of a search that took so long. The caller holds s.mu.
func (s *searcher) ended(d plain.Discovery, took time.Duration, err error) {
	s.next = time.Now().Add(search.Rest(took))
	s.set(d, false, err)
}

// listed says whether the list is on the screen: only then it is searched for again.
func (s *searcher) listed(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listing != nil {
		s.listing()
		s.listing = nil
	}
	if !on {
		return
	}
	ctx, cancel := context.WithCancel(s.tasks.Context())
	s.listing = cancel
	s.tasks.Start("search for elections again", func(context.Context) error {
		defer cancel()
		for {
			select {
			case <-time.After(s.again()):
			case <-ctx.Done():
				return nil
			}
		}
	})
}

// again begins another search if it is time, and returns how long to wait before that.
func (s *searcher) again() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next.IsZero() {
		return time.Second
	}
	if wait := time.Until(s.next); wait > 0 {
		return wait
	}
	s.begin(s.last.Root)
	return search.Rest(0)
}

// show shows a search.
func (s *searcher) show(d plain.Discovery, running bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set(d, running, err)
}

// found shows a search that has ended.
func (s *searcher) found(d plain.Discovery) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended(d, 0, nil)
}

// set sets what is shown of a search. The caller holds s.mu.
func (s *searcher) set(d plain.Discovery, running bool, err error) {
	if running {
		s.next = time.Time{}
	}
	s.last = d
	w := list.Walk{Discovery: d, Running: running, Next: s.next}
	if err != nil {
		w.Err = znode.Safe(err.Error(), 0)
	}
	s.walk.Store(&w)
	s.mark()
}
