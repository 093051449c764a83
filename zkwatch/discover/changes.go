package discover

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model"
	"electop/model/dialect"
	"electop/model/znode"
	"electop/zkwatch/client"
)

const (
	// settle is how long the first change of a directory waits for others: a candidate
	// and its acknowledgement come one after the other.
	settle = 100 * time.Millisecond
	// A directory is looked at again after lookFactor times what the last look took,
	// and after quietMin at the earliest. If it is no election the pause doubles each
	// time, up to quietMax: a queue of work changes all the time.
	lookFactor = 20
	quietMin   = 250 * time.Millisecond
	quietMax   = 30 * time.Second
	// maxPlaces bounds the directories that changed; after more of them everything is
	// searched.
	maxPlaces = 1_000
)

var (
	errSearch  = errors.New("search everything again")
	errFlooded = errors.New("too many other writes")
)

// places are the znodes that have to be looked at again.
type places map[string]*place

type place struct {
	due   time.Time     // zero: nothing changed
	until time.Time     // the end of the pause after the last look
	pause time.Duration // after the last look
}

// mark says that something changed at path.
func (p places) mark(path string, now time.Time) {
	at := p[path]
	if at == nil {
		at = &place{}
		p[path] = at
	}
	if at.due.IsZero() {
		at.due = now.Add(settle)
		if at.due.Before(at.until) {
			at.due = at.until
		}
	}
}

// next returns the place that is due first, "" if none is.
func (p places) next() (path string, due time.Time) {
	for q, at := range p {
		if !at.due.IsZero() && (path == "" || at.due.Before(due)) {
			path, due = q, at.due
		}
	}
	return path, due
}

// looked starts the pause after a look that took so long.
func (p places) looked(path string, election bool, took time.Duration, now time.Time) {
	at := p[path]
	at.due = time.Time{}
	if election {
		at.pause = quietMin
	} else {
		at.pause = min(max(quietMin, 2*at.pause), quietMax)
	}
	at.until = now.Add(max(at.pause, lookFactor*took))
}

// prune forgets the places whose pause is over.
func (p places) prune(now time.Time) {
	for path, at := range p {
		if at.due.IsZero() && now.After(at.until.Add(quietMax)) {
			delete(p, path)
		}
	}
}

// changes keeps up with what f reports, until everything has to be searched again
// (errSearch), too much comes (errFlooded), or ctx ends.
func (w *following) changes(ctx context.Context, f *client.Following) error {
	places := make(places)
	var flood client.Flood
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		path, due := places.next()
		wait := quietMax
		if path != "" {
			wait = time.Until(due)
		}
		timer.Reset(max(0, wait))
		select {
		case <-f.More():
			changes, complete := f.Take()
			now := time.Now()
			for i := range changes {
				for _, path := range w.concerned(&changes[i]) {
					places.mark(path, now)
				}
			}
			if len(places) > maxPlaces/2 {
				places.prune(now)
			}
			switch {
			case flood.Add(len(changes), now):
				return errFlooded
			case !complete, len(places) > maxPlaces:
				return errSearch
			}
		case <-timer.C:
			if path == "" {
				continue
			}
			began := time.Now()
			if err := w.look(ctx, path); err != nil {
				return err
			}
			places.looked(path, w.walk.found[path] != nil, time.Since(began), time.Now())
		case <-f.Lost():
			return errSearch
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// concerned returns where to look after a change.
func (w *following) concerned(c *client.Change) []string {
	root := w.walk.cfg.Root
	if c.Below == "" {
		return []string{root}
	}
	if root == "/" && (c.Below == "zookeeper" || strings.HasPrefix(c.Below, "zookeeper/")) {
		return nil
	}
	var out []string
	path := znode.Join(root, c.Below)
	if election := w.acks[path]; election != "" {
		out = append(out, election)
	}
	if w.walk.found[path] != nil {
		out = append(out, path)
	}
	depth := strings.Count(c.Below, "/") + 1
	if c.Kind == zk.EventNodeDataChanged || depth-1 > w.walk.cfg.Depth {
		return out
	}
	if _, numbered := znode.Sequence(znode.Base(path)); !numbered && c.Kind == zk.EventNodeCreated && depth <= w.walk.cfg.Depth {
		out = append(out, path)
	}
	return append(out, znode.Dir(path))
}

// look looks at one znode, and reports the election there as it is now.
func (w *following) look(ctx context.Context, path string) error {
	known, progress := w.walk.found[path], w.walk.progress
	defer func() {
		w.walk.forgetBranches() // what is new below has events of its own
		w.walk.progress = progress
		w.walk.progress.Elections = len(w.walk.found)
	}()
	delete(w.walk.seen, path)
	if dialect.MaybeSingle(path) && path != w.walk.cfg.Root {
		// The znodes beside it say whose it is, and who could lead while it is absent.
		if err := w.beside(ctx, znode.Dir(path)); err != nil {
			return err
		}
	}
	there, _, err := w.walk.tryInspect(ctx, path, 0)
	if err != nil || known == nil || w.walk.seen[path] {
		return err
	}
	if there && !known.Single { // nobody is left in the queue
		return w.vacant(ctx, path, known)
	}
	delete(w.walk.found, path)
	w.cfg.Gone(path)
	return nil
}

// beside reads the names in a directory, and reports leaders that are missing there.
func (w *following) beside(ctx context.Context, dir string) error {
	var names []string
	err := w.walk.request(ctx, func() (err error) {
		names, _, err = w.walk.conn.Children(ctx, dir)
		return err
	})
	switch {
	case errors.Is(err, zk.ErrNoNode), errors.Is(err, zk.ErrNoAuth):
		return nil
	case err != nil:
		return err
	}
	w.walk.siblings = slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, numbered := znode.Sequence(name)
		return numbered
	})
	return w.walk.leaderless(ctx, dir, names)
}

// vacant reports an election without candidates, which a first search would not take
// for one.
func (w *following) vacant(ctx context.Context, path string, d *dialect.Dialect) error {
	var stat *zk.Stat
	err := w.walk.request(ctx, func() (err error) {
		_, stat, err = w.walk.conn.Exists(ctx, path)
		return err
	})
	if err != nil || stat == nil {
		return err // that it is gone is an event of its own
	}
	read := &model.Read{At: w.walk.cfg.Now(), Presence: model.Present, Full: true, Parent: client.Parent(stat)}
	return w.walk.report(ctx, Found{Path: path, Dialect: d, Read: read})
}
