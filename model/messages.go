package model

import (
	"cmp"
	"slices"
	"time"
)

// Exchange is a message that the embedded server held and then sent or dropped, with
// what is known of its client. The request of a reply came at [Message.Since].
type Exchange struct {
	Passed
	Member string // [Member.ID]; "" for a client that is not ours, or not known yet
	// Fault kept the member from reading it when it was sent.
	Fault Fault
	// Lost says that the reply was lost on its way, because the member was ordered to
	// lose it.
	Lost bool
	// Before is how many messages just before this one are not listed. Fast says that
	// the server ran at full speed before it, when it reports none.
	Before int
	Fast   bool
}

// ExchangesMax is how many exchanges a state remembers.
const ExchangesMax = 256

// exchanges is the log of messages. Nothing in it is written in place.
type exchanges struct {
	last []Exchange // oldest first, at most ExchangesMax
	// lost are replies that were lost on request, of which only one side has reported
	// yet: the server that it was sent, or the member that it is lost.
	lost []lostReply
	fast bool // the server runs at full speed since
}

type lostReply struct {
	session uint64
	sent    bool      // the server has reported it
	at      time.Time // when the member did
}

// lostMax bounds exchanges.lost.
const lostMax = 16

// createOp is the request whose reply a member can be ordered to lose.
const createOp = "create"

// add applies the messages that left.
func (x *exchanges) add(o *Pace, r *roster) {
	for i := range o.Passed {
		e := Exchange{Passed: o.Passed[i]}
		e.Since, e.Left = wall(e.Since), wall(e.Left)
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

// loses reports whether a message is the reply that a member loses: the next one to a
// create that was carried out, once it is sent.
func (x *exchanges) loses(e *Exchange, m *Member) bool {
	if e.Op != createOp || e.Err != "" || e.Dropped {
		return false
	}
	i := slices.IndexFunc(x.lost, func(l lostReply) bool { return l.session == e.Session })
	switch {
	case m != nil && m.LosesReply && (i < 0 || !x.lost[i].sent): // an older report was of a reply that was never held
		x.lost = keep(x.without(i), lostReply{session: e.Session, sent: true}, lostMax)
		return true
	case i >= 0 && !x.lost[i].sent && !e.Left.After(x.lost[i].at):
		x.lost = x.without(i)
		return true
	}
	return false
}

// believe notes what a member says: the reply that it was to lose is lost now.
func (x *exchanges) believe(o *Cast, old *Member) {
	if old == nil || !old.LosesReply || o.Member.LosesReply || o.Gone {
		return
	}
	session := cmp.Or(old.Session, o.Member.Session)
	if i := slices.IndexFunc(x.lost, func(l lostReply) bool { return l.session == session }); i >= 0 {
		x.lost = x.without(i)
	} else if session != 0 {
		x.lost = keep(x.lost, lostReply{session: session, at: wall(o.At)}, lostMax)
	}
}

// without is lost without that at i, if there is one.
func (x *exchanges) without(i int) []lostReply {
	if i < 0 {
		return x.lost
	}
	return slices.Concat(x.lost[:i], x.lost[i+1:])
}
