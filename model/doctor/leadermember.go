package doctor

import "fmt"

func leaderMember(r *ruleRun) {
	could, l := r.s.Standbys(), r.s.Leader()
	if l == nil || could.Entry == "" || !could.Missing && !could.Own.Down {
		return
	}
	t, seen := leaderDown, fmt.Sprintf("says %q", could.Own.State)
	if could.Missing {
		t, seen = leaderNoMember, "does not exist"
	}
	f := r.find(t, "", "{leader}", safe(l.Label()), "{state}", could.Own.State, "{system}", r.s.Dialect.System).about(l)
	f.Znodes = append(f.Znodes, could.Entry)
	f.because("%s names %s", safe(r.s.Path), safe(l.Label()))
	f.because("%s %s", safe(could.Entry), seen)
	f.because("%s", Could("take over", could))
}
