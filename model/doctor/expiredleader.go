package doctor

import (
	"fmt"

	"electop/model/units"
	"electop/model/znode"
)

// expiredLeader finds a leader whose session expired in a pause and whose client is
// connected again, with another session, and is no candidate. That it is the same
// client is inferred from its address.
func expiredLeader(r *report) {
	for _, x := range r.s.Returned() {
		if len(x.Sessions) == 0 {
			continue
		}
		f := Finding{
			Severity: atMost(r.ceiling(), Warning),
			Title:    "a leader whose session expired may be back, and not know it",
			Evidence: []string{fmt.Sprintf("session %s, from %s, expired: its znode %s was gone at %s",
				znode.Hex(x.Leader.Session), znode.Safe(x.Host, 0), znode.Safe(x.Leader.Name, 0), units.Clock(x.Expired))},
			Harm:       "If its program did not stop to lead, it acts beside its successor. What it believes is not visible.",
			Advice:     "Look at what the program does. It must stop its work when its connection is suspended, and other resources must check the fencing token.",
			Znodes:     []string{r.path(x.Leader.Name)},
			Sessions:   []uint64{x.Leader.Session},
			References: []string{"CURATOR-620", "CURATOR-653"},
		}
		if len(x.Sessions) > 1 {
			f.Severity = Info // most of them are others
		}
		for _, session := range x.Sessions[:min(len(x.Sessions), evidenceMax)] {
			text := "since then session " + znode.Hex(session) + " came from the same host, and is no candidate"
			if last := r.m.watch.last; last != nil && last.watching[session] != nil {
				for _, path := range r.watchedPaths(last, session) {
					text += "; it watches " + znode.Safe(path, 0)
				}
			}
			f.Evidence = append(f.Evidence, text)
			f.Sessions = append(f.Sessions, session)
		}
		r.find(znode.Safe(x.Leader.Name, 0)+fmt.Sprint(x.Leader.Czxid), f, hold{tables: 2})
	}
}
