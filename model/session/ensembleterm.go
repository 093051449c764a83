package session

import (
	"time"

	"electop/model/znode"
)

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
func ensembleTermOf(t *Table) (o ensembleTerm) {
	for i := range t.Servers {
		s := &t.Servers[i]
		if s.Mode != ModeLeader && s.Mode != ModeStandalone {
			continue
		}
		// One that was deposed and does not know is of an older epoch.
		if epoch := s.Zxid >> 32; !o.known || epoch > o.epoch {
			o = ensembleTerm{leader: znode.Safe(s.Addr, 0), epoch: epoch, alone: s.Mode == ModeStandalone, known: true}
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
func (k *Tracker) serve(t *Table) (renewed bool) {
	now := ensembleTermOf(t)
	if ago := k.lost.Sub(t.At.Round(0)); !now.known || ago > 0 && ago < time.Minute { // an election may be under way
		k.term.known = false
		return false
	}
	renewed = k.term.leader != "" && !k.term.same(now, k.steady)
	k.term, k.steady = now, true
	return renewed
}
