package dashboard

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"electop/model/doctor"
	"electop/model/history"
	"electop/model/znode"
	"electop/ui/cli/cluster"
	"electop/ui/cli/election"
	"electop/ui/cli/process"
	list "electop/ui/elections"
	"electop/ui/plain"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
)

// elections implements [ui.MultiSource] and travel.Past, and opens elections that a search found.
type elections struct {
	watched *election.Elections
	tasks   *process.Tasks
	dirty   chan struct{} // capacity 1

	opening  sync.Mutex
	searcher searcher
}

func (e *elections) start() {
	e.sharePast()
	e.watched.Start(e.tasks)
	for _, one := range e.watched.All() {
		e.forward(one)
	}
}

func (e *elections) forward(one *election.Election) {
	e.tasks.Start("marks", func(ctx context.Context) error {
		for {
			select {
			case <-one.Feed.Dirty():
				e.mark()
			case <-ctx.Done():
				return nil
			}
		}
	})
}

func (e *elections) mark() {
	select {
	case e.dirty <- struct{}{}:
	default:
	}
}

func (e *elections) State() *doctor.State { return e.watched.First().Feed.State() }

func (e *elections) Dirty() <-chan struct{} { return e.dirty }

func (e *elections) States() []*doctor.State {
	all := e.watched.All()
	states := make([]*doctor.State, len(all))
	for i, one := range all {
		states[i] = one.Feed.State()
	}
	return states
}

func (e *elections) Search() *list.Search { return e.searcher.shown.Load() }

func (e *elections) find(path string) *election.Election {
	for i, one := range e.watched.All() {
		if one.Path == path || path == "" && i == 0 {
			return one
		}
	}
	return nil
}

func (e *elections) open(path string) error {
	path, err := election.CheckPath(path)
	if err != nil {
		return err
	}
	e.opening.Lock()
	defer e.opening.Unlock()
	if e.find(path) != nil {
		return nil
	}
	if len(e.watched.All()) >= election.Max {
		return fmt.Errorf("%d elections are watched, which is the limit", election.Max)
	}
	cfg := election.Followed(path)
	cfg.Found = true
	one := e.watched.Add(e.tasks, feed.Config{Election: cfg, Keep: true})
	e.sharePast()
	e.forward(one)
	e.mark()
	return nil
}

func (e *elections) sharePast() {
	all := e.watched.All()
	for i, one := range all {
		share := history.DefaultMax / min(len(all), 2)
		if i > 0 {
			share /= len(all) - 1
		}
		one.Feed.Keep(share)
	}
}

func (e *elections) Seek(path string, n uint64, m history.Move) (history.Moment, bool) {
	one := e.find(path)
	if one == nil {
		return history.Moment{}, false
	}
	return one.Feed.Seek(n, m)
}

type searcher struct {
	tasks *process.Tasks
	conn  client.Config
	reach cluster.Reach
	mark  func() // called when shown has changed

	shown atomic.Pointer[list.Search]

	mu      sync.Mutex
	last    plain.Discovery
	next    time.Time          // when the next search may begin; zero during a search and before the first one
	listing context.CancelFunc // stops repeated searches; nil: none
}

func (s *searcher) running() bool {
	w := s.shown.Load()
	return w != nil && w.Running
}

func (s *searcher) start(root string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.running() {
		s.begin(root)
	}
}

// begin requires that the caller holds s.mu, and that no search is running.
func (s *searcher) begin(root string) {
	began, search := time.Now(), election.NewSearch(election.Below(root))
	if s.last.Root == root {
		search.Keep(s.last)
	}
	s.set(search.Discovery(), true, nil)
	s.tasks.Start("search for elections", func(ctx context.Context) error {
		search.Changed = func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.set(search.Discovery(), true, nil)
		}
		_, err := search.Over(ctx, s.conn, s.reach)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.ended(search.Discovery(), time.Since(began), err)
		return nil // the screen shows errors
	})
}

func (s *searcher) ended(d plain.Discovery, took time.Duration, err error) {
	s.next = time.Now().Add(election.Pause(took))
	s.set(d, false, err)
}

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
		for process.Sleep(ctx, s.repeat()) == nil {
		}
		return nil
	})
}

func (s *searcher) repeat() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next.IsZero() {
		return time.Second
	}
	if wait := time.Until(s.next); wait > 0 {
		return wait
	}
	s.begin(s.last.Root)
	return election.Pause(0)
}

func (s *searcher) found(d plain.Discovery) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended(d, 0, nil)
}

// set requires that the caller holds s.mu.
func (s *searcher) set(d plain.Discovery, running bool, err error) {
	if running {
		s.next = time.Time{}
	}
	s.last = d
	w := list.Search{Discovery: d, Running: running, Next: s.next}
	if err != nil {
		w.Err = znode.Safe(err.Error(), 0)
	}
	s.shown.Store(&w)
	s.mark()
}
