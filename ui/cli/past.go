package cli

import (
	"time"

	"electop/model/history"
)

// pastMax bounds what the past of all elections takes, in bytes of memory,
// roughly. Half of it is for the first, which at 50 candidates under churn, and
// servers that are asked each second, is more than half an hour; the others
// share the rest.
const pastMax = 256 << 20

// sharePast divides pastMax among the elections that are watched by now.
func (w *wall) sharePast() {
	all := w.all()
	for i, e := range all {
		share := pastMax / 2
		if i > 0 {
			share /= len(all) - 1
		}
		e.feed.Keep(share)
	}
}

// Seek implements [ui.Past].
func (w *wall) Seek(path string, n uint64, m history.Move) (history.Moment, bool) {
	e := w.find(path)
	if e == nil {
		return history.Moment{}, false
	}
	return e.feed.Seek(n, m)
}

// Span returns from when to when the past of the election at path is kept.
func (w *wall) Span(path string) (first, last time.Time) {
	if e := w.find(path); e != nil {
		return e.feed.Span()
	}
	return
}
