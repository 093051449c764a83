package lesson

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/znode"
)

// phase is how far a part has got.
type phase int

const (
	setting  phase = iota // its setup is being built
	reading               // there is nothing to do
	asking                // the roles follow the election; an answer is missing, or the part does not fit
	waiting               // the act was asked for
	lost                  // the part cannot go on
	finished              // it has happened
	complete              // so is the lesson
)

// Run is one student's progress in one lesson. It is for one goroutine at a time.
type Run struct {
	lesson     *Lesson
	number, of int
	began      time.Time
	state      *doctor.State // the last one

	part    int
	skipped []bool // parts of which something was

	// Of the present part.
	phase     phase
	fit       bool   // the election is as the part needs it
	cast      *cast  // fixed while the part waits
	known     uint64 // events that came before the waiting, also those that the journal held back
	acted     bool   // what the act does to its target was done
	met, came []bool // which conditions of the act and of the options were
	chosen    int
	right     int
	hints     int           // shown
	wrong     string        // which other candidate was chosen
	from, end *doctor.State // of the waiting

	view  View
	dirty bool
}

// Begin returns a run of l, which is lesson number of as many in the course. It waits for
// its first setup.
func Begin(l *Lesson, number, of int) *Run {
	r := &Run{lesson: l, number: number, of: of, skipped: make([]bool, len(l.Parts))}
	r.enter(0)
	return r
}

// Setup returns the setup that has to be built before the part can begin; ok is false if
// none has to be.
func (r *Run) Setup() (sc Setup, ok bool) { return r.setup(), r.phase == setting }

func (r *Run) setup() Setup {
	sc := r.now().Setup
	sc.Cast, sc.Workers = r.lesson.Setup.Cast, r.lesson.Setup.Workers
	sc.Recipe = cmp.Or(sc.Recipe, dialect.Election().Name())
	return sc
}

// Start begins the part in the state s, in which its setup stands.
func (r *Run) Start(s *doctor.State) {
	r.state, r.began = s, s.At
	r.begin()
}

// begin begins the part in the present election.
func (r *Run) begin() {
	if r.phase, r.dirty = asking, true; r.now().Act == nil {
		r.phase = reading
	}
	r.follow()
}

func (r *Run) now() *Part { return &r.lesson.Parts[r.part] }

// enter waits for the setup of a part.
func (r *Run) enter(i int) {
	*r = Run{
		lesson: r.lesson, number: r.number, of: r.of, began: r.began, state: r.state, skipped: r.skipped,
		part: i, chosen: -1, right: -1, dirty: true,
	}
}

// advance goes to the next part, which begins in the present election if it fits.
func (r *Run) advance() {
	if r.part+1 == len(r.lesson.Parts) {
		r.phase = complete
		return
	}
	r.enter(r.part + 1)
	if r.Fits(r.state) {
		r.begin()
	}
}

// follow looks up the roles, as long as the part fits. An act without a question is
// asked for as soon as it does.
func (r *Run) follow() {
	c, fit := castOf(r.state), r.Fits(r.state)
	r.dirty = r.dirty || fit != r.fit || !c.same(r.cast)
	if r.fit = fit; fit || r.cast == nil {
		r.cast = c
	}
	if fit && r.phase == asking && r.now().Question == nil {
		r.await()
	}
}

// await waits for the act, in the present election.
func (r *Run) await() {
	p := r.now()
	r.phase, r.hints, r.known, r.met, r.from = waiting, 0, r.state.Events, make([]bool, len(p.Act.Until)), r.state
	if p.Question != nil {
		r.came = make([]bool, len(p.Question.Options))
	}
	r.watch(&moment{before: r.state, after: r.state, cast: r.cast})
}

// Observe takes what the journal made of one observation: the state after it
// and its events. Call it for each, in order; nothing else makes a
// lesson's condition true. Events that are older than the wait do not count: the journal
// held them back, or they led to the state that the part began with.
func (r *Run) Observe(s *doctor.State, events []model.Event) {
	for len(events) > 0 && events[0].N <= r.known {
		events = events[1:]
	}
	m := &moment{before: r.state, after: s, events: events, cast: r.cast}
	r.state = s
	switch r.phase {
	case reading, asking:
		r.follow()
	case waiting:
		if r.disturbed(m) {
			r.phase, r.dirty = lost, true
			return
		}
		r.watch(m)
	}
}

// watch applies what happened while the part waits, and ends the waiting if all of its
// conditions were met.
func (r *Run) watch(m *moment) {
	p := r.now()
	m.done = r.acted
	for i := range m.events {
		if e, ok := m.events[i].Body.(model.Joined); ok && !e.Ignored {
			m.cast.found[Newcomer] = contender(m.after, e.Candidate)
		}
	}
	before := true // all conditions before this one were met
	for i := range p.Act.Until {
		if c := &p.Act.Until[i]; !r.met[i] && (before || !c.Then) && c.met(m) {
			r.met[i], r.dirty = true, true
		}
		before = before && r.met[i]
	}
	for i := range r.came {
		if c := p.Question.Options[i].If; c != nil {
			r.came[i] = r.came[i] || c.met(m)
		}
	}
	if slices.Contains(r.met, false) {
		return
	}
	r.phase, r.hints, r.wrong, r.dirty = finished, 0, "", true
	r.end = m.after
	r.skipped[r.part] = r.skipped[r.part] && r.chosen < 0 && p.Question != nil
	if p.Question != nil {
		if r.right = slices.Index(r.came, true); r.right < 0 {
			r.right = slices.IndexFunc(p.Question.Options, func(o Option) bool { return o.Else })
		}
	}
}

// Input applies an input; choice is the number of an Answer, from 0. It returns why it
// cannot be applied now, "" if it was.
func (r *Run) Input(in Input, choice int) (why string) {
	p := r.now()
	switch {
	case r.phase == setting:
		return "the lesson is being prepared"
	case r.phase == complete && in != Back:
		return "the lesson is complete: L lists all lessons"
	}
	switch in {
	case Next:
		switch {
		case r.phase == lost || !r.fit:
			return cannot
		case r.phase == asking:
			return fmt.Sprintf("answer first, with 1 to %d; > skips the question", len(p.Question.Options))
		case r.phase == waiting:
			return "waiting for this to happen; > skips it"
		}
		r.advance()
	case Hint:
		if r.hints >= len(r.clues()) { // none while the part does not fit
			return "there are no more hints"
		}
		r.hints++
	case Skip:
		r.skipped[r.part] = r.skipped[r.part] || r.phase != reading && r.phase != finished
		if r.phase == asking && r.fit {
			r.await()
		} else {
			r.advance()
		}
	case Back:
		to := r.part
		if r.untouched() {
			to--
		}
		if to < 0 {
			return "this is the first part"
		}
		r.enter(to)
		if r.now().Act == nil {
			r.begin()
		}
	case Answer:
		switch {
		case r.chosen >= 0:
			return "already answered: < restarts this part"
		case p.Question == nil || r.phase != asking:
			return "this part has no open question"
		case !r.fit:
			return cannot
		case choice < 0 || choice >= len(p.Question.Options):
			return fmt.Sprintf("answer with 1 to %d", len(p.Question.Options))
		}
		r.chosen = choice
		r.await()
	}
	r.dirty = true
	return ""
}

// untouched reports whether nothing was answered and done in the part.
func (r *Run) untouched() bool {
	return r.phase == reading || r.phase == asking && r.fit ||
		r.phase == waiting && r.now().Question == nil && r.wrong == "" && !r.acted && !slices.Contains(r.met, true)
}

// clues are the hints about what is to be done now.
func (r *Run) clues() []string {
	switch p := r.now(); {
	case r.phase == asking && r.fit:
		return p.Question.Hints
	case r.phase == waiting:
		return p.Act.Hints
	}
	return nil
}

// View returns what to show.
func (r *Run) View() View {
	if r.dirty {
		r.view, r.dirty = r.draw(), false
	}
	return r.view
}

// draw makes a view that shares nothing with what changes later.
func (r *Run) draw() View {
	p := r.now()
	v := View{
		ID: r.lesson.ID, Title: r.lesson.Title, Number: r.number, Of: r.of, Began: r.began, Setting: r.phase == setting,
		Part: r.part + 1, Parts: len(r.lesson.Parts), Chosen: -1, Right: -1, Done: r.phase == complete, Skipped: slices.Contains(r.skipped, true),
	}
	if v.Setting {
		return v
	}
	v.CanBack = r.part > 0 || !r.untouched()
	v.CanNext = r.phase == reading || r.phase == finished
	for _, text := range p.Text {
		v.Text = append(v.Text, r.fill(text))
	}
	unfit := r.phase == asking && !r.fit
	if q := p.Question; q != nil && !unfit {
		v.Question, v.Chosen, v.Right = r.fill(q.Ask), r.chosen, r.right
		for _, o := range q.Options {
			v.Options = append(v.Options, r.fill(o.Text))
		}
		v.Verdict = r.fill(r.verdict(q))
	}
	if clues := r.clues(); len(clues) > 0 {
		if v.Hints = len(clues) - r.hints; r.hints > 0 {
			v.Hint = r.fill(clues[r.hints-1])
		}
	}
	v.Stuck = r.wrong
	switch {
	case v.Done && v.Skipped:
		var parts []string
		for i, skipped := range r.skipped {
			if skipped {
				parts = append(parts, fmt.Sprint("part ", i+1))
			}
		}
		v.Stuck = "This lesson is not complete. Skipped: " + strings.Join(parts, ", ") + ". < goes back."
	case r.phase == lost || unfit:
		v.Stuck = strings.TrimSpace(r.wrong + " " + cannot)
	case r.phase == finished || v.Done && p.Act != nil:
		v.Happened = r.fill(p.After)
	case r.phase == waiting:
		v.Waiting, v.Do = true, r.fill(p.Act.Do)
		v.Keys, v.Target, v.Fault = slices.Clone(p.Act.Keys), r.cast.found[p.Act.Target].member, p.Act.Fault
	}
	return v
}

// verdict words whether the answer was right, once that is known; "" if there was
// none.
func (r *Run) verdict(q *Question) string {
	switch {
	case r.chosen < 0 || r.phase < finished:
		return ""
	case r.right < 0:
		return "None of these happened."
	case r.chosen == r.right:
		return q.Right
	}
	return cmp.Or(q.Options[r.chosen].Wrong, q.Wrong)
}

// cannot is shown if a part cannot go on.
const cannot = "This part cannot go on: < restarts it."

// Fits reports whether the part can begin in the state s: its roles are there, the
// candidates are as they should be, and electop can act on its target.
func (r *Run) Fits(s *doctor.State) bool {
	p, c := r.now(), castOf(s)
	if p.Act == nil {
		return true
	}
	if r.otherRules(s, nil) || p.Act.Target != "" && c.found[p.Act.Target].member == "" {
		return false
	}
	needs := p.needs()
	for _, role := range needs {
		if a := c.found[role]; a.label == "" || !a.stands && role != FrozenOne {
			return false
		}
	}
	for _, u := range p.Act.Until {
		if u.Event == Handoff && c.found[u.To].stands && c.found[u.To].id != c.found[Second].id ||
			u.Event == Acknowledged && u.Who == p.Act.Target && c.found[u.Who].id != c.found[Leader].id {
			return false // who should lead next is not next
		}
	}
	for _, x := range s.Queue.All() {
		m := s.Member(x)
		if m == nil {
			continue
		}
		is := func(role Role) bool { return slices.Contains(needs, role) && c.found[role].member == m.ID }
		if m.Recipe != s.Recipe.Name() || m.Ending != model.NoEnding || m.Fault != model.NoFault && !is(FrozenOne) ||
			m.SlowLead && !is(SlowOne) || m.NoGuid && !is(Guidless) && !is(Ghost) {
			return false
		}
	}
	return true
}

// otherRules reports whether the candidates follow another recipe, or their workers other
// rules, than the part is about. Keys may change them.
func (r *Run) otherRules(s *doctor.State, keys []string) bool {
	sc := r.setup()
	recipe := s.Recipe != nil && s.Recipe.Name() == sc.Recipe
	rules := s.Work.Rules.Workers && s.Work.Rules.Fenced == sc.Guarded
	return !recipe && !slices.Contains(keys, "h") || sc.Workers && !rules && !slices.Contains(keys, "w")
}

// deed returns the fault that began or ended for a candidate, by its name in the list of
// faults; "" for none. A candidate whose reply is to be lost leaves and joins again: that
// it resigns is a part of this fault.
func deed(old, now *model.Member) string {
	switch {
	case now.LosesReply && !old.LosesReply:
		return "lose reply"
	case now.Fault != old.Fault:
		return map[model.Fault]string{model.Killed: "kill", model.Frozen: "freeze", model.Partitioned: "partition"}[cmp.Or(now.Fault, old.Fault)]
	case now.Ending != old.Ending && now.Ending == model.Resigning && !now.LosesReply:
		return "resign"
	case now.NoGuid != old.NoGuid:
		return "no guid"
	case now.SlowLead != old.SlowLead:
		return "slow lead"
	}
	return ""
}

// disturbed reports whether something happened while the part waits by which it cannot go
// on: to its target, or, if it judges an answer, to anything that the question may be about.
// It notes what was done to the target, and names a wrong candidate.
func (r *Run) disturbed(m *moment) bool {
	act, asks := r.now().Act, r.now().Question != nil
	target := m.cast.found[act.Target]
	lost := r.otherRules(m.after, act.Keys)
	for _, now := range m.after.Members {
		old := memberNamed(m.before, now.ID)
		if old == nil || old == now {
			continue
		}
		switch d := deed(old, now); {
		case d == "":
		case now.ID != target.member:
			lost = lost || asks
			if target.label != "" {
				r.wrong, r.dirty = "You chose "+znode.Safe(now.Name, nameMax)+"; this step needs "+target.label+".", true
			}
		case d == act.Fault:
			r.acted, r.wrong, r.dirty = true, "", true
		default:
			lost = true
		}
	}
	if m.is(act.Target, m.after.First()) && !m.is(act.Target, m.before.First()) {
		lost = true // it was not to lead yet
	}
	each(m.before, m.after, func(gone *dialect.Candidate) {
		mine := act.Target != "" && m.owns(act.Target, gone)
		lost = lost || mine && !r.acted || !mine && asks
	})
	each(m.after, m.before, func(joined *dialect.Candidate) {
		expected := act.Fault == "lose reply" && m.owns(act.Target, joined) || slices.ContainsFunc(act.Until, func(c Condition) bool {
			return c.Event == Joined && (c.Who == "" || m.owns(c.Who, joined))
		})
		lost = lost || asks && !expected
	})
	return lost
}

// each calls f with the candidates that are in the queue of s and not in other's.
func each(s, other *doctor.State, f func(*dialect.Candidate)) {
	for _, x := range s.Queue.All() {
		if _, i := other.Candidate(x.ID()); i < 0 {
			f(x)
		}
	}
}
