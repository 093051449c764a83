package doctor

import (
	"maps"
	"slices"
	"time"

	"electop/model"
)

// Baseline returns observations that bring a new journal to the state s of the
// election, as [model.State.Baseline] does. [State.Standing] returns the raised
// findings. Suspicions are not included: after a baseline, such a finding or risk
// may be raised later than before, or not at all.
func (s *State) Baseline() []model.Observation {
	if r := s.watch.last; r != nil {
		return s.State.Baseline(r.at, r.end)
	}
	return s.State.Baseline(time.Time{}, time.Time{})
}

// Standing returns the keys of the findings that are raised.
func (s *State) Standing() (keys []string) {
	for _, f := range s.Findings {
		keys = append(keys, f.Key)
	}
	return keys
}

// restoreFindings restores the findings that were raised before a baseline. Some can
// be found again only later, because they need earlier events: they are not raised
// a second time.
func (d *Doctor) restoreFindings(at time.Time, j *model.Journal) {
	d.dirty |= onQueue
	d.examine(at, j)
	d.out = nil
	for _, s := range d.suspects {
		s.raised = false
	}
	for _, key := range d.cfg.Standing {
		if s := d.suspects[key]; s != nil {
			s.raised = true
		} else {
			d.unmatched = append(d.unmatched, key)
		}
	}
	d.unmatchedUntil = at.Add(flapWindow)
	d.findings = d.list()
	d.raised = len(d.findings)
}

// reported reports whether a finding was raised before the baseline and is found
// again only now.
func (d *Doctor) reported(at time.Time, key string) bool {
	i := slices.Index(d.unmatched, key)
	if i < 0 {
		return false
	}
	d.unmatched = slices.Concat(d.unmatched[:i], d.unmatched[i+1:])
	return at.Before(d.unmatchedUntil)
}

func (d *Doctor) clone() Doctor {
	if !d.predecessors.shared { // by both from now on
		d.predecessors.shared = true
	}
	c := *d
	c.risks = maps.Clone(d.risks)
	c.former.sessions = maps.Clone(d.former.sessions)
	c.former.ring = slices.Clone(d.former.ring)
	c.lost = slices.Clip(d.lost)
	c.suspects = make(map[string]*suspect, len(d.suspects))
	for key, s := range d.suspects {
		copied := *s
		c.suspects[key] = &copied
	}
	c.findings, c.out = slices.Clip(d.findings), nil
	return c
}
