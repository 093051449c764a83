package feed

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"electop/model"
)

// Player paces a replay. The zero Player plays at once, as fast as it can.
type Player struct {
	// Speed is how much faster than life; 0: without waiting.
	Speed float64

	mu     sync.Mutex
	paused chan struct{} // closed on continue; nil while playing
	at     time.Time     // recorded time reached
	ended  bool
}

// Toggle stops or continues the replay, and reports whether it now stands.
func (p *Player) Toggle() (paused bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.paused != nil {
		close(p.paused)
		p.paused = nil
		return false
	}
	p.paused = make(chan struct{})
	return true
}

// Now is the clock of the recording: the time that the replay has reached.
func (p *Player) Now() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.at
}

// Ended reports whether the recording is at its end.
func (p *Player) Ended() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}

// frame is how often the replay's clock moves between two observations, so
// that ages and countdowns run on screen.
const frame = 100 * time.Millisecond

// wait lets recorded time pass up to at.
func (p *Player) wait(ctx context.Context, at time.Time, tick func()) error {
	for {
		p.mu.Lock()
		paused, now := p.paused, p.at
		if paused != nil {
			p.mu.Unlock()
			select {
			case <-paused:
			case <-ctx.Done():
				return ctx.Err()
			}
			continue
		}
		if now.IsZero() || p.Speed <= 0 || !at.After(now) {
			if at.After(now) {
				p.at = at
			}
			p.mu.Unlock()
			return ctx.Err()
		}
		p.mu.Unlock()
		step := at.Sub(now)
		if s := float64(frame) * p.Speed; s < float64(step) {
			step = max(1, time.Duration(s)) // however slow, it moves
		}
		select {
		case <-time.After(time.Duration(min(float64(step)/p.Speed, float64(time.Hour)))):
		case <-ctx.Done():
			return ctx.Err()
		}
		p.mu.Lock()
		p.at = now.Add(step)
		p.mu.Unlock()
		tick()
	}
}

// Replay applies a recording, paced by p, instead of Run. A torn last line is
// told to Config.Notice; it returns nil at the end of the recording, and
// ctx's error if that ends first.
func (f *Feed) Replay(ctx context.Context, d *model.Decoder, p *Player) error {
	for {
		o, err := d.Decode()
		switch {
		case errors.Is(err, io.EOF):
			return f.endReplay(p)
		case errors.Is(err, model.ErrTorn):
			f.notice("the recording's last line is torn (a crash, or it is still being written): skipped")
			return f.endReplay(p)
		case err != nil:
			return err
		}
		if err := p.wait(ctx, o.When(), func() { mark(f.dirty) }); err != nil {
			return err
		}
		if err := f.apply(o); err != nil {
			return err
		}
	}
}

// endReplay lets go of what still waits for time to pass: a recording that a
// crash ended has no word on it.
func (f *Feed) endReplay(p *Player) error {
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	mark(f.dirty)
	if due, ok := f.held(); ok {
		return f.apply(&model.Advance{At: due})
	}
	return nil
}
