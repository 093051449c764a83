package doctor

import (
	"time"

	"electop/model"
)

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
