package doctor

import (
	"slices"

	"electop/model"
	"electop/model/dialect"
	"electop/model/session"
	"electop/model/units"
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
	Pending  []Pending // suspicions that are not findings yet, by rule

	watch        tables[*watchTable]
	predecessors predecessors
	lost         []uint64
}

// Early returns the findings, and those that are shown before they have lasted, as long as
// nobody leads.
func (s *State) Early() []*Finding {
	out := slices.Clip(s.Findings)
	for _, p := range s.Pending {
		if p.Early != nil && s.Leader() == nil {
			out = append(out, p.Early)
		}
	}
	return out
}

// Snapshot is a [model.Snapshot] with its diagnosis.
type Snapshot struct{ State *State }

func (Snapshot) EventBody() {}

// SessionsToAsk are the sessions to ask the servers about, sorted: those of
// [model.State.Sessions], those whose candidates were deleted with the parent, and those of
// the last leaders.
func (s *State) SessionsToAsk() []uint64 {
	out := append(s.State.Sessions(), s.lost...)
	for _, x := range deleted(s.State) {
		out = append(out, x.Leader.Session)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Group reports whether the children are members of a group, not candidates.
func (s *State) Group() bool { return s.Dialect.Kind() == dialect.KindRegistry }

// System names the system that holds the election, "" if it is unknown.
func (s *State) System() string {
	if s.Dialect == nil {
		return ""
	}
	return s.Dialect.System
}

// Risk returns the known risk of the contender, nil for none.
func (s *State) Risk(c *dialect.Candidate) *Risk {
	if c == nil {
		return nil
	}
	return riskOf(s.Risks, s.Recipe, c)
}

// RiskWatch says why electop would not see a risk of the contender in time, "" if
// it would.
func (s *State) RiskWatch(c *dialect.Candidate) string {
	t := s.Answers
	if t == nil {
		return "the servers were not asked (v)"
	}
	if why := t.Unasked(); why != "" {
		return why
	}
	refused, deadlines := "", false
	for i := range t.Servers {
		x := &t.Servers[i]
		if a := x.Connections.State; refused == "" && a != session.Answered && a != session.NotAsked {
			refused = x.Unanswered("connections", x.Connections)
		}
		deadlines = deadlines || x.Sessions.State == session.Answered && len(x.Deadlines) > 0
	}
	if refused == "" && !t.Whole {
		refused = "not all members of the ensemble are known"
	}
	if refused != "" && !deadlines {
		return refused
	}
	if c == nil {
		return ""
	}
	to := s.Tracked.Timeout(c.Session)
	if m := s.Member(c); to == 0 && m != nil {
		to = m.Timeout
	}
	if to <= 0 {
		return "its session's timeout is unknown"
	}
	// The first round after a client's last message shows when that was, the next
	// ones that it is silent for longer than healthy ones are.
	silent := to/3 + session.Slack
	if rounds := 2 + silent/t.Every; rounds*t.Every >= to {
		return "the servers are asked every " + units.Exact(t.Every) + ", too rarely for a session timeout of " + units.Exact(to) + " (--admin-sessions 500ms)"
	}
	return ""
}
