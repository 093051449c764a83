package model

import (
	"slices"
	"time"

	"electop/model/dialect"
)

// laneLog has bounded logs of changes. A change also shows the value before the change, so a log is
// complete after the last change that it dropped. holdsFrom, leftFrom, oursFrom and reportsFrom are the
// times of these dropped changes, one for each log.
type laneLog struct {
	holding []*dialect.Candidate // the contenders that have the role
	began   bool                 // the holders at the first read are known: later changes are logged
	holds   []hold
	left    []departure // of third-party clients
	ours    []departure // of members
	reports []*reportChange
	gaps    []Gap

	holdsFrom, leftFrom, oursFrom, reportsFrom time.Time
}

const (
	holdsMax   = 2 * HistoryMax
	leftMax    = HistoryMax
	reportsMax = 4096 // an election of 300 members makes some 1500 reports when it begins
)

type hold struct {
	at time.Time
	of *dialect.Candidate
	on bool
}

type departure struct {
	at     time.Time
	of     *dialect.Candidate
	member string // the owner's [Member.ID]; "" for a third-party client: then cause is also ""
	cause  Cause
	led    bool
}

type reportChange struct {
	at      time.Time
	id      string
	name    string
	was, is memberReport
}

type memberReport struct {
	belief Belief
	fault  Fault
	gone   bool
}

func appendLog[T any](log []T, v T, max int, at func(T) time.Time, cut *time.Time) []T {
	if len(log) == max {
		*cut = at(log[0])
	}
	return keep(log, v, max)
}

func (l *laneLog) observed(at time.Time, current bool) {
	n := len(l.gaps)
	open := n > 0 && l.gaps[n-1].To.IsZero()
	switch {
	case open && current:
		g := l.gaps[n-1]
		g.To = at
		l.gaps = replaced(l.gaps, n-1, g)
	case !open && !current:
		l.gaps = keep(l.gaps, Gap{From: at}, HistoryMax)
	}
}

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
	add := func(all, others []*dialect.Candidate, on bool) {
		known := make(map[dialect.ID]bool, len(others))
		for _, c := range others {
			known[c.ID()] = true
		}
		for _, c := range all {
			if !known[c.ID()] {
				l.holds = appendLog(l.holds, hold{at, c, on}, holdsMax, func(h hold) time.Time { return h.at }, &l.holdsFrom)
			}
		}
	}
	add(old, now, false)
	add(now, old, true)
}

func (l *laneLog) leave(d departure) {
	d.led = l.led(d.of)
	log, from := &l.left, &l.leftFrom
	if d.member != "" {
		log, from = &l.ours, &l.oursFrom
	}
	*log = appendLog(*log, d, leftMax, func(d departure) time.Time { return d.at }, from)
}

func (l *laneLog) holdsNow(c *dialect.Candidate) bool {
	return slices.ContainsFunc(l.holding, func(of *dialect.Candidate) bool { return of.ID() == c.ID() })
}

func (l *laneLog) loggedReign(r Reign) Reign {
	for _, h := range slices.Backward(l.holds) {
		if h.on && h.of.ID() == r.Leader.ID() {
			return Reign{Leader: r.Leader, From: h.at, FromKnown: true, Earliest: h.at, Latest: h.at}
		}
	}
	return r
}

func (l *laneLog) led(c *dialect.Candidate) bool {
	return l.holdsNow(c) || slices.ContainsFunc(l.holds, func(h hold) bool { return h.of.ID() == c.ID() })
}

func (l *laneLog) report(at time.Time, o *Cast, old *Member) {
	t := &reportChange{at: at, id: o.Member.ID, name: o.Member.Name}
	if old != nil {
		t.was = memberReport{belief: old.Belief, fault: old.Fault}
	}
	t.is = memberReport{belief: o.Member.Belief, fault: o.Member.Fault, gone: o.Gone}
	if o.Gone {
		if old == nil {
			return
		}
		if t.is.belief == "" {
			t.is.belief, t.is.fault = old.Belief, old.Fault
		}
		if t.name == "" {
			t.name = old.Name
		}
	}
	if t.was == t.is {
		return
	}
	l.reports = appendLog(l.reports, t, reportsMax, func(t *reportChange) time.Time { return t.at }, &l.reportsFrom)
}

// clip removes the spare capacity, so that two copies do not append to the same array.
func (l laneLog) clip() laneLog {
	l.holding, l.holds, l.left, l.ours = slices.Clip(l.holding), slices.Clip(l.holds), slices.Clip(l.left), slices.Clip(l.ours)
	l.reports, l.gaps = slices.Clip(l.reports), slices.Clip(l.gaps)
	return l
}
