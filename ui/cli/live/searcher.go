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

// restAfter is how long a list of elections that nobody looks at is kept up to date.
const restAfter = time.Minute

// searcher searches for elections, and keeps the list of them up to date until nobody
// looks at it, or another search begins. It has a connection of its own.
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
	waiting context.CancelFunc // the wait before it rests; nil: somebody looks at the list
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
	if !s.running() {
		s.begin(root)
	}
}

// begin is start for a caller that holds s.mu, while no search is under way.
func (s *searcher) begin(root string) {
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

// listed says whether somebody looks at the list.
func (s *searcher) listed(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting != nil {
		s.waiting()
		s.waiting = nil
	}
	if on {
		if s.end == nil && s.last.Root != "" { // it rests
			s.begin(s.last.Root)
		}
		return
	}
	ctx, cancel := context.WithCancel(s.tasks.Context())
	s.waiting = cancel
	s.tasks.Start("rest from searching", func(context.Context) error {
		defer cancel()
		tick := time.NewTicker(restAfter)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if s.rest(ctx) {
					return nil
				}
			case <-ctx.Done():
				return nil
			}
		}
	})
}

// rest ends the search unless ctx has ended, or it has not found everything yet. It
// reports whether there is nothing left to end.
func (s *searcher) rest(ctx context.Context) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil || s.end == nil {
		return true
	}
	if s.running() {
		return false
	}
	s.end()
	s.present, s.end = nil, nil
	s.set(s.last, search.Followed{}, false, nil)
	return true
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
