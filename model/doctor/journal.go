package doctor

import (
	"slices"
	"time"

	"electop/model"
)

// A Journal is a [model.Journal] with its doctor: it applies each observation to
// both, and merges and numbers their events. Only one goroutine may use it.
type Journal struct {
	election *model.Journal
	doctor   Doctor
	n        uint64
	held     []heldEvent // behind the election's own that wait
	cached   *State
}

// heldEvent is an event that waits behind the first so many of the election's.
type heldEvent struct {
	behind int
	event  model.Event
}

// NewJournal returns a journal without observations.
func NewJournal(cfg model.Config) *Journal {
	return &Journal{election: model.NewJournal(cfg), doctor: Doctor{cfg: cfg}}
}

// Apply applies one observation and returns the events that are due, oldest
// first, numbered from 1 without gaps.
func (j *Journal) Apply(o model.Observation) []model.Event {
	j.cached = nil
	events := j.election.Apply(o)
	at := j.election.At()
	raised := j.doctor.Apply(o, at, j.election)
	events = j.merge(events, raised, at)
	for i := range events {
		if s, ok := events[i].Body.(model.Snapshot); ok {
			state := j.doctor.state(s.State)
			state.Events = j.n
			events[i].Body = Snapshot{state}
		}
		j.n++
		events[i].N = j.n
	}
	return events
}

// Examine runs the rules now, whenever they ran last: all that a search reads of an election
// is applied at once. What that raises is in the state, and is no event.
func (j *Journal) Examine() {
	j.cached = nil
	j.doctor.examine(j.election.At(), j.election)
}

// merge puts the doctor's events among those of the election, in order: what it
// raises while the election's events wait for an acknowledgement waits too.
func (j *Journal) merge(events []model.Event, raised []model.EventBody, at time.Time) []model.Event {
	waiting := j.election.Waiting()
	if len(events) > 0 || waiting == 0 {
		// Events that waited come first, all of them at once.
		held := j.held
		j.held = nil
		for _, h := range slices.Backward(held) {
			events = slices.Insert(events, min(h.behind, len(events)), h.event)
		}
	}
	for _, body := range raised {
		e := model.Event{At: at, Body: body}
		if waiting > 0 {
			j.held = append(j.held, heldEvent{waiting, e})
		} else {
			events = append(events, e)
		}
	}
	return events
}

// Deadline returns when the journal wants a [model.Advance], if it wants one: to
// publish events that it holds back, or because the doctor waits.
func (j *Journal) Deadline() (time.Time, bool) {
	due, ok := j.election.Held()
	if d := j.doctor.due; !d.IsZero() && (!ok || d.Before(due)) {
		return d, true
	}
	return due, ok
}

// Held is as [model.Journal.Held].
func (j *Journal) Held() (time.Time, bool) { return j.election.Held() }

// State returns the current state of the election, with its diagnosis.
func (j *Journal) State() *State {
	if j.cached == nil {
		j.cached = j.doctor.state(j.election.State())
		j.cached.Events = j.Events()
	}
	return j.cached
}

// Events returns how many events there were, including those that wait.
func (j *Journal) Events() uint64 {
	return j.n + uint64(j.election.Waiting()+len(j.held))
}

// News reports whether o changes something visible, besides events.
func (j *Journal) News(o model.Observation) bool {
	return j.election.News(o)
}

// Clone returns an independent copy, as [model.Journal.Clone] does.
func (j *Journal) Clone() *Journal {
	c := *j
	c.election = j.election.Clone()
	c.doctor = j.doctor.clone()
	c.held = slices.Clip(j.held)
	c.cached = nil
	return &c
}

// Size returns how many children and members there are.
func (j *Journal) Size() int { return j.election.Size() }

// Memory estimates the memory of a clone, in bytes, and the number of things that
// it copies.
func (j *Journal) Memory() (bytes, things int) {
	const suspectBytes, riskBytes = 160, 48
	d := &j.doctor
	return j.election.Memory() + len(d.suspicions.byKey)*suspectBytes + len(d.risks.all)*riskBytes, j.election.Size()
}
