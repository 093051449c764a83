package doctor

import (
	"fmt"
	"slices"
	"time"

	"electop/model/dialect"
	"electop/model/units"
	"electop/model/znode"
)

// ghostWait is how long a session must own two candidates: one that withdraws
// and rejoins deletes and creates in two steps, in either order.
const ghostWait = 2 * time.Second

// ghostNode finds sessions that own two candidates: the reply to a create was
// lost, the client created another, and no program manages the first.
func ghostNode(r *report) {
	s := r.s
	holders := r.holders()
	if holders == len(s.Queue) && holders > 1 {
		return // leases: a session may hold several
	}
	for _, c := range s.Queue {
		all := r.owners()[c.Session]
		if len(all) < 2 || s.Queue[all[0]] != c {
			continue
		}
		// The guid in the name serves to find the first znode again: the same guid
		// twice proves that the client wanted only one candidate.
		twin := false
		for k := 1; k < len(all) && !twin; k++ {
			twin = dialect.HasGuid(c.Name) && dialect.Stem(s.Queue[all[k]].Name) == dialect.Stem(c.Name)
		}
		f := Finding{
			Severity: Warning,
			Title:    fmt.Sprintf("one session owns %s", units.Count(len(all), "candidate", "candidates")),
			Harm:     "If the reply to a create was lost and the client created again, no program manages the first znode. When it becomes the lowest, nobody leads until its session ends.",
			Advice:   "If its owner does not know the older znode, delete it. Change the client: put a guid in the name, and look for that guid before each further create.",
			Sessions: []uint64{c.Session},
			References: []string{
				"samuel/go-zookeeper#229", "zk-ruby#51", "ZooKeeper recipes: recoverable errors and the GUID",
			},
		}
		for _, k := range all {
			f.ghosts = append(f.ghosts, s.Queue[k].ID())
		}
		for _, k := range all[:min(len(all), evidenceMax)] {
			f.Znodes = append(f.Znodes, r.path(s.Queue[k].Name))
			f.Evidence = append(f.Evidence, fmt.Sprintf("%s, created %s", said(s.Queue[k]), s.Queue[k].Ctime.UTC().Format(time.DateTime)))
		}
		switch {
		case twin && all[0] < holders:
			f.Severity = Critical
			f.Evidence = append(f.Evidence, "both names have the same guid, and the older znode holds the role")
		case twin:
			f.Evidence = append(f.Evidence, "both names have the same guid")
		case r.sharing():
			f.Severity = Info
			f.Evidence = append(f.Evidence, "several threads of one process look the same")
		case all[0] < holders:
			f.Evidence = append(f.Evidence, "the older znode holds the role")
		}
		if f.Severity != Info {
			for _, i := range r.watchFaults().missing {
				if _, of := slices.BinarySearch(all, i); of {
					f.Evidence = append(f.Evidence, znode.Safe(s.Queue[i].Name, 0)+" has no watch, and should watch "+r.mustWatch(i))
					if s := r.stuck(i); s.rank() > f.Severity.rank() {
						f.Severity = s
					}
				}
			}
		}
		r.find(znode.Hex(c.Session), f, hold{wait: ghostWait})
	}
}

// ghost reports whether a ghost-node finding names the contender: that finding
// also reports its missing watch.
func (r *report) ghost(c *dialect.Candidate) bool {
	found := r.m.suspicions.byKey["ghost-node "+znode.Hex(c.Session)]
	return found != nil && found.seen && found.finding.Severity != Info && slices.Contains(found.finding.Znodes, r.path(c.Name))
}
