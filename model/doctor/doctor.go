package doctor

import (
	"slices"
	"time"

	"electop/model"
	"electop/model/session"
)

// pace is how long after a run the rules run again for changes of the queue.
// It grows with the queue, so that rules cost about the same part of the time
// whatever its length: one that looks at 10,000 contenders takes some
// milliseconds, and runs every second or two.
func pace(contenders int) time.Duration {
	return 250*time.Millisecond + time.Duration(contenders)*150*time.Microsecond
}

// Doctor diagnoses an election.
type Doctor struct {
	cfg    model.Config
	recipe string
	ruled  time.Time // since when
	dirty  bool      // there is something new to look at
	tabled bool      // so is a table
	ran    time.Time
	due    time.Time // when the rules run again without new input; zero: not

	// What rules remember between their runs.
	watch      tables[*watchTable]
	servers    tables[*session.Table] // those with ephemerals
	queues     queues
	former     formerSessions
	unseen     int       // changes that were missed up to the observation before
	parentGone time.Time // when the parent was deleted
	lost       []uint64  // sessions whose candidates were deleted with it, sorted
	strayed    bool      // some edge was not in order when edges were looked at last
	sighted    time.Time // when that was

	risks      risks
	suspicions suspicions
}

// clone returns an independent copy.
func (d *Doctor) clone() Doctor {
	c := *d
	c.former.log = slices.Clip(d.former.log)
	c.lost = slices.Clip(d.lost)
	c.queues.past = slices.Clip(d.queues.past)
	c.suspicions = d.suspicions.clone()
	return c
}

// lookAgain makes the rules run again at that time.
func (d *Doctor) lookAgain(at time.Time) {
	if d.due.IsZero() || at.Before(d.due) {
		d.due = at
	}
}

// state adds to a state what the doctor knows.
func (d *Doctor) state(s *model.State) *State {
	return &State{
		State: s, Risks: d.risks.all, Findings: d.suspicions.findings,
		watch: d.watch, ruled: d.ruled, Pending: d.suspicions.pending(s.At), lost: d.lost,
	}
}

// Apply takes in the journal's state after an observation, and returns the events
// that this raises or clears. It asks for the state only if rules run.
func (d *Doctor) Apply(o model.Observation, at time.Time, j *model.Journal) []model.EventBody {
	switch o.(type) {
	case *session.Table:
		d.dirty, d.tabled = true, true
		d.table(j.State())
	case *model.Read, *model.Delta, *model.Refresh, *model.Switch, *model.Directory, *model.Ack, *model.Cast:
		d.dirty = true
	}
	d.leave(at, j)
	queue, recipe := j.Queue()
	events := d.risks.assess(at, queue, recipe, j)
	events = append(events, d.diagnose(at, j)...)
	d.unseen = unseen(j.Totals())
	return events
}

// table takes in what the servers reported about watches and ephemerals.
func (d *Doctor) table(s *model.State) {
	if r := newWatchTable(s.Table, s.Path, s.Queue); r != nil {
		r.queue, r.calmQueue = d.queues.at(r.at), d.queues.at(r.at.Add(-calm))
		d.watch.add(r)
	}
	if slices.ContainsFunc(s.Table.Servers, func(x session.Server) bool { return x.Sessions.State == session.Answered }) {
		d.servers.add(s.Table)
	}
}

// leave takes in the contenders that left, and those deleted with the parent.
func (d *Doctor) leave(at time.Time, j *model.Journal) {
	changed := j.Changed()
	queue, recipe := j.Queue()
	for _, c := range changed.Left {
		d.former.left(at, c, d.unseen)
	}
	d.queues.change(at, queue, len(changed.Left) > 0)
	if changed.ParentGone {
		d.parentWent(at)
	}
	if name := recipe.Name(); d.recipe != name {
		d.recipe, d.ruled = name, at // all contenders now watch others
	}
}

// unseen counts what happened between two reads and is in neither.
func unseen(t model.Totals) int { return t.MissedCreates + t.Unknown }

// diagnose updates the findings and returns what changed. Its time never goes
// back, even if a clock does.
func (d *Doctor) diagnose(at time.Time, j *model.Journal) []model.EventBody {
	if !d.dirty && (d.due.IsZero() || at.Before(d.due)) {
		return nil
	}
	queue, _ := j.Queue()
	next := d.ran.Add(pace(queue.Len()))
	if !d.tabled && !d.ran.IsZero() && at.Before(next) {
		if d.due.IsZero() || !d.due.After(at) || next.Before(d.due) {
			d.due = next
		}
		return nil
	}
	return d.examine(at, j)
}

// examine runs the rules.
func (d *Doctor) examine(at time.Time, j *model.Journal) []model.EventBody {
	d.ran, d.due = at, d.risks.due(j.Sessions())
	// The current state is unknown: findings stay as they are, and what is new waits.
	if !j.Current() {
		return nil
	}
	look := &ruleContext{m: d, s: j.State(), sessions: j.Sessions(), tabled: d.tabled}
	d.dirty, d.tabled = false, false
	d.suspicions.begin()
	for i := range rules {
		(&report{ruleContext: look, at: at, rule: &rules[i]}).check()
	}
	d.suspicions.finish(at, d.lookAgain)
	if !d.due.IsZero() && !d.due.After(at) {
		d.due = at.Add(pace(look.s.Queue.Len()))
	}
	return d.suspicions.events
}

// A Journal is a [model.Journal] with its doctor: it applies each observation to
// both. Only one goroutine may use it.
type Journal struct {
	*model.Journal
	doctor Doctor
	cached *State
}

// NewJournal returns a journal without observations.
func NewJournal(cfg model.Config) *Journal {
	return &Journal{Journal: model.NewJournal(cfg), doctor: Doctor{cfg: cfg}}
}

// Apply applies one observation and returns the events that are due, oldest
// first, numbered from 1 without gaps.
func (j *Journal) Apply(o model.Observation) []model.Event {
	j.cached = nil
	j.Journal.Apply(o)
	for _, body := range j.doctor.Apply(o, j.At(), j.Journal) {
		j.Add(body)
	}
	events := j.Due()
	for i, e := range events {
		if s, ok := e.Body.(model.Snapshot); ok {
			state := j.doctor.state(s.State)
			state.Events = e.N - 1
			events[i].Body = Snapshot{state}
		}
	}
	return events
}

// Examine runs the rules now, whenever they ran last: all that a search reads of an election
// is applied at once. Its results are in the state, and are no events.
func (j *Journal) Examine() {
	j.cached = nil
	j.doctor.examine(j.At(), j.Journal)
}

// Deadline returns when the journal wants a [model.Advance], if it wants one: to
// publish events that it holds back, or because the doctor waits.
func (j *Journal) Deadline() (time.Time, bool) {
	due, ok := j.Held()
	if d := j.doctor.due; !d.IsZero() && (!ok || d.Before(due)) {
		return d, true
	}
	return due, ok
}

// State returns the current state of the election, with its diagnosis.
func (j *Journal) State() *State {
	if j.cached == nil {
		j.cached = j.doctor.state(j.Journal.State())
		j.cached.Events = j.Events()
	}
	return j.cached
}

// Clone returns an independent copy, as [model.Journal.Clone] does.
func (j *Journal) Clone() *Journal {
	return &Journal{Journal: j.Journal.Clone(), doctor: j.doctor.clone()}
}

// Memory estimates the memory of a clone, in bytes, and the number of things that
// it copies.
func (j *Journal) Memory() (bytes, things int) {
	const suspectBytes, riskBytes = 160, 48
	d := &j.doctor
	return j.Journal.Memory() + len(d.suspicions.byKey)*suspectBytes + len(d.risks.all)*riskBytes, j.Size()
}
