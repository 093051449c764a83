package doctor

import (
	"electop/model/units"
	"electop/model/znode"
)

func foreignWatchers(r *ruleRun) {
	watchers := r.manyOtherWatchers()
	if len(watchers) == 0 {
		return
	}
	head := r.s.First()
	f := r.find(manyWatch, safe(head.Name), "{sessions}", units.Count(len(watchers), "session", "sessions"))
	f.because("sessions that watch %s, according to the servers:", safe(head.Name))
	f.Znodes = []string{r.path(head.Name)}
	f.clients(watchers)
}

// watchersMin sessions cause a finding; fewer cause little load.
const watchersMin = 20

// manyOtherWatchers returns nil for a single znode, which waiting clients also watch.
func (r *ruleRun) manyOtherWatchers() []uint64 {
	if w := r.s.LeaderWatchers(); w != nil && !r.s.Single && len(w.Others) >= watchersMin {
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
