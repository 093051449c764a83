package model

import (
	"slices"
	"time"

	"electop/model/dialect"
)

// Properties measures the safety of members (at most one leads), and the liveness of the
// election (somebody leads most of the time).
type Properties struct {
	// Believers are the IDs of the members, not killed, that believe that they lead. A shared lock has none.
	Believers []string
	// Doubles counts how often a second believer appeared. AwakeDoubles ignores frozen members,
	// and must stay 0. DoubleFor is the total time with two or more believers.
	Doubles, AwakeDoubles int
	DoubleFor             time.Duration
	// Contested counts the rivals that may have led beside the first contender: see [State.Rivals].
	Contested int

	// Observed is the time since the first leader, except times in which it was unknown who led.
	// Working is the part of Observed in which an awake member believed that it led, or a third party led.
	Working, Observed time.Duration
	// LongestVacancy is the longest observed time without an awake leader. VacantSince is the
	// beginning of the present vacancy, zero for none.
	LongestVacancy time.Duration
	VacantSince    time.Time

	Ghosts int // how often a session that should own one contender got a second one
}

type properties struct {
	Properties
	at     time.Time     // the latest time of an observation
	awake  int           // counts the awake members that believe that they lead, in any recipe
	led    bool          // there was a leader once
	works  bool          // an awake member believes that it leads, or a third party leads
	vacant time.Duration // the length of the present vacancy
}

func (m *Member) believes() (believes, awake bool) {
	if m == nil || m.Belief != Leading || m.Fault == Killed {
		return false, false
	}
	return m.Recipe != dialect.SharedLock, m.Fault != Frozen
}

func (t *properties) believe(o *Cast, old *Member) {
	p := &t.Properties
	now := &o.Member
	if o.Gone {
		now = nil
	}
	believed, wasAwake := old.believes()
	believes, isAwake := now.believes()
	switch i, _ := slices.BinarySearch(p.Believers, o.Member.ID); {
	case believes && !believed:
		if p.Believers = slices.Insert(slices.Clip(p.Believers), i, o.Member.ID); len(p.Believers) == 2 {
			p.Doubles++
		}
	case believed && !believes:
		p.Believers = slices.Concat(p.Believers[:i], p.Believers[i+1:])
	}
	switch {
	case isAwake && !wasAwake:
		if t.awake++; t.awake == 2 && believes {
			p.AwakeDoubles++
		}
	case wasAwake && !isAwake:
		t.awake--
	}
}

func (t *properties) elapse(at time.Time, known bool) {
	p := &t.Properties
	if t.at.IsZero() {
		t.at = at
	}
	d := max(0, at.Sub(t.at))
	t.at = t.at.Add(d)
	if len(p.Believers) > 1 {
		p.DoubleFor += d
	}
	if !known {
		p.VacantSince, t.vacant = time.Time{}, 0
		return
	}
	if !t.led {
		return
	}
	p.Observed += d
	if t.works {
		p.Working += d
		return
	}
	t.vacant += d
	p.LongestVacancy = max(p.LongestVacancy, t.vacant)
}

func (t *properties) update(thirdPartyLeads, known bool) {
	p := &t.Properties
	t.works = t.awake > 0 || thirdPartyLeads
	t.led = t.led || known && t.works
	switch {
	case !t.led || !known || t.works:
		p.VacantSince, t.vacant = time.Time{}, 0
	case p.VacantSince.IsZero():
		p.VacantSince = t.at
	}
}
