package doctor

import (
	"maps"
	"slices"
	"time"

	"electop/model/session"
	"electop/model/units"
)

const (
	// A reset keeps the session, so the same few sessions have all reigns of a livelock.
	livelockMin    = 10
	livelockWindow = 10 * time.Second
	livelockReign  = time.Second
	livelockWait   = 2 * time.Second
)

func resetLivelock(r *ruleRun) {
	s, rs := r.s, r.s.Reigns
	ended, sessions := 0, make(map[uint64]bool)
	last := time.Time{}
	for i := len(rs) - 1; i >= 0; i-- {
		x := &rs[i]
		if x.To.IsZero() {
			if r.at.Sub(x.From) >= livelockReign {
				return
			}
			continue
		}
		if r.at.Sub(x.To) > livelockWindow {
			break
		}
		last = session.Later(last, x.To)
		if x.To.Sub(x.Earliest) >= livelockReign {
			break
		}
		if x.Leader.Session == 0 {
			continue // not read, so its session is unknown
		}
		ended++
		sessions[x.Leader.Session] = true
	}
	if ended < livelockMin || len(sessions)*2 > ended || r.s.Dialect.Shares() || r.at.Sub(last) >= livelockReign {
		return
	}
	f := r.find(resets, "")
	f.because("in the last %s, %d reigns of less than a second, by %s repeatedly",
		units.Exact(livelockWindow), ended, units.Count(len(sessions), "session that rejoins", "sessions that rejoin"))
	f.Znodes, f.again = []string{s.Path}, last.Add(livelockReign)
	f.Sessions = slices.Sorted(maps.Keys(sessions))
}
