package live

import (
	"time"

	"electop/model/history"
)

// pastMax bounds the memory for the history of all elections, in bytes, roughly. Half
// of it is for the first election: more than half an hour with 50 candidates under
// churn and servers that are asked each second. The others share the rest.
const pastMax = 256 << 20

// sharePast divides pastMax among the elections.
func (e *elections) sharePast() {
	all := e.watched.All()
	for i, one := range all {
		share := pastMax / 2
		if i > 0 {
			share /= len(all) - 1
		}
		one.Feed.Keep(share)
	}
}

// Seek implements [ui.Past].
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
