package model

import (
	"slices"
	"time"

	"electop/model/dialect"
)

// laneLog keeps the past for [State.Lanes]: changes, each of
// which says what was before it. So what happened after the oldest one is known in
// full, also of who did not change since. Each log is bounded by itself; from is until
// when it was cut, zero for never. What happens once is appended once, and states share
// the slices.
type laneLog struct {
	// holding are the contenders that have the role.
	holding []*dialect.Candidate
	began   bool // holding was known once
	holds   []hold
	left    []departure // of third-party clients
	ours    []departure // of members
	turns   []*turn
	gaps    []Gap

	holdsFrom, leftFrom, oursFrom, turnsFrom time.Time
}

// Bounds of the lane log.
const (
	holdsMax = 2 * HistoryMax
	leftMax  = HistoryMax
	turnsMax = 4096 // a class of 300 makes some 1500 when it begins
)

// hold is a contender that got the role, or gave it up (On is false).
type hold struct {
	at time.Time
	of *dialect.Candidate
	on bool
}

// departure is a contender whose znode was deleted.
type departure struct {
	at time.Time
	of *dialect.Candidate
	// member is the ID of our member that owned it, "" for a third-party client, and
	// cause why it was deleted, known for members alone.
	member string
	cause  Cause
	led    bool // it had the role once
}

// turn is a change of what a member says of itself.
type turn struct {
	at      time.Time
	id      string
	name    string
	was, is selfReport
}

// selfReport has what a member says of itself; zero before it joined.
type selfReport struct {
	belief Belief
	fault  Fault
	gone   bool // it departed from the members
}

// appendLog adds to a log of at most max. cut is when the entry was made that had to go,
// and stays what it was if none had to.
func appendLog[T any](log []T, v T, max int, at func(T) time.Time, cut *time.Time) []T {
	if len(log) == max {
		*cut = at(log[0])
	}
	return keep(log, v, max)
}

// see notes whether the election is seen as it is: not while there is no connection,
// nor from then to the next read. Before the first read it is no gap.
func (l *laneLog) see(at time.Time, sees bool) {
	n := len(l.gaps)
	open := n > 0 && l.gaps[n-1].To.IsZero()
	switch {
	case open && sees:
		g := l.gaps[n-1]
		g.To = at
		l.gaps = replaced(l.gaps, n-1, g)
	case !open && !sees:
		l.gaps = keep(l.gaps, Gap{From: at}, HistoryMax)
	}
}

// hold notes who has the role now.
func (l *laneLog) hold(at time.Time, now []*dialect.Candidate) {
	same := func(a, b *dialect.Candidate) bool { return a == b || a.ID() == b.ID() }
	if slices.EqualFunc(l.holding, now, same) {
		return
	}
	old := l.holding
	l.holding = now
	if !l.began {
		return
	}
	has := func(all []*dialect.Candidate) func(*dialect.Candidate) bool {
		if len(all) == 1 {
			return func(c *dialect.Candidate) bool { return same(all[0], c) }
		}
		ids := make(map[dialect.ID]bool, len(all))
		for _, c := range all {
			ids[c.ID()] = true
		}
		return func(c *dialect.Candidate) bool { return ids[c.ID()] }
	}
	add := func(of *dialect.Candidate, on bool) {
		l.holds = appendLog(l.holds, hold{at, of, on}, holdsMax, func(h hold) time.Time { return h.at }, &l.holdsFrom)
	}
	held, holds := has(old), has(now)
	for _, c := range old {
		if !holds(c) {
			add(c, false)
		}
	}
	for _, c := range now {
		if !held(c) {
			add(c, true)
		}
	}
}

func (l *laneLog) leave(d departure) {
	d.led = l.led(d.of)
	log, from := &l.left, &l.leftFrom
	if d.member != "" {
		log, from = &l.ours, &l.oursFrom
	}
	*log = appendLog(*log, d, leftMax, func(d departure) time.Time { return d.at }, from)
}

// led reports whether a contender has the role, or had it.
func (l *laneLog) led(c *dialect.Candidate) bool {
	for i := range l.holds {
		if of := l.holds[i].of; of.Czxid == c.Czxid && of.Name == c.Name {
			return true
		}
	}
	return slices.ContainsFunc(l.holding, func(of *dialect.Candidate) bool { return of.ID() == c.ID() })
}

// say notes what a member says; old is its report before, nil for none.
func (l *laneLog) say(at time.Time, o *Cast, old *Member) {
	t := &turn{at: at, id: o.Member.ID, name: o.Member.Name}
	if old != nil {
		t.was = selfReport{belief: old.Belief, fault: old.Fault}
	}
	t.is = selfReport{belief: o.Member.Belief, fault: o.Member.Fault, gone: o.Gone}
	if o.Gone {
		if old == nil {
			return
		}
		if t.is.belief == "" { // the report has only the identity
			t.is.belief, t.is.fault = old.Belief, old.Fault
		}
		if t.name == "" {
			t.name = old.Name
		}
	}
	if t.was == t.is {
		return
	}
	l.turns = appendLog(l.turns, t, turnsMax, func(t *turn) time.Time { return t.at }, &l.turnsFrom)
}

// clip takes the spare room, so that a copy does not append to the same array.
func (l laneLog) clip() laneLog {
	l.holding, l.holds, l.left, l.ours = slices.Clip(l.holding), slices.Clip(l.holds), slices.Clip(l.left), slices.Clip(l.ours)
	l.turns, l.gaps = slices.Clip(l.turns), slices.Clip(l.gaps)
	return l
}
