package model

import (
	"slices"
	"time"

	"electop/model/dialect"
)

// RivalWait is how long a candidate must look like a rival before it is shown as one. The demo asks
// its server every 2 s who watches what, so a client that waits is known to wait by then.
const RivalWait = 3 * time.Second

// rivals are the candidates that lead beside the first of the queue by the rule of their library.
type rivals struct {
	now []dialect.Rival
	// waiters are the candidates of which a server's table showed that they wait for a name that
	// their library does not count by default. They do so for as long as they exist.
	waiters []dialect.ID
	// contested are the rivals that were shown, without those that wait after all.
	contested []dialect.ID
}

// find finds the rivals after a change of the children or of the tables. New ones are rivals since
// that time.
func (r *rivals) find(d *dialect.Dialect, cs *children, w *watches, path string, since time.Time) {
	was := r.now
	r.now = nil
	if !cs.mixed {
		return
	}
	for _, x := range d.Rivals(cs.queue, cs.rest) {
		id := x.Blind.ID()
		if !slices.Contains(r.waiters, id) && w.waits(x.Blind, cs, path) {
			r.waiters = append(slices.DeleteFunc(r.waiters, func(id dialect.ID) bool { return cs.known[id.Name] == nil }), id)
			r.contested = slices.DeleteFunc(r.contested, func(id dialect.ID) bool { return id == x.ID() })
		}
		if slices.Contains(r.waiters, id) {
			continue
		}
		x.Since = since
		for _, old := range was {
			if old.ID() == x.ID() && old.Blind.ID() == id {
				x.Since = old.Since
			}
		}
		r.now = append(r.now, x)
	}
}

// contest notes the rivals that have lasted long enough, and reports whether there are any. While
// the embedded server holds a message for a client, that client may be about to set its watch.
func (r *rivals) contest(at time.Time, pace *Pace) (any bool) {
	for _, x := range r.now {
		if at.Sub(x.Since) < RivalWait || pace.Holds(x.Blind.Session) {
			continue
		}
		any = true
		if id := x.ID(); !slices.Contains(r.contested, id) && len(r.contested) < HistoryMax {
			r.contested = append(r.contested, id)
		}
	}
	return any
}
