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

type phase int

const (
	preparing phase = iota
	reading         // the part has no act
	asking          // no answer yet, or the election does not fit the part
	waiting         // the part waits for the act and its effect
	stuck
	finished // all conditions of the act were met
	complete
)

// Run is the progress of a user in a lesson. Its methods must not be called concurrently.
type Run struct {
	lesson     *Lesson
	number, of int
	began      time.Time
	state      *doctor.State

	part    int
	skipped []bool // the parts in which something was skipped, and not done later

	// The method enter resets all fields below.
	phase       phase
	fit         bool     // the election fits the part
	holders     *holders // while the part waits, only Newcomer changes
	known       uint64   // number of the last event before the wait, including events that the journal held back
	acted       bool     // the act was done to its target
	met         []bool   // for each condition of the act, whether it was met
	optionMet   []bool   // for each option, whether its condition was met
	chosen      int
	right       int
	hintsShown  int
	wrong       string        // a sentence about a wrong act or event, "" for none
	waited, end *doctor.State // the states at the beginning and at the end of the wait

	view  View
	dirty bool
}

// Begin returns a run of l that waits for the setup of the first part.
func Begin(l *Lesson, number, of int) *Run {
	r := &Run{lesson: l, number: number, of: of, skipped: make([]bool, len(l.Parts))}
	r.enter(0)
	return r
}

// Setup returns the setup of the part; ok is false if the part does not wait for its setup.
func (r *Run) Setup() (u Setup, ok bool) { return r.setup(), r.phase == preparing }

func (r *Run) setup() Setup {
	u := r.now().Setup
	u.Cast, u.Workers = r.lesson.Setup.Cast, r.lesson.Setup.Workers
	u.Recipe = cmp.Or(u.Recipe, dialect.Election().Name())
	return u
}

// Start begins the part. s is the state after the setup of the part.
func (r *Run) Start(s *doctor.State) {
	r.state, r.began = s, s.At
	r.begin()
}

func (r *Run) begin() {
	if r.phase, r.dirty = asking, true; r.now().Act == nil {
		r.phase = reading
	}
	r.follow()
}

func (r *Run) now() *Part { return &r.lesson.Parts[r.part] }

func (r *Run) enter(i int) {
	*r = Run{
		lesson: r.lesson, number: r.number, of: r.of, began: r.began, state: r.state, skipped: r.skipped,
		part: i, chosen: -1, right: -1, dirty: true,
	}
}

func (r *Run) advance() {
	if r.part+1 == len(r.lesson.Parts) {
		r.phase = complete
		return
	}
	kind := r.setup().Kind
	r.enter(r.part + 1)
	if r.setup().Kind == kind && r.Fits(r.state) {
		r.begin()
	}
}

func (r *Run) follow() {
	h, fit := holdersIn(r.state), r.Fits(r.state)
	r.dirty = r.dirty || fit != r.fit || !h.same(r.holders)
	if fit {
		r.wrong = ""
	} else if r.fit {
		r.wrong = "The election has changed."
	}
	if r.fit = fit; fit || r.holders == nil {
		r.holders = h
	}
	if fit && r.phase == asking && r.now().Question == nil {
		r.await()
	}
}

func (r *Run) await() {
	p := r.now()
	r.phase, r.hintsShown, r.known, r.met, r.waited = waiting, 0, r.state.Events, make([]bool, len(p.Act.Until)), r.state
	if p.Question != nil {
		r.optionMet = make([]bool, len(p.Question.Options))
	}
	r.watch(&change{before: r.state, after: r.state, holders: r.holders})
}

// Observe applies an observation's events and the state after the observation. Call Observe for
// each observation, in order.
func (r *Run) Observe(s *doctor.State, events []model.Event) {
	for len(events) > 0 && events[0].N <= r.known {
		events = events[1:]
	}
	m := &change{before: r.state, after: s, events: events, holders: r.holders}
	r.state = s
	switch r.phase {
	case reading, asking:
		r.follow()
	case waiting:
		r.dirty = r.dirty || held(m.before) != held(m.after)
		if why := r.disturbed(m); why != "" {
			r.phase, r.wrong, r.dirty = stuck, cmp.Or(r.wrong, why), true
			return
		}
		r.watch(m)
	}
}

func (r *Run) watch(m *change) {
	p := r.now()
	m.done = r.acted
	for i := range m.events {
		if e, ok := m.events[i].Body.(model.Joined); ok && !e.Ignored {
			m.holders.of[Newcomer] = contender(m.after, e.Candidate)
		}
	}
	before := true // all conditions before c were met
	for i := range p.Act.Until {
		c := &p.Act.Until[i]
		if met := (before || !c.Then) && c.met(m); met != r.met[i] && (met || slices.Contains(lasting, c.Event)) {
			r.met[i], r.dirty = met, true
		}
		before = before && r.met[i]
	}
	for i := range r.optionMet {
		if c := p.Question.Options[i].If; c != nil {
			r.optionMet[i] = r.optionMet[i] || c.met(m)
		}
	}
	if slices.Contains(r.met, false) {
		return
	}
	r.phase, r.hintsShown, r.wrong, r.dirty = finished, 0, "", true
	r.end = m.after
	r.skipped[r.part] = r.skipped[r.part] && r.chosen < 0 && p.Question != nil
	if p.Question != nil {
		if r.right = slices.Index(r.optionMet, true); r.right < 0 {
			r.right = slices.IndexFunc(p.Question.Options, func(o Option) bool { return o.Else })
		}
	}
}

// Input applies an input, or returns why it cannot be applied now. choice is the number of the
// option of an Answer, from 0.
func (r *Run) Input(in Input, choice int) (why string) {
	p := r.now()
	switch {
	case r.phase == preparing:
		return "the lesson is being prepared"
	case r.phase == complete && in != Back:
		return "the lesson is complete: L lists all lessons"
	}
	switch in {
	case Next:
		switch {
		case r.phase == stuck || !r.fit:
			return cannot
		case r.phase == asking:
			return fmt.Sprintf("answer first, with 1 to %d; > skips the question", len(p.Question.Options))
		case r.phase == waiting:
			return "waiting for this to happen; > skips it"
		}
		r.advance()
	case Hint:
		if r.hintsShown >= len(r.hints()) {
			return "there are no more hints"
		}
		r.hintsShown++
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

func (r *Run) untouched() bool {
	return r.phase == reading || r.phase == asking && r.fit ||
		r.phase == waiting && r.now().Question == nil && r.wrong == "" && !r.begun()
}

func (r *Run) begun() bool { return r.acted || slices.Contains(r.met, true) }

func (r *Run) hints() []string {
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
		r.view, r.dirty = r.newView(), false
	}
	return r.view
}

// newView returns a view that shares no changing data with r.
func (r *Run) newView() View {
	p := r.now()
	v := View{
		ID: r.lesson.ID, Title: r.lesson.Title, Number: r.number, Of: r.of, Began: r.began, Preparing: r.phase == preparing,
		Part: r.part + 1, Parts: len(r.lesson.Parts), Chosen: -1, Right: -1, Done: r.phase == complete, Skipped: slices.Contains(r.skipped, true),
	}
	if v.Preparing {
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
		v.Feedback = r.fill(r.feedback(q))
	}
	if hints := r.hints(); len(hints) > 0 {
		if v.Hints = len(hints) - r.hintsShown; r.hintsShown > 0 {
			v.Hint = r.fill(hints[r.hintsShown-1])
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
	case r.phase == stuck || unfit:
		v.Stuck = strings.TrimSpace(r.wrong + " " + cannot)
	case r.phase == finished || v.Done && p.Act != nil:
		v.Happened = r.fill(p.After)
	case r.phase == waiting:
		v.Waiting, v.Acted, v.Held, v.Do = true, r.begun(), held(r.state), r.fill(p.Act.Do)
		v.Keys, v.Target, v.Fault = slices.Clone(p.Act.Keys), r.holders.of[p.Act.Target].member, p.Act.Fault
	}
	return v
}

func (r *Run) feedback(q *Question) string {
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

const cannot = "This part cannot go on: < restarts it."

// Fits reports whether the part can begin in the state s.
func (r *Run) Fits(s *doctor.State) bool {
	p, h := r.now(), holdersIn(s)
	if p.Act == nil {
		return true
	}
	if r.otherRules(s, nil) != "" || p.Act.Target != "" && h.of[p.Act.Target].member == "" {
		return false
	}
	needs := p.needs()
	for _, role := range needs {
		if a := h.of[role]; a.label == "" || !a.queued && !slices.Contains([]Role{FrozenOne, Amber, Birch}, role) {
			return false
		}
	}
	for _, u := range p.Act.Until {
		if u.Event == Handoff && h.of[u.To].queued && h.of[u.To].id != h.of[Second].id ||
			u.Event == Acknowledged && u.Who == p.Act.Target && h.of[u.Who].id != h.of[Leader].id {
			return false // To or Who would not lead after the act
		}
	}
	u, last := r.setup(), ""
	if u.Kind != "" && (len(s.Members) != u.Cast || slices.ContainsFunc(s.Members, func(m *model.Member) bool { return m.Fault != model.NoFault || m.Ending != model.NoEnding })) {
		return false
	}
	for _, x := range s.Queue.All() {
		m := s.Member(x)
		if m == nil {
			continue
		}
		is := func(role Role) bool { return slices.Contains(needs, role) && h.of[role].member == m.ID }
		if u.Kind == "" && m.Recipe != s.Recipe.Name() || u.Kind != "" && m.ID < last || m.Ending != model.NoEnding || m.Fault != model.NoFault && !is(FrozenOne) ||
			m.SlowLead && !is(SlowOne) || m.NoGuid && !is(Guidless) && !is(Ghost) {
			return false
		}
		last = m.ID
	}
	return true
}

func (r *Run) otherRules(s *doctor.State, keys []string) string {
	u, rules := r.setup(), &s.Work.Rules
	switch {
	case u.Kind != "":
	case (s.Recipe == nil || s.Recipe.Name() != u.Recipe) && !slices.Contains(keys, "h"):
		return "The recipe has changed (h)."
	case u.Workers && !(rules.Workers && rules.Fenced == u.Guarded) && !slices.Contains(keys, "w"):
		return "The workers' rules have changed (w)."
	}
	return ""
}

// newFault ignores the resignation of a member with LosesReply: the fault "lose reply" includes a resignation.
func newFault(old, now *model.Member) string {
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

// disturbed updates r.acted and r.wrong, and returns why the part is stuck, "" for a part that is not stuck.
func (r *Run) disturbed(m *change) (why string) {
	act, asks := r.now().Act, r.now().Question != nil
	target := m.holders.of[act.Target]
	because := func(stuck bool, text string) {
		if stuck && why == "" {
			why = text
		}
	}
	why = r.otherRules(m.after, act.Keys)
	for _, now := range m.after.Members {
		old := m.before.MemberByID(now.ID)
		if old == nil || old == now {
			continue
		}
		switch d := newFault(old, now); {
		case d == "":
		case now.ID == target.member && d == act.Fault:
			start := r.waited.MemberByID(now.ID)
			r.acted, r.wrong, r.dirty = start != nil && newFault(start, now) == d, "", true
		case now.ID != target.member && target.label != "":
			r.wrong, r.dirty = "You chose "+znode.Safe(now.Name, nameMax)+"; this step needs "+target.label+".", true
			because(asks, r.wrong)
		default:
			because(asks || target.label != "", "Not part of this step: "+d+".")
		}
	}
	because(m.is(act.Target, m.after.First()) && !m.is(act.Target, m.before.First()), target.label+" leads too early.")
	if r.setup().Kind == dialect.KindQueue { // items come and go
		return why
	}
	eachOnlyIn(m.before, m.after, func(gone *dialect.Candidate) {
		mine := act.Target != "" && m.owns(act.Target, gone)
		name := znode.Safe(gone.Label(), nameMax)
		for _, h := range m.after.Handoffs[max(0, len(m.after.Handoffs)-1):] {
			because(mine && !r.acted && h.Cause == model.CauseExpired && h.From.ID() == gone.ID(), "The session of "+name+" expired before this step was done.")
		}
		because(mine && !r.acted || !mine && asks, name+" left.")
	})
	eachOnlyIn(m.after, m.before, func(joined *dialect.Candidate) {
		expected := act.Fault == "lose reply" && m.owns(act.Target, joined) || slices.ContainsFunc(act.Until, func(c Condition) bool {
			return c.Event == Joined && (c.Who == "" || m.owns(c.Who, joined))
		})
		because(asks && !expected, "Another candidate joined.")
	})
	return why
}

func eachOnlyIn(s, other *doctor.State, f func(*dialect.Candidate)) {
	for _, x := range s.Queue.All() {
		if _, i := other.Candidate(x.ID()); i < 0 {
			f(x)
		}
	}
}
