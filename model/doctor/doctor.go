package doctor

import (
	"slices"
	"time"

	"electop/model"
	"electop/model/session"
)

// runInterval is explained in doc.go. It grows with the queue, because a rule may read the whole queue.
func runInterval(contenders int) time.Duration {
	return 250*time.Millisecond + time.Duration(contenders)*150*time.Microsecond
}

// Doctor diagnoses an election.
type Doctor struct {
	cfg         model.Config
	recipe      string
	recipeSince time.Time
	dirty       bool // the rules have not read the last observations
	newTable    bool
	ran         time.Time
	due         time.Time // when the rules run even if nothing changed; zero: never

	watch          tables[*watchTable]
	ephemerals     tables[*session.Table]
	queues         queues
	former         formerSessions
	unseen         int       // what the function unseen returned after the previous observation
	deletedAt      time.Time // when electop saw that the parent was deleted; zero: never
	lost           []uint64  // sorted sessions whose candidates were deleted with the parent
	badEdges       bool
	edgesCheckedAt time.Time
	pacedAt        time.Time // when the last [model.Pace] came; until then the demo's server may have held messages

	risks      risks
	suspicions suspicions
}

func (d *Doctor) clone() Doctor {
	c := *d
	c.former.log = slices.Clip(d.former.log)
	c.lost = slices.Clip(d.lost)
	c.queues.past = slices.Clip(d.queues.past)
	c.suspicions = d.suspicions.clone()
	return c
}

func (d *Doctor) runAgain(at time.Time) {
	if d.due.IsZero() || at.Before(d.due) {
		d.due = at
	}
}

func (d *Doctor) state(s *model.State) *State {
	return &State{
		State: s, Risks: d.risks.all, Findings: d.suspicions.findings,
		watch: d.watch, recipeSince: d.recipeSince, pacedAt: d.pacedAt, Pending: d.suspicions.pending(s.At), lost: d.lost,
	}
}

// Apply diagnoses the election after the journal applied o.
func (d *Doctor) Apply(o model.Observation, at time.Time, j *model.Journal) []model.EventBody {
	switch o.(type) {
	case *session.Table:
		d.dirty, d.newTable = true, true
		d.addTable(j.State())
	case *model.Read, *model.Delta, *model.Refresh, *model.Switch, *model.Directory, *model.Ack, *model.Cast:
		d.dirty = true
	case *model.Pace:
		d.dirty, d.pacedAt = true, at
	}
	d.addChanges(at, j)
	queue, recipe := j.Queue()
	events := d.risks.assess(at, queue, recipe, j)
	events = append(events, d.diagnose(at, j)...)
	d.unseen = unseen(j.Totals())
	return events
}

func (d *Doctor) addTable(s *model.State) {
	if r := newWatchTable(s.Table, s.Path, s.Queue); r != nil {
		r.queue, r.calmQueue = d.queues.at(r.at), d.queues.at(r.at.Add(-calm))
		d.watch.add(r)
	}
	if slices.ContainsFunc(s.Table.Servers, func(x session.Server) bool { return x.Sessions.State == session.Answered }) {
		d.ephemerals.add(s.Table)
	}
}

func (d *Doctor) addChanges(at time.Time, j *model.Journal) {
	changed := j.Changed()
	queue, recipe := j.Queue()
	for _, c := range changed.Left {
		d.former.add(at, c, d.unseen)
	}
	d.queues.change(at, queue, len(changed.Left) > 0)
	if changed.ParentGone {
		d.parentDeleted(at)
	}
	if name := recipe.Name(); d.recipe != name {
		d.recipe, d.recipeSince = name, at
	}
}

func unseen(t model.Totals) int { return t.MissedCreates + t.Unknown }

func (d *Doctor) diagnose(at time.Time, j *model.Journal) []model.EventBody {
	if !d.dirty && (d.due.IsZero() || at.Before(d.due)) {
		return nil
	}
	queue, _ := j.Queue()
	next := d.ran.Add(runInterval(queue.Len()))
	if !d.newTable && !d.ran.IsZero() && at.Before(next) {
		if d.due.IsZero() || !d.due.After(at) || next.Before(d.due) {
			d.due = next
		}
		return nil
	}
	return d.runRules(at, j)
}

func (d *Doctor) runRules(at time.Time, j *model.Journal) []model.EventBody {
	d.ran, d.due = at, d.risks.due(j.Sessions())
	// While the current state is unknown, findings stay as they are.
	if !j.Current() {
		return nil
	}
	rc := &ruleContext{d: d, s: j.State(), sessions: j.Sessions(), newTable: d.newTable}
	d.dirty, d.newTable = false, false
	d.suspicions.begin()
	for i := range rules {
		(&ruleRun{ruleContext: rc, at: at, rule: &rules[i]}).check()
	}
	d.suspicions.finish(at, d.runAgain)
	if !d.due.IsZero() && !d.due.After(at) {
		d.due = at.Add(runInterval(rc.s.Queue.Len()))
	}
	return d.suspicions.events
}

// Journal is a [model.Journal] with its doctor. Only one goroutine may use it.
type Journal struct {
	*model.Journal
	doctor Doctor
	cached *State
}

// NewJournal returns a journal without observations.
func NewJournal(cfg model.Config) *Journal {
	return &Journal{Journal: model.NewJournal(cfg), doctor: Doctor{cfg: cfg}}
}

// Apply applies one observation and returns the events that are due, in the order of their numbers.
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

// RunRules runs the rules now, even if [runInterval] has not passed. It publishes no events.
func (j *Journal) RunRules() {
	j.cached = nil
	j.doctor.runRules(j.At(), j.Journal)
}

// Deadline returns when the journal needs a [model.Advance], and false if it needs none.
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

// Memory estimates the bytes that a clone does not share, and counts the children and the members.
func (j *Journal) Memory() (bytes, values int) {
	const suspectBytes, riskBytes = 160, 48
	d := &j.doctor
	return j.Journal.Memory() + len(d.suspicions.byKey)*suspectBytes + len(d.risks.all)*riskBytes, j.Size()
}
