package doctor

import "fmt"

func leaderMember(r *ruleRun) {
	standbys, l := r.s.Standbys(), r.s.Leader()
	if l == nil || standbys.Entry == "" || !standbys.Missing && !standbys.LeaderProgram.Down {
		return
	}
	t, seen := leaderDown, fmt.Sprintf("has the state %q", standbys.LeaderProgram.State)
	if standbys.Missing {
		t, seen = leaderNoMember, "does not exist"
	}
	f := r.find(t, "", "{leader}", safe(l.Label()), "{state}", standbys.LeaderProgram.State, "{system}", r.s.Dialect.System).about(l)
	f.Znodes = append(f.Znodes, standbys.Entry)
	f.because("%s names %s", safe(r.s.Path), safe(l.Label()))
	f.because("%s %s", safe(standbys.Entry), seen)
	f.because("%s", Could("take over", standbys))
}
