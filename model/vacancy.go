package model

import (
	"time"

	"electop/model/znode"
)

// Vacancy is since when nobody leads, where the queue is empty or the election's only
// znode absent.
type Vacancy struct {
	Since time.Time
	Known VacancyKnown
}

// VacancyKnown says how the time of a [Vacancy] is known.
type VacancyKnown string

const (
	// VacancyWatched: the leader's znode was seen to go then.
	VacancyWatched VacancyKnown = "watched"
	// VacancyByZnodes: the last change beside the leader's znode was the creation of another,
	// then by the servers' clock. So nobody has led since, and perhaps for longer.
	VacancyByZnodes VacancyKnown = "znodes"
	// VacancyFound: electop found it so then; nobody may have led for longer.
	VacancyFound VacancyKnown = ""
)

// Vacancy returns since when nobody leads. ok is false where somebody does, or where
// the present state is not known.
func (s *State) Vacancy() (v Vacancy, ok bool) {
	if s.NoLeader() != NoCandidate || s.Phase != Live {
		return v, false
	}
	d := directory(s.Directories, znode.Dir(s.Path))
	if s.vacancy.Known == VacancyFound && s.Single && d != nil && d.Presence == Present && d.Parent.Pzxid != 0 {
		for i := range d.Children {
			if z := &d.Children[i]; z.Czxid == d.Parent.Pzxid && z.Name != znode.Base(s.Path) && !z.Unread && !z.Ctime.IsZero() {
				return Vacancy{z.Ctime, VacancyByZnodes}, true
			}
		}
	}
	return s.vacancy, true
}
