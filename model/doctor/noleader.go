package doctor

import (
	"fmt"
	"strings"
	"time"

	"electop/model"
	"electop/model/units"
	"electop/model/znode"
)

// noLeader finds elections of which nobody leads for longer than that lasts in a
// healthy system: the leaders of some create a znode when they have taken over, and
// it is absent or another's; others have only the leader's own znode, and that is
// absent.
func noLeader(r *report) {
	switch r.s.NoLeader() {
	case model.NotAcknowledged:
		notAcknowledged(r)
	case model.NoCandidate:
		vacant(r)
	}
}

// notAcknowledged finds a first candidate that has not acknowledged.
func notAcknowledged(r *report) {
	s := r.s
	head, a := s.First(), &s.Ack
	takeover := s.Dialect.Takeover(s.Path)
	f := Finding{
		Severity:   Critical,
		Title:      "no leader: the first candidate has not acknowledged",
		Evidence:   []string{"first in the queue: " + said(head)},
		Harm:       "Clients find the leader by that znode, so they have none. The first candidate may hang in its leader procedure, or does not know that it is the first.",
		Advice:     "Read the log of the first candidate, " + znode.Safe(head.Label(), 0) + ". If its procedure does not go on, restart it: the next candidate takes over.",
		Znodes:     []string{r.path(head.Name)},
		Sessions:   []uint64{head.Session},
		References: []string{s.Dialect.Source},
	}
	switch stem := s.Dialect.AckChild(s.Path); {
	case stem != "":
		f.Evidence = append(f.Evidence, "none of its children begins with "+stem)
	case a.ByData:
		f.Evidence = append(f.Evidence, znode.Safe(a.Path, 0)+map[bool]string{true: " does not exist", false: " is still another's"}[a.Presence == model.Absent])
		f.Harm = "It holds the lock and does not do a leader's work. It has to fence the leader before it first, and that may fail again and again."
		f.Advice = "Read the log of its failover controller, " + znode.Safe(head.Label(), 0) + ": it says why it cannot fence the leader before it."
	default:
		for _, path := range s.AckPaths {
			f.Evidence = append(f.Evidence, znode.Safe(path, 0)+" does not exist")
		}
	}
	f.Znodes = append(f.Znodes, s.AckPaths...)
	f.Evidence = append(f.Evidence, "leaders of "+s.Dialect.System+" acknowledge within "+units.Exact(takeover.Round(time.Second)))
	r.find("acknowledgement", f, hold{wait: takeover})
}

// vacant finds a system in which nobody leads, though programs are there that could.
func vacant(r *report) {
	s := r.s
	v, ok := s.Vacancy()
	if !ok || s.Dialect == nil || s.Dialect.Vacancy() == 0 {
		return
	}
	could := s.Standbys()
	f := Finding{
		Severity: Critical,
		Title:    "no leader: nobody leads " + s.Dialect.System,
		Evidence: []string{
			znode.Safe(s.Path, 0) + map[bool]string{true: " does not exist", false: " has no candidate"}[s.Single],
			since(v),
			Could("lead", could),
		},
		Harm:       "What the leader does for the others is not done.",
		Advice:     "Read the log of one of those that could lead: it says why it does not.",
		Znodes:     []string{s.Path},
		References: []string{s.Dialect.Source},
	}
	for _, p := range s.Dialect.Programs(s.Path) {
		f.Znodes = append(f.Znodes, p.Dir)
	}
	if could.Listed && len(could.Names)+could.Unread == 0 {
		f.Advice = "Start a program that can lead, or read the log of the one that should."
	}
	switch {
	case could.Gone:
		f.Severity, f.Title = Info, "nobody leads, and nobody stands who could"
		f.Harm, f.Advice = "None if "+s.Dialect.System+" was shut down.", "Start it, if it should run."
		if could.ShutDown {
			f.Title = "nobody leads: the system was shut down"
		}
	case could.Off != "":
		f.Severity = Warning
		f.Evidence = append(f.Evidence, could.Off+", so nobody takes over by itself")
		f.Advice = "Let the system elect again, or make one of them the leader by hand."
	}
	r.find("", f, hold{wait: s.Dialect.Vacancy()})
}

// since says since when nobody leads, and how that is known.
func since(v model.Vacancy) string {
	switch v.Known {
	case model.VacancyWatched:
		return "the last leader's znode was deleted at " + units.Clock(v.Since)
	case model.VacancyByZnodes:
		return "nobody has led since " + units.Stamp(v.Since) + " at least: then a znode beside it was created, the last change there"
	}
	return "nobody has led since before electop looked, at " + units.Clock(v.Since)
}

// standbysMax is how many of those who could lead are named.
const standbysMax = 8

// Could says who could do what a verb says (lead, take over), by name, or that it is
// not visible.
func Could(verb string, by model.Standbys) string {
	n, named := len(by.Names)+by.Unread, by.Names[:min(len(by.Names), standbysMax)]
	switch {
	case !by.Listed:
		return "who could " + verb + " is not visible"
	case n == 0:
		return "nobody is listed who could " + verb
	case n > len(named):
		return fmt.Sprintf("could %s: %s and %d more", verb, strings.Join(named, ", "), n-len(named))
	}
	return "could " + verb + ": " + strings.Join(named, ", ")
}
