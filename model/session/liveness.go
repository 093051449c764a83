package session

import (
	"fmt"
	"slices"
	"time"

	"electop/model/units"
	"electop/model/znode"
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
// There are two sources of a bound. The first are the deadlines. Let d be what our
// clock shows when the leader's shows 0 (both run evenly over the minutes that this is
// about). A deadline D is D+d by our clock, so d has to be bounded, and it is
// bounded by what the same reply says of sessions of our own (anchors). The leader had
// heard from ours when it replied, at R by our clock or before, at T >= D' - to' - tick
// by its own:
//
//	d = (our time of T) - T  <=  R - (D' - to' - tick)
//
// An expiry is no later than D + d, at the most. Then the session's end has to be
// committed, which takes [commit] more.
//
// The other way round: our session sent at S something that was answered. If it is
// connected to the leader, the leader heard from us since S; otherwise, if that was
// not yet passed on, since the ping before, S - to'/3 - tick at the earliest. So
// d > S - (D' - to'), or S - to'/3 - tick - (D' - to').
//
// The text of dump has wall-clock times cut to whole seconds, each line
// computed again from two clocks. There D is at most a second and 10 ms more than
// it says, and D' at least what it says, less the same 10 ms.
//
// The second source is this program's own view: of a connection that is the same in a reply
// at R and in a later one, or is gone by R, the leader heard last before R + tick/2, and
// the expiry is no later than R + tick/2 + to + tick. Where connections are not reported,
// the same is true of a deadline.
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
	// commit bounds the time in which the servers agree on the end of an expired session:
	// the ensemble leader's threads on a busy machine, and a quorum's write to
	// slow disks.
	commit = time.Second
	// tickDefault is tickTime in ZooKeeper's sample configuration.
	tickDefault = 2 * time.Second
	wallUnit    = time.Second
	wallError   = 10 * time.Millisecond
	// reconnect is the time that a client has to come back after a lost connection:
	// the library for Go waits a second before it tries again.
	reconnect = 3 * time.Second
	// DangerOver is the time from the bound of a danger until it is given up, if the znode
	// still exists: either the client is back, or the bound was wrong.
	DangerOver = tickDefault
)

// clock bounds the difference between our clock and a leader's, for deadlines
// of one kind. most and least are ours at the leader's zero, zero if not known.
type clock struct {
	most, least time.Time
	tick        time.Duration
	wall        bool
	unit, err   time.Duration
}

// clockOf finds the bounds in one reply of deadlines.
func clockOf(t *Table, s *Server) clock {
	k := clock{tick: tickOf(s)}
	if k.wall = slices.ContainsFunc(s.Deadlines, func(d Deadline) bool { return d.Wall }); k.wall {
		k.unit, k.err = wallUnit, wallError
	}
	for _, a := range t.Anchors {
		i := slices.IndexFunc(s.Deadlines, func(d Deadline) bool { return d.Session == a.Session })
		if i < 0 || a.Timeout <= 0 || s.Deadlines[i].Wall != k.wall {
			continue
		}
		d := s.Deadlines[i]
		if most := replyTime(t, s.Sessions).Add(-(d.At - k.err - a.Timeout - k.tick)); k.most.IsZero() || most.Before(k.most) {
			k.most = most
		}
		if a.Sent.IsZero() {
			continue
		}
		least := a.Sent.Round(0).Add(-(d.At + k.unit + k.err - a.Timeout))
		if s.Connections.State != Answered || !slices.ContainsFunc(s.Clients, func(c Client) bool { return c.Session == a.Session }) {
			least = least.Add(-a.Timeout/3 - k.tick)
		}
		k.least = Later(k.least, least)
	}
	return k
}

// latest returns the latest time of a deadline by our clock.
func (k clock) latest(d Deadline) time.Time { return k.most.Add(d.At + k.unit + k.err) }

// earliest returns the earliest time of a deadline by our clock.
func (k clock) earliest(d Deadline) time.Time { return k.least.Add(d.At - k.err) }

func tickOf(s *Server) time.Duration {
	if s.Tick > 0 {
		return s.Tick
	}
	return tickDefault
}

// replyTime returns the time of a reply.
func replyTime(t *Table, a Answer) time.Time {
	if a.At.IsZero() || a.At.After(t.End) {
		return t.End.Round(0)
	}
	return a.At.Round(0)
}

// Liveness has what the servers' tables show about one contender's session: bounds of
// when the servers last heard from it. Only a new table changes it.
type Liveness struct {
	timeout time.Duration // 0: not known

	conn     *Client   // as listed last; nil: not listed
	last     Conn      // the last one that was listed, also after it is gone
	absent   time.Time // the end of the first round in which no server listed it; zero: listed
	absences int       // such rounds in a row

	deadline  Deadline
	leader    string    // that reported it; "": none did
	by        time.Time // the deadline by our clock at most; zero: no anchor
	notBefore time.Time // and at least; zero: not known

	// quiet is the first reply that had it as it is now: its connection or, if those
	// are not reported, its deadline. zero: neither was reported.
	quiet time.Time
	// When the last round with its connection or the lack of it began, and with a deadline.
	asked, askedDue time.Time

	// after: it was heard from after that, surely; zero: not known.
	after time.Time
	// sound is the beginning of the last round that showed no danger; zero: none did.
	sound time.Time
	// silent: it was connected and not heard from since.
	silent bool
	// danger says why the session is about to expire, "" for no reason;
	// dangerSince is when it was first seen.
	danger      string
	dangerSince time.Time
}

// listed applies a connection as a member lists it.
func (h *Liveness) listed(t *Table, x Conn) {
	if x.Conn.Timeout > 0 {
		h.timeout = x.Conn.Timeout
	}
	old := h.conn
	if old == nil || h.last.Server != x.Server || old.Addr != x.Conn.Addr || old.LastResponse != x.Conn.LastResponse || old.Received != x.Conn.Received {
		h.quiet = x.At
		if old != nil || !h.absent.IsZero() {
			// The server's word of before was given after it was asked.
			h.after = Later(h.after, h.asked)
		}
	}
	h.conn, h.last = x.Conn, x
	h.absent, h.absences = time.Time{}, 0
	h.asked = t.At.Round(0)
}

// unlisted notes that no member lists one.
func (h *Liveness) unlisted(t *Table) {
	if h.absent.IsZero() {
		h.absent = t.End.Round(0)
	}
	h.absences++
	h.conn = nil
	h.asked = t.At.Round(0)
}

// due applies a deadline.
func (h *Liveness) due(t *Table, s *Server, d Deadline, k clock) {
	if addr := znode.Safe(s.Addr, 0); h.deadline != d || h.leader != addr {
		if h.leader == addr && h.deadline.Wall == d.Wall && d.At > h.deadline.At {
			// The leader heard from it since, and so its member a batch before
			// that at the earliest.
			h.after = Later(h.after, h.askedDue.Add(-k.tick))
		}
		h.deadline, h.leader = d, addr
		h.by, h.notBefore = time.Time{}, time.Time{}
		if h.asked.Before(t.At.Round(0)) { // it was heard from since connections were listed
			h.conn, h.absent, h.absences = nil, time.Time{}, 0
		}
		if h.conn == nil {
			h.quiet = replyTime(t, s.Sessions)
		}
	}
	if by := k.latest(d); !k.most.IsZero() && (h.by.IsZero() || by.Before(h.by)) {
		h.by = by
	}
	if !k.least.IsZero() {
		h.notBefore = Later(h.notBefore, k.earliest(d))
	}
	h.askedDue = t.At.Round(0)
}

// renewed notes that another server leads the ensemble: leases began again,
// no later than the end of the round.
func (h *Liveness) renewed(t *Table) {
	h.quiet, h.askedDue = time.Time{}, time.Time{}
	if h.conn != nil {
		h.quiet = t.End.Round(0)
	}
	if !h.absent.IsZero() {
		h.absent = t.End.Round(0)
	}
	h.deadline, h.leader, h.by, h.notBefore = Deadline{}, "", time.Time{}, time.Time{}
}

// bound returns the time by which the session expires, unless it is heard from again;
// zero: not known.
func (h *Liveness) bound(tick time.Duration) (by time.Time) {
	// The last request of a client before its connection was lost may not have been passed
	// on yet, which moves the deadline once more.
	if !h.by.IsZero() && (h.absent.IsZero() || !h.askedDue.Before(h.absent.Add(tick/2+Slack))) {
		by = h.by.Add(commit)
	}
	from, _ := h.Silence()
	if seen := from.Add(tick/2 + h.timeout + tick + commit); h.timeout > 0 && !from.IsZero() && (by.IsZero() || seen.Before(by)) {
		by = seen
	}
	return by
}

// Alive returns the time until which the session cannot have expired; zero: unknown.
func (h *Liveness) Alive() time.Time {
	if h.after.IsZero() || h.timeout <= 0 {
		return h.notBefore
	}
	return Later(h.notBefore, h.after.Add(h.timeout))
}

// Timeout returns the session's timeout, 0 if it is not known.
func (h *Liveness) Timeout() time.Duration { return h.timeout }

// Silence returns since when the client was not heard from. It is sure if two
// rounds showed it, or one that took as long as two: a client that lost its
// connection takes some time to come back.
func (h *Liveness) Silence() (since time.Time, sure bool) {
	if !h.absent.IsZero() {
		return h.absent, h.absences >= 2 && h.asked.Sub(h.absent) >= reconnect
	}
	return h.quiet, true
}

// Silent bounds for how long the servers did not hear from the client of a session that
// expired, if its znode was deleted between two times. tick is their tick time. ok is
// false if the timeout is not known.
func (h *Liveness) Silent(from, to time.Time, tick time.Duration) (least, most time.Duration, ok bool) {
	least, most = h.timeout, h.timeout+tick+tick/2+commit+to.Sub(from)
	if since, _ := h.Silence(); !since.IsZero() && !h.asked.Before(to.Add(-h.timeout)) {
		least = max(least, from.Sub(since))
	}
	if !h.after.IsZero() {
		most = to.Sub(h.after)
	}
	return least, max(least, most), h.timeout > 0
}

// LastKnown says in words what was last known about the session, to explain its
// end.
func (h *Liveness) LastKnown() string {
	switch {
	case !h.absent.IsZero():
		return h.unlistedAt(0) + "; it is unknown whether its session could expire by then"
	case h.conn != nil:
		return "connected to " + h.last.Server + " when it was last asked, at " + units.Clock(h.asked)
	}
	return "the servers did not report when its session expires"
}

// Likely returns when a session may expire: before its client fell silent the client may have
// deleted its znodes. One without a connection may expire later, if its client was
// healthy when it joined or was last seen healthy: it then pings every third of its
// timeout. The session may also have been closed since.
func (h *Liveness) Likely(joined time.Time, tick time.Duration) time.Time {
	from, timeout := Later(h.sound, joined), h.timeout
	if h.absent.IsZero() || h.silent {
		return h.quiet
	}
	// If the session was closed just before the servers were asked, its znodes
	// were deleted too, which is seen within the Slack.
	closed := h.absent.Add(Slack)
	if from.IsZero() {
		return closed
	}
	if timeout <= 0 {
		timeout = 2 * tick // the least that servers grant by default
	}
	return Later(closed, from.Add(max(timeout*2/3-Slack, timeout/2)))
}

// assess finds out, after a round, whether the session is about to expire.
func (h *Liveness) assess(t *Table, at time.Time, tick time.Duration) {
	was := h.danger
	h.danger = h.signs(tick, len(t.Servers))
	if by := h.bound(tick); h.danger != "" && !by.IsZero() && at.After(by.Add(DangerOver)) {
		h.danger = "" // a bound that did not hold
	}
	switch {
	case h.danger == "":
		h.sound, h.silent = Later(h.sound, t.At.Round(0)), false
		return
	case h.absent.IsZero():
		h.silent = true
	}
	if was == "" {
		h.dangerSince = at
	}
}

// patience returns how long a healthy client may be the same in the servers' answers.
func (h *Liveness) patience(tick time.Duration) time.Duration {
	if h.conn == nil { // a deadline moves in steps of a tick, and up to half a tick late
		return h.timeout/3 + Slack + tick + tick/2
	}
	return h.timeout/3 + Slack
}

// unlistedAt says when so many members first listed no connection, and when one last listed it.
func (h *Liveness) unlistedAt(of int) string {
	text := "not connected "
	if of > 1 {
		text += "to any of " + units.Count(of, "member", "members") + " "
	}
	if text += "when asked at " + units.Clock(h.absent); h.last.Conn != nil {
		text = "last seen connected at " + units.Clock(h.last.At) + " and " + text
	}
	return text
}

// signs says why the session is about to expire, "" for no reason.
func (h *Liveness) signs(tick time.Duration, of int) string {
	switch {
	case !h.absent.IsZero():
		return h.unlistedAt(of)
	case h.timeout <= 0:
	case h.conn != nil && h.asked.Sub(h.quiet) > h.patience(tick):
		return fmt.Sprintf("connected to %s, which received nothing from it since %s; a ping is due every %s",
			h.last.Server, units.Clock(h.quiet), units.Exact((h.timeout / 3).Round(time.Second/10)))
	case h.conn == nil && h.askedDue.Sub(h.quiet) > h.patience(tick):
		return fmt.Sprintf("its deadline on %s has not moved since %s", h.leader, units.Clock(h.quiet))
	case !h.by.IsZero() && h.askedDue.Sub(h.by.Add(-h.timeout)) > h.timeout/3+Slack+tick/2:
		return fmt.Sprintf("its deadline on %s shows that it was silent since %s or earlier", h.leader, units.Clock(h.by.Add(-h.timeout)))
	}
	return ""
}

// early returns how much longer a contender's session has to be looked at to
// tell whether its client is alive; 0: that is known, or the servers do not report it
// what it takes.
func (h *Liveness) early(tick time.Duration) time.Duration {
	switch {
	case !h.absent.IsZero():
		return reconnect - h.asked.Sub(h.absent)
	case h.timeout <= 0, !h.after.IsZero(), !h.by.IsZero(), h.quiet.IsZero():
		return 0 // or the deadline says when it was last heard from
	case h.conn != nil:
		return h.patience(tick) - h.asked.Sub(h.quiet)
	}
	return h.patience(tick) - h.askedDue.Sub(h.quiet)
}
