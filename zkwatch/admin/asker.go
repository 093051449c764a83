package admin

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"electop/model/session"
)

// An Asker asks the members of one ensemble on behalf of the elections that
// are subscribed. Its methods may be called by any goroutine; only Run and
// Ask block.
type Asker struct {
	cfg Config

	// turn holds a token while a poll is under way; its holder owns ensemble.
	turn     chan struct{}
	ensemble *ensemble

	schedule schedule
	changed  chan struct{} // marked when a poll may be due earlier

	mu          sync.Mutex
	subscribers []*Election
}

// New returns an Asker that has asked nobody yet.
func New(cfg Config) *Asker {
	a := &Asker{
		cfg:     cfg.withDefaults(),
		turn:    make(chan struct{}, 1),
		changed: make(chan struct{}, 1),
	}
	a.schedule.interval, a.schedule.sessions, a.schedule.cheap = a.cfg.Interval, a.cfg.Sessions, a.cfg.Cheap
	a.ensemble = newEnsemble(&a.cfg)
	return a
}

// Subscribe has the answers delivered to e from the next poll on, until cancel
// is called. A poll that is under way may still deliver once.
func (a *Asker) Subscribe(e Election) (cancel func()) {
	a.mu.Lock()
	a.subscribers = append(slices.Clip(a.subscribers), &e)
	a.mu.Unlock()
	a.mark()
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.subscribers = slices.DeleteFunc(slices.Clone(a.subscribers), func(o *Election) bool { return o == &e })
	}
}

func (a *Asker) subscribed() []*Election {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.subscribers
}

// Requests returns how many requests were made to the servers, answered or not.
func (a *Asker) Requests() uint64 { return a.cfg.requests.Load() }

// Verify has everything asked for once, soon: status, connections, sessions and
// the tables of watches. It needs [Asker.Run].
func (a *Asker) Verify() {
	a.schedule.wantVerify()
	a.mark()
}

// Handoff says that an election has another leader. After two seconds without
// another handoff the tables of watches are asked for, unless that was done less
// than a minute ago: then when the minute is over. It needs [Asker.Run].
func (a *Asker) Handoff() {
	a.schedule.noteHandoff(time.Now())
	a.mark()
}

func (a *Asker) mark() {
	select {
	case a.changed <- struct{}{}:
	default:
	}
}

// Ask makes one poll now and returns when its answers are delivered. Servers that
// had stopped answering are tried again. The error is ctx's: failures and refusals
// of servers are in what is delivered. If the mode is Off, or without a subscriber,
// no server is asked.
func (a *Asker) Ask(ctx context.Context, w Want) error {
	if err := a.poll(ctx, plan{Want: w, retry: true}); err != nil {
		return fmt.Errorf("ask the servers: %w", err)
	}
	return nil
}

// Run polls as the Config says until ctx is done, and then returns nil. While
// nobody is subscribed no server is asked.
func (a *Asker) Run(ctx context.Context) error {
	if a.cfg.Mode == Off {
		<-ctx.Done()
		return nil
	}
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for ctx.Err() == nil {
		timer.Stop()
		if len(a.subscribed()) > 0 {
			now := time.Now()
			p, due, at := a.schedule.due(now)
			if due {
				if err := a.poll(ctx, p); err != nil {
					break // ctx is done
				}
				a.schedule.done(now, time.Now(), p)
				continue
			}
			timer.Reset(max(0, at.Sub(now)))
		}
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-a.changed:
		}
	}
	return nil
}

// poll asks all members at once what p wants, and delivers. Its error is ctx's.
// There is one poll at a time.
func (a *Asker) poll(ctx context.Context, p plan) error {
	select {
	case a.turn <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-a.turn }()
	elections := a.subscribed()
	if a.cfg.Mode == Off || len(elections) == 0 {
		return nil
	}
	a.schedule.began(p, time.Now())
	limited, end := context.WithTimeout(ctx, p.limit())
	defer end()
	var anchors []session.Anchor
	if p.Sessions {
		touch, touched := context.WithTimeout(limited, touchTimeout)
		a.cfg.Touch(touch)
		touched()
		anchors = a.cfg.Anchors()
	}
	t, results := a.ensemble.poll(limited, p, elections)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	t.Cheap, t.Anchors = a.cfg.Cheap, slices.Clone(anchors)
	t.Every, t.Restraint = a.schedule.cost(p, results, time.Now())
	if slices.ContainsFunc(results, func(r result) bool { return r.anyServer }) {
		// The server that lists our session may be another one than the server of the deadlines.
		for i := range t.Anchors {
			t.Anchors[i].Sent = t.Anchors[i].Sent.Add(-t.Anchors[i].Timeout)
		}
	}
	for _, e := range a.subscribed() {
		delivery, end := context.WithTimeout(ctx, putTimeout)
		e.Put(delivery, e.table(t, results, a.cfg.Chroot))
		end()
	}
	return context.Cause(ctx)
}

// touchTimeout bounds how long a poll waits until the servers heard from our sessions.
const touchTimeout = 500 * time.Millisecond

// putTimeout bounds how long one subscriber may delay the others.
const putTimeout = time.Second
