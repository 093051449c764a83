package live

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"electop/ui"
	"electop/ui/cli/connect"
	"electop/ui/cli/search"
	"electop/ui/cli/task"
	"electop/ui/plain"
	"electop/zkwatch/client"
)

// reconnectPause is how long a search waits before it connects again.
const reconnectPause = 5 * time.Second

// searcher searches for elections, and keeps the list of them up to date until the
// dashboard ends or another search begins. It has a connection of its own.
type searcher struct {
	tasks    *task.Group
	conn     client.Config
	reach    connect.Reach
	searches bool   // keep up by searches, without a watch
	mark     func() // the list changed

	walk atomic.Pointer[ui.Walk]

	mu      sync.Mutex
	present *search.Search // the one that is shown
	last    plain.Discovery
	end     context.CancelFunc
}

// running reports whether a search is under way.
func (s *searcher) running() bool {
	w := s.walk.Load()
	return w != nil && w.Running
}

// start searches below root, in place of the search before. It does not wait.
func (s *searcher) start(root string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running() {
		return
	}
	if s.end != nil {
		s.end()
	}
	present := search.New(search.Below(root))
	if s.last.Root == root {
		present.Keep(s.last)
	}
	ctx, end := context.WithCancel(s.tasks.Context())
	s.present, s.end = present, end
	s.set(present.Discovery(), search.Followed{}, true, nil)
	s.tasks.Start("search for elections", func(context.Context) error {
		defer end()
		s.search(ctx, present)
		return nil // the screen shows errors
	})
}

// search searches and follows until ctx ends, or until the first search failed.
func (s *searcher) search(ctx context.Context, present *search.Search) {
	followed := false
	present.Changed = func() {
		followed = followed || present.Followed().By != ""
		s.show(present, present.Walking(), nil)
	}
	for {
		conn, err := connect.Once(ctx, s.conn, s.reach)
		if err == nil {
			err = present.Follow(ctx, conn, s.searches)
			conn.Close()
		}
		if ctx.Err() != nil {
			return
		}
		s.show(present, false, err)
		if !followed {
			return
		}
		select {
		case <-time.After(reconnectPause):
		case <-ctx.Done():
			return
		}
	}
}

// show shows a search unless another one has taken its place.
func (s *searcher) show(of *search.Search, running bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.present == of {
		s.set(of.Discovery(), of.Followed(), running, err)
	}
}

// found shows a search that has ended.
func (s *searcher) found(d plain.Discovery) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set(d, search.Followed{}, false, nil)
}

// set sets what is shown of a search. The caller holds s.mu.
func (s *searcher) set(d plain.Discovery, f search.Followed, running bool, err error) {
	s.last = d
	w := walk(d, running, err)
	w.By, w.Why, w.Next = f.By, f.Why, f.Next
	s.walk.Store(&w)
	s.mark()
}
