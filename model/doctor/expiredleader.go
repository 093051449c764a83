package doctor

import (
	"fmt"

	"electop/model/units"
	"electop/model/znode"
)

func expiredLeader(r *ruleRun) {
	// Only the host shows that a new session may belong to the leader's client.
	for _, x := range r.s.Returned {
		if len(x.Sessions) == 0 {
			continue
		}
		f := r.find(returnedLeader, safe(x.Leader.Name)+fmt.Sprint(x.Leader.Czxid)).about(x.Leader)
		f.tables = 2
		f.because("session %s, from %s, expired: its znode %s was deleted at %s or earlier",
			znode.Hex(x.Leader.Session), safe(x.Host), safe(x.Leader.Name), units.Clock(x.Expired))
		if len(x.Sessions) > 1 {
			f.Severity = Info // some of these may belong to other programs
		}
		for _, session := range x.Sessions {
			watches := ""
			if last := r.d.watch.last; last != nil && last.watching[session] != nil {
				for _, path := range r.watchedPaths(last, session) {
					watches += "; it watches " + safe(path)
				}
			}
			f.because("since then session %s connected from the same host, and owns no candidate%s", znode.Hex(session), watches)
			f.Sessions = append(f.Sessions, session)
		}
	}
}
