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
// The ensemble's leader expires sessions according to its own monotonic clock. A sign of life is
// a client's request or ping, or another member's report about the client. T is the time on the
// leader's clock at which the leader received the last sign of life of a session, to is the
// session's timeout, and tick is the leader's tick time. The leader reports the deadline
//
//	D = (floor((T+to) / tick) + 1) * tick,  so  D-to-tick <= T < D-to.
//
// A client sends a ping when it has sent no request for a third of its timeout. The client's server
// reports the client to the leader in batches, every half tick. So for a healthy client T is at
// most to/3 + tick/2 old, plus some time for the network ([Slack]).
//
// # Bounds from deadlines
//
// d is the time on our clock at which the leader's clock shows 0, so a deadline D is D+d on our
// clock. An anchor is one of our own sessions whose deadline is in the same reply as D. The anchor's
// deadline is D', its timeout is to', and the reply arrived at R on our clock. The leader received the
// anchor's last sign of life before R, and at T >= D' - to' - tick on the leader's clock:
//
//	d  <=  R - (D' - to' - tick)
//
// So a session expires no later than the largest D + d. The ensemble then commits the session's
// end, which takes at most [commit].
//
// For the lower bound of d, S is the time at which the anchor sent a request that was answered. If
// the anchor is connected to the leader, the leader received the request at S or later:
//
//	d  >   S - (D' - to')
//
// If the anchor is connected to another member, only its ping before S certainly reached the leader.
// Then the bound is to'/3 + tick earlier.
//
// The reply to dump has wall-clock times in whole seconds. D and D' are at most 10 ms earlier, and
// at most 1.01 s later, than these times.
//
// # Bounds from silence
//
// If no server lists the client's connection at R, or if a later reply shows the connection unchanged
// since R, the leader received the last sign of life before R + tick/2. Then the session expires no later than
// R + tick/2 + to + tick. If the servers do not report connections, the same holds for a deadline
// that does not change.
//
// # Elections of the ensemble
//
// An election of the ensemble, or the restart of a standalone server, gives each session its full
// timeout again. Then the older bounds are invalid. While the ensemble's leader is unknown, [Danger.By]
// is zero. See ensembleTerm.
const (
	Slack       = 500 * time.Millisecond // for the network, a client's timer and a busy server
	commit      = time.Second            // the longest time from a session's expiry to the commit of its end
	tickDefault = 3 * time.Second        // ZooKeeper's default tickTime; its sample configuration has 2 s
	wallUnit    = time.Second
	wallError   = 10 * time.Millisecond
	// reconnect is the time in which a healthy client connects again. By default, go-zookeeper waits a
	// second before it connects to its previous server again.
	reconnect = 3 * time.Second
	// DangerOver is how long a danger stays after its bound. A znode that still exists then shows
	// that the bound was wrong.
	DangerOver = 2 * time.Second
)

type clock struct {
	most, least time.Time // bounds of d, see above; zero: not known
	tick        time.Duration
	wall        bool
	unit, err   time.Duration // the precision and the error of deadlines; 0 unless wall is true
}

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

func (k clock) latest(d Deadline) time.Time { return k.most.Add(d.At + k.unit + k.err) }

func (k clock) earliest(d Deadline) time.Time { return k.least.Add(d.At - k.err) }

func tickOf(s *Server) time.Duration {
	if s.Tick > 0 {
		return s.Tick
	}
	return tickDefault
}

func replyTime(t *Table, a Answer) time.Time {
	if a.At.IsZero() || a.At.After(t.End) {
		return t.End.Round(0)
	}
	return a.At.Round(0)
}

// Liveness bounds the time of the last sign of life of one contender's session.
type Liveness struct {
	timeout time.Duration // 0: not known

	conn     *Client   // the listed connection; nil: none, or not known
	last     Conn      // the last connection that was listed
	absent   time.Time // no server lists a connection since then; zero: listed, or not known
	absences int       // the number of rounds without a connection

	deadline  Deadline
	leader    string    // the server that reported the deadline; "": none did
	by        time.Time // latest time of the deadline on our clock; zero: not known
	notBefore time.Time // earliest time of the deadline on our clock; zero: not known

	// quiet is the time of the first reply with the client's last known state; zero: not known.
	quiet time.Time
	// connRound is the beginning of the last round that showed the session's connection or its absence,
	// deadlineRound of the last round with the session's deadline.
	connRound, deadlineRound time.Time

	after       time.Time // the servers certainly received a sign of life after this time; zero: not known
	sound       time.Time // the beginning of the last round that showed no danger; zero: none
	silent      bool      // a sign of the danger was silence, not a missing connection
	danger      string    // why the session is about to expire, "" if it is not
	dangerSince time.Time
}

func (h *Liveness) applyConn(t *Table, x Conn) {
	if x.Conn.Timeout > 0 {
		h.timeout = x.Conn.Timeout
	}
	old := h.conn
	if old == nil || h.last.Server != x.Server || old.Addr != x.Conn.Addr || old.LastResponse != x.Conn.LastResponse || old.Received != x.Conn.Received {
		h.quiet = x.At
		if old != nil || !h.absent.IsZero() { // the connection changed after connRound
			h.after = Later(h.after, h.connRound)
		}
	}
	h.conn, h.last = x.Conn, x
	h.absent, h.absences = time.Time{}, 0
	h.connRound = t.At.Round(0)
}

func (h *Liveness) applyNoConn(t *Table) {
	if h.absent.IsZero() {
		h.absent = t.End.Round(0)
	}
	h.absences++
	h.conn = nil
	h.connRound = t.At.Round(0)
}

func (h *Liveness) applyDeadline(t *Table, s *Server, d Deadline, k clock) {
	if addr := znode.Safe(s.Addr, 0); h.deadline != d || h.leader != addr {
		if h.leader == addr && h.deadline.Wall == d.Wall && d.At > h.deadline.At {
			// The deadline moved after deadlineRound. The client's sign of life may be up to a tick
			// older.
			h.after = Later(h.after, h.deadlineRound.Add(-k.tick))
		}
		h.deadline, h.leader = d, addr
		h.by, h.notBefore = time.Time{}, time.Time{}
		if h.connRound.Before(t.At.Round(0)) { // the deadline is newer than the list of connections
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
	h.deadlineRound = t.At.Round(0)
}

// renew begins a new ensembleTerm: all timeouts started again before the end of the round.
func (h *Liveness) renew(t *Table) {
	h.quiet, h.deadlineRound = time.Time{}, time.Time{}
	if h.conn != nil {
		h.quiet = t.End.Round(0)
	}
	if !h.absent.IsZero() {
		h.absent = t.End.Round(0)
	}
	h.deadline, h.leader, h.by, h.notBefore = Deadline{}, "", time.Time{}, time.Time{}
}

func (h *Liveness) bound(tick time.Duration) (by time.Time) {
	// Just after the connection ended, the client's server may still report a sign of life, which
	// moves the deadline once more.
	if !h.by.IsZero() && (h.absent.IsZero() || !h.deadlineRound.Before(h.absent.Add(tick/2+Slack))) {
		by = h.by.Add(commit)
	}
	from, _ := h.Silence()
	if seen := from.Add(tick/2 + h.timeout + tick + commit); h.timeout > 0 && !from.IsZero() && (by.IsZero() || seen.Before(by)) {
		by = seen
	}
	return by
}

// Alive returns the time before which the session cannot have expired; zero: unknown.
func (h *Liveness) Alive() time.Time {
	if h.after.IsZero() || h.timeout <= 0 {
		return h.notBefore
	}
	return Later(h.notBefore, h.after.Add(h.timeout))
}

// Timeout returns the session's timeout; 0: not known.
func (h *Liveness) Timeout() time.Duration { return h.timeout }

// Silence returns the time since which the client is silent; zero: not known. sure is false while a
// client without a connection may be connecting again.
func (h *Liveness) Silence() (since time.Time, sure bool) {
	if !h.absent.IsZero() {
		return h.absent, h.absences >= 2 && h.connRound.Sub(h.absent) >= reconnect
	}
	return h.quiet, true
}

// Silent bounds how long an expired session was silent before the deletion of its znode. from and to
// bound the time of the deletion. ok is false if the timeout is not known.
func (h *Liveness) Silent(from, to time.Time, tick time.Duration) (least, most time.Duration, ok bool) {
	least, most = h.timeout, h.timeout+tick+tick/2+commit+to.Sub(from)
	if since, _ := h.Silence(); !since.IsZero() && !h.connRound.Before(to.Add(-h.timeout)) {
		least = max(least, from.Sub(since))
	}
	if !h.after.IsZero() {
		most = to.Sub(h.after)
	}
	return least, max(least, most), h.timeout > 0
}

// LastKnown describes the last answers about the session.
func (h *Liveness) LastKnown() string {
	switch {
	case !h.absent.IsZero():
		return h.unlistedAt(0) + "; it is unknown whether its session could expire before the deletion"
	case h.conn != nil:
		return "connected to " + h.last.Server + " when it was last queried, at " + units.Clock(h.connRound)
	}
	return "the servers did not report whether its session expired"
}

// Likely returns the time from which a deletion of the znode probably means that the session expired.
// A healthy client pings every third of the timeout, so about two thirds of the timeout are left.
func (h *Liveness) Likely(joined time.Time, tick time.Duration) time.Time {
	from, timeout := Later(h.sound, joined), h.timeout
	if h.absent.IsZero() || h.silent {
		return h.quiet
	}
	// If the client closed the session, electop reads the deletion within Slack.
	closed := h.absent.Add(Slack)
	if from.IsZero() {
		return closed
	}
	if timeout <= 0 {
		timeout = 2 * tick // the least that servers grant by default
	}
	return Later(closed, from.Add(max(timeout*2/3-Slack, timeout/2)))
}

func (h *Liveness) assess(t *Table, at time.Time, tick time.Duration) {
	was := h.danger
	h.danger = h.signs(tick, len(t.Servers))
	if by := h.bound(tick); h.danger != "" && !by.IsZero() && at.After(by.Add(DangerOver)) {
		h.danger = "" // the bound was wrong
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

func (h *Liveness) patience(tick time.Duration) time.Duration {
	if h.conn == nil { // a deadline moves by a whole tick, up to half a tick late
		return h.timeout/3 + Slack + tick + tick/2
	}
	return h.timeout/3 + Slack
}

func (h *Liveness) unlistedAt(members int) string {
	text := "not connected "
	if members > 1 {
		text += "to any of " + units.Count(members, "member", "members") + " "
	}
	if text += "when queried at " + units.Clock(h.absent); h.last.Conn != nil {
		text = "last seen connected at " + units.Clock(h.last.At) + " and " + text
	}
	return text
}

func (h *Liveness) signs(tick time.Duration, members int) string {
	switch {
	case !h.absent.IsZero():
		return h.unlistedAt(members)
	case h.timeout <= 0:
	case h.conn != nil && h.connRound.Sub(h.quiet) > h.patience(tick):
		return fmt.Sprintf("connected to %s, which received nothing from it since %s; a ping is due every %s",
			h.last.Server, units.Clock(h.quiet), units.Exact((h.timeout / 3).Round(time.Second/10)))
	case h.conn == nil && h.deadlineRound.Sub(h.quiet) > h.patience(tick):
		return fmt.Sprintf("its deadline on %s has not moved since %s", h.leader, units.Clock(h.quiet))
	case !h.by.IsZero() && h.deadlineRound.Sub(h.by.Add(-h.timeout)) > h.timeout/3+Slack+tick/2:
		return fmt.Sprintf("its deadline on %s shows that it was silent since %s or earlier", h.leader, units.Clock(h.by.Add(-h.timeout)))
	}
	return ""
}

func (h *Liveness) untilKnown(tick time.Duration) time.Duration {
	switch {
	case !h.absent.IsZero():
		return reconnect - h.connRound.Sub(h.absent)
	case h.timeout <= 0, !h.after.IsZero(), !h.by.IsZero(), h.quiet.IsZero():
		return 0
	case h.conn != nil:
		return h.patience(tick) - h.connRound.Sub(h.quiet)
	}
	return h.patience(tick) - h.deadlineRound.Sub(h.quiet)
}
