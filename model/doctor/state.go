package doctor

import (
	"slices"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/session"
	"electop/model/units"
)

// State is an election at one moment, with its diagnosis. It is immutable.
type State struct {
	*model.State
	Events   uint64     // number of events so far, including those that wait for an acknowledgement
	Risks    []*Risk    // in queue order
	Findings []*Finding // the worst first
	Pending  []Pending  // suspicions that are not findings yet, sorted by rule

	watch       tables[*watchTable]
	recipeSince time.Time
	pacedAt     time.Time
	lost        []uint64
}

// Early returns the findings and, while no leader is known, each [Pending.Early].
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

// SessionsToQuery returns the sessions to look up on the servers, sorted.
func (s *State) SessionsToQuery() []uint64 {
	out := append(s.State.Sessions(), s.lost...)
	for _, x := range endedReigns(s.State) {
		out = append(out, x.Leader.Session)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Roleless reports whether the children are of a kind in which nobody leads or holds a lock.
func (s *State) Roleless() bool { return s.NoLeader() == model.NoRole }

// System returns the name of the election's system, "" if it is unknown.
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

// RiskUnseen returns why electop would not see a risk of the contender in time, "" if it would.
func (s *State) RiskUnseen(c *dialect.Candidate) string {
	t := s.Answers
	if t == nil {
		return "the servers were not queried (v)"
	}
	if why := t.Unrequested(); why != "" {
		return why
	}
	refused, deadlines := "", false
	for i := range t.Servers {
		x := &t.Servers[i]
		if a := x.Connections.State; refused == "" && a != session.Answered && a != session.NotRequested {
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
	// The first round after a client's last message shows that message. Only later rounds show the silence.
	silent := to/3 + session.Slack
	if rounds := 2 + silent/t.Every; rounds*t.Every >= to {
		why := "the servers are queried every " + units.Exact(t.Every) + ", too rarely for a session timeout of " + units.Exact(to)
		if shorter := ((to - silent - 1) / 2).Truncate(100 * time.Millisecond); shorter > 0 {
			why += "; use --admin-sessions " + shorter.String()
		}
		return why
	}
	return ""
}

// Lead is the state of the first contender's leadership. Use it wherever the leader is shown.
// "" means that no leader is known: see [State.NoLeader].
type Lead string

const (
	Leads     Lead = "leads"     // it is first; it has acknowledged, need not, or electop cannot read the acknowledgement
	Elected   Lead = "elected"   // it is first, but has not acknowledged, or does not know of its acknowledgement
	Unaware   Lead = "unaware"   // it is first, but according to its own report it still waits or joins
	Suspended Lead = "suspended" // it lost its connection or its lease
	Ending    Lead = "ending"    // it closes its session
	Stopped   Lead = "stopped"   // its candidacy is over, but the znode still exists
	Deleted   Lead = "deleted"   // the embedded server deleted the znode, and no read shows that yet
	AtRisk    Lead = "at-risk"   // the servers receive nothing from its session
	Faulty    Lead = "faulty"    // it was killed, frozen or cut off, but the znode still exists
)

// Lead returns the [Lead] of the first contender.
func (s *State) Lead() Lead {
	l := s.Leader()
	if l == nil {
		return ""
	}
	m := s.Member(l)
	switch {
	case s.znodeDeleted(l):
		return Deleted
	case m != nil && m.Fault != model.NoFault:
		return Faulty
	case s.Risk(l) != nil:
		return AtRisk
	case m == nil:
	case m.Ending != model.NoEnding:
		return Ending
	case m.Belief == model.Suspended:
		return Suspended
	case m.Belief == model.Resigned || m.Belief == model.Lost:
		return Stopped
	case m.Belief == model.Waiting || m.Belief == model.Volunteering:
		return Unaware
	case m.Belief == model.Elected && s.Acknowledged():
		return Elected
	}
	if s.Dialect.Locks() || s.Ack.Path == "" || s.Ack.Presence == model.Denied || s.Acknowledged() {
		return Leads
	}
	return Elected
}

func (s *State) znodeDeleted(c *dialect.Candidate) bool {
	return slices.ContainsFunc(s.Deletions, func(d *model.ReportedDeletion) bool { return d.Candidate != nil && d.Candidate.ID() == c.ID() })
}

// Rival returns a proven rival, otherwise the last of [model.State.Rivals]. e is the watch of r.Unaware.
// proven reports whether the servers' tables show that r.Unaware does not wait for r.Other.
func (s *State) Rival() (r dialect.Rival, e Edge, proven bool) {
	for _, r = range s.Rivals {
		e = Edge{Why: "it is not in this queue"}
		if i, ok := model.Position(s.Recipe, s.Queue, r.Unaware); ok && i > 0 {
			e = s.edge(i, s.Recipe.Holders(s.Queue))
		} else if ok {
			e.Why = "it is the first in this queue"
		}
		if e.State == MissingWatch || e.State == WrongWatch {
			return r, e, true
		}
	}
	return r, e, false
}
