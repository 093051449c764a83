package model

import (
	"time"
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
