package model

import (
	"cmp"
	"slices"
	"time"
)

// Pending is a suspicion that has not lasted for long enough to be a finding.
type Pending struct {
	Rule, Title string
	Znodes      []string // full paths, raw
	// Left is how much longer it has to last; 0: until the servers were asked
	// again.
	Left time.Duration
}

// Pending returns what the doctor suspects and did not have the time to find,
// by rule.
func (s *State) Pending() []Pending { return s.seen.pending }

// Unheard returns of how many contenders it could not be told whether their
// clients are alive, because a client may be silent for as long as it was looked
// at, and how much longer that takes.
func (s *State) Unheard() (contenders int, left time.Duration) {
	return s.seen.unheard.contenders, s.seen.unheard.left
}

type unheard struct {
	contenders int
	left       time.Duration
}

// pending lists the suspicions that want to last longer.
func (d *doctor) pending(at time.Time) []Pending {
	var out []Pending
	for _, s := range d.suspects {
		if s.raised || s.ages {
			continue
		}
		f := s.finding
		out = append(out, Pending{f.ID, f.Title, f.Znodes, max(0, s.wait-at.Sub(s.first))})
	}
	slices.SortFunc(out, func(a, b Pending) int {
		return cmp.Or(cmp.Compare(a.Rule, b.Rule), slices.Compare(a.Znodes, b.Znodes), cmp.Compare(a.Title, b.Title))
	})
	return out
}

// early returns how much longer a contender's session has to be looked at to
// tell whether its client is alive; 0: that is known, or the servers do not tell
// what it takes.
func (h *hearing) early(tick time.Duration) time.Duration {
	limit := cmp.Or(h.timeout, h.most)/3 + slack
	switch {
	case !h.absent.IsZero():
		return reconnect - h.askedConn.Sub(h.absent)
	case h.timeout <= 0 && h.most <= 0, !h.after.IsZero():
		return 0
	case h.told && h.timeout > 0 && !h.by.IsZero():
		return 0 // the deadline says when it was last heard of
	case h.conn != nil:
		return limit - h.askedConn.Sub(h.since)
	case h.told:
		return limit + tick + tick/2 - h.askedDue.Sub(h.moved)
	}
	return 0
}
