package live

import (
	"time"

	"electop/model/history"
)

// sharePast divides [history.DefaultMax] among the elections: half of it is for the first
// one, if there are others.
func (e *elections) sharePast() {
	all := e.watched.All()
	for i, one := range all {
		share := history.DefaultMax / min(len(all), 2)
		if i > 0 {
			share /= len(all) - 1
		}
		one.Feed.Keep(share)
	}
}

// Seek implements [travel.Past].
func (e *elections) Seek(path string, n uint64, m history.Move) (history.Moment, bool) {
	one := e.find(path)
	if one == nil {
		return history.Moment{}, false
	}
	return one.Feed.Seek(n, m)
}

// Span returns from when to when the history of the election at path is kept.
func (e *elections) Span(path string) (first, last time.Time) {
	if one := e.find(path); one != nil {
		return one.Feed.Span()
	}
	return
}
