package doctor

import (
	"slices"
	"time"

	"electop/model"
	"electop/model/units"
	"electop/model/znode"
)

const (
	deletedTogether = 5 * time.Second
	// During rejoinWait, clients may create the path again and rejoin.
	rejoinWait   = 5 * time.Second
	deletionKept = 10 * time.Minute
)

func (d *Doctor) parentDeleted(at time.Time) {
	d.deletedAt, d.lost = at, d.lost[:0:0]
	for _, f := range d.former.log {
		if age := at.Sub(f.at); age >= 0 && age <= deletedTogether {
			d.lost = append(d.lost, f.session)
		}
	}
	slices.Sort(d.lost)
	d.lost = slices.Compact(d.lost)
	d.lost = d.lost[:min(len(d.lost), formerMax)]
}

func parentVanished(r *ruleRun) {
	s, d := r.s, r.d
	if len(d.lost) == 0 {
		return
	}
	if r.at.Sub(d.deletedAt) > deletionKept {
		d.lost = nil
		return
	}
	listed := r.sessions.Listed().After(d.deletedAt) && s.Tracked.Whole() && s.Table.At.Round(0).After(d.deletedAt)
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
	t := deletedInUse
	switch {
	case len(alive) == 0 && unknown == 0:
		return
	case len(alive) == 0:
		t = deletedWithCandidates
	}
	f := r.find(t, znode.Zxid(d.deletedAt.UnixNano()))
	f.Znodes, f.Sessions, f.again = []string{s.Path}, alive, d.deletedAt.Add(deletionKept+time.Second)
	f.because("%s was deleted at %s or earlier, with candidates of %s", safe(s.Path), units.Clock(d.deletedAt), units.Count(len(d.lost), "session", "sessions"))
	if s.Phase == model.Live {
		f.because("it exists again, with the czxid %s", znode.Zxid(s.Parent.Czxid))
	}
	if len(alive) == 0 {
		f.because("it is unknown whether these sessions are alive: since then, not all servers have listed their connections")
	} else if s.Queue.Len() == 0 {
		f.Severity = Critical
	}
	for _, session := range alive {
		f.because("session %s is alive but did not rejoin", znode.Hex(session))
	}
}
