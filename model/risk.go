package model

import (
	"cmp"
	"slices"
	"time"

	"electop/model/units"
)

// Risk says that a contender's session is about to expire.
type Risk struct {
	Candidate *Candidate
	// The session expires by By (this program's clock) and not before NotBefore,
	// where these are known: unless it is heard of again, and By only while the
	// ensemble keeps its leader. An election starts all timeouts again; it begins
	// another Epoch, the upper half of the zxids. A server that is alone does so
	// when it is restarted, without another epoch.
	By, NotBefore time.Time
	Epoch         int64
	Evidence      string // what was seen; safe to show
	Since         time.Time
	Leader        bool       // it holds the role
	Next          *Candidate // who would take over, nil for nobody

	told time.Time // the bound that was last told in an event; zero: none
}

// RiskChanged is a risk that was raised, or that is over: the contender is
// back, or gone. It is raised again where a bound becomes known, or the one that was
// told is taken back or moved to a later time.
type RiskChanged struct {
	Risk   Risk
	Raised bool
}

func (RiskChanged) event() {}

// Risk returns the risk that the contender is at, nil for none that is known.
func (s *State) Risk(c *Candidate) *Risk {
	if c == nil {
		return nil
	}
	return s.seen.risks[c.ID()]
}

// RiskWatch says why a risk of the contender would not be seen in time; ""
// where it would.
func (s *State) RiskWatch(c *Candidate) string {
	t := s.Told
	if t == nil {
		return "the servers were not asked (v)"
	}
	if t.Every <= 0 {
		return "the servers are asked for connections and sessions only when you want to know (v)"
	}
	refused, deadlines := "", false
	for i := range t.Servers {
		x := &t.Servers[i]
		if a := x.Connections.State; refused == "" && a != Answered && a != NotAsked {
			refused = x.unanswered("connections", x.Connections)
		}
		deadlines = deadlines || x.Sessions.State == Answered && len(x.Deadlines) > 0
	}
	if refused == "" && !t.Whole {
		refused = "not all members of the ensemble are known"
	}
	if refused != "" && !deadlines {
		return refused
	}
	if c == nil {
		return ""
	}
	to := s.seen.timeouts[c.Session]
	if m := s.Member(c); to == 0 && m != nil {
		to = m.Timeout
	}
	if to <= 0 {
		return "its session's timeout is not known"
	}
	// A stopped client is silent for a third of its timeout as healthy ones
	// are; two rounds later it shows, and it has to before its session expires.
	if left := (to - to/3 - slack) / 2; t.Every > left {
		return "the servers are asked every " + units.Exact(t.Every) + ", too seldom for a session of " + units.Exact(to)
	}
	return ""
}

// riskStale is how long a risk without a bound is believed after the last
// table that showed it: the longest session that the servers grant by default
// is 20 ticks.
const riskStale = 20 * tickDefault

// riskOver is how long after its bound a risk is given up where the znode still
// stands: either the client is back, or the bound did not hold.
const riskOver = tickDefault

func (r *Risk) over(heard time.Time) time.Time {
	if r.By.IsZero() {
		return later(r.Since, heard).Add(riskStale)
	}
	return later(r.By.Add(riskOver), later(r.Since, heard))
}

// hear takes in what a table says of the contenders' sessions.
func (j *Journal) hear(t *ServerTable, at time.Time) {
	d := &j.doctor
	clients, exp := clientsOf(t), expirer(t)
	renewed := d.serve(t)
	if renewed {
		for _, h := range d.heard {
			h.renewed(t)
		}
	}
	if clients == nil && exp == nil {
		j.rebound(at)
		return
	}
	if exp != nil && d.term.known && Safe(exp.Addr, 0) != d.term.leader {
		exp = nil // it was deposed
	}
	if clients != nil {
		d.clients, d.clientsWhole, d.clientsAt = clients, everyClient(t), wall(t.End)
	}
	d.heardAt = wall(t.End)
	d.tick = 0
	for i := range t.Servers {
		d.tick = max(d.tick, tickOf(&t.Servers[i]))
	}
	var k clock
	var deadlines map[uint64]Deadline
	if exp != nil {
		k = clockOf(t, exp)
		deadlines = make(map[uint64]Deadline, len(exp.Deadlines))
		for _, x := range exp.Deadlines {
			deadlines[x.Session] = x
		}
	}
	heard := make(map[uint64]*hearing, len(j.queue))
	for _, c := range j.queue {
		if c.Session == 0 || heard[c.Session] != nil {
			continue
		}
		h := d.heard[c.Session]
		if h == nil {
			h = &hearing{}
		}
		heard[c.Session] = h
		if h.timeout == 0 {
			if m := j.memberOf(c); m != nil {
				h.timeout = m.Timeout
			}
		}
		if x, ok := clients[c.Session]; ok {
			h.listed(t, x)
		} else if clients != nil && d.clientsWhole && !c.SeenAt.After(wall(t.At)) {
			h.unlisted(t)
		}
		if x, ok := deadlines[c.Session]; ok {
			h.due(t, exp, x, k)
		}
	}
	for session := range d.ended { // whose end is still to be explained
		if h := d.heard[session]; h != nil && heard[session] == nil {
			heard[session] = h
		}
	}
	d.heard = heard
	d.timeouts = make(map[uint64]time.Duration, len(heard))
	for session, h := range heard {
		if to := cmp.Or(h.timeout, h.most); to > 0 {
			d.timeouts[session] = to
		}
	}
	d.unheard = unheard{}
	for _, c := range j.queue {
		if h := heard[c.Session]; h != nil {
			if left := h.early(d.tick); left > 0 {
				d.unheard.contenders++
				d.unheard.left = max(d.unheard.left, left)
			}
		}
	}
	j.weigh(t, at)
}

// weigh raises and clears risks by what was heard.
func (j *Journal) weigh(t *ServerTable, at time.Time) {
	d := &j.doctor
	holders := j.recipe.Holders(j.queue)
	for i, c := range j.queue {
		h := d.heard[c.Session]
		if h == nil {
			continue
		}
		evidence, old := h.danger(d.tick, len(t.Servers)), d.risks[c.ID()]
		by := h.bound(d.tick)
		if evidence != "" && !by.IsZero() && at.After(by.Add(riskOver)) {
			evidence = "" // a bound that did not hold
		}
		if evidence == "" {
			h.sound, h.silent = later(h.sound, wall(t.At)), false
		} else if h.absent.IsZero() {
			h.silent = true
		}
		switch {
		case evidence == "" && old != nil:
			j.unrisk(at, c)
		case evidence != "":
			r := &Risk{Candidate: c, NotBefore: h.notBefore, Evidence: evidence, Since: at}
			r.By, r.Epoch = d.bound(h)
			j.place(r, i, holders)
			if old != nil {
				r.Since, r.told = old.Since, old.told
			}
			if d.risks == nil {
				d.risks = make(map[ID]*Risk)
			}
			d.risks[c.ID()], d.riskView = r, nil
			if old == nil || r.moved() {
				j.raise(at, r)
			}
		}
	}
}

// raise tells of a risk, also again.
func (j *Journal) raise(at time.Time, r *Risk) {
	r.told = r.By
	j.emit(at, RiskChanged{*r, true})
}

// place says what the contender at position i is to the role.
func (j *Journal) place(r *Risk, i, holders int) {
	r.Leader, r.Next = i < holders, nil
	if r.Leader && holders < len(j.queue) {
		r.Next = j.queue[holders]
	}
}

// unrisk clears a contender's risk, if there is one.
func (j *Journal) unrisk(at time.Time, c *Candidate) {
	r := j.doctor.risks[c.ID()]
	if r == nil {
		return
	}
	delete(j.doctor.risks, c.ID())
	j.doctor.riskView = nil
	j.emit(at, RiskChanged{*r, false})
}

// risks brings the risks up to date with the queue and the time, and returns
// when they want to be looked at again; zero: not by time.
func (j *Journal) risksDue(at time.Time) (due time.Time) {
	d := &j.doctor
	if len(d.risks) == 0 {
		return due
	}
	holders := j.recipe.Holders(j.queue)
	for _, r := range j.riskList() {
		i, ok := position(j.recipe, j.queue, r.Candidate)
		over := r.over(d.heardAt)
		if !ok || !at.Before(over) {
			j.unrisk(at, r.Candidate)
			continue
		}
		was := *r
		now := was
		if j.place(&now, i, holders); now != was {
			d.risks[r.Candidate.ID()], d.riskView = &now, nil
		}
		if due.IsZero() || over.Before(due) {
			due = over
		}
	}
	return due
}

// riskList returns the risks in queue order, and makes the view of them that
// states share.
func (j *Journal) riskList() []*Risk {
	d := &j.doctor
	if len(d.risks) == 0 {
		d.riskView, d.riskOrder = nil, nil
		return nil
	}
	if d.riskView == nil {
		d.riskView = make(map[ID]*Risk, len(d.risks))
		d.riskOrder = make([]*Risk, 0, len(d.risks))
		for id, r := range d.risks {
			d.riskView[id] = r
			d.riskOrder = append(d.riskOrder, r)
		}
		slices.SortFunc(d.riskOrder, func(a, b *Risk) int { return j.order(a.Candidate, b.Candidate) })
	}
	return d.riskOrder
}
