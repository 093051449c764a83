package doctor

import (
	"slices"

	"electop/model"
	"electop/model/dialect"
)

// State is an election at one moment, with its diagnosis. It is immutable.
type State struct {
	*model.State
	// Events is how many events there were until now, including those that are
	// held back for an acknowledgement.
	Events uint64
	// Risks are the contenders whose sessions are about to expire, in queue
	// order. Findings are the doctor's findings, worst first.
	Risks    []*Risk
	Findings []*Finding

	watch        watchTables
	predecessors predecessors
	risks        map[dialect.ID]*Risk
	pending      []Pending
	lost         []uint64
}

// Snapshot is a [model.Snapshot] with its diagnosis.
type Snapshot struct{ State *State }

func (Snapshot) EventBody() {}

// state adds to a state what the doctor knows.
func (d *Doctor) state(s *model.State) *State {
	d.predecessors.shared = true
	risks := d.riskList(s.Recipe) // makes the view as well
	return &State{
		State: s, Risks: risks, Findings: d.findings,
		watch: d.watch, predecessors: d.predecessors, risks: d.riskView,
		pending: d.pending(s.At), lost: d.lost,
	}
}

// Sessions are the sessions to ask the servers about, sorted: those of
// [model.State.Sessions], and those whose candidates were deleted with the parent.
func (s *State) Sessions() []uint64 {
	out := append(s.State.Sessions(), s.lost...)
	slices.Sort(out)
	return slices.Compact(out)
}
