package model

import "time"

// reconnect is how long a client whose connection was lost has to come back:
// the library for Go waits a second before it tries again.
const reconnect = 3 * time.Second

// zombieLeader finds a leader that is dead or stopped while its session lives:
// two looks, or a silence that itself took two.
func zombieLeader(r *report) {
	j := r.j
	d := &j.doctor
	for _, x := range j.riskList() {
		h := d.heard[x.Candidate.Session]
		if !x.Leader || h == nil || !h.absent.IsZero() && (h.absences < 2 || h.askedConn.Sub(h.absent) < reconnect) {
			continue
		}
		f := Finding{
			Severity:   atMost(r.ceiling(), Warning),
			Title:      "the leader is not heard from",
			Evidence:   []string{said(x.Candidate) + ": " + x.Evidence},
			Harm:       "It does not do its work, or can not know that it may. Nobody takes over until its session expires; if it was only stopped, it goes on believing that it leads for a moment after.",
			Advice:     "If it is dead, wait for its session to expire, or delete its znode once you are sure. If this happens often, look for long pauses (garbage collection, a paused machine).",
			Znodes:     []string{r.path(x.Candidate.Name)},
			Sessions:   []uint64{x.Candidate.Session},
			References: []string{"CURATOR-206", "CURATOR-460"},
		}
		// A client that heard nothing for two thirds of its timeout has given
		// the connection up (Java, Python and Go alike): it does not lead then,
		// or does not run.
		silent := h.absent
		if silent.IsZero() {
			silent = h.since
		}
		if h.conn == nil && h.absent.IsZero() {
			silent = h.moved
		}
		var again time.Time
		if h.timeout > 0 {
			if again = silent.Add(h.timeout * 2 / 3); !r.at.Before(again) {
				f.Severity, again = atMost(r.ceiling(), Critical), time.Time{}
			}
		}
		r.find(Safe(x.Candidate.Name, 0), f, hold{again: again})
	}
}
