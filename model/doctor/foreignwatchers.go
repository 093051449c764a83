package doctor

import (
	"electop/model/units"
	"electop/model/znode"
)

func foreignWatchers(r *report) {
	crowd := r.watchersOfLeader()
	if len(crowd) == 0 {
		return
	}
	head := r.s.First()
	f := r.find(manyWatch, safe(head.Name), "{sessions}", units.Count(len(crowd), "session", "sessions"))
	f.because("the servers' watches of %s:", safe(head.Name))
	f.Znodes = []string{r.path(head.Name)}
	f.clients(crowd)
}

// crowdFrom is the least number of watching sessions that is a finding. Fewer sessions cause no load.
const crowdFrom = 20

// For a single znode the result is nil, because waiting clients also watch that znode.
func (r *report) watchersOfLeader() []uint64 {
	if w := r.s.LeaderWatchers(); w != nil && !r.s.Single && len(w.Others) >= crowdFrom {
		return w.Others
	}
	return nil
}

func (f *draft) clients(sessions []uint64) {
	f.Sessions = sessions
	for _, session := range f.Sessions {
		from := ""
		if x := f.r.s.Tracked.Client(session); x.Conn != nil {
			from = " from " + safe(x.Conn.Addr)
		}
		f.because("session %s%s", znode.Hex(session), from)
	}
}
