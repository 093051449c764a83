package doctor

import (
	"slices"

	"electop/model/session"
	"electop/model/znode"
)

func ensembleSplit(r *ruleRun) {
	leading := slices.DeleteFunc(answered(r.s.Table), func(s *session.Server) bool { return s.Mode != session.ModeLeader })
	if len(leading) < 2 {
		return
	}
	f := r.find(split, "")
	f.tables = 2 // while the ensemble elects, one table can show two leaders
	for _, s := range leading {
		f.because("%s reports mode leader, zxid %s", safe(s.Addr), znode.Zxid(s.Zxid))
	}
}

func answered(t *session.Table) (out []*session.Server) {
	if t != nil {
		for i := range t.Servers {
			if t.Servers[i].Basic.State == session.Answered {
				out = append(out, &t.Servers[i])
			}
		}
	}
	return out
}
