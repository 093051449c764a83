package doctor

import (
	"slices"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/znode"
)

// ghostWait gives a client that rejoins time to delete its old znode.
const ghostWait = 2 * time.Second

// ghostNode may find intended candidates: the latches or threads of one client share its session.
func ghostNode(r *ruleRun) {
	s := r.s
	holders := r.holders()
	if holders == s.Queue.Len() && holders > 1 {
		return // a session may hold several leases
	}
	for i, c := range s.Queue.All() {
		all := r.owners()[c.Session]
		if len(all) < 2 || all[0] != i {
			continue
		}
		f, at := r.findGhosts(all)
		if f == nil {
			f, at = r.find(oneClient, znode.Hex(c.Session), "{candidates}", candidates(len(all))), all
		}
		f.Sessions = []uint64{c.Session}
		for _, k := range at {
			c := s.Queue.At(k)
			f.Znodes = append(f.Znodes, r.path(c.Name))
			f.because("%s, created %s", described(c), c.Ctime.UTC().Format(time.DateTime))
		}
		if f.Severity != Info {
			r.addGhostEvidence(f, at)
		}
	}
}

// findGhosts returns the positions of the ghosts and, last, of the candidate that the client probably uses.
func (r *ruleRun) findGhosts(all []int) (f *draft, at []int) {
	owned := make([]*dialect.Candidate, len(all))
	for i, k := range all {
		owned[i] = r.s.Queue.At(k)
	}
	m := r.s.Member(owned[0])
	ghosts, known := model.Ghosts(m, owned)
	if known == nil {
		return nil, nil
	}
	for i, k := range all {
		if n := len(at); n < len(ghosts) && owned[i] == ghosts[n] {
			at = append(at, k)
		}
	}
	at = append(at, all[slices.Index(owned, known)])
	// Never advise to delete a znode that holds the role.
	last, remedy := at[len(at)-1], "Restart the client: when its session ends, the server deletes these znodes."
	switch held := last < r.holders(); {
	case m != nil && !slices.ContainsFunc(at[:len(at)-1], func(k int) bool { return k < r.holders() }):
		remedy = "Delete " + safe(r.path(r.s.Queue.At(at[0]).Name)) + ": it holds no role, and its owner does not know it."
	case m == nil && !held:
		remedy += " If the client's log shows that it uses the older znode, delete " + safe(r.path(r.s.Queue.At(last).Name)) + " instead: that znode holds no role."
	}
	f = r.find(oneSession, znode.Hex(owned[0].Session), "{candidates}", candidates(len(at)), "{remedy}", remedy)
	if m == nil {
		f.wait = 0 // a rejoin does not create a second znode with the same guid
	}
	return f, at
}

func (r *ruleRun) addGhostEvidence(f *draft, at []int) {
	s := r.s
	if m := s.Member(s.Queue.At(at[0])); m != nil && s.Queue.At(at[len(at)-1]).Name == m.Znode {
		f.because("%s knows only %s", safe(m.Name), safe(m.Znode))
	} else {
		f.because("the names have the same guid")
	}
	if first := slices.Min(at[:len(at)-1]); first < r.holders() {
		f.Severity = Critical
		f.because("%s holds the role", safe(s.Queue.At(first).Name))
	}
	for _, i := range r.watchFaults().missing {
		if slices.Contains(at, i) {
			f.because("%s has no watch, and should watch %s", safe(s.Queue.At(i).Name), r.mustWatch(i))
			if s := r.stuck(i); s.rank() > f.Severity.rank() {
				f.Severity = s
			}
		}
	}
}

func (r *ruleRun) inGhostFinding(c *dialect.Candidate) bool {
	found := r.d.suspicions.byKey["ghost-node "+znode.Hex(c.Session)]
	return found != nil && found.seen && found.finding.Severity != Info && slices.Contains(found.finding.Znodes, r.path(c.Name))
}
