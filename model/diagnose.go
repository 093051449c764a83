package model

import (
	"cmp"
	"slices"
	"time"
)

// # The doctor
//
// Findings come from rules (see rules), each of which looks at what the journal
// knows and reports what is wrong now. What a rule reports is a suspicion until
// it has lasted: for some time, or over several tables, as the rule says. Then
// the finding is raised; when the rule no longer reports it, it is cleared.
//
// Rules may look at the whole queue, so they do not run at each change. A table
// has them run at once, anything else when the last run is [pace] past. What
// they wait for is part of [Journal.Deadline].

// pace is how long after a run the rules run again for changes of the queue.
// It grows with the queue, so that rules cost about the same part of the time
// whatever its length: one that looks at 10,000 contenders takes some
// milliseconds, and runs every second or two.
func pace(contenders int) time.Duration {
	return 250*time.Millisecond + time.Duration(contenders)*150*time.Microsecond
}

// doctor is what the journal keeps for its diagnosis.
type doctor struct {
	watch        rounds
	departed     departures
	clients      map[uint64]client
	clientsWhole bool
	clientsAt    time.Time
	heard        map[uint64]*hearing
	heardAt      time.Time // the end of the last round that told of sessions
	timeouts     map[uint64]time.Duration
	term         ensembleTerm
	shaken       time.Time // when that connection was lost last
	steady       bool      // the observer's connection was not lost since the last table
	tick         time.Duration
	risks        map[ID]*Risk
	riskView     map[ID]*Risk
	riskOrder    []*Risk
	fallen       *Risk // of the last contender that left while at risk
	unheard      unheard
	ended        map[uint64]*gone // leaders whose end may be explained yet, by session
	servers      serverHistory
	owners       owners
	vanished     time.Time // when the parent went
	lost         []uint64  // sessions whose candidates went with it, sorted
	recipe       string

	// What rules found last: without a new table they have nothing to do where
	// this is nothing.
	strayed, onlookers, differ bool
	sighted                    time.Time // when edges were looked at last
	circle                     []int

	dirty    inputs
	ran      time.Time
	suspects map[string]*suspect // by Finding.Key
	// unfound are the findings that a baseline only names, by key, up to when
	// they may be found again.
	unfound     []string
	unfoundTill time.Time
	raised      int
	due         time.Time
}

// diagnosis is what a state shares of it. It is immutable.
type diagnosis struct {
	watch        edges
	clients      map[uint64]client
	clientsWhole bool
	timeouts     map[uint64]time.Duration
	risks        map[ID]*Risk
	ended        []uint64
	pending      []Pending
	unheard      unheard
}

func (j *Journal) diagnosis() diagnosis {
	d := &j.doctor
	j.riskList()
	d.departed.shared = true
	v := diagnosis{
		watch: edges{d.watch, d.departed}, clients: d.clients, clientsWhole: d.clientsWhole,
		timeouts: d.timeouts, risks: d.riskView, pending: d.pending(j.state.At), unheard: d.unheard,
	}
	for session := range d.ended {
		v.ended = append(v.ended, session)
	}
	v.ended = append(v.ended, d.orphans()...)
	slices.Sort(v.ended)
	return v
}

// inputs are what rules look at.
type inputs uint8

const (
	onQueue inputs = 1 << iota // children, the parent, handoffs
	onTable
	onAck
	onCast
	onTime // nothing but time passed
)

func (d *doctor) touch(o Observation) {
	switch o.(type) {
	case *Read, *Refresh, *Switch:
		d.dirty |= onQueue
	case *ServerTable:
		d.dirty |= onTable
	case *Ack:
		d.dirty |= onAck
	case *Cast:
		d.dirty |= onCast
	}
}

// table takes in what the servers said.
func (j *Journal) table(t *ServerTable) {
	t = believed(t)
	j.state.Table, j.state.Told = t, toldBy(j.state.Told, t)
	d := &j.doctor
	at := later(j.state.At, wall(t.When()))
	if r := newRound(t, j.cfg.Path, j.queue); r != nil {
		d.watch.add(r)
		if from := cmp.Or(d.watch.first, d.watch.base); from != nil {
			d.departed.prune(from.at)
		}
	}
	d.servers.add(t)
	j.hear(t, at)
	j.reconsider(t, at)
}

// parted notes that a child is gone, while the others stand in their order.
func (j *Journal) parted(at time.Time, c *Candidate) {
	d := &j.doctor
	if !j.recipe.Contends(c) {
		return
	}
	d.owners.left(at, c, j.unseen())
	if r := d.risks[c.ID()]; r != nil {
		d.fallen = r
		j.unrisk(at, c)
	}
	if d.watch.last == nil {
		d.departed.forget(at) // nothing to compare with
		d.departed.latest = later(d.departed.latest, at)
		return
	}
	var next *Candidate
	if i, _ := position(j.recipe, j.queue, c); i < len(j.queue) {
		next = j.queue[i]
	}
	d.departed.went(at, next)
}

// unseen counts what happened between two reads and is in neither.
func (j *Journal) unseen() int { return j.state.Totals.MissedCreates + j.state.Totals.Unknown }

// diagnose brings risks and findings up to date and says what changed. For it
// time does not go back, whatever clocks do.
func (j *Journal) diagnose(at time.Time) {
	d := &j.doctor
	if name := j.recipe.Name(); d.recipe != name {
		if d.recipe != "" {
			d.departed.forget(at) // all have others to watch by now
		}
		d.recipe = name
	}
	if d.dirty == 0 && (d.due.IsZero() || at.Before(d.due)) {
		return
	}
	next := d.ran.Add(pace(len(j.queue)))
	if d.dirty&onTable == 0 && !d.ran.IsZero() && at.Before(next) {
		if d.due.IsZero() || !d.due.After(at) || next.Before(d.due) {
			d.due = next
		}
		return
	}
	j.examine(at)
}

// examine runs the rules.
func (j *Journal) examine(at time.Time) {
	d := &j.doctor
	in := d.dirty
	d.dirty, d.ran = 0, at
	if in == 0 {
		in = onTime
	}
	d.due = j.risksDue(at)
	// What stands is not known while nobody looks: findings stay as they are.
	if !j.began || j.gap || j.state.Link.Link != Connected {
		return
	}
	for _, s := range d.suspects {
		s.seen = false
	}
	look := &look{j: j, in: in}
	for i := range rules {
		r := &report{look: look, at: at, rule: &rules[i]}
		r.check()
	}
	keys := make([]string, 0, len(d.suspects))
	for key := range d.suspects {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		s := d.suspects[key]
		wait := s.first.Add(s.wait)
		switch {
		case !s.seen:
			if s.raised {
				j.say(at, s, false)
			}
			delete(d.suspects, key)
			continue
		case s.raised, s.counted < s.tables:
		case at.Before(wait):
			d.wake(wait)
		default:
			j.say(at, s, true)
		}
		if s.again.After(at) {
			d.wake(s.again)
		}
	}
	if d.raised < 0 {
		j.state.Findings = d.findings()
		d.raised = len(j.state.Findings)
	}
	if !d.due.IsZero() && !d.due.After(at) {
		d.due = at.Add(pace(len(j.queue)))
	}
}

// wake makes the doctor want to look again at that time.
func (d *doctor) wake(at time.Time) {
	if d.due.IsZero() || at.Before(d.due) {
		d.due = at
	}
}

// findings returns what is raised, gravest first, then by ID.
func (d *doctor) findings() []*Finding {
	var out []*Finding
	for _, s := range d.suspects {
		if s.raised {
			out = append(out, s.finding)
		}
	}
	slices.SortFunc(out, func(a, b *Finding) int {
		return cmp.Or(-cmp.Compare(a.Severity.rank(), b.Severity.rank()), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Key, b.Key))
	})
	return out
}
