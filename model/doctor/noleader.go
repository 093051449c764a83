package doctor

import (
	"time"

	"electop/model"
	"electop/model/units"
	"electop/model/znode"
)

// noLeader finds elections with candidates of which none leads: the leaders of
// some systems create a znode when they have taken over, and it is absent or
// another's for longer than that takes.
func noLeader(r *report) {
	s := r.s
	if s.NoLeader() != model.NotAcknowledged {
		return
	}
	head, a := s.First(), &s.Ack
	takeover := s.Dialect.Takeover(s.Path)
	f := Finding{
		Severity: Critical,
		Title:    "no leader: the first candidate has not acknowledged",
		Evidence: []string{
			"first in the queue: " + said(head),
			znode.Safe(a.Path, 0) + " does not exist",
			"leaders of " + s.Dialect.System + " create it within " + units.Exact(takeover.Round(time.Second)),
		},
		Harm:       "Clients find the leader by that znode, so they have none. The first candidate may hang in its leader procedure, or does not know that it is the first.",
		Advice:     "Read the log of the first candidate, " + znode.Safe(head.Label(), 0) + ". If its procedure does not go on, restart it: the next candidate takes over.",
		Znodes:     []string{r.path(head.Name), a.Path},
		Sessions:   []uint64{head.Session},
		References: []string{s.Dialect.Source},
	}
	r.find("acknowledgement", f, hold{wait: takeover})
}
