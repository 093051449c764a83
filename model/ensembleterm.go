package model

import "time"

// An ensembleTerm is the time for which one server keeps the deadlines of all
// sessions: until the ensemble elects a leader, another or the same, or a
// standalone server is restarted. Then every session has its full timeout from
// there on, so no bound outlives the term that it was made in.
type ensembleTerm struct {
	leader string // its address
	// epoch is the upper half of the leader's zxid: each election begins another.
	epoch int64
	alone bool
	known bool
}

// ensembleTermOf returns the term that a table shows.
func ensembleTermOf(t *ServerTable) (o ensembleTerm) {
	for i := range t.Servers {
		s := &t.Servers[i]
		if s.Mode != ModeLeader && s.Mode != ModeStandalone {
			continue
		}
		// One that was deposed and does not know is of an older epoch.
		if epoch := s.Zxid >> 32; !o.known || epoch > o.epoch {
			o = ensembleTerm{leader: Safe(s.Addr, 0), epoch: epoch, alone: s.Mode == ModeStandalone, known: true}
		}
	}
	return o
}

// same reports whether nothing was renewed from o to the later one. Of a server
// that is alone the epoch tells nothing; steady says that a connection to it
// outlived the time between.
func (o ensembleTerm) same(later ensembleTerm, steady bool) bool {
	return o.leader == later.leader && o.epoch == later.epoch && (!later.alone || steady)
}

// serve takes in the term that a table shows, and reports whether all deadlines
// started again since the table before.
func (d *doctor) serve(t *ServerTable) (renewed bool) {
	now := ensembleTermOf(t)
	if ago := d.shaken.Sub(wall(t.At)); !now.known || ago > 0 && ago < time.Minute { // an election may be under way
		d.term.known = false
		return false
	}
	renewed = d.term.leader != "" && !d.term.same(now, d.steady)
	d.term, d.steady = now, true
	return renewed
}

// bound is when a session expires at the latest, and in which epoch that holds.
func (d *doctor) bound(h *hearing) (by time.Time, epoch int64) {
	if !d.term.known {
		return by, 0
	}
	if by = h.bound(d.tick); !by.IsZero() {
		epoch = d.term.epoch
	}
	return by, epoch
}

// moved reports whether the bound differs from the last one published and is not lower.
func (r *Risk) moved() bool { return r.told.IsZero() != r.By.IsZero() || r.By.After(r.told) }

// shaken notes that the observer's own connection was lost: perhaps the server
// is down that leads the ensemble. Until the next table tells, no bound holds.
func (j *Journal) shaken(at time.Time) {
	d := &j.doctor
	d.steady, d.term.known, d.shaken = false, false, later(d.shaken, at)
	j.rebound(at)
}

// rebound brings the bounds of the risks up to date with the term.
func (j *Journal) rebound(at time.Time) {
	d := &j.doctor
	for _, old := range j.riskList() {
		h := d.heard[old.Candidate.Session]
		if h == nil {
			continue
		}
		r := *old
		if r.By, r.Epoch = d.bound(h); r == *old {
			continue
		}
		if r.moved() {
			j.raise(at, &r)
		}
		d.risks[r.Candidate.ID()], d.riskView = &r, nil
	}
}
