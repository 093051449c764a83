// Package session knows what the servers report about sessions: where each is
// connected, when a server last heard from it, and when it expires.
//
// A [Table] has the answers of the ensemble's members in one round. The [Tracker]
// applies one table after the other and keeps a [Liveness] for each session that
// owns a contender: bounds of when the servers last heard from it. Two results
// depend on these bounds: why a leader's znode was deleted (package model), and
// whether a leader's session is about to expire (package doctor).
//
//	Table -> Tracker.Hear -> Liveness, Danger, View
//
// Anchors relate the clocks of other machines to ours: they are sessions of this
// process, whose deadlines are in the same reply as the others' (liveness.go). A
// bound is published only if it follows from observations.
package session

import (
	"slices"
	"time"
	"unsafe"

	"electop/model/znode"
)

// A Tracker collects what the servers report about sessions, round by round: where
// each is connected, when a server last heard from it, and when it expires. A copy of
// it is independent.
type Tracker struct {
	known  View
	at     time.Time // the end of the last round that reported connections
	rounds int       // that reported sessions
	end    time.Time // of the last of them
	term   ensembleTerm
	lost   time.Time // when the observer's connection was lost last
	steady bool      // it was not lost since the last table
	tick   time.Duration
}

// A View has what a tracker knows at one moment. It is immutable.
type View struct {
	clients map[uint64]Conn
	hosts   []string // those with all their connections in clients
	whole   bool
	heard   map[uint64]Liveness
	unheard int
	left    time.Duration
	tick    time.Duration
}

// A Holder is a znode whose session must be tracked.
type Holder struct {
	Session uint64
	// Timeout is the timeout from another source; 0: unknown.
	Timeout time.Duration
	SeenAt  time.Time // when this program first saw the znode
}

// Hear applies a round. Of the sessions known before, the holders' and
// those that keep names stay known.
func (k *Tracker) Hear(t *Table, at time.Time, holders []Holder, keep func(session uint64) bool) {
	clients, exp := t.Conns(), t.Expirer()
	before := k.known.heard
	if k.serve(t) {
		before = make(map[uint64]Liveness, len(k.known.heard))
		for session, h := range k.known.heard {
			h.renewed(t)
			before[session] = h
		}
		k.known.heard = before
	}
	if clients == nil && exp == nil {
		return
	}
	if exp != nil && k.term.known && znode.Safe(exp.Addr, 0) != k.term.leader {
		exp = nil // it was deposed
	}
	if clients != nil {
		k.known.clients, k.known.hosts, k.known.whole, k.at = clients, t.Hosts, t.TellsEveryConn(), t.End.Round(0)
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
	heard := make(map[uint64]Liveness, len(holders))
	k.known.unheard, k.known.left = 0, 0
	for _, x := range holders {
		if x.Session == 0 {
			continue
		}
		h, again := heard[x.Session]
		if !again {
			if h = before[x.Session]; h.timeout == 0 {
				h.timeout = x.Timeout
			}
			if conn, ok := clients[x.Session]; ok {
				h.listed(t, conn)
			} else if clients != nil && k.known.whole && !x.SeenAt.After(t.At.Round(0)) {
				h.unlisted(t)
			}
			if d, ok := deadlines[x.Session]; ok {
				h.due(t, exp, d, c)
			}
			h.assess(t, at, k.tick)
			heard[x.Session] = h
		}
		if left := h.early(k.tick); left > 0 {
			k.known.unheard++
			k.known.left = max(k.known.left, left)
		}
	}
	for session, h := range before {
		if _, ok := heard[session]; !ok && keep(session) {
			heard[session] = h
		}
	}
	k.known.heard, k.known.tick = heard, k.tick
}

// ConnectionLost notes that the observer's own connection was lost: perhaps the
// ensemble leader is down. Until the next table reports it, no bound
// holds.
func (k *Tracker) ConnectionLost(at time.Time) {
	k.steady, k.term.known, k.lost = false, false, Later(k.lost, at)
}

// Of returns what is known of a session, nil for nothing.
func (k *Tracker) Of(session uint64) *Liveness {
	h, ok := k.known.heard[session]
	if !ok {
		return nil
	}
	return &h
}

// Danger says that a session is about to expire.
type Danger struct {
	// The session expires by By (this program's clock) and not before NotBefore,
	// if these are known: unless it is heard from again, and By only while the
	// ensemble keeps its leader. An election starts all timeouts again; it begins
	// another Epoch, the upper half of the zxids. A server that is alone does so
	// when it is restarted, without another epoch.
	By, NotBefore time.Time
	Epoch         int64
	Evidence      string    // what was seen; safe to show
	Since         time.Time // when that was first seen
	// Timeout is the session's, 0 if it is not known. Silent and Sure are as in
	// [Liveness.Silence].
	Timeout time.Duration
	Silent  time.Time
	Sure    bool
}

// Danger returns the evidence that the session is about to expire, and its bounds;
// nil if there is none, or if it is too old.
func (k *Tracker) Danger(session uint64, at time.Time) *Danger {
	h := k.known.heard[session]
	if h.danger == "" {
		return nil
	}
	d := &Danger{Evidence: h.danger, Since: h.dangerSince, NotBefore: h.notBefore, Timeout: h.timeout}
	d.Silent, d.Sure = h.Silence()
	if by := h.bound(k.tick); !by.IsZero() {
		if k.term.known {
			d.By, d.Epoch = by, k.term.epoch
		}
		if heard := by.Add(-h.timeout); h.timeout > 0 && heard.Before(d.Silent) {
			d.Silent = heard // the deadline is the last sign of life and the timeout
		}
	}
	if !at.Before(d.Over(k.end)) {
		return nil
	}
	return d
}

// dangerStale is the time for which a danger without a bound is believed after the last
// table that showed it: the longest session that the servers grant by default
// is 20 ticks.
const dangerStale = 20 * tickDefault

// Over returns when the danger is given up, if the last round that reported sessions
// ended at heard.
func (d *Danger) Over(heard time.Time) time.Time {
	if d.By.IsZero() {
		return Later(d.Since, heard).Add(dangerStale)
	}
	return Later(d.By.Add(DangerOver), Later(d.Since, heard))
}

// Rounds counts the rounds that reported sessions; Heard is when the last of them
// ended, and Listed the last that reported connections.
func (k *Tracker) Rounds() int         { return k.rounds }
func (k *Tracker) Heard() time.Time    { return k.end }
func (k *Tracker) Listed() time.Time   { return k.at }
func (k *Tracker) View() View          { return k.known }
func (k *Tracker) Tick() time.Duration { return k.tick }

// Memory estimates the memory of what a tracker knows, in bytes.
func (k *Tracker) Memory() int { return len(k.known.heard) * (int(unsafe.Sizeof(Liveness{})) + 16) }

// From returns the sessions that were connected from a host, sorted, when the
// servers were last asked. ok is false if there may have been others.
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

// Client returns where the session is connected, by the servers' last answers; Conn
// is nil if that is unknown.
func (v View) Client(session uint64) Conn { return v.clients[session] }

// Last is Client, or if the servers do not list the session any longer, where it was
// connected last; then listed is false.
func (v View) Last(session uint64) (x Conn, listed bool) {
	if x, listed = v.clients[session]; !listed {
		x = v.heard[session].last
	}
	return x, listed
}

// Heard returns a time after which the servers surely heard from the client of the
// session; zero: unknown.
func (v View) Heard(session uint64) time.Time {
	h := v.heard[session]
	if h.notBefore.IsZero() || h.timeout <= 0 {
		return h.after
	}
	return Later(h.after, h.notBefore.Add(-h.timeout-v.tick))
}

// Whole reports whether all members of the ensemble listed their connections.
func (v View) Whole() bool { return v.whole }

// Absent reports whether the session had no connection to any member when they
// were last asked. If that cannot be known, it is false.
func (v View) Absent(session uint64) bool {
	return v.whole && v.clients[session].Conn == nil
}

// Timeout returns the session's timeout; 0: unknown.
func (v View) Timeout(session uint64) time.Duration { return v.heard[session].timeout }

// Unheard returns for how many holders it is unknown whether their clients are
// alive, because a healthy client may be silent for the time observed so far, and
// how much longer it takes to know.
func (v View) Unheard() (holders int, left time.Duration) { return v.unheard, v.left }

// An ensembleTerm is the time for which one server keeps the deadlines of all
// sessions: until the ensemble elects a leader, another or the same, or a
// standalone server is restarted. Then every session has its full timeout from
// there on, so no bound outlives the term that it was made in.
type ensembleTerm struct {
	leader string // its address
	// epoch is the upper half of the leader's zxid: each election begins another.
	epoch int64
	alone bool
	known bool
}

// serve applies the term that a table shows, and reports whether all deadlines
// started again since the table before.
func (k *Tracker) serve(t *Table) (renewed bool) {
	var now ensembleTerm
	for i := range t.Servers {
		s := &t.Servers[i]
		// One that was deposed and does not know is of an older epoch.
		if epoch := s.Zxid >> 32; (s.Mode == ModeLeader || s.Mode == ModeStandalone) && (!now.known || epoch > now.epoch) {
			now = ensembleTerm{leader: znode.Safe(s.Addr, 0), epoch: epoch, alone: s.Mode == ModeStandalone, known: true}
		}
	}
	if ago := k.lost.Sub(t.At.Round(0)); !now.known || ago > 0 && ago < time.Minute { // an election may be under way
		k.term.known = false
		return false
	}
	// Of a server that is alone the epoch tells nothing, but that a connection to it
	// outlived the time between does.
	same := k.term.leader == now.leader && k.term.epoch == now.epoch && (!now.alone || k.steady)
	renewed = k.term.leader != "" && !same
	k.term, k.steady = now, true
	return renewed
}
