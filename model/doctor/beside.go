package doctor

import (
	"fmt"

	"electop/model/units"
)

// leaderMember finds a leader that its system does not list, or that says that it is down.
func leaderMember(r *report) {
	could, l := r.s.Standbys(), r.s.Leader()
	if l == nil || could.Member == "" || !could.Missing && !could.Own.Down {
		return
	}
	t, seen := leaderDown, fmt.Sprintf("says %q", could.Own.State)
	if could.Missing {
		t, seen = leaderNoMember, "does not exist"
	}
	f := r.find(t, "", "{leader}", safe(l.Label()), "{state}", could.Own.State, "{system}", r.s.Dialect.System).about(l)
	f.Znodes = append(f.Znodes, could.Member)
	f.because("%s names %s", safe(r.s.Path), safe(l.Label()))
	f.because("%s %s", safe(could.Member), seen)
	f.because("%s", Could("take over", could))
}

// epochJump finds a number of leaders that did not grow by one.
func epochJump(r *report) {
	e := r.s.EpochChange
	if e == nil || e.To == e.From+1 {
		return
	}
	path := r.s.Dialect.Notes(r.s.Path).Epoch
	f := r.find(epochJumped, "", "{from}", fmt.Sprint(e.From), "{to}", fmt.Sprint(e.To))
	f.Znodes = []string{path, r.s.Path}
	f.because("%s: %d at %s, %d at %s", safe(path), e.From, units.Clock(e.Before), e.To, units.Clock(e.At))
}
