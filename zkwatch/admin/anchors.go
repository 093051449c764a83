package admin

import (
	"slices"
	"time"

	"electop/model"
)

// bracket makes anchors that are true of a dump. before are those of when it was
// asked for, answered is when it had come, and conns are the connections of the
// server that made it.
//
// A deadline in the dump follows from the last time, before the dump was made,
// that the server heard of the session; call that the touch. The touch of a
// session of ours is what ties the server's clock to this program's.
//
// It was before the reply came, and that is the only bound that holds in all
// cases: since the last answered request there may have been another one that
// reached the server in time and whose answer is still under way. So Answered
// is when the dump came, and no answer that came before it can tighten that.
//
// It was not before the last request was sent that had been answered when the
// dump was asked for, if the session is connected to the very server that
// made the dump. Any other server passes touches on when the ensemble's
// leader asks, each half tick, so that the last one may have been too late for
// the dump and the one before it counts. Clients are heard of at least each
// third of the timeout; Sent is half a timeout earlier then, which leaves room
// for delays.
func bracket(before []model.Anchor, answered time.Time, conns []model.ServerConn) []model.Anchor {
	out := make([]model.Anchor, 0, len(before))
	for _, a := range before {
		if !slices.ContainsFunc(conns, func(c model.ServerConn) bool { return c.Session == a.Session }) {
			a.Sent = a.Sent.Add(-a.Timeout / 2)
		}
		a.Answered = answered
		out = append(out, a)
	}
	return out
}

// widen makes anchors that are true of two dumps, where more than one server
// has deadlines.
func widen(a, b []model.Anchor) []model.Anchor {
	out := slices.Clone(a)
	for _, n := range b {
		i := slices.IndexFunc(out, func(o model.Anchor) bool { return o.Session == n.Session })
		if i < 0 {
			out = append(out, n)
			continue
		}
		if n.Sent.Before(out[i].Sent) {
			out[i].Sent = n.Sent
		}
		if n.Answered.After(out[i].Answered) {
			out[i].Answered = n.Answered
		}
	}
	return out
}
