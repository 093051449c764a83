package admin

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"electop/model/session"
)

// A Poller polls the members of one ensemble for the subscribed elections. Goroutines may call its
// methods concurrently. Only Run and Poll block.
type Poller struct {
	cfg Config

	// turn is full during a poll. Only the current poll uses ensemble.
	turn     chan struct{}
	ensemble *ensemble

	schedule schedule
	changed  chan struct{} // wakes Run, because a poll may be due earlier

	mu          sync.Mutex
	subscribers []*Election
}

// New returns a Poller. New itself sends no request.
func New(cfg Config) *Poller {
	p := &Poller{
		cfg:     cfg.withDefaults(),
		turn:    make(chan struct{}, 1),
		changed: make(chan struct{}, 1),
	}
	p.schedule.interval, p.schedule.sessions, p.schedule.cheap = p.cfg.Interval, p.cfg.Sessions, p.cfg.Cheap
	p.ensemble = newEnsemble(&p.cfg)
	return p
}

// Subscribe makes polls deliver their tables to e until cancel is called. A poll that has begun to
// deliver its table ignores Subscribe and cancel.
func (p *Poller) Subscribe(e Election) (cancel func()) {
	p.mu.Lock()
	p.subscribers = append(slices.Clip(p.subscribers), &e)
	p.mu.Unlock()
	p.mark()
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.subscribers = slices.DeleteFunc(slices.Clone(p.subscribers), func(o *Election) bool { return o == &e })
	}
}

func (p *Poller) subscribed() []*Election {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.subscribers
}

// Requests returns the number of requests to the servers, failed ones included.
func (p *Poller) Requests() uint64 { return p.cfg.requests.Load() }

// Verify makes [Poller.Run] poll for all tables, at most once in two seconds.
func (p *Poller) Verify() {
	p.schedule.wantVerify()
	p.mark()
}

// Handoff reports that an election has a new leader, so that [Poller.Run] polls for tables of watches.
func (p *Poller) Handoff() {
	p.schedule.noteHandoff(time.Now())
	p.mark()
}

func (p *Poller) mark() {
	select {
	case p.changed <- struct{}{}:
	default:
	}
}

// Poll makes one poll and returns when the tables are delivered. It returns an error only if ctx is
// done: the tables report failures of servers. Poll sends nothing if the mode is [Off] or no election is subscribed.
func (p *Poller) Poll(ctx context.Context, w Want) error {
	if err := p.poll(ctx, plan{Want: w, retry: true}); err != nil {
		return fmt.Errorf("poll the servers: %w", err)
	}
	return nil
}

// Run polls on schedule until ctx is done, and then returns nil.
func (p *Poller) Run(ctx context.Context) error {
	if p.cfg.Mode == Off {
		<-ctx.Done()
		return nil
	}
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for ctx.Err() == nil {
		timer.Stop()
		if len(p.subscribed()) > 0 {
			now := time.Now()
			next, due, at := p.schedule.due(now)
			if due {
				if err := p.poll(ctx, next); err != nil {
					break // ctx is done
				}
				p.schedule.done(now, time.Now(), next)
				continue
			}
			timer.Reset(max(0, at.Sub(now)))
		}
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-p.changed:
		}
	}
	return nil
}

func (p *Poller) poll(ctx context.Context, what plan) error {
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-p.turn }()
	elections := p.subscribed()
	if p.cfg.Mode == Off || len(elections) == 0 {
		return nil
	}
	p.schedule.began(what, time.Now())
	limited, end := context.WithTimeout(ctx, what.limit())
	defer end()
	var anchors []session.Anchor
	if what.Sessions {
		touch, end := context.WithTimeout(limited, touchTimeout)
		p.cfg.Touch(touch)
		end()
		anchors = p.cfg.Anchors()
	}
	t, results := p.ensemble.poll(limited, what, elections)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	t.Cheap, t.Anchors = p.cfg.Cheap, slices.Clone(anchors)
	t.Every, t.Restraint = p.schedule.cost(what, results, time.Now())
	if slices.ContainsFunc(results, func(r result) bool { return r.anyServer }) {
		// With anyServer, one server may list an anchor's connection and another server its deadline. Then
		// the deadline may result from a message before Sent.
		for i := range t.Anchors {
			t.Anchors[i].Sent = t.Anchors[i].Sent.Add(-t.Anchors[i].Timeout)
		}
	}
	for _, e := range p.subscribed() {
		delivery, end := context.WithTimeout(ctx, putTimeout)
		e.Put(delivery, e.table(t, results, p.cfg.Chroot))
		end()
	}
	return context.Cause(ctx)
}

const (
	touchTimeout = 500 * time.Millisecond
	putTimeout   = time.Second // bounds how long one subscriber can delay the others
)
