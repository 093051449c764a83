// Package feed applies the observations of one election to its journal, in one goroutine and in order.
//
// [Feed.Put] and [Feed.PutSlowly] queue observations. [Feed.Run] records each observation, applies it,
// and reports its events. [Recorder], [Recording] and [Playback] write, read and play recordings.
package feed

import (
	"context"
	"fmt"
	"sync"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/history"
	"electop/model/znode"
)

// Config describes a feed.
type Config struct {
	Election model.Config
	// Record, if set, encodes each observation before Run applies it; now returns the state before the observation.
	// The first error ends the recording, not Run, and goes to Notice.
	Record interface {
		Encode(o model.Observation, now func() *doctor.State) error
	}
	// Keep makes the feed keep the last moments for [Feed.Seek], in about [history.DefaultMax] bytes.
	Keep bool
	// Applied, if set, is called in Run's goroutine after each observation, before [Feed.Dirty] gets a value.
	Applied func(s *doctor.State, events []model.Event)
	// Events, if set, is called in Run's goroutine with an observation's events. An error ends Run.
	Events func([]model.Event) error
	// Notice, if set, gets each message for the user.
	Notice func(string)
	// Now is the clock for deadlines; nil means [Now].
	Now func() time.Time
}

// Now returns the current time in UTC, without a monotonic reading: a recording cannot hold one.
func Now() time.Time { return time.Now().UTC().Round(0) }

// Feed owns one election's journal. All methods may be called concurrently, but Run only once.
type Feed struct {
	cfg   Config
	dirty chan struct{}

	jmu      sync.Mutex
	journal  journal
	timeline *history.Timeline // the same value as journal; nil: the feed keeps no past
	changed  chan struct{}     // closed after the next observation; nil: no Await waits

	seeking sync.Mutex // held while Seek computes a moment; jmu would block Run

	qmu   sync.Mutex
	queue []model.Observation
	more  chan struct{}
	less  chan struct{} // closed when the queue is emptied; nil: no PutSlowly waits
}

type journal interface {
	Apply(o model.Observation) []model.Event
	State() *doctor.State
	Deadline() (time.Time, bool)
	Held() (time.Time, bool)
}

// New returns a feed that does not run yet.
func New(cfg Config) *Feed {
	if cfg.Now == nil {
		cfg.Now = Now
	}
	f := &Feed{cfg: cfg, dirty: make(chan struct{}, 1), more: make(chan struct{}, 1)}
	if cfg.Keep {
		f.timeline = history.NewTimeline(cfg.Election, 0)
		f.journal = f.timeline
	} else {
		f.journal = doctor.NewJournal(cfg.Election)
	}
	return f
}

// State returns the current state of the election.
func (f *Feed) State() *doctor.State {
	f.jmu.Lock()
	defer f.jmu.Unlock()
	return f.journal.State()
}

// Dirty returns a channel of capacity 1. It gets a value after each observation, unless it is full.
func (f *Feed) Dirty() <-chan struct{} { return f.dirty }

// Await waits until holds is true for the current state, and returns this state. Await may miss a brief state. If ctx
// ends first, Await returns the last state and ctx's error.
func (f *Feed) Await(ctx context.Context, holds func(*doctor.State) bool) (*doctor.State, error) {
	for {
		f.jmu.Lock()
		s := f.journal.State()
		if f.changed == nil {
			f.changed = make(chan struct{})
		}
		changed := f.changed
		f.jmu.Unlock()
		if holds(s) {
			return s, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return s, ctx.Err()
		}
	}
}

// Settle calls request each time that [model.State.Unsettled] becomes true, until ctx ends. Settle may
// miss a brief state.
func (f *Feed) Settle(ctx context.Context, request func()) {
	for unsettled := true; ; unsettled = !unsettled {
		if _, err := f.Await(ctx, func(s *doctor.State) bool { return s.Unsettled == unsettled }); err != nil {
			return
		}
		if unsettled {
			request()
		}
	}
}

// Run applies observations until ctx ends, and then the rest of the queue; it also releases the held events. Run
// returns nil, or the error of Config.Events.
func (f *Feed) Run(ctx context.Context) error {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	defer timer.Stop()
	for {
		if err := f.drain(); err != nil {
			return err
		}
		if due, ok := f.timeOf(f.journal.Deadline); ok {
			timer.Reset(max(0, due.Sub(f.cfg.Now())))
		} else {
			timer.Stop()
		}
		select {
		case <-f.more:
		case <-timer.C:
			if due, ok := f.timeOf(f.journal.Deadline); ok && !f.cfg.Now().Before(due) {
				f.Put(&model.Advance{At: f.cfg.Now()})
			}
		case <-ctx.Done():
			if err := f.drain(); err != nil {
				return err
			}
			if due, ok := f.timeOf(f.journal.Held); ok {
				return f.apply(&model.Advance{At: due})
			}
			return nil
		}
	}
}

func (f *Feed) timeOf(method func() (time.Time, bool)) (time.Time, bool) {
	f.jmu.Lock()
	defer f.jmu.Unlock()
	return method()
}

func (f *Feed) drain() error {
	for {
		f.qmu.Lock()
		batch := f.queue
		f.queue = nil
		if f.less != nil {
			close(f.less)
			f.less = nil
		}
		f.qmu.Unlock()
		if len(batch) == 0 {
			return nil
		}
		for _, o := range batch {
			if err := f.apply(o); err != nil {
				return err
			}
		}
	}
}

// apply records an observation before any reader can see its effects.
func (f *Feed) apply(o model.Observation) error {
	if f.cfg.Record != nil {
		if err := f.cfg.Record.Encode(o, f.State); err != nil {
			f.cfg.Record = nil
			f.notice(fmt.Sprintf("recording stopped: %v", err))
		}
	}
	f.jmu.Lock()
	events := f.journal.Apply(o)
	var now *doctor.State
	if f.cfg.Applied != nil {
		now = f.journal.State()
	}
	if f.changed != nil {
		close(f.changed)
		f.changed = nil
	}
	f.jmu.Unlock()
	if f.cfg.Applied != nil {
		f.cfg.Applied(now, events)
	}
	mark(f.dirty)
	if f.cfg.Events != nil && len(events) > 0 {
		return f.cfg.Events(events)
	}
	return nil
}

func (f *Feed) notice(s string) {
	if f.cfg.Notice != nil {
		f.cfg.Notice(znode.Safe(s, 0))
	}
}

func mark(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Put queues an observation. Put never waits, because a slow Config.Events must not delay a candidate.
func (f *Feed) Put(o model.Observation) {
	f.qmu.Lock()
	f.queue = append(f.queue, o)
	f.qmu.Unlock()
	mark(f.more)
}

const queueMax = 4096

// PutSlowly queues an observation, or drops it if ctx ends while the queue is full.
func (f *Feed) PutSlowly(ctx context.Context, o model.Observation) {
	for {
		f.qmu.Lock()
		if len(f.queue) < queueMax {
			f.queue = append(f.queue, o)
			f.qmu.Unlock()
			mark(f.more)
			return
		}
		if f.less == nil {
			f.less = make(chan struct{})
		}
		less := f.less
		f.qmu.Unlock()
		select {
		case <-less:
		case <-ctx.Done():
			return
		}
	}
}

// Seek returns the moment to which m leads from the moment n; see [history.Timeline.Seek].
// ok is false if the feed has no moment or keeps none.
func (f *Feed) Seek(n uint64, m history.Move) (at history.Moment, ok bool) {
	if f.timeline == nil {
		return history.Moment{}, false
	}
	f.seeking.Lock()
	defer f.seeking.Unlock()
	f.jmu.Lock()
	position, ok := f.timeline.Find(n, m)
	f.jmu.Unlock()
	if !ok {
		return history.Moment{}, false
	}
	return position.Moment(), true
}

// Keep bounds the memory of the kept moments; see [history.Timeline.Keep].
func (f *Feed) Keep(maxBytes int) {
	if f.timeline == nil {
		return
	}
	f.jmu.Lock()
	defer f.jmu.Unlock()
	f.timeline.Keep(maxBytes)
}
