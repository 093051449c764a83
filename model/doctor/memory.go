package doctor

import (
	"time"

	"electop/model"
)

// memory is what rules remember of an election between their runs.
type memory struct {
	cfg model.Config

	watch        watchTables
	predecessors predecessors
	former       formerSessions
	servers      serverHistory
	parentGone   time.Time // when the parent was deleted
	lost         []uint64  // sessions whose candidates were deleted with it, sorted

	strayed bool      // some edge was not in order when edges were looked at last
	sighted time.Time // when that was

	risks      risks
	suspicions suspicions
	due        time.Time // when the rules run again without new input; zero: not
}

// lookAgain makes the rules run again at that time.
func (m *memory) lookAgain(at time.Time) {
	if m.due.IsZero() || at.Before(m.due) {
		m.due = at
	}
}

// state adds to a state what the doctor knows.
func (m *memory) state(s *model.State) *State {
	risks := m.risks.list(s.Recipe) // makes the view as well
	return &State{
		State: s, Risks: risks, Findings: m.suspicions.findings,
		watch: m.watch, predecessors: m.predecessors, risks: m.risks.view,
		pending: m.suspicions.pending(s.At), lost: m.lost,
	}
}
