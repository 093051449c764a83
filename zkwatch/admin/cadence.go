package admin

import (
	"context"
	"time"
)

const (
	// calm is how long no handoff must have come before watches are asked for:
	// candidates set them anew after each, and a table made meanwhile would show
	// edges as missing that are only late.
	calm = 2 * time.Second
	// watchGap is the least time between a table of watches and one that is
	// asked for on account of a handoff.
	watchGap = time.Minute
	// verifyGap is the least time between two rounds that Verify causes, for
	// the case that somebody leans on the key.
	verifyGap = 2 * time.Second
)

// A plan is what one round asks for.
type plan struct {
	Want
	asked bool // by somebody: servers that failed or refused are tried again
}

// cadence is when Run does what. Only Run has one.
type cadence struct {
	cheap, sessions time.Time // when each is due next; the zero time is now
}

// Run asks by the cadence of the Config until ctx is done, and then returns
// nil. While nobody is subscribed nobody is asked.
func (a *Asker) Run(ctx context.Context) error {
	if a.cfg.Mode == Off {
		<-ctx.Done()
		return nil
	}
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	var c cadence
	for ctx.Err() == nil {
		now := time.Now()
		p, due, at := a.due(now, &c)
		if due {
			if err := a.round(ctx, p); err != nil {
				break // ctx is done
			}
			c.done(now, time.Now(), p, a.cfg)
			continue
		}
		timer.Stop()
		if !at.IsZero() {
			timer.Reset(max(0, at.Sub(now)))
		}
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-a.news:
		}
	}
	return nil
}

// due says whether a round is due and which, or else when one will be; never
// if that is zero.
func (a *Asker) due(now time.Time, c *cadence) (p plan, due bool, at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.subscribers) == 0 {
		return plan{}, false, time.Time{}
	}
	at = c.cheap
	sooner := func(t time.Time) bool {
		if t.Before(at) {
			at = t
		}
		return !now.Before(t)
	}
	due = sooner(c.cheap)
	if a.cfg.Sessions > 0 && sooner(c.sessions) {
		p.Sessions, due = true, true
	}
	if !a.handoff.IsZero() {
		t := a.handoff.Add(calm)
		if gap := a.watches.Add(watchGap); !a.watches.IsZero() && gap.After(t) {
			t = gap
		}
		if sooner(t) {
			p.Watches, due = true, true
		}
	}
	if a.verify && (a.verified.IsZero() || sooner(a.verified.Add(verifyGap))) {
		p, due = plan{Want: Want{Watches: true, Sessions: true}, asked: true}, true
		a.verify, a.verified = false, now
	}
	return p, due, at
}

// done sets when the next rounds are due. One that took longer than the
// interval is followed by a pause of an interval all the same.
func (c *cadence) done(began, ended time.Time, p plan, cfg Config) {
	next := func(every time.Duration) time.Time {
		if t := began.Add(every); t.After(ended) {
			return t
		}
		return ended.Add(every)
	}
	c.cheap = next(cfg.Interval)
	if p.Sessions {
		c.sessions = next(cfg.Sessions)
	}
}

// began notes what a round is about to ask for.
func (a *Asker) began(p plan, now time.Time) {
	if !p.Watches {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.watches = now
	if !now.Before(a.handoff.Add(calm)) {
		a.handoff = time.Time{}
	}
}
