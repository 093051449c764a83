// Package session collects what the servers report about sessions: where a session is
// connected, when its client last sent a sign of life, and when it expires.
//
// A [Table] has the answers of the ensemble's members in one round of requests. The
// [Tracker] applies one table after the other. For the sessions of contenders and of recent leaders, it
// has a [Liveness]: bounds of the time of the client's last sign of life. The bounds help to decide why
// a leader's znode was deleted, and whether a contender's session is about to expire.
//
//	Table -> Tracker.Apply -> Liveness, Danger, View
//
// Anchors are sessions of this process. They relate the clocks of other machines to ours, because
// their deadlines are in the same reply as the deadlines of other sessions (see liveness.go).
package session

import (
	"slices"
	"time"
	"unsafe"

	"electop/model/znode"
)

// Tracker applies the servers' tables, round by round. A copy is independent.
type Tracker struct {
	known  View
	at     time.Time // the end of the last round with connections
	rounds int       // number of rounds with connections or deadlines
	end    time.Time // the end of the last of these rounds
	term   ensembleTerm
	lost   time.Time     // when electop's own connection was last lost
	steady bool          // electop's own connection was not lost since term was set
	tick   time.Duration // the longest tick time of the servers
}

// View is a snapshot of a tracker. It is immutable.
type View struct {
	clients map[uint64]Conn
	hosts   []string // clients has all connections from these hosts
	whole   bool
	live    map[uint64]Liveness
	unknown int           // number of holders whose liveness is unknown
	left    time.Duration // the time until the liveness of all holders is known
	tick    time.Duration
}

// Holder is a znode whose session is tracked.
type Holder struct {
	Session uint64
	Timeout time.Duration // the session's timeout from another source; 0: unknown
	SeenAt  time.Time     // when electop first read the znode
}

// Apply applies a round at the time at. A round with connections or deadlines drops each session that
// has no holder, unless keep is true for it.
func (k *Tracker) Apply(t *Table, at time.Time, holders []Holder, keep func(session uint64) bool) {
	clients, exp := t.Conns(), t.Expirer()
	before := k.known.live
	if k.updateTerm(t) {
		before = make(map[uint64]Liveness, len(k.known.live))
		for session, h := range k.known.live {
			h.renew(t)
			before[session] = h
		}
		k.known.live = before
	}
	if clients == nil && exp == nil {
		return
	}
	if exp != nil && k.term.known && znode.Safe(exp.Addr, 0) != k.term.leader {
		exp = nil // the deadlines may be from a deposed leader
	}
	if clients != nil {
		k.known.clients, k.known.hosts, k.known.whole, k.at = clients, t.Hosts, t.ListsEveryConn(), t.End.Round(0)
	}
	k.rounds++
	k.end = t.End.Round(0)
	k.tick = 0
	for i := range t.Servers {
		k.tick = max(k.tick, tickOf(&t.Servers[i]))
	}
	var c clock
	var deadlines map[uint64]Deadline
	if exp != nil {
		c = clockOf(t, exp)
		deadlines = make(map[uint64]Deadline, len(exp.Deadlines))
		for _, x := range exp.Deadlines {
			deadlines[x.Session] = x
		}
	}
	live := make(map[uint64]Liveness, len(holders))
	k.known.unknown, k.known.left = 0, 0
	for _, x := range holders {
		if x.Session == 0 {
			continue
		}
		h, again := live[x.Session]
		if !again {
			if h = before[x.Session]; h.timeout == 0 {
				h.timeout = x.Timeout
			}
			if conn, ok := clients[x.Session]; ok {
				h.applyConn(t, conn)
			} else if clients != nil && k.known.whole && !x.SeenAt.After(t.At.Round(0)) {
				h.applyNoConn(t)
			}
			if d, ok := deadlines[x.Session]; ok {
				h.applyDeadline(t, exp, d, c)
			}
			h.assess(t, at, k.tick)
			live[x.Session] = h
		}
		if left := h.untilKnown(k.tick); left > 0 {
			k.known.unknown++
			k.known.left = max(k.known.left, left)
		}
	}
	for session, h := range before {
		if _, ok := live[session]; !ok && keep(session) {
			live[session] = h
		}
	}
	k.known.live, k.known.tick = live, k.tick
}

// ConnectionLost hides [Danger.By] until a later round, because the ensemble's leader may be down.
func (k *Tracker) ConnectionLost(at time.Time) {
	k.steady, k.term.known, k.lost = false, false, Later(k.lost, at)
}

// Of returns the liveness of a session, nil if unknown.
func (k *Tracker) Of(session uint64) *Liveness {
	h, ok := k.known.live[session]
	if !ok {
		return nil
	}
	return &h
}

// Danger shows that a session is about to expire.
type Danger struct {
	// By and NotBefore bound the time at which the session expires unless its client returns, on
	// this program's clock; zero: not known. By is valid only in Epoch (the upper half of the zxids),
	// because an election of the ensemble starts all timeouts again.
	By, NotBefore time.Time
	Epoch         int64
	Evidence      string    // what the servers reported; safe to show
	Since         time.Time // when electop first saw the danger
	// Timeout is the session's timeout, 0 if not known. Silent and Sure are the results of
	// [Liveness.Silence], but Silent is earlier if the deadline shows an earlier time.
	Timeout time.Duration
	Silent  time.Time
	Sure    bool
}

// Danger returns the evidence that the session is about to expire, nil if absent or too old.
func (k *Tracker) Danger(session uint64, at time.Time) *Danger {
	h := k.known.live[session]
	if h.danger == "" {
		return nil
	}
	d := &Danger{Evidence: h.danger, Since: h.dangerSince, NotBefore: h.notBefore, Timeout: h.timeout}
	d.Silent, d.Sure = h.Silence()
	if by := h.bound(k.tick); !by.IsZero() {
		if k.term.known {
			d.By, d.Epoch = by, k.term.epoch
		}
		if from := by.Add(-h.timeout); h.timeout > 0 && from.Before(d.Silent) {
			d.Silent = from // the last sign of life was at least the timeout before the end of the session
		}
	}
	if !at.Before(d.Over(k.end)) {
		return nil
	}
	return d
}

// dangerStale is the longest timeout that servers grant by default.
const dangerStale = 20 * tickDefault

// Over returns the time at which electop drops the danger. last is [Tracker.LastRound].
func (d *Danger) Over(last time.Time) time.Time {
	if d.By.IsZero() {
		return Later(d.Since, last).Add(dangerStale)
	}
	return Later(d.By.Add(DangerOver), Later(d.Since, last))
}

// Rounds counts the rounds with connections or deadlines. LastRound returns the end of the last of these
// rounds, Listed the end of the last round with connections.
func (k *Tracker) Rounds() int          { return k.rounds }
func (k *Tracker) LastRound() time.Time { return k.end }
func (k *Tracker) Listed() time.Time    { return k.at }
func (k *Tracker) View() View           { return k.known }
func (k *Tracker) Tick() time.Duration  { return k.tick }

// Memory estimates the memory of all [Liveness] values, in bytes.
func (k *Tracker) Memory() int { return len(k.known.live) * (int(unsafe.Sizeof(Liveness{})) + 16) }

// From returns the sessions that were connected from a host in the last round, sorted; ok is false if
// there may be more.
func (v View) From(host string) (sessions []uint64, ok bool) {
	if !v.whole || !slices.Contains(v.hosts, host) {
		return nil, false
	}
	for session, c := range v.clients {
		if HostOf(c.Conn.Addr) == host {
			sessions = append(sessions, session)
		}
	}
	slices.Sort(sessions)
	return sessions, true
}

// Client returns the session's connection in the servers' last answers. The result's Conn is nil if
// the servers list no connection.
func (v View) Client(session uint64) Conn { return v.clients[session] }

// Last returns the session's last connection. listed reports whether the servers still list it.
func (v View) Last(session uint64) (x Conn, listed bool) {
	if x, listed = v.clients[session]; !listed {
		x = v.live[session].last
	}
	return x, listed
}

// AliveAfter returns a time after which the servers certainly received a sign of life of the session;
// zero: unknown.
func (v View) AliveAfter(session uint64) time.Time {
	h := v.live[session]
	if h.notBefore.IsZero() || h.timeout <= 0 {
		return h.after
	}
	return Later(h.after, h.notBefore.Add(-h.timeout-v.tick))
}

// Whole reports whether all members of the ensemble listed their connections.
func (v View) Whole() bool { return v.whole }

// Absent reports whether the last lists of connections cover all members and lack the session.
func (v View) Absent(session uint64) bool {
	return v.whole && v.clients[session].Conn == nil
}

// Timeout returns the session's timeout; 0: unknown.
func (v View) Timeout(session uint64) time.Duration { return v.live[session].timeout }

// LivenessUnknown counts the holders whose clients may be dead or alive, because electop has not
// observed these clients for long enough. left is the time until all are known.
func (v View) LivenessUnknown() (holders int, left time.Duration) { return v.unknown, v.left }

// ensembleTerm is the time in which one server keeps the deadlines of all sessions. The next
// term gives each session its full timeout again, so no bound outlives its term.
type ensembleTerm struct {
	leader string // the address of that server
	epoch  int64  // the upper half of the leader's zxid; each election begins a new epoch
	alone  bool   // a standalone server
	known  bool
}

// updateTerm sets the term. renewed reports whether a new term began after the last known term.
func (k *Tracker) updateTerm(t *Table) (renewed bool) {
	var now ensembleTerm
	for i := range t.Servers {
		s := &t.Servers[i]
		// A deposed leader that still believes it leads has an older epoch.
		if epoch := s.Zxid >> 32; (s.Mode == ModeLeader || s.Mode == ModeStandalone) && (!now.known || epoch > now.epoch) {
			now = ensembleTerm{leader: znode.Safe(s.Addr, 0), epoch: epoch, alone: s.Mode == ModeStandalone, known: true}
		}
	}
	if ago := k.lost.Sub(t.At.Round(0)); !now.known || ago > 0 && ago < time.Minute { // an election may be under way
		k.term.known = false
		return false
	}
	// The restart of a standalone server keeps the epoch, but ends electop's connection.
	same := k.term.leader == now.leader && k.term.epoch == now.epoch && (!now.alone || k.steady)
	renewed = k.term.leader != "" && !same
	k.term, k.steady = now, true
	return renewed
}
