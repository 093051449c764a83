package doctor

import (
	"cmp"
	"slices"

	"electop/model"
	"electop/model/dialect"
	"electop/model/units"
	"electop/model/znode"
)

func twoLeaders(r *ruleRun) {
	believers(r)
	mixedClients(r)
	a, head := &r.s.Ack, r.s.First()
	if r.s.Single || a.Presence != model.Present || a.Session == 0 || head == nil || a.Names(head) || a.Session == head.Session {
		return
	}
	// The acknowledgement is ephemeral, so its session is alive.
	f := r.find(otherAcknowledged, safe(head.Name)).about(head)
	f.Znodes, f.Sessions = append(f.Znodes, a.Path), append(f.Sessions, a.Session)
	f.because("lowest: %s", described(head))
	f.because("the acknowledgement %s belongs to session %s, which is alive", safe(a.Path), znode.Hex(a.Session))
	if was, ok := r.d.former.of(a.Session); ok && r.owners()[a.Session] == nil {
		f.because("its candidate %s was deleted at %s", safe(was.name), units.Clock(was.at))
	}
}

func believers(r *ruleRun) {
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
		presence, frozen := "is gone", ""
		if c := r.child(m.Znode); c != nil && c.Session == m.Session {
			presence = "exists"
		}
		if m.Fault == model.Frozen {
			frozen = "; it is frozen and cannot notice"
		}
		f.because("%s, session %s: its znode %s%s", safe(m.Name), znode.Hex(m.Session), presence, frozen)
		if m.Znode != "" {
			f.Znodes = append(f.Znodes, r.path(m.Znode))
		}
		f.Sessions = append(f.Sessions, m.Session)
	}
}

func mixedClients(r *ruleRun) {
	s := r.state()
	if s.NoLeader() != model.MixedClients {
		for _, x := range s.Rivals {
			if due := x.Since.Add(model.RivalWait); due.After(r.at) {
				r.d.runAgain(due)
			}
		}
		return
	}
	rival, e, proven := s.Rival()
	c, lib, other := rival.Unaware, rival.Unaware.Library(), rival.Other
	t := mayLeadToo
	if proven {
		t = twoLibraries
	}
	f := r.find(t, safe(c.Name), "{candidate}", c.Label(), "{names}", lib.CountedNames).about(other, c)
	f.References = []string{lib.Source}
	f.because("the lower number: %s", described(other))
	f.because("counts only %s by default: %s", lib.CountedNames, described(c))
	if i, ok := model.Position(s.Recipe, s.Queue, c); ok && proven {
		f.because("it does not watch %s", r.mustWatch(i))
	} else if e.Why != "" {
		f.because("inferred from its name: the servers' watches do not show whether it waits (%s)", e.Why)
	}
	for _, name := range e.Watched[:min(len(e.Watched), 4)] {
		f.because("it watches %s", safe(name))
	}
}

func (rc *ruleContext) ofRivalLibrary(c *dialect.Candidate) bool {
	rival, _, proven := rc.state().Rival()
	return proven && rival.Unaware.Library() == c.Library()
}
