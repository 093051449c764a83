package feed

import (
	"context"
	"math"
	"time"

	"electop/model/history"
)

// frame is how often the clock of a playback moves between two observations, so
// that ages and countdowns run on screen.
const frame = 100 * time.Millisecond

// play lets the recorded time pass, until ctx ends.
func (p *Playback) play(ctx context.Context) error {
	var c pace
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		if err := p.prepareJournal(); err != nil {
			return err
		}
		wait, ok := p.advance(&c)
		mark(p.dirty)
		if !ok {
			wait = time.Duration(math.MaxInt64)
		}
		timer.Reset(wait)
		select {
		case <-timer.C:
		case <-p.changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// pace is since when recorded time passes without a break, and from where.
type pace struct {
	turn  int
	began time.Time // by the real clock; zero: not yet
	from  time.Time
}

// prepareJournal makes the journal of the moment sought, if the playback continues
// from there.
func (p *Playback) prepareJournal() error {
	for {
		p.mu.Lock()
		cue, turn := p.cue, p.turn
		wanted := p.journal == nil && !p.stopped
		p.mu.Unlock()
		if !wanted {
			return nil
		}
		j, next := cue.Journal()
		p.mu.Lock()
		if p.turn == turn {
			p.journal, p.next, p.sought = j, next, nil
			p.mu.Unlock()
			return nil
		}
		p.mu.Unlock()
	}
}

// batchMax is how many observations are applied while the lock is held.
const batchMax = 64

// advance applies what is due, and returns for how long to wait then; false if
// something else has to happen first.
func (p *Playback) advance(c *pace) (wait time.Duration, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped || p.journal == nil {
		c.began = time.Time{}
		return 0, false
	}
	for range batchMax {
		o, n, ok := p.tape.Observation(p.next)
		switch {
		case ok && o == nil:
			p.skip()
			return 0, true
		case !ok:
			c.began = time.Time{} // no time passes while the reader is behind
			p.ended = p.read
			return 0, false
		}
		due := o.When()
		if wait := p.until(due, c); wait > 0 {
			return wait, true
		}
		p.journal.Apply(o)
		p.next++
		p.n = n
		if due.After(p.at) {
			p.at = due
		}
	}
	return 0, true
}

// until moves the clock towards due, and returns for how long to sleep then.
func (p *Playback) until(due time.Time, c *pace) time.Duration {
	if c.began.IsZero() || c.turn != p.turn {
		*c = pace{turn: p.turn, began: time.Now(), from: p.at}
	}
	if p.at.IsZero() || p.next < uint64(max(0, p.recording.header.Initial)) || p.speed <= 0 || math.IsInf(p.speed, 1) {
		c.from, c.began = later(p.at, due), time.Now()
		return 0
	}
	passed := time.Since(c.began)
	now := c.from.Add(scale(passed, p.speed))
	if !due.After(now) {
		return 0
	}
	p.at = later(p.at, now)
	return min(frame, max(1, scale(due.Sub(now), 1/p.speed)))
}

// scale multiplies a duration, up to the longest there is.
func scale(d time.Duration, by float64) time.Duration {
	x := float64(d) * by
	if x >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(math.Ceil(x))
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// skip goes to the first moment that the tape still has: it was read faster than
// it was played.
func (p *Playback) skip() {
	if cue, ok := p.tape.Find(0, history.MoveToFirst); ok {
		p.journal, p.next = cue.Journal()
		p.n = cue.N
		p.turn++
		p.at = later(p.at, p.journal.State().At)
	}
}
