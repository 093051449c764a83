package doctor

import (
	"cmp"
	"slices"
	"time"
)

// Pending is a suspicion that has not lasted long enough to be a finding.
type Pending struct {
	Rule, Title string
	Severity    Severity // of the finding
	Znodes      []string // full paths, raw
	// Left is how much longer it has to last; 0 means until the servers have been
	// asked again.
	Left time.Duration
}

// pending lists the suspicions that want to last longer.
func (u *suspicions) pending(at time.Time) []Pending {
	var out []Pending
	for _, s := range u.byKey {
		if s.raised || s.ages {
			continue
		}
		f := s.finding
		out = append(out, Pending{f.ID, f.Title, f.Severity, f.Znodes, max(0, s.wait-at.Sub(s.first))})
	}
	slices.SortFunc(out, func(a, b Pending) int {
		return cmp.Or(cmp.Compare(a.Rule, b.Rule), slices.Compare(a.Znodes, b.Znodes), cmp.Compare(a.Title, b.Title))
	})
	return out
}
