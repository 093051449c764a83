package doctor

import "electop/model/units"

// zombieLeader finds a leader that is dead or stopped while its session is alive.
// It takes two rounds of answers, or a silence that needed two to be seen.
func zombieLeader(r *report) {
	for _, x := range r.m.risks.all {
		h := r.sessions.Of(x.Candidate.Session)
		if !x.Leader || h == nil {
			continue
		}
		silent, sure := h.Silence()
		if !sure {
			continue
		}
		f := r.find(silentLeader, safe(x.Candidate.Name)).about(x.Candidate)
		f.because("%s: %s", said(x.Candidate), x.Evidence)
		// A client that heard nothing for two thirds of its timeout has given
		// the connection up (Java, Python and Go alike): it does not lead then,
		// or does not run.
		if timeout := h.Timeout(); timeout > 0 {
			if again := silent.Add(timeout * 2 / 3); r.at.Before(again) {
				f.again = again
			} else {
				f.Severity = Critical
			}
		}
	}
}

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
