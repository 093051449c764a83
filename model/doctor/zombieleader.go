package doctor

import (
	"time"

	"electop/model/znode"
)

// zombieLeader finds a leader that is dead or stopped while its session is alive.
// It takes two rounds of answers, or a silence that needed two to be seen.
func zombieLeader(r *report) {
	for _, x := range r.m.risks.list(r.s.Recipe) {
		h := r.sessions.Of(x.Candidate.Session)
		if !x.Leader || h == nil {
			continue
		}
		silent, sure := h.Silence()
		if !sure {
			continue
		}
		f := Finding{
			Severity:   atMost(r.ceiling(), Warning),
			Title:      "the leader is silent",
			Evidence:   []string{said(x.Candidate) + ": " + x.Evidence},
			Harm:       "It does not do its work, or cannot know whether it still leads. Nobody takes over until its session expires. If it was only paused, it still believes that it leads for a moment after that.",
			Advice:     "If it is dead, wait until its session expires, or delete its znode if you are sure. If this happens often, look for long pauses (garbage collection, a suspended machine).",
			Znodes:     []string{r.path(x.Candidate.Name)},
			Sessions:   []uint64{x.Candidate.Session},
			References: []string{"CURATOR-206", "CURATOR-460"},
		}
		// A client that heard nothing for two thirds of its timeout has given
		// the connection up (Java, Python and Go alike): it does not lead then,
		// or does not run.
		var again time.Time
		if timeout := h.Timeout(); timeout > 0 {
			if again = silent.Add(timeout * 2 / 3); !r.at.Before(again) {
				f.Severity, again = atMost(r.ceiling(), Critical), time.Time{}
			}
		}
		r.find(znode.Safe(x.Candidate.Name, 0), f, hold{again: again})
	}
}
