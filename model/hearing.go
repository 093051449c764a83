package model

import (
	"cmp"
	"fmt"
	"time"

	"electop/model/units"
)

// hearing is what the servers' tables say of one contender's session: bounds
// of when the servers last heard of it. It is written at each table only.
type hearing struct {
	timeout time.Duration // 0: not known
	// most is more than the timeout surely, for where connections are not told
	// and so timeouts are not; 0: not known.
	most time.Duration

	conn     *ServerConn // as listed last; nil: not listed
	server   string
	since    time.Time // the first reply that had it as it is now
	absent   time.Time // the end of the first round in which nobody listed it; zero: listed
	absences int       // such rounds in a row

	deadline  Deadline
	told      bool      // deadline is set
	leader    string    // who told it
	moved     time.Time // the first reply that had this deadline
	by        time.Time // the deadline by our clock at most; zero: no anchor
	notBefore time.Time // and at least; zero: not known

	// after: it was heard of after that, surely; zero: not known.
	after time.Time
	// sound is when the last round began that showed no danger; zero: none did.
	sound time.Time
	// silent: it was connected and not heard from since.
	silent bool
	// When the last rounds that told of connections and of deadlines began.
	askedConn, askedDue time.Time
}

// expirer returns the server whose deadlines count, nil if none told any.
func expirer(t *ServerTable) *Server {
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

// everyClient reports whether what is in no member's list of connections is
// connected to none.
func everyClient(t *ServerTable) bool {
	for i := range t.Servers {
		if t.Servers[i].Connections.State != Answered || t.Servers[i].Leftover {
			return false
		}
	}
	return t.Whole && len(t.Servers) > 0
}

// listed takes in a connection as a member lists it.
func (h *hearing) listed(t *ServerTable, x client) {
	if x.conn.Timeout > 0 {
		h.timeout = x.conn.Timeout
	}
	old := h.conn
	same := old != nil && h.server == x.server && old.Addr == x.conn.Addr &&
		old.LastResponse == x.conn.LastResponse && old.Received == x.conn.Received
	if !same {
		h.since = x.at
		if old != nil || !h.absent.IsZero() {
			// The server's word of before was given after it was asked.
			h.after = later(h.after, h.askedConn)
		}
	}
	h.conn, h.server = x.conn, x.server
	h.absent, h.absences = time.Time{}, 0
	h.askedConn = wall(t.At)
}

// unlisted takes in that no member lists one.
func (h *hearing) unlisted(t *ServerTable) {
	if h.absent.IsZero() {
		h.absent = wall(t.End)
	}
	h.absences++
	h.conn = nil
	h.askedConn = wall(t.At)
}

// due takes in a deadline.
func (h *hearing) due(t *ServerTable, s *Server, d Deadline, k clock) {
	if addr := Safe(s.Addr, 0); !h.told || h.deadline != d || h.leader != addr {
		if h.told && h.leader == addr && h.deadline.Wall == d.Wall && d.At > h.deadline.At {
			// The leader heard of it since, and so its member a batch before
			// that at the earliest.
			h.after = later(h.after, h.askedDue.Add(-k.tick))
			if most := k.latest(d).Sub(h.askedDue.Add(-k.tick)); k.known && (h.most == 0 || most < h.most) {
				h.most = max(most, 1)
			}
		}
		h.told, h.deadline, h.leader, h.moved = true, d, addr, replyTime(t, s.Sessions)
		h.by, h.notBefore = time.Time{}, time.Time{}
	}
	if k.known {
		if by := k.latest(d); h.by.IsZero() || by.Before(h.by) {
			h.by = by
		}
	}
	if k.leastOK {
		h.notBefore = later(h.notBefore, k.earliest(d))
	}
	h.askedDue = wall(t.At)
}

// renewed takes in that another server leads the ensemble: leases began anew,
// no later than the end of the round.
func (h *hearing) renewed(t *ServerTable) {
	h.since = wall(t.End)
	if !h.absent.IsZero() {
		h.absent = wall(t.End)
	}
	h.told, h.by, h.notBefore = false, time.Time{}, time.Time{}
}

// bound is when the session expires at the latest, unless it is heard of
// again; zero: not known.
func (h *hearing) bound(tick time.Duration) (by time.Time) {
	least := func(x time.Time) {
		if by.IsZero() || x.Before(by) {
			by = x
		}
	}
	// What a client said last before its connection went may not have been passed
	// on yet, which moves the deadline once more.
	final := h.told && (h.absent.IsZero() || !h.askedDue.Before(h.absent.Add(tick/2+slack)))
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

// alive returns until when the session can not have expired; zero: not known.
func (h *hearing) alive() time.Time {
	if h.after.IsZero() || h.timeout <= 0 {
		return h.notBefore
	}
	return later(h.notBefore, h.after.Add(h.timeout))
}

// likely is when a session without a connection may expire, if its client was
// in order when it was last seen so: it pings every third of its timeout. One
// that closed its session between its connection and its next look is no less
// gone.
func (h *hearing) likely(c *Candidate, tick time.Duration) time.Time {
	from, timeout := h.sound, h.timeout
	if c.Joined {
		from = later(from, c.SeenAt)
	}
	if h.absent.IsZero() || h.silent {
		return time.Time{}
	}
	// The znodes of one that was closed just before the servers were asked have
	// gone with it, which is seen within the slack.
	closed := h.absent.Add(slack)
	if from.IsZero() {
		return closed
	}
	if timeout <= 0 {
		timeout = 2 * tick // the least that servers grant by default
	}
	return later(closed, from.Add(max(timeout*2/3-slack, timeout/2)))
}

// danger says what shows that the session is about to expire, "" for nothing.
func (h *hearing) danger(tick time.Duration, of int) string {
	limit := cmp.Or(h.timeout, h.most)/3 + slack
	switch {
	case !h.absent.IsZero():
		return "no connection to any of " + units.Count(of, "member", "members") + " since " + clockText(h.absent)
	case h.timeout <= 0 && h.most <= 0:
	case h.conn != nil && h.askedConn.Sub(h.since) > limit:
		return fmt.Sprintf("connected to %s, which has heard nothing from it since %s; it should every %s",
			h.server, clockText(h.since), units.Exact((cmp.Or(h.timeout, h.most) / 3).Round(time.Second/10)))
	case h.told && h.askedDue.Sub(h.moved) > limit+tick+tick/2:
		return fmt.Sprintf("its deadline on %s has not moved since %s", h.leader, clockText(h.moved))
	case h.told && h.timeout > 0 && !h.by.IsZero() && h.askedDue.Sub(h.by.Add(-h.timeout)) > limit+tick/2:
		return fmt.Sprintf("by its deadline on %s it was last heard from before %s", h.leader, clockText(h.by.Add(-h.timeout)))
	}
	return ""
}

// clockText is a time in evidence: UTC, for a recording has no zone.
func clockText(t time.Time) string { return t.UTC().Format("15:04:05.0Z") }
