package doctor

import (
	"time"

	"electop/model"
	"electop/model/units"
)

// electing is how long a group may take to elect its leader, and that one to take
// over: ActiveMQ's members first report how much they have stored, and then start.
const electing = time.Minute

// notElected finds groups whose members elected nobody, or somebody who does not lead.
func notElected(r *report) {
	s := r.s
	if s.NoLeader() != model.NotElected {
		return
	}
	f := Finding{
		Severity: Critical,
		Title:    "no leader: no member is elected and has taken over",
		Evidence: []string{units.Count(s.Queue.Len(), "member", "members") + " of " + s.Dialect.System},
		Harm:     "Clients have no leader. Too few members may be there, one may not have reported its position, or the elected one does not start.",
		Advice:   "Start the members that are missing, and read the log of the lowest member: it elects.",
		References: []string{
			s.Dialect.Source,
		},
	}
	for i, c := range s.Queue.All() {
		if i == evidenceMax-1 {
			break
		}
		f.Evidence = append(f.Evidence, said(c))
		f.Znodes = append(f.Znodes, r.path(c.Name))
		f.Sessions = append(f.Sessions, c.Session)
	}
	r.find("election", f, hold{wait: electing})
}
