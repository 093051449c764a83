package admin

import (
	"slices"
	"time"

	"electop/model/session"
)

// bracket makes anchors that are true of a dump. before are the anchors when it was
// requested, answered is when it arrived, and conns are the connections of the
// server that made it.
//
// A deadline in the dump follows from the touch: the last time before the dump
// was made that the server heard from the session. The touch of a session of ours
// ties the server's clock to the clock of this program.
//
// The touch was before the reply arrived. No better upper bound holds in all
// cases: after the last answered request there may have been another one that
// reached the server in time and whose answer is still on its way. So Answered
// is when the dump arrived.
//
// If the session is connected to the server that made the dump, the touch was not
// before the last request was sent that had been answered when the dump was
// requested. Another server forwards touches when the ensemble's leader asks for
// them, each half tick: the last touch may have been too late for the dump, and the
// one before it counts. Clients send something at least each third of the timeout.
// For those sessions Sent is half a timeout earlier, which leaves room for delays.
func bracket(before []session.Anchor, answered time.Time, conns []session.Client) []session.Anchor {
	out := make([]session.Anchor, 0, len(before))
	for _, a := range before {
		if !connected(conns, a.Session) {
			a = passedOn(a)
		}
		a.Answered = answered
		out = append(out, a)
	}
	return out
}

// otherServer makes anchors that are true if conns are the connections of another
// server than the one that made the dump.
func otherServer(anchors []session.Anchor, conns []session.Client) []session.Anchor {
	out := slices.Clone(anchors)
	for i, a := range out {
		if connected(conns, a.Session) {
			out[i] = passedOn(a)
		}
	}
	return out
}

func connected(conns []session.Client, sessionID uint64) bool {
	return slices.ContainsFunc(conns, func(c session.Client) bool { return c.Session == sessionID })
}

// passedOn makes the anchor one of a touch that another server forwards.
func passedOn(a session.Anchor) session.Anchor {
	a.Sent = a.Sent.Add(-a.Timeout / 2)
	return a
}

// widen makes anchors that are true of two dumps, where more than one server
// has deadlines.
func widen(a, b []session.Anchor) []session.Anchor {
	out := slices.Clone(a)
	for _, n := range b {
		i := slices.IndexFunc(out, func(o session.Anchor) bool { return o.Session == n.Session })
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
