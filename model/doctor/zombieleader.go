package doctor

// zombieLeader finds a leader that is dead or stopped while its session is alive.
// It needs two rounds of answers, or a silence that two rounds showed.
func zombieLeader(r *report) {
	for _, x := range r.d.risks.all {
		if !x.Leader || !x.Sure {
			continue
		}
		f := r.find(silentLeader, safe(x.Candidate.Name)).about(x.Candidate)
		f.because("%s: %s", described(x.Candidate), x.Evidence)
		// A client that received nothing for two thirds of its timeout has given the connection
		// up (Java, Python and Go alike): it does not lead then, or does not run.
		if again := x.Silent.Add(x.Timeout * 2 / 3); x.Timeout > 0 && r.at.Before(again) {
			f.again = again
		} else if x.Timeout > 0 {
			f.Severity = Critical
		}
	}
}
