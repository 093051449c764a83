package live

import (
	"context"
	"fmt"
	"sync"

	"electop/model/doctor"
	"electop/ui/cli/task"
	"electop/ui/cli/watch"
	list "electop/ui/elections"
	"electop/zkwatch/feed"
)

// elections are the watched elections for the dashboard. The user can search for more
// and open them. They implement [ui.Wall].
type elections struct {
	watched *watch.Elections
	tasks   *task.Group
	cfg     Config
	dirty   chan struct{} // capacity 1

	opening  sync.Mutex
	searcher searcher
}

// start runs the elections and forwards their changes.
func (e *elections) start() {
	e.sharePast()
	e.watched.Start(e.tasks)
	for _, one := range e.watched.All() {
		e.forward(one)
	}
}

// forward passes on the changes of one election.
func (e *elections) forward(one *watch.Election) {
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

// State implements [ui.Source].
func (e *elections) State() *doctor.State { return e.watched.First().Feed.State() }

// Dirty implements [ui.Source].
func (e *elections) Dirty() <-chan struct{} { return e.dirty }

// States implements [ui.Wall].
func (e *elections) States() []*doctor.State {
	all := e.watched.All()
	states := make([]*doctor.State, len(all))
	for i, one := range all {
		states[i] = one.Feed.State()
	}
	return states
}

// Walk implements [ui.Wall].
func (e *elections) Walk() *list.Walk { return e.searcher.walk.Load() }

// find returns the election watched at path, nil for none. "" is the first.
func (e *elections) find(path string) *watch.Election {
	for i, one := range e.watched.All() {
		if one.Path == path || path == "" && i == 0 {
			return one
		}
	}
	return nil
}

// full reports whether no more elections can be opened.
func (e *elections) full() bool { return len(e.watched.All()) >= watch.Max }

// open watches one more election.
func (e *elections) open(path string) error {
	path, err := watch.CheckPath(path)
	if err != nil {
		return err
	}
	e.opening.Lock()
	defer e.opening.Unlock()
	if e.find(path) != nil {
		return nil
	}
	if e.full() {
		return errFull
	}
	cfg := watch.Followed(path)
	cfg.Found = true // the list is of a search
	one := e.watched.Add(e.tasks, feed.Config{Election: cfg, Keep: true})
	e.sharePast()
	e.forward(one)
	e.mark()
	return nil
}

var errFull = fmt.Errorf("%d elections are watched, which is the limit", watch.Max)
