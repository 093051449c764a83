package session

import (
	"cmp"
	"time"
	"unsafe"

	"electop/model/znode"
)

// A Tracker collects what the servers report about sessions, round by round: where
// each is connected, when a server last heard from it, and when it expires.
type Tracker struct {
	known  View
	at     time.Time // the end of the last round that reported connections
	heard  map[uint64]*Liveness
	rounds int       // that reported sessions
	end    time.Time // of the last of them
	term   ensembleTerm
	lost   time.Time // when the observer's connection was lost last
	steady bool      // it was not lost since the last table
	tick   time.Duration
}

// A Holder is a znode whose session must be tracked.
type Holder struct {
	Session uint64
	// Timeout is the timeout from another source; 0: unknown.
	Timeout time.Duration
	SeenAt  time.Time // when this program first saw the znode
}

// Hear takes in a round. Of the sessions known before, those of the holders and
// those that keep names stay known.
func (k *Tracker) Hear(t *Table, at time.Time, holders []Holder, keep func(session uint64) bool) {
	clients, exp := t.Conns(), t.Expirer()
	if k.serve(t) {
		for _, h := range k.heard {
			h.renewed(t)
		}
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
	heard := make(map[uint64]*Liveness, len(holders))
	k.known.unheard, k.known.left = 0, 0
	for _, x := range holders {
		if x.Session == 0 {
			continue
		}
		h := heard[x.Session]
		if h == nil {
			if h = k.heard[x.Session]; h == nil {
				h = &Liveness{}
			}
			heard[x.Session] = h
			if h.timeout == 0 {
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
		}
		if left := h.early(k.tick); left > 0 {
			k.known.unheard++
			k.known.left = max(k.known.left, left)
		}
	}
	for session, h := range k.heard {
		if heard[session] == nil && keep(session) {
			heard[session] = h
		}
	}
	k.known.timeouts = make(map[uint64]time.Duration, len(heard))
	for session, h := range heard {
		if to := cmp.Or(h.timeout, h.most); to > 0 {
			k.known.timeouts[session] = to
		}
	}
	k.heard = heard
}

// ConnectionLost notes that the observer's own connection was lost: perhaps the
// ensemble leader is down. Until the next table reports it, no bound
// holds.
func (k *Tracker) ConnectionLost(at time.Time) {
	k.steady, k.term.known, k.lost = false, false, Later(k.lost, at)
}

// Of returns what is known of a session, nil for nothing. It changes with the
// next round.
func (k *Tracker) Of(session uint64) *Liveness { return k.heard[session] }

// Bound is when the session expires at the latest if it stays silent, and the epoch
// of the ensemble for which this is true; zero: unknown.
func (k *Tracker) Bound(h *Liveness) (by time.Time, epoch int64) {
	if !k.term.known {
		return by, 0
	}
	if by = h.bound(k.tick); !by.IsZero() {
		epoch = k.term.epoch
	}
	return by, epoch
}

// Danger returns the evidence that the session is about to expire, and its bounds;
// nil if there is none, or if it is too old.
func (k *Tracker) Danger(session uint64, at time.Time) *Danger {
	h := k.heard[session]
	if h == nil || h.danger == "" {
		return nil
	}
	d := &Danger{Evidence: h.danger, Since: h.dangerSince, NotBefore: h.notBefore}
	d.By, d.Epoch = k.Bound(h)
	if !at.Before(d.Over(k.end)) {
		return nil
	}
	return d
}

// Rounds counts the rounds that reported sessions; Heard is when the last of them
// ended, and Listed the last that reported connections.
func (k *Tracker) Rounds() int         { return k.rounds }
func (k *Tracker) Heard() time.Time    { return k.end }
func (k *Tracker) Listed() time.Time   { return k.at }
func (k *Tracker) View() View          { return k.known }
func (k *Tracker) Tick() time.Duration { return k.tick }

// Clone returns an independent copy.
func (k *Tracker) Clone() Tracker {
	c := *k
	c.heard = make(map[uint64]*Liveness, len(k.heard))
	for session, h := range k.heard {
		copied := *h
		c.heard[session] = &copied
	}
	return c
}

// Memory estimates the memory of a clone, in bytes.
func (k *Tracker) Memory() int { return len(k.heard) * (int(unsafe.Sizeof(Liveness{})) + 16) }

// Danger says that a session is about to expire.
type Danger struct {
	// The session expires by By (this program's clock) and not before NotBefore,
	// where these are known: unless it is heard from again, and By only while the
	// ensemble keeps its leader. An election starts all timeouts again; it begins
	// another Epoch, the upper half of the zxids. A server that is alone does so
	// when it is restarted, without another epoch.
	By, NotBefore time.Time
	Epoch         int64
	Evidence      string    // what was seen; safe to show
	Since         time.Time // when that was first seen
}

// dangerStale is how long a danger without a bound is believed after the last
// table that showed it: the longest session that the servers grant by default
// is 20 ticks.
const dangerStale = 20 * tickDefault

// Over is when the danger is given up, if the last round that reported sessions
// ended at heard.
func (d *Danger) Over(heard time.Time) time.Time {
	if d.By.IsZero() {
		return Later(d.Since, heard).Add(dangerStale)
	}
	return Later(d.By.Add(DangerOver), Later(d.Since, heard))
}
