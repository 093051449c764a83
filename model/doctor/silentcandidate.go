package doctor

import "electop/model/units"

// silentCandidates finds waiting candidates that are dead or stopped while their sessions
// are alive. It needs what [zombieLeader] needs.
func silentCandidates(r *report) {
	var all []*Risk
	for _, x := range r.m.risks.all {
		if h := r.sessions.Of(x.Candidate.Session); h != nil && !x.Leader {
			if _, sure := h.Silence(); sure {
				all = append(all, x)
			}
		}
	}
	if len(all) == 0 {
		return
	}
	f := r.find(silentWaiting, "", "{candidates}", units.Count(len(all), "waiting candidate is", "waiting candidates are"))
	for _, x := range all {
		f.about(x.Candidate).because("%s: %s", said(x.Candidate), x.Evidence)
	}
}
