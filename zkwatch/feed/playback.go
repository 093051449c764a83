package feed

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/history"
	"electop/model/session"
)

// Playback plays a recording. Run reads ahead of the playback, so Seek also reaches moments that were
// not played yet. All methods may be called concurrently, but Run only once.
type Playback struct {
	recording *Recording
	speed     float64
	dirty     chan struct{}
	changed   chan struct{}

	seeking sync.Mutex // held while Seek or Toggle computes a state

	mu       sync.Mutex
	timeline *history.Timeline // of the observations read so far
	read     bool              // the whole recording was read
	last     time.Time         // the latest time of the observations read so far

	// The playback's position. Seek changes neither journal nor next; the Toggle after it computes both.
	journal  *doctor.Journal
	next     uint64           // index of the next observation to apply
	position history.Position // the moment of the last seek
	sought   *doctor.State    // the state at position; nil: no Seek since the last Toggle
	n        uint64           // the number of the last moment reached
	at       time.Time        // recorded time
	stopped  bool
	ended    bool
	period   int
}

// playbackWhole is the file size, in bytes, up to which Seek reaches all moments.
const playbackWhole = 1 << 30

// OpenPlayback opens the recording at path. speed 1 is real time; 0 plays without waiting.
func OpenPlayback(path string, speed float64) (*Playback, error) {
	r, err := OpenRecording(path)
	if err != nil {
		return nil, err
	}
	return newPlayback(r, speed, playbackWhole), nil
}

func newPlayback(r *Recording, speed float64, whole int64) *Playback {
	keep := math.MaxInt
	if r.bytes > whole {
		keep = int(whole)
		r.note(fmt.Sprintf("the recording is large: time travel reaches only about the last %d MB", whole>>20))
	}
	return &Playback{
		recording: r, speed: speed,
		dirty: make(chan struct{}, 1), changed: make(chan struct{}, 1),
		timeline: history.NewTimeline(r.Election(), keep), journal: doctor.NewJournal(r.Election()),
		stopped: !r.header.Opens.IsZero(),
	}
}

// Election returns the recorded election.
func (p *Playback) Election() model.Config { return p.recording.Election() }

// Speed returns the playback speed; 1 is real time.
func (p *Playback) Speed() float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.speed
}

const (
	slowest = 1. / 64
	fastest = 1 << 20
)

// Scale multiplies the speed by a factor, and returns the new speed.
func (p *Playback) Scale(by float64) float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.speed = min(fastest, max(slowest, p.speed*by))
	p.beginPeriod()
	return p.speed
}

// State returns the state of the election at the playback's position.
func (p *Playback) State() *doctor.State {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sought != nil {
		return p.sought
	}
	return p.journal.State()
}

// Dirty returns a channel of capacity 1. It gets a value if State or Now may have changed.
func (p *Playback) Dirty() <-chan struct{} { return p.dirty }

// Now returns the recorded time that the playback has reached.
func (p *Playback) Now() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.at
}

// Playing returns the playback's position: n is the number of the last moment reached, 0 for none.
func (p *Playback) Playing() (n uint64, stopped, ended bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.n, p.stopped, p.ended
}

// Ended reports whether the playback has played the last observation, without a Seek after it.
func (p *Playback) Ended() bool {
	_, _, ended := p.Playing()
	return ended
}

// Span returns the time of the first moment that Seek reaches, and the latest time read so far.
func (p *Playback) Span() (first, last time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	first, _ = p.timeline.Span()
	return first, p.last
}

// Whole returns the state at the end of the recording, nil until the whole recording was read.
func (p *Playback) Whole() *doctor.State {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.read {
		return nil
	}
	return p.timeline.State()
}

// Toggle stops or continues the playback, and reports whether it is stopped now.
func (p *Playback) Toggle() (stopped bool) {
	p.seeking.Lock()
	defer p.seeking.Unlock()
	p.mu.Lock()
	sought, position := p.sought != nil, p.position
	p.mu.Unlock()
	var j *doctor.Journal
	var next uint64
	if sought {
		j, next = position.Journal()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if sought {
		p.journal, p.next, p.sought = j, next, nil
	}
	p.stopped = !p.stopped
	p.beginPeriod()
	return p.stopped
}

// beginPeriod requires that the caller holds p.mu.
func (p *Playback) beginPeriod() {
	p.period++
	mark(p.changed)
	mark(p.dirty)
}

// Seek stops the playback at the moment to which m leads from moment n, and returns that moment. If there is no moment,
// Seek returns false and does not stop the playback.
func (p *Playback) Seek(n uint64, m history.Move) (history.Moment, bool) {
	p.seeking.Lock()
	defer p.seeking.Unlock()
	p.mu.Lock()
	position, ok := p.timeline.Find(n, m)
	p.mu.Unlock()
	if !ok {
		return history.Moment{}, false
	}
	at := position.Moment()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.position, p.sought, p.stopped = position, at.State, true
	p.n, p.at, p.ended = at.N, at.At, false
	p.beginPeriod()
	return at, true
}

// Run reads and plays the recording until ctx ends or a read fails, and closes the recording. At the
// end of the recording Run waits, because the user can rewind. notice, if set, gets messages for the user.
func (p *Playback) Run(ctx context.Context, notice func(string)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var reader sync.WaitGroup
	defer reader.Wait()
	defer cancel(nil)
	reader.Go(func() {
		defer func() {
			if r := recover(); r != nil {
				cancel(fmt.Errorf("reading a recording: %v", r))
			}
		}()
		if err := p.load(ctx, notice); err != nil {
			cancel(err)
		}
	})
	err := p.play(ctx)
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

func (p *Playback) load(ctx context.Context, notice func(string)) error {
	defer p.recording.Close()
	var opens uint64 // the last moment up to header.Opens, otherwise the first; 0: not known yet
	err := p.recording.read(ctx, func(o model.Observation) error {
		p.mu.Lock()
		defer p.mu.Unlock()
		if !p.recording.header.Opens.IsZero() && opens == 0 && o.When().After(p.recording.header.Opens) {
			last, _ := p.timeline.Find(0, history.MoveToLast)
			opens = last.N
		}
		p.timeline.Apply(o)
		p.last = session.Later(p.last, o.When())
		mark(p.changed)
		return nil
	}, notice)
	if err != nil {
		return err
	}
	p.mu.Lock()
	if due, ok := p.timeline.Held(); ok { // no recorded observation releases these events
		p.timeline.Apply(&model.Advance{At: due})
	}
	p.read = true
	mark(p.changed)
	p.mu.Unlock()
	switch {
	case p.recording.header.Opens.IsZero():
	case opens == 0:
		p.Seek(0, history.MoveToLast)
	default:
		p.Seek(opens, history.MoveTo)
	}
	return nil
}

// frame bounds the wait for the next observation, because the ages and countdowns on the screen change meanwhile.
const frame = 100 * time.Millisecond

func (p *Playback) play(ctx context.Context) error {
	var c period
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
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

// period is a part of the playback without a stop, a seek or a change of speed.
type period struct {
	n     int       // as in Playback.period
	began time.Time // real time; zero: not begun
	from  time.Time // recorded time at began
}

const batchMax = 64

func (p *Playback) advance(c *period) (wait time.Duration, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		c.began = time.Time{}
		return 0, false
	}
	for range batchMax {
		o, n, ok := p.timeline.Observation(p.next)
		switch {
		case ok && o == nil && p.skip():
			return 0, true
		case !ok || o == nil:
			c.began = time.Time{} // recorded time stops until load reads the observation, or at the end
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

func (p *Playback) until(due time.Time, c *period) time.Duration {
	if c.began.IsZero() || c.n != p.period {
		*c = period{n: p.period, began: time.Now(), from: p.at}
	}
	if p.at.IsZero() || p.next < uint64(max(0, p.recording.header.Initial)) || p.speed <= 0 || math.IsInf(p.speed, 1) {
		c.from, c.began = session.Later(p.at, due), time.Now()
		return 0
	}
	passed := time.Since(c.began)
	now := c.from.Add(scale(passed, p.speed))
	if !due.After(now) {
		return 0
	}
	p.at = session.Later(p.at, now)
	return min(frame, max(1, scale(due.Sub(now), 1/p.speed)))
}

func scale(d time.Duration, by float64) time.Duration {
	x := float64(d) * by
	if x >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(math.Ceil(x))
}

// skip moves the playback to the first kept moment, because the timeline dropped the next observation.
func (p *Playback) skip() bool {
	first, ok := p.timeline.Find(0, history.MoveToFirst)
	if ok {
		p.journal, p.next = first.Journal()
		p.n = first.N
		p.period++
		p.at = session.Later(p.at, p.journal.State().At)
	}
	return ok
}
