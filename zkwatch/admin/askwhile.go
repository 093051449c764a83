package admin

import (
	"context"
	"fmt"
	"time"

	"electop/model/session"
)

// AskWhile is [Asker.Ask] for one election that read has yet to read, whoever else
// subscribes. Meanwhile the servers are asked who they are and how many connections
// and watches they have, each of them several things at once. What is evidence about
// candidates is asked for after read has returned: that is Table.At, and what was
// counted before is not in the table. An error of read ends the asking and is
// returned.
//
// Put is called after read, and by this goroutine. No other one is left when AskWhile
// returns.
func (a *Asker) AskWhile(ctx context.Context, w Want, read func() (Election, error)) error {
	select {
	case a.turn <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("ask the servers: %w", context.Cause(ctx))
	}
	defer func() { <-a.turn }()
	if ctx.Err() != nil { // too
		return fmt.Errorf("ask the servers: %w", context.Cause(ctx))
	}
	limited, end := context.WithCancel(ctx)
	defer end()
	wasRead := make(chan struct{})
	p := plan{Want: w, retry: true, read: wasRead}
	var elections []*Election
	type answers struct {
		table   session.Table
		results []result
	}
	polled := make(chan answers, 1)
	go func() {
		var all answers
		all.table, all.results = a.ensemble.poll(limited, p, func() []*Election { return elections })
		polled <- all
	}()
	e, err := read()
	if err != nil {
		end()
		<-polled
		return err
	}
	elections = []*Election{&e}
	at := a.cfg.Now()
	a.schedule.began(p, time.Now())
	close(wasRead)
	defer time.AfterFunc(w.limit(), end).Stop()
	all := <-polled
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("ask the servers: %w", context.Cause(ctx))
	}
	all.table.At = at
	a.deliver(ctx, p, all.table, all.results, elections)
	return nil
}
