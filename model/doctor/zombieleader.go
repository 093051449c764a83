package doctor

func zombieLeader(r *ruleRun) {
	for _, x := range r.d.risks.all {
		if !x.Leader || !x.Sure {
			continue
		}
		f := r.find(silentLeader, safe(x.Candidate.Name)).about(x.Candidate)
		f.because("%s: %s", described(x.Candidate), x.Evidence)
		// Java, Python and Go clients close a connection on which they received nothing for two
		// thirds of the timeout.
		if again := x.Silent.Add(x.Timeout * 2 / 3); x.Timeout > 0 && r.at.Before(again) {
			f.again = again
		} else if x.Timeout > 0 {
			f.Severity = Critical
		}
	}
}
