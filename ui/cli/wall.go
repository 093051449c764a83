package cli

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"electop/model"
	"electop/model/doctor"
	"electop/model/history"
	"electop/ui"
	"electop/zkwatch/discover"
	"electop/zkwatch/feed"
)

// wall is what the dashboard sees: the elections watched, more of which can be
// opened while it runs, and the search for them. It implements [ui.Wall].
type wall struct {
	*watching
	o     *options
	tasks *tasks
	dirty chan struct{} // capacity 1

	opening sync.Mutex
	walking atomic.Bool
	walk    atomic.Pointer[ui.Walk]
}

func newWall(o *options, w *watching, t *tasks) *wall {
	return &wall{watching: w, o: o, tasks: t, dirty: make(chan struct{}, 1)}
}

// start runs what is watched and passes on its marks.
func (w *wall) start() {
	w.sharePast()
	w.watching.start(w.tasks)
	for _, e := range w.all() {
		w.forward(e)
	}
}

func (w *wall) forward(e *watched) {
	w.tasks.start("marks", func(ctx context.Context) error {
		for {
			select {
			case <-e.feed.Dirty():
				w.mark()
			case <-ctx.Done():
				return nil
			}
		}
	})
}

func (w *wall) mark() {
	select {
	case w.dirty <- struct{}{}:
	default:
	}
}

// State implements [ui.Source].
func (w *wall) State() *doctor.State { return w.first().feed.State() }

// Dirty implements [ui.Source].
func (w *wall) Dirty() <-chan struct{} { return w.dirty }

// States implements [ui.Wall].
func (w *wall) States() []*doctor.State {
	all := w.all()
	states := make([]*doctor.State, len(all))
	for i, e := range all {
		states[i] = e.feed.State()
	}
	return states
}

// Walk implements [ui.Wall].
func (w *wall) Walk() *ui.Walk { return w.walk.Load() }

// find returns the election watched at path, nil for none. "" is the first.
func (w *wall) find(path string) *watched {
	for i, e := range w.all() {
		if e.path == path || path == "" && i == 0 {
			return e
		}
	}
	return nil
}

// open watches one more election, with the session of the others.
func (w *wall) open(path string) error {
	w.opening.Lock()
	defer w.opening.Unlock()
	if w.find(path) != nil {
		return nil
	}
	if err := checkPath(path); err != nil {
		return err
	}
	if len(w.all()) >= pathsMax {
		return fmt.Errorf("%d elections are watched: that is the limit", pathsMax)
	}
	cfg := model.Config{Path: path, AckPath: path + "-leader", AckFollows: true}
	if w.o.ack == ackNone {
		cfg.AckPath, cfg.AckFollows = "", false
	}
	e := w.add(feed.Config{Election: cfg, Notice: w.notice, Keep: &history.TapeConfig{}})
	w.sharePast()
	w.run(w.tasks, e)
	w.forward(e)
	w.mark()
	return nil
}

// discover looks for elections below root, once at a time, with a connection
// of its own. It does not wait.
func (w *wall) discover(root string) {
	if !w.walking.CompareAndSwap(false, true) {
		return
	}
	w.show(ui.Walk{Root: root, Running: true})
	w.tasks.start("search for elections", func(ctx context.Context) error {
		defer w.walking.Store(false)
		s := newSearch(discover.Config{Root: root, Depth: walkDepth, Nodes: walkNodes, PerSecond: walkRate, Now: feed.Now})
		s.changed = func() { w.show(s.shown(true, nil)) }
		conn, err := connectOnce(ctx, w.conn, w.o.connectTimeout)
		if err == nil {
			err = s.run(ctx, conn)
			conn.Close()
		}
		if ctx.Err() == nil {
			w.show(s.shown(false, err))
		}
		return nil // what went wrong is on the screen
	})
}

func (w *wall) show(walk ui.Walk) {
	w.walk.Store(&walk)
	w.mark()
}
