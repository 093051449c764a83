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
)

// Playback is a recording that is played. Like a [Feed] it has a state
// that changes with time, and time travel can reach any of its moments.
//
// While it is played, the recording is read ahead to its end, as fast as possible.
type Playback struct {
	recording *Recording
	election  model.Config
	speed     float64
	dirty     chan struct{}
	changed   chan struct{} // capacity 1: the player has to look again

	seeking sync.Mutex // held while a moment is computed

	mu   sync.Mutex
	tape *history.Timeline // what was read so far
	read bool              // everything was read
	last time.Time         // the time of the last observation read

	// Where the playback is. After a seek the journal is not there yet: it follows when the
	// playback continues.
	journal *doctor.Journal
	next    uint64           // index of the observation to be applied next
	cue     history.Position // the moment sought
	sought  *doctor.State    // its state; nil if the playback continued
	n       uint64           // the last moment that was reached
	at      time.Time        // recorded time
	stopped bool
	ended   bool
	turn    int // counts seeks and pauses
}

// playbackWhole is the size in bytes up to which any moment of a recording can be
// sought. Of a larger one the tape keeps as much from its end.
const playbackWhole = 1 << 30

// OpenPlayback opens the recording at path, to be played at speed, 1 is real time;
// 0: without waiting.
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
		recording: r, election: r.Election(), speed: speed,
		dirty: make(chan struct{}, 1), changed: make(chan struct{}, 1),
		tape: history.NewTimeline(r.Election(), keep), journal: doctor.NewJournal(r.Election()),
	}
}

// Election returns the recorded election.
func (p *Playback) Election() model.Config { return p.election }

// Speed is the playback speed; 1 is real time.
func (p *Playback) Speed() float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.speed
}

// Bounds of the speed that [Playback.Scale] leads to.
const (
	slowest = 1. / 64
	fastest = 1 << 20
)

// Scale makes the playback faster by a factor, from now on, and returns the speed.
func (p *Playback) Scale(by float64) float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.speed = min(fastest, max(slowest, p.speed*by))
	p.turn++
	mark(p.changed)
	mark(p.dirty)
	return p.speed
}

// State returns the election at the moment that is shown.
func (p *Playback) State() *doctor.State {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sought != nil {
		return p.sought
	}
	return p.journal.State()
}

// Dirty is as [Feed.Dirty].
func (p *Playback) Dirty() <-chan struct{} { return p.dirty }

// Now is the recorded time that is reached.
func (p *Playback) Now() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.at
}

// Playing tells where the playback is: n is the last moment that it reached, 0
// for none yet.
func (p *Playback) Playing() (n uint64, stopped, ended bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.n, p.stopped, p.ended
}

// Ended reports whether the playback is at the end.
func (p *Playback) Ended() bool {
	_, _, ended := p.Playing()
	return ended
}

// Span returns when the recording begins and, as far as it was read, ends.
func (p *Playback) Span() (first, last time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	first, _ = p.tape.Span()
	return first, p.last
}

// Whole returns the state at the end of the recording, nil until it was read to
// there.
func (p *Playback) Whole() *doctor.State {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.read {
		return nil
	}
	return p.tape.State()
}

// Toggle stops or continues the playback, and reports whether it is now paused.
func (p *Playback) Toggle() (stopped bool) {
	p.seeking.Lock()
	defer p.seeking.Unlock()
	p.mu.Lock()
	sought, cue := p.sought != nil, p.cue
	p.mu.Unlock()
	var j *doctor.Journal
	var next uint64
	if sought {
		j, next = cue.Journal()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if sought {
		p.journal, p.next, p.sought = j, next, nil
	}
	p.stopped = !p.stopped
	p.moved()
	return p.stopped
}

// moved tells the player that the playback was moved, paused or continued.
func (p *Playback) moved() {
	p.turn++
	mark(p.changed)
	mark(p.dirty)
}

// Seek returns the moment to which a move leads from n, and stops there: then
// State is the state of that moment, and Toggle continues from it.
func (p *Playback) Seek(n uint64, m history.Move) (history.Moment, bool) {
	p.seeking.Lock()
	defer p.seeking.Unlock()
	p.mu.Lock()
	cue, ok := p.tape.Find(n, m)
	p.mu.Unlock()
	if !ok {
		return history.Moment{}, false
	}
	at := cue.Moment()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cue, p.sought, p.stopped = cue, at.State, true
	p.n, p.at, p.ended = at.N, at.At, false
	p.moved()
	return at, true
}

// Run reads the recording and plays it until ctx ends. It does not return at
// the recording's end, as the user can go back from there. notice gets one line for
// each thing that the user should know, such as a torn last line.
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

// load reads the whole recording into the tape. At the end it releases events that are held
// back until time passes: after a crash the recording does not say that it passed.
func (p *Playback) load(ctx context.Context, notice func(string)) error {
	defer p.recording.Close()
	err := p.recording.read(ctx, func(o model.Observation) error {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.tape.Apply(o)
		p.last = later(p.last, o.When())
		mark(p.changed)
		return nil
	}, notice)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if due, ok := p.tape.Held(); ok {
		p.tape.Apply(&model.Advance{At: due})
	}
	p.read = true
	mark(p.changed)
	return nil
}

// frame is how often the clock of a playback moves between two observations, so
// that ages and countdowns run on screen.
const frame = 100 * time.Millisecond

// play lets the recorded time pass, until ctx ends.
func (p *Playback) play(ctx context.Context) error {
	var c pace
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

// pace is since when recorded time passes without a break, and from where.
type pace struct {
	turn  int
	began time.Time // by the real clock; zero: not yet
	from  time.Time
}

// batchMax is how many observations are applied while the lock is held.
const batchMax = 64

// advance applies what is due, and returns for how long to wait then; false if
// something else has to happen first.
func (p *Playback) advance(c *pace) (wait time.Duration, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
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
