package feed

import (
	"time"

	"electop/model/history"
)

// Seek returns the moment to which m leads from the moment n, as
// [history.Timeline.Seek] does; ok is false if no past is kept, or none was yet.
func (f *Feed) Seek(n uint64, m history.Move) (at history.Moment, ok bool) {
	if f.tape == nil {
		return history.Moment{}, false
	}
	f.seeking.Lock()
	defer f.seeking.Unlock()
	f.jmu.Lock()
	cue, ok := f.tape.Find(n, m)
	f.jmu.Unlock()
	if !ok {
		return history.Moment{}, false
	}
	return cue.Moment(), true
}

// Span returns the times of the first and the last moment that are kept; zero if
// there is none.
func (f *Feed) Span() (first, last time.Time) {
	if f.tape == nil {
		return first, last
	}
	f.jmu.Lock()
	defer f.jmu.Unlock()
	return f.tape.Span()
}

// Keep sets the bound of the past, as [history.Timeline.Keep] does.
func (f *Feed) Keep(maxBytes int) {
	if f.tape == nil {
		return
	}
	f.jmu.Lock()
	defer f.jmu.Unlock()
	f.tape.Keep(maxBytes)
}
