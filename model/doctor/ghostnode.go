package doctor

import (
	"fmt"
	"slices"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/units"
	"electop/model/znode"
)

// ghostWait is how long a session must own two candidates: one that withdraws
// and rejoins deletes and creates in two steps, in either order.
const ghostWait = 2 * time.Second

// ghostNode finds sessions that own several candidates. Clients may want that:
// latches and threads of one client share its session. It is a ghost only by
// evidence: the reply to a create was lost, the client created another znode, and
// no program manages one of them.
func ghostNode(r *report) {
	s := r.s
	holders := r.holders()
	if holders == s.Queue.Len() && holders > 1 {
		return // leases: a session may hold several
	}
	for i, c := range s.Queue.All() {
		all := r.owners()[c.Session]
		if len(all) < 2 || all[0] != i {
			continue
		}
		f, at, ok := r.unmanaged(all)
		if !ok {
			at = all
			f = Finding{
				Severity:   Info,
				Title:      fmt.Sprintf("one client owns %s: they end together", units.Count(len(all), "candidate", "candidates")),
				Harm:       "They share one session: when it expires, all of them leave at once.",
				Advice:     "Nothing needs to be done. Candidates that must not fail together need a client each.",
				References: []string{"ZooKeeper Programmer's Guide: ephemeral nodes"},
			}
		}
		f.Sessions = []uint64{c.Session}
		for _, k := range at[:min(len(at), evidenceMax)] {
			f.Znodes = append(f.Znodes, r.path(s.Queue.At(k).Name))
			f.Evidence = append(f.Evidence, fmt.Sprintf("%s, created %s", said(s.Queue.At(k)), s.Queue.At(k).Ctime.UTC().Format(time.DateTime)))
		}
		if ok {
			r.ghostly(&f, at)
		}
		r.find(znode.Hex(c.Session), f, hold{wait: ghostWait})
	}
}

// unmanaged finds those of a session's candidates, at these positions, that prove
// a lost reply. The one that the client goes by, as far as is known, is the last.
func (r *report) unmanaged(all []int) (f Finding, at []int, ok bool) {
	owned := make([]*dialect.Candidate, len(all))
	for i, k := range all {
		owned[i] = r.s.Queue.At(k)
	}
	m := r.s.Member(owned[0])
	ghosts, known := model.Ghosts(m, owned)
	if known == nil {
		return f, nil, false
	}
	for i, k := range all {
		if n := len(at); n < len(ghosts) && owned[i] == ghosts[n] {
			at = append(at, k)
		}
	}
	at = append(at, all[slices.Index(owned, known)])
	f = Finding{
		Severity: Warning,
		Title:    fmt.Sprintf("one session owns %s", units.Count(len(at), "candidate", "candidates")),
		Harm:     "The reply to a create was lost, and the client created again: no program manages one of the znodes. When it becomes the lowest, nobody leads until its session ends.",
		Advice:   "Restart the client: both znodes go with its session.",
		References: []string{
			"samuel/go-zookeeper#229", "zk-ruby#51", "ZooKeeper recipes: recoverable errors and the GUID",
		},
	}
	// Never is it advised to delete a znode that holds the role.
	last := at[len(at)-1]
	switch held := last < r.holders(); {
	case m != nil && !slices.ContainsFunc(at[:len(at)-1], func(k int) bool { return k < r.holders() }):
		f.Advice = "Delete " + znode.Safe(r.path(r.s.Queue.At(at[0]).Name), 0) + ": it holds no role, and its owner does not know it."
	case m == nil && !held:
		f.Advice += " If its log shows that it goes by the older one, delete " + znode.Safe(r.path(r.s.Queue.At(last).Name), 0) + " instead: that one holds no role."
	}
	f.Advice += " Change the client: put a guid in the name, and look for that guid before each further create."
	return f, at, true
}

// ghostly adds what is known of the znodes of a lost reply, the last of which the
// client goes by.
func (r *report) ghostly(f *Finding, at []int) {
	s := r.s
	if m := s.Member(s.Queue.At(at[0])); m != nil && s.Queue.At(at[len(at)-1]).Name == m.Znode {
		f.Evidence = append(f.Evidence, znode.Safe(m.Name, 0)+" knows only "+znode.Safe(m.Znode, 0))
	} else {
		f.Evidence = append(f.Evidence, "the names have the same guid")
	}
	if first := slices.Min(at[:len(at)-1]); first < r.holders() {
		f.Severity = atMost(r.ceiling(), Critical)
		f.Evidence = append(f.Evidence, znode.Safe(s.Queue.At(first).Name, 0)+" holds the role")
	}
	for _, i := range r.watchFaults().missing {
		if slices.Contains(at, i) {
			f.Evidence = append(f.Evidence, znode.Safe(s.Queue.At(i).Name, 0)+" has no watch, and should watch "+r.mustWatch(i))
			if s := r.stuck(i); s.rank() > f.Severity.rank() {
				f.Severity = s
			}
		}
	}
}

// ghost reports whether a ghost-node finding names the contender: that finding
// also reports its missing watch.
func (r *report) ghost(c *dialect.Candidate) bool {
	found := r.m.suspicions.byKey["ghost-node "+znode.Hex(c.Session)]
	return found != nil && found.seen && found.finding.Severity != Info && slices.Contains(found.finding.Znodes, r.path(c.Name))
}
