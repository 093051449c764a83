package session

import (
	"cmp"
	"fmt"
	"time"

	"electop/model/units"
	"electop/model/znode"
)

// Liveness is what the servers' tables show about one contender's session: bounds of
// when the servers last heard from it. Only a new table changes it.
type Liveness struct {
	timeout time.Duration // 0: not known
	// most is more than the timeout surely, for where connections are not reported
	// and so timeouts are not; 0: not known.
	most time.Duration

	conn     *Client // as listed last; nil: not listed
	server   string
	since    time.Time // the first reply that had it as it is now
	absent   time.Time // the end of the first round in which no server listed it; zero: listed
	absences int       // such rounds in a row

	deadline  Deadline
	counted   bool      // deadline is set
	leader    string    // that reported it
	moved     time.Time // the first reply that had this deadline
	by        time.Time // the deadline by our clock at most; zero: no anchor
	notBefore time.Time // and at least; zero: not known

	// after: it was heard from after that, surely; zero: not known.
	after time.Time
	// sound is when the last round began that showed no danger; zero: none did.
	sound time.Time
	// silent: it was connected and not heard from since.
	silent bool
	// danger says why the session is about to expire, "" for no reason;
	// dangerSince is when it was first seen.
	danger      string
	dangerSince time.Time
	// When the last rounds that reported connections and of deadlines began.
	askedConn, askedDue time.Time
}

// Expirer returns the server whose deadlines count, nil if none reported any.
func (t *Table) Expirer() *Server {
	var found *Server
	for i := range t.Servers {
		s := &t.Servers[i]
		if s.Sessions.State != Answered || len(s.Deadlines) == 0 {
			continue
		}
		if found == nil || s.Mode == ModeLeader || s.Mode == ModeStandalone {
			found = s
		}
	}
	return found
}

// listed takes in a connection as a member lists it.
func (h *Liveness) listed(t *Table, x Conn) {
	if x.Conn.Timeout > 0 {
		h.timeout = x.Conn.Timeout
	}
	old := h.conn
	same := old != nil && h.server == x.Server && old.Addr == x.Conn.Addr &&
		old.LastResponse == x.Conn.LastResponse && old.Received == x.Conn.Received
	if !same {
		h.since = x.At
		if old != nil || !h.absent.IsZero() {
			// The server's word of before was given after it was asked.
			h.after = Later(h.after, h.askedConn)
		}
	}
	h.conn, h.server = x.Conn, x.Server
	h.absent, h.absences = time.Time{}, 0
	h.askedConn = t.At.Round(0)
}

// unlisted takes in that no member lists one.
func (h *Liveness) unlisted(t *Table) {
	if h.absent.IsZero() {
		h.absent = t.End.Round(0)
	}
	h.absences++
	h.conn = nil
	h.askedConn = t.At.Round(0)
}

// due takes in a deadline.
func (h *Liveness) due(t *Table, s *Server, d Deadline, k clock) {
	if addr := znode.Safe(s.Addr, 0); !h.counted || h.deadline != d || h.leader != addr {
		if h.counted && h.leader == addr && h.deadline.Wall == d.Wall && d.At > h.deadline.At {
			// The leader heard from it since, and so its member a batch before
			// that at the earliest.
			h.after = Later(h.after, h.askedDue.Add(-k.tick))
			if most := k.latest(d).Sub(h.askedDue.Add(-k.tick)); k.known && (h.most == 0 || most < h.most) {
				h.most = max(most, 1)
			}
		}
		h.counted, h.deadline, h.leader, h.moved = true, d, addr, replyTime(t, s.Sessions)
		h.by, h.notBefore = time.Time{}, time.Time{}
	}
	if k.known {
		if by := k.latest(d); h.by.IsZero() || by.Before(h.by) {
			h.by = by
		}
	}
	if k.leastOK {
		h.notBefore = Later(h.notBefore, k.earliest(d))
	}
	h.askedDue = t.At.Round(0)
}

// renewed takes in that another server leads the ensemble: leases began again,
// no later than the end of the round.
func (h *Liveness) renewed(t *Table) {
	h.since = t.End.Round(0)
	if !h.absent.IsZero() {
		h.absent = t.End.Round(0)
	}
	h.counted, h.by, h.notBefore = false, time.Time{}, time.Time{}
}

// bound is when the session expires at the latest, unless it is heard from
// again; zero: not known.
func (h *Liveness) bound(tick time.Duration) (by time.Time) {
	least := func(x time.Time) {
		if by.IsZero() || x.Before(by) {
			by = x
		}
	}
	// The last request of a client before its connection was lost may not have been passed
	// on yet, which moves the deadline once more.
	final := h.counted && (h.absent.IsZero() || !h.askedDue.Before(h.absent.Add(tick/2+Slack)))
	if final && !h.by.IsZero() {
		least(h.by.Add(commit))
	}
	if h.timeout <= 0 {
		return by
	}
	switch {
	case !h.absent.IsZero():
		least(h.absent.Add(tick/2 + h.timeout + tick + commit))
	case h.conn != nil:
		least(h.since.Add(tick/2 + h.timeout + tick + commit))
	}
	if final {
		least(h.moved.Add(h.timeout + tick + commit))
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

// reconnect is how long a client whose connection was lost has to come back:
// the library for Go waits a second before it tries again.
const reconnect = 3 * time.Second

// Timeout returns the session's timeout, 0 if it is not known.
func (h *Liveness) Timeout() time.Duration { return h.timeout }

// Silence returns since when the client was not heard from. It is sure if two
// rounds showed it, or one that took as long as two: a client that lost its
// connection takes some time to come back.
func (h *Liveness) Silence() (since time.Time, sure bool) {
	switch {
	case !h.absent.IsZero():
		return h.absent, h.absences >= 2 && h.askedConn.Sub(h.absent) >= reconnect
	case h.conn == nil:
		return h.moved, true
	}
	return h.since, true
}

// LastKnown says in words what was last known about the session, to explain its
// end.
func (h *Liveness) LastKnown() string {
	switch {
	case !h.absent.IsZero():
		return "no connection since " + units.Clock(h.absent) + "; it is unknown whether its session could expire by then"
	case h.conn != nil:
		return "connected to " + h.server + " when it was last asked, at " + units.Clock(h.askedConn)
	}
	return "the servers did not report when its session expires"
}

// Likely is when a session may expire: before its client fell silent the client may have
// deleted its znodes. One without a connection may expire later, if its client was
// healthy when it joined or was last seen healthy: it then pings every third of its
// timeout. The session may also have been closed since.
func (h *Liveness) Likely(joined time.Time, tick time.Duration) time.Time {
	from, timeout := Later(h.sound, joined), h.timeout
	switch since, _ := h.Silence(); {
	case h.absent.IsZero():
		return since
	case h.silent:
		return time.Time{}
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

// signs says why the session is about to expire, "" for no reason.
func (h *Liveness) signs(tick time.Duration, of int) string {
	limit := cmp.Or(h.timeout, h.most)/3 + Slack
	switch {
	case !h.absent.IsZero():
		return "no connection to any of " + units.Count(of, "member", "members") + " since " + units.Clock(h.absent)
	case h.timeout <= 0 && h.most <= 0:
	case h.conn != nil && h.askedConn.Sub(h.since) > limit:
		return fmt.Sprintf("connected to %s, which received nothing from it since %s; a ping is due every %s",
			h.server, units.Clock(h.since), units.Exact((cmp.Or(h.timeout, h.most) / 3).Round(time.Second/10)))
	case h.counted && h.askedDue.Sub(h.moved) > limit+tick+tick/2:
		return fmt.Sprintf("its deadline on %s has not moved since %s", h.leader, units.Clock(h.moved))
	case h.counted && h.timeout > 0 && !h.by.IsZero() && h.askedDue.Sub(h.by.Add(-h.timeout)) > limit+tick/2:
		return fmt.Sprintf("its deadline on %s shows that it was silent since %s or earlier", h.leader, units.Clock(h.by.Add(-h.timeout)))
	}
	return ""
}

// early returns how much longer a contender's session has to be looked at to
// tell whether its client is alive; 0: that is known, or the servers do not report it
// what it takes.
func (h *Liveness) early(tick time.Duration) time.Duration {
	limit := cmp.Or(h.timeout, h.most)/3 + Slack
	switch {
	case !h.absent.IsZero():
		return reconnect - h.askedConn.Sub(h.absent)
	case h.timeout <= 0 && h.most <= 0, !h.after.IsZero():
		return 0
	case h.counted && h.timeout > 0 && !h.by.IsZero():
		return 0 // the deadline says when it was last heard from
	case h.conn != nil:
		return limit - h.askedConn.Sub(h.since)
	case h.counted:
		return limit + tick + tick/2 - h.askedDue.Sub(h.moved)
	}
	return 0
}

// DangerOver is how long after its bound a danger is given up if the znode still
// exists: either the client is back, or the bound was wrong.
const DangerOver = tickDefault
