// Package clock is the time since a server's start, with alarms: timers whose callbacks
// hold the server's lock, and which the server can wait for when it closes.
package clock

import (
	"sync"
	"time"
)

// A Clock is guarded by the server's lock, except for the time.
type Clock struct {
	start     time.Time
	lock      sync.Locker
	alarms    *sync.WaitGroup
	recovered func(where string)
	over      bool // no alarm goes off any more
}

// New returns a clock that starts now. Callbacks of alarms hold lock. recovered, which
// has to call recover, is deferred around them. alarms counts those that are neither
// stopped nor done.
func New(lock sync.Locker, alarms *sync.WaitGroup, recovered func(where string)) *Clock {
	return &Clock{start: time.Now(), lock: lock, alarms: alarms, recovered: recovered}
}

// Start is when the clock started.
func (k *Clock) Start() time.Time { return k.start }

// Elapsed is the time since the start.
func (k *Clock) Elapsed() time.Duration { return time.Since(k.start) }

// At is the wall-clock time of an elapsed one.
func (k *Clock) At(elapsed time.Duration) time.Time { return k.start.Add(elapsed) }

// Stop sees to it that no alarm goes off any more. The caller holds the lock. Alarms that
// are not stopped are counted until their time has come.
func (k *Clock) Stop() { k.over = true }

// An Alarm is guarded by the server's lock.
type Alarm struct {
	t       *time.Timer
	done    func()
	stopped bool
}

// After calls f under the lock, d from now, unless the alarm or the clock is stopped
// before. The caller holds the lock.
func (k *Clock) After(d time.Duration, f func()) *Alarm {
	k.alarms.Add(1)
	a := &Alarm{done: k.alarms.Done}
	a.t = time.AfterFunc(d, func() {
		defer a.done()
		defer k.recovered("timer")
		k.lock.Lock()
		defer k.lock.Unlock()
		if !k.over && !a.stopped {
			f()
		}
	})
	return a
}

// Stop may be called on nil and more than once. A callback that waits for the
// lock already will do nothing when it gets it.
func (a *Alarm) Stop() {
	if a == nil || a.stopped {
		return
	}
	a.stopped = true
	if a.t.Stop() {
		a.done()
	}
}
