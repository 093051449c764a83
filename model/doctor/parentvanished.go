package doctor

import (
	"fmt"
	"slices"
	"time"

	"electop/model"
	"electop/model/units"
	"electop/model/znode"
)

const (
	// vanishNear is how long before its parent a candidate's znode may be deleted
	// if both were deleted together, child by child.
	vanishNear = 5 * time.Second
	// vanishWait is how long clients may take to create the path again and rejoin.
	vanishWait = 5 * time.Second
	// vanishFor is how long it is remembered.
	vanishFor = 10 * time.Minute
)

// parentWent notes that the parent was deleted.
func (d *memory) parentWent(at time.Time) {
	d.parentGone, d.lost = at, d.lost[:0:0]
	for _, f := range d.former.log {
		if age := at.Sub(f.at); age >= 0 && age <= vanishNear {
			d.lost = append(d.lost, f.session)
		}
	}
	slices.Sort(d.lost)
	d.lost = slices.Compact(d.lost)
	d.lost = d.lost[:min(len(d.lost), predecessorsMax)]
}

// parentVanished finds elections that were deleted while candidates used them.
func parentVanished(r *report) {
	s := r.s
	d := r.m
	if len(d.lost) == 0 {
		return
	}
	if r.at.Sub(d.parentGone) > vanishFor {
		d.lost = nil
		return
	}
	listed := r.sessions.Listed().After(d.parentGone) && s.Tracked.Whole() && s.Table.At.Round(0).After(d.parentGone)
	var alive []uint64
	unknown := 0
	for _, session := range d.lost {
		connected := s.Tracked.Client(session).Conn != nil
		m := s.MemberWith(session)
		switch {
		case r.owners()[session] != nil: // rejoined
		case m != nil:
			if m.Fault == model.NoFault && m.Ending == model.NoEnding && m.Belief != model.Lost && m.Belief != model.Resigned {
				alive = append(alive, session)
			}
		case listed && connected:
			alive = append(alive, session)
		case !listed:
			unknown++
		}
	}
	f := Finding{
		Harm:       "Their programs may not notice that they are no longer candidates: nobody leads, or a leader does not know the other candidates.",
		Advice:     "Restart the programs of these sessions. Keep the parent persistent, and delete it only when no program uses it.",
		Znodes:     []string{s.Path},
		References: []string{"CURATOR-724"},
		Evidence:   []string{fmt.Sprintf("%s was deleted by %s, together with %s", znode.Safe(s.Path, 0), units.Clock(d.parentGone), units.Count(len(d.lost), "candidate", "candidates"))},
	}
	if s.Phase == model.Live {
		f.Evidence = append(f.Evidence, "it exists again, with the czxid "+znode.Zxid(s.Parent.Czxid))
	}
	h := hold{wait: vanishWait, again: d.parentGone.Add(vanishFor + time.Second)}
	switch {
	case len(alive) > 0:
		f.Severity = Warning
		if s.Queue.Len() == 0 {
			f.Severity = Critical
		}
		f.Severity = atMost(r.ceiling(), f.Severity)
		f.Title = "the election was deleted while candidates used it"
		f.Sessions = alive
		for _, session := range alive[:min(len(alive), evidenceMax)] {
			f.Evidence = append(f.Evidence, "session "+znode.Hex(session)+" is alive but did not rejoin")
		}
	case unknown > 0:
		f.Severity = Info
		f.Title = "the election was deleted together with its candidates"
		f.Evidence = append(f.Evidence, "it is unknown whether their sessions are alive: the servers were not asked since then")
		f.Harm = "None if their sessions had ended. Otherwise there may be no leader, or one that does not know the other candidates."
	default:
		return
	}
	r.find(znode.Zxid(d.parentGone.UnixNano()), f, h)
}
