package doctor

import (
	"fmt"
	"slices"

	"electop/model/units"
	"electop/model/znode"
)

// droppedCandidate finds sessions that follow the election but have no znode in
// it. A leftover watch does not prove that: a candidate that withdraws leaves its
// watch, which ends with the watched znode. So the watched child must be newer
// than the end of the session's own znode.
func droppedCandidate(r *report) {
	s := r.s
	last, base := r.m.watch.last, r.m.watch.base
	if last == nil || base == nil || r.in&onTable == 0 && !r.m.onlookers {
		return
	}
	var dropped, others []uint64
	stands := make(map[uint64]bool)
	for _, c := range s.Ignored {
		stands[c.Session] = true
	}
	for session, w := range last.watching {
		if r.owners()[session] != nil || stands[session] || r.observing(session) || s.Ours(session) {
			continue
		}
		was, stood := r.m.former.of(session)
		sure := was.unseen == unseen(s.Totals)+r.m.former.unread
		follows, watches := false, false
		for _, name := range w.names {
			c := r.child(name)
			if c == nil || !s.Recipe.Contends(c) || !base.watches(session, name) {
				continue
			}
			watches = true
			follows = follows || sure && stood && c.Joined && c.SeenAt.After(was.at)
		}
		switch {
		case follows:
			dropped = append(dropped, session)
		case watches && !stood:
			others = append(others, session)
		}
	}
	r.m.onlookers = len(dropped)+len(others) > 0
	slices.Sort(dropped)
	slices.Sort(others)
	for _, session := range dropped {
		was, _ := r.m.former.of(session)
		f := Finding{
			Severity: atMost(r.ceiling(), Warning),
			Title:    "a session follows the election but is no longer in the queue",
			Evidence: []string{
				fmt.Sprintf("session %s owned %s until %s", znode.Hex(session), znode.Safe(was.name, 0), units.Clock(was.at)),
				"since then it has set watches on later candidates, but owns no candidate",
			},
			Harm:       "Its program may believe that it is a candidate; it will never lead.",
			Advice:     "Restart the program. Then check what its code does when its own znode is deleted: it must create a new one.",
			Sessions:   []uint64{session},
			References: []string{"CURATOR-346"},
		}
		f.Znodes = r.watchedPaths(last, session)
		r.find(znode.Hex(session), f, hold{})
	}
	if len(others) == 0 {
		return
	}
	f := Finding{
		Severity:   Info,
		Title:      units.Count(len(others), "session watches", "sessions watch") + " candidates but owns none",
		Harm:       "None if they only observe. But a program that believes it is a candidate will never lead.",
		Advice:     "If you do not know these programs, find them by their address.",
		References: []string{"CURATOR-346"},
	}
	if len(others) > 1 {
		f.Title = units.Count(len(others), "session watches", "sessions watch") + " candidates but own none"
	}
	for _, session := range others[:min(len(others), evidenceMax)] {
		text := "session " + znode.Hex(session)
		if x := s.Tracked.Client(session); x.Conn != nil {
			text += " from " + znode.Safe(x.Conn.Addr, 0)
		}
		f.Evidence = append(f.Evidence, text)
		f.Sessions = append(f.Sessions, session)
	}
	r.find("others", f, hold{})
}

func (r *report) watchedPaths(w *watchTable, session uint64) (paths []string) {
	for _, name := range w.watching[session].names {
		if len(paths) < evidenceMax && r.child(name) != nil {
			paths = append(paths, r.path(name))
		}
	}
	return paths
}
