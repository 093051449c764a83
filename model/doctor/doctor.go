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

// Doctor remembers what it needs of an election to diagnose it.
type Doctor struct {
	cfg   model.Config
	rules []rule

	watch        watchTables
	predecessors predecessors
	former       formerSessions
	servers      serverHistory
	recipe       string
	parentGone   time.Time // when the parent was deleted
	lost         []uint64  // sessions whose candidates were deleted with it, sorted
	// unseen is how many changes had been missed up to the observation before.
	unseen int

	risks     map[dialect.ID]*Risk
	riskView  map[dialect.ID]*Risk
	riskOrder []*Risk
	assessed  int // rounds of the tracker by which the risks are

	// What rules found last: without a new table they have nothing to do where
	// this is nothing.
	strayed, onlookers, differ bool
	sighted                    time.Time // when edges were looked at last
	circle                     []int

	dirty    inputs
	ran      time.Time
	suspects map[string]*suspect // by Finding.Key
	// unfound are the findings that a checkpoint only names, by key, up to when
	// they may be found again.
	unmatched      []string
	unmatchedUntil time.Time
	raised         int
	findings       []*Finding
	due            time.Time
	out            []model.EventBody
}

// newDoctor returns a doctor that has seen no observation of the election of cfg.
func newDoctor(cfg model.Config, rules []rule) Doctor { return Doctor{cfg: cfg, rules: rules} }

// Apply takes in the journal's state after an observation, and returns the events
// that this raises or clears. It asks for the state only if rules run.
func (d *Doctor) Apply(o model.Observation, at time.Time, j *model.Journal) []model.EventBody {
	d.out = nil
	d.touch(o)
	if t, ok := o.(*session.Table); ok {
		d.table(t, j)
	}
	d.leave(at, j)
	if len(d.risks) > 0 || j.Sessions().Rounds() != d.assessed {
		d.assess(at, j)
	}
	d.diagnose(at, j)
	d.unseen = unseen(j.Totals())
	return d.out
}

func (d *Doctor) emit(e model.EventBody) { d.out = append(d.out, e) }

// inputs are what rules look at.
type inputs uint8

const (
	onQueue inputs = 1 << iota // children, the parent, handoffs
	onTable
	onAck
	onCast
	onTime // nothing but time passed
)

func (d *Doctor) touch(o model.Observation) {
	switch o.(type) {
	case *model.Read, *model.Refresh, *model.Switch:
		d.dirty |= onQueue
	case *session.Table:
		d.dirty |= onTable
	case *model.Ack:
		d.dirty |= onAck
	case *model.Cast:
		d.dirty |= onCast
	}
}

// table takes in what the servers reported about watches and ephemerals.
func (d *Doctor) table(t *session.Table, j *model.Journal) {
	s := j.State()
	if r := newWatchTable(s.Table, s.Path, s.Queue); r != nil {
		d.watch.add(r)
		if from := cmp.Or(d.watch.first, d.watch.base); from != nil {
			d.predecessors.prune(from.at)
		}
	}
	d.servers.add(s.Table)
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
		if i, _ := model.Position(recipe, queue, c); i < len(queue) {
			next = queue[i]
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

// diagnose updates the findings and reports what changed. Its time never goes
// back, even if a clock does.
func (d *Doctor) diagnose(at time.Time, j *model.Journal) {
	if d.dirty == 0 && (d.due.IsZero() || at.Before(d.due)) {
		return
	}
	queue, _ := j.Queue()
	next := d.ran.Add(pace(len(queue)))
	if d.dirty&onTable == 0 && !d.ran.IsZero() && at.Before(next) {
		if d.due.IsZero() || !d.due.After(at) || next.Before(d.due) {
			d.due = next
		}
		return
	}
	d.examine(at, j)
}

// examine runs the rules.
func (d *Doctor) examine(at time.Time, j *model.Journal) {
	in := d.dirty
	d.dirty, d.ran = 0, at
	if in == 0 {
		in = onTime
	}
	d.due = d.risksDue(j.Sessions())
	// The current state is unknown: findings stay as they are.
	if !j.Current() {
		return
	}
	for _, s := range d.suspects {
		s.seen = false
	}
	look := &ruleContext{d: d, s: j.State(), sessions: j.Sessions(), in: in}
	for i := range d.rules {
		r := &report{ruleContext: look, at: at, rule: &d.rules[i]}
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
				d.say(at, s, false)
			}
			delete(d.suspects, key)
			continue
		case s.raised, s.counted < s.tables:
		case at.Before(wait):
			d.lookAgain(wait)
		default:
			d.say(at, s, true)
		}
		if s.again.After(at) {
			d.lookAgain(s.again)
		}
	}
	if d.raised < 0 {
		d.findings = d.list()
		d.raised = len(d.findings)
	}
	if !d.due.IsZero() && !d.due.After(at) {
		d.due = at.Add(pace(len(look.s.Queue)))
	}
}

// lookAgain makes the doctor want to look again at that time.
func (d *Doctor) lookAgain(at time.Time) {
	if d.due.IsZero() || at.Before(d.due) {
		d.due = at
	}
}

// list returns what is raised, gravest first, then by ID.
func (d *Doctor) list() []*Finding {
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
