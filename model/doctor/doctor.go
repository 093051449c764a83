package doctor

import (
	"cmp"
	"slices"
	"time"

	"electop/model"
	"electop/model/dialect"
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
	dirty  bool // there is something new to look at
	tabled bool // so is a table
	ran    time.Time
	due    time.Time // when the rules run again without new input; zero: not

	// What rules remember between their runs.
	watch        tables[*watchTable]
	servers      tables[*session.Table] // those with ephemerals
	predecessors predecessors
	former       formerSessions
	unseen       int       // changes that were missed up to the observation before
	parentGone   time.Time // when the parent was deleted
	lost         []uint64  // sessions whose candidates were deleted with it, sorted
	strayed      bool      // some edge was not in order when edges were looked at last
	sighted      time.Time // when that was

	risks      risks
	suspicions suspicions
}

// clone returns an independent copy.
func (d *Doctor) clone() Doctor {
	c := *d
	c.former.log = slices.Clip(d.former.log)
	c.lost = slices.Clip(d.lost)
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
		watch: d.watch, predecessors: d.predecessors, Pending: d.suspicions.pending(s.At), lost: d.lost,
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
		d.watch.add(r)
		if from := cmp.Or(d.watch.first, d.watch.base); from != nil {
			d.predecessors.prune(from.at)
		}
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
		if d.watch.last == nil {
			d.predecessors.forget(at) // nothing to compare with
			d.predecessors.latest = session.Later(d.predecessors.latest, at)
			continue
		}
		var next *dialect.Candidate
		if i, _ := model.Position(recipe, queue, c); i < queue.Len() {
			next = queue.At(i)
		}
		d.predecessors.left(at, next)
	}
	if changed.ParentGone {
		d.parentWent(at)
	}
	if name := recipe.Name(); d.recipe != name {
		if d.recipe != "" {
			d.predecessors.forget(at) // all contenders now watch others
		}
		d.recipe = name
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
