package model

import (
	"fmt"
	"slices"
	"time"

	"electop/model/units"
)

const (
	// vanishNear is how long before its parent a candidate's znode went if both
	// were deleted together, child by child.
	vanishNear = 5 * time.Second
	// vanishWait is how long clients have to create the path anew and stand again.
	vanishWait = 5 * time.Second
	// vanishFor is how long it is remembered.
	vanishFor = 10 * time.Minute
)

// vanish notes that the parent went.
func (d *doctor) vanish(at time.Time) {
	d.vanished, d.lost = at, d.lost[:0:0]
	for session, f := range d.owners.former {
		if age := at.Sub(f.at); age >= 0 && age <= vanishNear {
			d.lost = append(d.lost, session)
		}
	}
	slices.Sort(d.lost)
	d.lost = d.lost[:min(len(d.lost), departuresMax)]
}

// orphans are the sessions whose candidates went with the parent, for the
// servers to be asked about.
func (d *doctor) orphans() []uint64 { return d.lost }

// parentVanished finds elections that were deleted under their candidates.
func parentVanished(r *report) {
	j := r.j
	d := &j.doctor
	if len(d.lost) == 0 {
		return
	}
	if r.at.Sub(d.vanished) > vanishFor {
		d.lost = nil
		return
	}
	told := d.clientsAt.After(d.vanished) && d.clientsWhole && wall(j.state.Table.At).After(d.vanished)
	var alive []uint64
	unknown := 0
	for _, session := range d.lost {
		_, connected := d.clients[session]
		m := j.memberWith(session)
		switch {
		case r.owners()[session] != nil: // stands again
		case m != nil:
			if m.Fault == NoFault && m.Ending == NoEnding && m.Belief != Lost && m.Belief != Resigned {
				alive = append(alive, session)
			}
		case told && connected:
			alive = append(alive, session)
		case !told:
			unknown++
		}
	}
	f := Finding{
		Harm:       "Their programs may not notice, and stand no more: nobody leads, or somebody leads who does not know of the others.",
		Advice:     "Restart the programs of these sessions. Keep the parent persistent, and delete it only when nobody uses it.",
		Znodes:     []string{j.cfg.Path},
		References: []string{"CURATOR-724"},
		Evidence:   []string{fmt.Sprintf("%s was deleted by %s, together with %s", Safe(j.cfg.Path, 0), clockText(d.vanished), units.Count(len(d.lost), "candidate", "candidates"))},
	}
	if j.state.Phase == Live {
		f.Evidence = append(f.Evidence, "it is there again, with the czxid "+Zxid(j.state.Parent.Czxid))
	}
	h := hold{wait: vanishWait, again: d.vanished.Add(vanishFor + time.Second)}
	switch {
	case len(alive) > 0:
		f.Severity = Warning
		if len(j.queue) == 0 {
			f.Severity = Critical
		}
		f.Severity = atMost(r.ceiling(), f.Severity)
		f.Title = "the election was deleted under its candidates"
		f.Sessions = alive
		for _, session := range alive[:min(len(alive), evidenceMax)] {
			f.Evidence = append(f.Evidence, "session "+Hex(session)+" lives and does not stand again")
		}
	case unknown > 0:
		f.Severity = Info
		f.Title = "the election was deleted together with its candidates"
		f.Evidence = append(f.Evidence, "whether their sessions live is not known: the servers were not asked since")
		f.Harm = "None if they had ended. " + f.Harm
	default:
		return
	}
	r.find(Zxid(d.vanished.UnixNano()), f, h)
}

// memberWith is our own member with that session.
func (j *Journal) memberWith(session uint64) *Member {
	var found *Member
	for _, m := range j.members {
		if m.Session == session && (found == nil || m.ID < found.ID) {
			found = m
		}
	}
	return found
}
