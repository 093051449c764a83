package discover

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"electop/model"
	"electop/zkwatch/client"
)

// FollowConfig says what [Follow] follows, and how.
type FollowConfig struct {
	Config // of the searches; Found is called again when an election changes
	// Gone is called for an election that does not exist any more.
	Gone func(path string)
	// Following is called after a search: how changes are learned of from now on. With
	// model.ByReads that is by another search at next. It is called with "" when what was
	// found is not kept up to date any more, before another search.
	Following func(by model.FollowedBy, why model.FollowReason, next time.Time)
	// Searches asks for searches although the server may have persistent watches.
	Searches bool
	// Every is the least time between two searches; 0 means a minute.
	Every time.Duration
}

const (
	defaultEvery = time.Minute
	// restFactor is how much longer than a search the pause until the next one is.
	restFactor = 20
)

// Follow searches as [Walk] does, and then keeps up with the elections below the root
// until ctx or conn ends: with one persistent recursive watch on the root (ZooKeeper
// 3.6), whose events say where to look again, and with further searches where there is
// no such watch, or where other writes would come with it, too many of them.
func Follow(ctx context.Context, conn *client.Conn, cfg FollowConfig) error {
	if cfg.Every <= 0 {
		cfg.Every = defaultEvery
	}
	if cfg.Gone == nil {
		cfg.Gone = func(string) {}
	}
	if cfg.Following == nil {
		cfg.Following = func(model.FollowedBy, model.FollowReason, time.Time) {}
	}
	w := &following{cfg: cfg, walk: newWalk(conn, cfg.Config), acks: make(map[string]string)}
	if cfg.Searches {
		w.fellBack = model.FollowAsked
	}
	report := w.walk.cfg.Found
	w.walk.cfg.Found = func(f Found) {
		for _, path := range f.Acks {
			w.acks[path] = f.Path
		}
		if report != nil {
			report(f)
		}
	}
	for {
		if err := w.round(ctx); err != nil {
			return fmt.Errorf("follow the elections below %s: %w", w.walk.cfg.Root, err)
		}
	}
}

// following is what [Follow] does.
type following struct {
	cfg      FollowConfig
	walk     *walk
	fellBack model.FollowReason // why there is no watch; "": there may be one
	retryAt  time.Time          // when one is tried nevertheless; zero: never
	acks     map[string]string  // the election of each znode that acknowledges
}

// round searches, and keeps up until another search is needed.
func (w *following) round(ctx context.Context) error {
	f, err := w.watch(ctx)
	if err != nil {
		return err
	}
	if f != nil {
		defer f.Close()
	}
	began := time.Now()
	if err := w.search(ctx); err != nil {
		return err
	}
	took := time.Since(began)
	if f != nil {
		w.cfg.Following(model.ByWatch, "", time.Time{})
		err := w.changes(ctx, f)
		switch {
		case errors.Is(err, errSearch):
			w.cfg.Following("", "", time.Time{})
			return nil
		case errors.Is(err, errFlooded):
			w.fallBack(model.FollowFlooded)
			if err := f.Stop(ctx); client.Unanswered(err) && ctx.Err() != nil {
				return ctx.Err()
			}
		default:
			return err
		}
	}
	rest := max(w.cfg.Every, restFactor*took)
	w.cfg.Following(model.ByReads, w.fellBack, w.walk.cfg.Now().Add(rest))
	select {
	case <-time.After(rest):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// watch sets the watch, before the search: nothing is lost between the two. It returns
// nil where there can be none.
func (w *following) watch(ctx context.Context) (f *client.Following, err error) {
	if !w.retryAt.IsZero() && !time.Now().Before(w.retryAt) {
		w.fellBack, w.retryAt = "", time.Time{}
	}
	for w.fellBack == "" {
		f, err = w.walk.conn.Follow(ctx, w.walk.cfg.Root)
		switch {
		case err == nil:
			return f, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, client.ErrUnsupported):
			w.fellBack = model.FollowUnsupported // it would close the connection again
		case client.Unanswered(err), errors.Is(err, client.ErrNotConnected):
			if !w.walk.conn.AwaitConnected(ctx) {
				return nil, err
			}
		default:
			w.fallBack(model.FollowRefused)
		}
	}
	return nil, nil
}

func (w *following) fallBack(why model.FollowReason) {
	w.fellBack, w.retryAt = why, time.Now().Add(client.FollowAgainAfter)
}

// search searches everything once. Elections that it does not find any more, perhaps
// because of its bounds, are looked at one by one.
func (w *following) search(ctx context.Context) error {
	w.walk.restart()
	if err := w.walk.run(ctx); err != nil && !errors.Is(err, ErrNoRoot) {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(w.walk.found)) {
		if !w.walk.seen[path] {
			if err := w.look(ctx, path); err != nil {
				return err
			}
		}
	}
	return nil
}

// restart forgets the search before, but not what it found.
func (w *walk) restart() {
	w.progress = Progress{Elections: len(w.found)}
	clear(w.seen)
	w.forgetBranches()
}

func (w *walk) forgetBranches() { w.branches, w.queued, w.bytes = nil, 0, 0 }
