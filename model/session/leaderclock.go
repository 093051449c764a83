package session

import (
	"slices"
	"time"
)

// # When a session expires
//
// Only the ensemble's leader expires sessions, by its own monotonic clock. Let
// T be when it last heard from a session there, to the session's timeout, tick
// its tick time. The deadline that it keeps and reports is
//
//	D = (floor((T+to) / tick) + 1) * tick,  so  D-to-tick <= T < D-to.
//
// A client pings when a third of its timeout passed without a request. The
// member that it is connected to answers, and passes the touch on to the leader
// in batches, every half tick. So for a healthy client T is never older than
// to/3 + tick/2, and some time for the network ([Slack]).
//
// Let d be what our clock shows when the leader's shows 0 (both run evenly over
// the minutes that this is about). A deadline D is D+d by our clock, so d is
// what has to be bounded, and it is bounded by what the same reply says of
// sessions of our own (anchors). The leader had heard from ours when it replied,
// at R by our clock or before, at T >= D' - to' - tick by its own:
//
//	d = (our time of T) - T  <=  R - (D' - to' - tick)
//
// A connection of the leader's own list, that it answered at L by the same
// clock before it replied, gives d <= R - L. The least of them counts. An
// expiry is no later than D + d, at the most. Then the session's end has to be
// committed, which takes [commit] more.
//
// The other way round: our session sent at S something that was answered. If it is
// connected to the leader, the leader heard from us since S; otherwise, if that was
// not yet passed on, since the ping before, S - to'/3 - tick at the earliest. So
// d > S - (D' - to'), or S - to'/3 - tick - (D' - to'). If the leader's own list of
// connections was asked for after S, its last answer to our session was at L by its
// clock, and d >= S - L.
//
// The text of dump has wall-clock times cut to whole seconds, each line
// computed again from two clocks. There D is at most a second and 10 ms more than
// it says, and D' at least what it says, less the same 10 ms.
//
// Without any anchor there is another bound. A deadline that the leader reported at
// R is no later than R + to + tick. Of a connection that is the same in a reply
// at R and in a later one, or is gone by R, the leader heard last before
// R + tick/2, and the expiry is no later than R + tick/2 + to + tick.
//
// All of this ends where the ensemble elects a leader, another or the same, and
// where a server that is alone is restarted: every session has its full timeout
// again from there on. So a bound names the epoch in which it holds (see
// ensembleTerm), what was known is dropped when another epoch is seen, and there is
// no bound while the ensemble leader is unknown.
const (
	// Slack is for the network, for a client's timer, and for a server that is
	// busy; clients in Java ping up to a second early, none is known to be late.
	Slack = 500 * time.Millisecond
	// commit is how long the end of an expired session takes to be agreed on:
	// the ensemble leader's threads on a busy machine, and a quorum's write to
	// slow disks.
	commit = time.Second
	// tickDefault is tickTime in ZooKeeper's sample configuration.
	tickDefault = 2 * time.Second
	wallUnit    = time.Second
	wallError   = 10 * time.Millisecond
)

// clock bounds the difference between our clock and a leader's, for deadlines
// of one kind.
type clock struct {
	known     bool
	most      time.Time // ours at the leader's zero, at most
	leastOK   bool
	least     time.Time
	tick      time.Duration
	wall      bool
	unit, err time.Duration
}

// clockOf finds the bounds in one reply of deadlines.
func clockOf(t *Table, s *Server) clock {
	k := clock{tick: tickOf(s)}
	replied := replyTime(t, s.Sessions)
	own := make(map[uint64]Deadline, len(t.Anchors))
	for i := range t.Anchors {
		own[t.Anchors[i].Session] = Deadline{}
	}
	for _, d := range s.Deadlines {
		if _, ok := own[d.Session]; ok {
			own[d.Session] = d
		}
		k.wall = k.wall || d.Wall
	}
	if k.wall {
		k.unit, k.err = wallUnit, wallError
	}
	bound := func(most time.Time) {
		if !k.known || most.Before(k.most) {
			k.known, k.most = true, most
		}
	}
	for _, a := range t.Anchors {
		d := own[a.Session]
		if d.Session == 0 || a.Timeout <= 0 || d.Wall != k.wall {
			continue
		}
		bound(replied.Add(-(d.At - k.err - a.Timeout - k.tick)))
		least := a.Sent.Round(0).Add(-(d.At + k.unit + k.err - a.Timeout))
		switch i := slices.IndexFunc(s.Clients, func(c Client) bool { return c.Session == a.Session }); {
		case s.Connections.State != Answered || i < 0:
			least = least.Add(-a.Timeout/3 - k.tick)
		case !k.wall && s.Clients[i].LastResponse > 0 && !a.Sent.After(replyTime(t, s.Connections)):
			least = Later(least, a.Sent.Round(0).Add(-s.Clients[i].LastResponse))
		}
		if !a.Sent.IsZero() && (!k.leastOK || least.After(k.least)) {
			k.leastOK, k.least = true, least
		}
	}
	if !k.wall && s.Connections.State == Answered {
		for i := range s.Clients {
			if l := s.Clients[i].LastResponse; l > 0 {
				bound(replyTime(t, s.Connections).Add(-l))
			}
		}
	}
	return k
}

// latest is when a deadline is by our clock, at most.
func (k clock) latest(d Deadline) time.Time { return k.most.Add(d.At + k.unit + k.err) }

// earliest is when it is at least.
func (k clock) earliest(d Deadline) time.Time { return k.least.Add(d.At - k.err) }

func tickOf(s *Server) time.Duration {
	if s.Tick > 0 {
		return s.Tick
	}
	return tickDefault
}

// replyTime is when a reply came.
func replyTime(t *Table, a Answer) time.Time {
	if a.At.IsZero() || a.At.After(t.End) {
		return t.End.Round(0)
	}
	return a.At.Round(0)
}
