package lesson

import (
	"slices"
	"time"

	"electop/model"
	"electop/model/doctor"
)

// phase is how far a part has got.
type phase int

const (
	reading  phase = iota // nothing is asked for
	asking                // the question waits for an answer
	waiting               // the act was asked for
	finished              // it has happened
)

// Run is one student's progress in one lesson. It is for one goroutine at a time.
type Run struct {
	lesson     *Lesson
	number, of int
	began      time.Time
	state      *doctor.State // the last one

	part    int
	phase   phase
	skipped []bool // parts of which something was
	done    bool

	roles  []Role // that the part names
	needed []Role // of these, the ones that somebody has to have
	cast   *cast
	fixed  bool      // the cast is fixed: the wait has begun
	since  time.Time // when it did
	known  uint64    // events up to then, also those that the journal held back
	asked  time.Time // when the last condition was met, or the waiting began
	met    []int     // how often each condition of the act was
	came   []bool    // which of the options' conditions were
	chosen int
	right  int
	hints  int // shown
	seen   seen
	stuck  string
	lack   string // stuck, where a candidate is missing
	lost   bool   // the part can only be restarted
	astray string // the member that has a fault that the act does not ask for

	view  View
	dirty bool
}

// seen is what happened while the part waited, for what is said of it.
type seen struct {
	handoff  *model.Handoff
	newcomer actor
	wake     *model.Woken
	stale    int // writes
}

func (r *Run) now() *Part { return &r.lesson.Parts[r.part] }

// enter begins a part.
func (r *Run) enter(i int) {
	r.part = i
	r.restart()
}

// restart begins the present part again.
func (r *Run) restart() {
	p := r.now()
	r.phase = reading
	r.roles, r.needed = p.roles()
	r.fixed, r.chosen, r.right, r.stuck, r.lack, r.lost = false, -1, -1, "", "", false
	r.hints, r.astray = 0, ""
	r.seen, r.met, r.came = seen{}, nil, nil
	switch {
	case p.Question != nil:
		r.phase = asking
	case p.Act != nil:
		r.phase = waiting
	}
	r.recast()
	r.dirty = true
}

// recast looks up who is meant now, and begins to wait if all of them
// are there.
func (r *Run) recast() {
	c := castOf(r.state, r.roles)
	if !c.same(r.cast) {
		r.dirty = true
	}
	r.cast = c
	if r.phase != asking && r.phase != waiting {
		return
	}
	act := r.now().Act
	lack := r.needs(c)
	if lack != "" || r.lack != "" {
		r.say(lack)
	}
	if r.lack = lack; lack != "" || r.phase == asking {
		return
	}
	r.fixed, r.since, r.known = true, r.state.At, r.state.Events
	r.asked = r.since
	r.met = make([]int, len(act.Until))
	before := true // all conditions before this one hold
	for i := range act.Until {
		u := &act.Until[i]
		if u.Already && (before || !u.Then) && u.holds(r.state, c) {
			r.met[i] = u.times()
		}
		before = before && r.met[i] > 0
	}
	if q := r.now().Question; q != nil {
		r.came = make([]bool, len(q.Options))
	}
	r.conclude()
}

func (r *Run) say(stuck string) {
	if r.stuck != stuck {
		r.stuck, r.dirty = stuck, true
	}
}

func (c *Condition) times() int { return max(1, c.Times) }

// Observe takes what the journal made of one observation: the state after it
// and its events. Call it for each, in order; nothing else makes a
// lesson's condition true. Events that are older than the wait do not count: the journal
// held them back, or they led to the state that the lesson began with.
func (r *Run) Observe(s *doctor.State, events []model.Event) {
	for len(events) > 0 && events[0].N <= r.known {
		events = events[1:]
	}
	r.cast = r.cast.without(s)
	m := &moment{before: r.state, after: s, events: events, cast: r.cast, since: r.since, asked: r.asked}
	r.state = s
	switch {
	case r.done || r.phase == finished:
	case r.fixed:
		r.watch(m)
	default:
		r.early(m)
		r.recast()
	}
}

// early notes that the act's target was affected before the question
// was answered.
func (r *Run) early(m *moment) {
	if r.phase != asking {
		return
	}
	target := r.now().Act.Target
	fault := func(s *doctor.State) (f model.Fault) {
		if x := memberNamed(s, m.cast.found[target].member); x != nil {
			f = x.Fault
		}
		return f
	}
	if m.cast.left(target, m.after) || fault(m.before) == model.NoFault && fault(m.after) != model.NoFault {
		r.say("This happened before you answered. Answer first, then do it.")
	}
}

// watch takes in what happened while the part waits.
func (r *Run) watch(m *moment) {
	p := r.now()
	if why := r.misfit(m); why != "" && !r.lost {
		r.lose(why + ", so the question no longer fits.")
	}
	r.note(m)
	before := true // all conditions before this one were met
	for i := range p.Act.Until {
		c := &p.Act.Until[i]
		if r.met[i] < c.times() && (before || !c.Then) {
			if n := c.met(m); n > 0 {
				r.met[i] += n
				r.asked = m.after.At
				r.dirty = true
			}
		}
		before = before && r.met[i] >= c.times()
	}
	for i := range r.came {
		if c := p.Question.Options[i].If; c != nil {
			r.came[i] = c.right(m, r.came[i])
		}
	}
	r.conclude()
	if r.phase == waiting {
		r.strayed(m)
	}
	if r.phase == waiting && !r.lost && r.moved() {
		r.recast()
	}
}

// moved reports whether another candidate is the target now, before anything was done
// that nobody was asked about. Then that one is meant.
func (r *Run) moved() bool {
	p := r.now()
	if p.Question != nil || p.Act.Target == "" || slices.ContainsFunc(r.met, func(n int) bool { return n > 0 }) {
		return false
	}
	was, is := r.cast.found[p.Act.Target], look(r.state, p.Act.Target)
	return is.member != "" && is.member != was.member
}

// note remembers what texts say afterwards.
func (r *Run) note(m *moment) {
	m.each(func(e model.EventBody) {
		switch e := e.(type) {
		case model.Handoff:
			r.seen.handoff = &e
		case model.Joined:
			if r.newcomer(m, e) {
				r.seen.newcomer = contender(m.after, e.Candidate)
				r.cast = r.cast.with(Newcomer, r.seen.newcomer)
				m.cast = r.cast
			}
		}
	})
	who := Role("")
	for i := range r.now().Act.Until {
		if c := &r.now().Act.Until[i]; c.Event == Woke {
			who = c.Who
		}
	}
	c := Condition{Event: Woke, Who: who}
	m.wakes(func(w *model.Woken) {
		if c.woke(m, w) {
			r.seen.wake = w
		}
	})
	m.writes(func(w *model.Tried) {
		if w.Stale && !w.Refused {
			r.seen.stale++
		}
	})
}

// newcomer reports whether it is the first one of whom the part says that it
// joins: the one that it waits for, or the target again.
func (r *Run) newcomer(m *moment, e model.Joined) bool {
	if e.Ignored || r.seen.newcomer.label != "" {
		return false
	}
	act, before, waits := r.now().Act, true, false
	for i := range act.Until {
		c := &act.Until[i]
		if c.Event == Joined {
			waits = true
			if (before || !c.Then) && (c.Who != "" && m.owns(c.Who, e.Candidate) || c.Who == "" && m.fresh(e.Candidate)) {
				return true
			}
		}
		before = before && r.met[i] >= c.times()
	}
	return !waits && m.owns(act.Target, e.Candidate)
}

// conclude ends the waiting if all of its conditions were met.
func (r *Run) conclude() {
	p := r.now()
	if r.lost {
		return // what comes now is no answer to what was asked
	}
	for i := range p.Act.Until {
		if r.met[i] < p.Act.Until[i].times() {
			return
		}
	}
	r.phase, r.hints, r.dirty = finished, 0, true
	r.skipped[r.part] = r.skipped[r.part] && r.chosen < 0 && p.Question != nil
	r.say("")
	if p.Question == nil {
		return
	}
	for i := range r.came {
		if r.came[i] {
			r.right = i
			return
		}
	}
	r.right = slices.IndexFunc(p.Question.Options, func(o Option) bool { return o.Else })
}
