package model

import (
	"cmp"
	"slices"
	"time"
)

// Exchange is a message that the embedded server held and then sent or dropped.
type Exchange struct {
	Passed
	Member string // [Member.ID]; "" for a third-party client or an unknown session
	Fault  Fault  // the member's fault when the message left
	Lost   bool   // the member dropped this reply because the user ordered that
	// Before is [Pace.Unlisted] if this message was the first of a report, otherwise 0. Fast reports
	// whether the server ran at full speed after the previous message, and so reported no messages.
	Before int
	Fast   bool
}

// ExchangesMax bounds [State.Exchanges].
const ExchangesMax = 256

// exchanges has the last messages. The elements are never written.
type exchanges struct {
	last []Exchange // oldest first, at most ExchangesMax
	// lost has the lost replies that only the server, or only the member, has reported.
	lost []lostReply
	fast bool // the server ran at full speed since the last message
}

type lostReply struct {
	session uint64
	sent    bool      // the server reported the reply, but the member did not report the loss
	at      time.Time // when the member reported the loss
}

const lostMax = 16

func (x *exchanges) add(o *Pace, r *roster) {
	for i := range o.Passed {
		e := Exchange{Passed: o.Passed[i]}
		e.Since, e.Left = wallClock(e.Since), wallClock(e.Left)
		if i == 0 {
			e.Before, e.Fast = o.Unlisted, x.fast && len(x.last) > 0
			x.fast = false
		}
		m := r.owners[e.Session]
		if m != nil {
			e.Member = m.ID
			if m.Fault != NoFault && !m.FaultAt.IsZero() && !m.FaultAt.After(e.Left) {
				e.Fault = m.Fault
			}
		}
		e.Lost = x.loses(&e, m)
		x.last = keep(x.last, e, ExchangesMax)
	}
	x.fast = x.fast || o.Delay == 0 && !o.Steps
}

// loses follows the user's order: the member loses its next reply to a successful create.
func (x *exchanges) loses(e *Exchange, m *Member) bool {
	if e.Op != "create" || e.Err != "" || e.Dropped {
		return false
	}
	i := slices.IndexFunc(x.lost, func(l lostReply) bool { return l.session == e.Session })
	switch {
	case m != nil && m.LosesReply && (i < 0 || !x.lost[i].sent): // an entry with sent false is about an earlier reply
		x.lost = keep(x.without(i), lostReply{session: e.Session, sent: true}, lostMax)
		return true
	case i >= 0 && !x.lost[i].sent && !e.Left.After(x.lost[i].at):
		x.lost = x.without(i)
		return true
	}
	return false
}

func (x *exchanges) applyCast(o *Cast, old *Member) {
	if old == nil || !old.LosesReply || o.Member.LosesReply || o.Gone {
		return
	}
	session := cmp.Or(old.Session, o.Member.Session)
	if i := slices.IndexFunc(x.lost, func(l lostReply) bool { return l.session == session }); i >= 0 {
		x.lost = x.without(i)
	} else if session != 0 {
		x.lost = keep(x.lost, lostReply{session: session, at: wallClock(o.At)}, lostMax)
	}
}

func (x *exchanges) without(i int) []lostReply {
	if i < 0 {
		return x.lost
	}
	return slices.Concat(x.lost[:i], x.lost[i+1:])
}
