package zkserver

import (
	"sync"
	"time"
)

// A clock is the time since the server was made, with alarms that hold the server's
// lock. Guarded by that lock, except for the time.
type clock struct {
	start     time.Time
	mu        *sync.Mutex
	wg        *sync.WaitGroup    // counts alarms
	recovered func(where string) // deferred around callbacks
	over      bool               // no alarm goes off any more
}

// elapsed is the time since the server was made.
func (k *clock) elapsed() time.Duration { return time.Since(k.start) }

// at is the wall-clock time of an elapsed one.
func (k *clock) at(elapsed time.Duration) time.Time { return k.start.Add(elapsed) }

// alarm is a timer whose callback the server waits for when it closes.
// Guarded by the server's lock.
type alarm struct {
	t       *time.Timer
	done    func()
	stopped bool
}

// after calls f under the lock, d from now, unless the alarm is stopped or the
// clock is over before. The caller holds the lock.
func (k *clock) after(d time.Duration, f func()) *alarm {
	k.wg.Add(1)
	a := &alarm{done: k.wg.Done}
	a.t = time.AfterFunc(d, func() {
		defer a.done()
		defer k.recovered("timer")
		k.mu.Lock()
		defer k.mu.Unlock()
		if !k.over && !a.stopped {
			f()
		}
	})
	return a
}

// stop may be called on nil and more than once. A callback that waits for the
// lock already will do nothing when it gets it.
func (a *alarm) stop() {
	if a == nil || a.stopped {
		return
	}
	a.stopped = true
	if a.t.Stop() {
		a.done()
	}
}
