package admin

import (
	"context"
	"sync"
	"time"

	"electop/model"
)

// round asks all members at once what p wants, and delivers. Its error is
// ctx's. There is one at a time.
func (a *Asker) round(ctx context.Context, p plan) error {
	select {
	case a.turn <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-a.turn }()
	if a.cfg.Mode == Off || len(a.subscribed()) == 0 {
		return nil
	}
	a.began(p, time.Now())
	t, results := a.ensemble.ask(ctx, p)
	a.http.close()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	t.Every = a.cfg.Sessions
	for _, s := range a.subscribed() {
		a.put(ctx, s, cut(t, results, a.cfg.Chroot, s.Election))
	}
	return context.Cause(ctx)
}

// putTimeout is how long one subscriber may keep the others waiting.
const putTimeout = time.Second

func (a *Asker) put(ctx context.Context, s *subscription, t *model.ServerTable) {
	ctx, cancel := context.WithTimeout(ctx, putTimeout)
	defer cancel()
	s.Put(ctx, t)
}

// ask makes a round of the members. The table has no servers yet: they are in
// the results.
func (e *ensemble) ask(ctx context.Context, p plan) (model.ServerTable, []result) {
	limit := cheapRound
	if p.Sessions || p.Watches {
		limit = dearRound
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	t := model.ServerTable{At: e.cfg.Now()}
	e.refresh(ctx, p.asked || p.Sessions || p.Watches)
	asking := e.serve(ctx)
	results := make([]result, len(asking))
	var all sync.WaitGroup
	for i, s := range asking {
		all.Go(func() { results[i] = s.round(ctx, p) })
	}
	all.Wait()
	results, missing := members(results, e.configured(), e.hosts.same)
	e.lookAgain(ctx, p, results)
	for i := range results {
		t.Anchors = widen(t.Anchors, results[i].anchors)
	}
	t.End = e.cfg.Now()
	t.Unwhole = e.unwhole(results, missing)
	t.Whole = t.Unwhole == ""
	return t, results
}
