package doctor

import (
	"cmp"
	"slices"

	"electop/model"
	"electop/model/units"
	"electop/model/znode"
)

// twoLeaders finds two candidates that believe they lead.
func twoLeaders(r *report) {
	believers(r)
	heldTwice(r)
	a, head := &r.s.Ack, r.s.First()
	if r.s.Single || a.Presence != model.Present || a.Session == 0 || head == nil || a.Names(head) || a.Session == head.Session {
		return
	}
	// The acknowledgement is ephemeral: it exists, so its session is alive.
	f := r.find(otherAcknowledged, safe(head.Name)).about(head)
	f.Znodes, f.Sessions = append(f.Znodes, a.Path), append(f.Sessions, a.Session)
	f.because("lowest: %s", described(head))
	f.because("the acknowledgement %s belongs to session %s, which is alive", safe(a.Path), znode.Hex(a.Session))
	if was, ok := r.d.former.of(a.Session); ok && r.owners()[a.Session] == nil {
		f.because("its candidate %s was deleted at %s", safe(was.name), units.Clock(was.at))
	}
}

// believers finds several candidates of electop that believe they lead, if only one can.
func believers(r *report) {
	var all []*model.Member
	for _, m := range r.s.Members {
		if m.Belief == model.Leading && m.Fault != model.Killed && m.Ending == model.NoEnding {
			all = append(all, m)
		}
	}
	if len(all) < 2 || r.holders() > 1 {
		return
	}
	slices.SortFunc(all, func(a, b *model.Member) int { return cmp.Compare(a.ID, b.ID) })
	f := r.find(severalBelieve, "believed", "{candidates}", candidates(len(all)))
	for _, m := range all {
		there, frozen := "is gone", ""
		if c := r.child(m.Znode); c != nil && c.Session == m.Session {
			there = "exists"
		}
		if m.Fault == model.Frozen {
			frozen = "; it is frozen and cannot notice"
		}
		f.because("%s, session %s: its znode %s%s", safe(m.Name), znode.Hex(m.Session), there, frozen)
		if m.Znode != "" {
			f.Znodes = append(f.Znodes, r.path(m.Znode))
		}
		f.Sessions = append(f.Sessions, m.Session)
	}
}

// heldTwice finds a lock that clients of two libraries hold at the same time: the clients of one
// library do not count those of the other, so the first of them waits for nobody.
func heldTwice(r *report) {
	s := r.state()
	if !s.Twofold() {
		return
	}
	c, e := s.Blind()
	head := s.First()
	i, _ := model.Position(s.Recipe, s.Queue, c)
	f := r.find(twoLibraries, safe(c.Name)).about(head, c)
	f.because("lowest of all: %s", described(head))
	f.because("lowest of the other library: %s, which does not watch %s", described(c), r.mustWatch(i))
	for _, name := range e.Watched[:min(len(e.Watched), 4)] {
		f.because("it watches %s", safe(name))
	}
}

// leadsBeside reports whether two rounds of tables show that the contender of that name,
// the first of its library, does not watch its predecessor of another library.
func (rc *ruleContext) leadsBeside(name string) bool {
	c, _ := rc.state().Blind()
	return c != nil && c.Name == name && rc.state().Twofold()
}
