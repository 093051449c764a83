package model

import (
	"maps"
	"slices"
)

// Clone returns a journal that is in the same state and goes its own way from
// here: a checkpoint for going back in time.
//
// What is written in place is copied; what is replaced when it changes
// (candidates, members, tables, what states share) is the same in both. Slices
// that are appended to lose their spare room, or both would write to it. A
// clone is not written by being cloned, so several goroutines may do it.
func (j *Journal) Clone() *Journal {
	c := *j
	c.known = maps.Clone(j.known)
	c.members = maps.Clone(j.members)
	c.ending = slices.Clip(j.ending)
	c.former = deep(j.former)
	c.past, c.events = j.past.clip(), j.events.clone()
	c.lanes = j.lanes.clip()
	c.wakes.last, c.steps, c.work.Last = slices.Clip(j.wakes.last), slices.Clip(j.steps), slices.Clip(j.work.Last)
	c.waves = j.waves.clone()
	c.exchanges = exchanges{slices.Clip(j.exchanges.last), slices.Clip(j.exchanges.lost), j.exchanges.fast}
	c.tenure.Believers = slices.Clip(j.tenure.Believers)
	c.unexplained = maps.Clone(j.unexplained)
	c.cached, c.last = nil, Changed{}
	c.owned = nil // an index, made when it is wanted
	return &c
}

// deep copies a map and what its values point to.
func deep[K comparable, V any](m map[K]*V) map[K]*V {
	if m == nil {
		return nil
	}
	values := make([]V, 0, len(m)) // one allocation
	out := make(map[K]*V, len(m))
	for k, v := range m {
		values = append(values, *v)
		out[k] = &values[len(values)-1]
	}
	return out
}
