package model

import (
	"fmt"
	"slices"

	"electop/model/units"
)

// droppedCandidate finds sessions that follow the election without standing in
// it. A watch that is left over from standing is no sign of that: a candidate
// that steps back leaves its watch, and it goes with the watched znode. So the
// watched child has to have come after the session's own one went.
func droppedCandidate(r *report) {
	j := r.j
	last, base := j.doctor.watch.last, j.doctor.watch.base
	if last == nil || base == nil || r.in&onTable == 0 && !j.doctor.onlookers {
		return
	}
	var dropped, others []uint64
	stands := make(map[uint64]bool)
	for _, c := range j.rest {
		stands[c.Session] = true
	}
	for session, w := range last.watching {
		if r.owners()[session] != nil || stands[session] || r.looking(session) || j.oneOfUs(session) {
			continue
		}
		was, stood := j.doctor.owners.former[session]
		sure := was.unseen == j.unseen()+j.doctor.owners.unread
		follows, watches := false, false
		for _, name := range w.names {
			c := j.known[name]
			if c == nil || !j.recipe.Contends(c) || !base.watches(session, name) {
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
	j.doctor.onlookers = len(dropped)+len(others) > 0
	slices.Sort(dropped)
	slices.Sort(others)
	for _, session := range dropped {
		was := j.doctor.owners.former[session]
		f := Finding{
			Severity: atMost(r.ceiling(), Warning),
			Title:    "a session follows the election but stands no more",
			Evidence: []string{
				fmt.Sprintf("session %s owned %s until %s", Hex(session), Safe(was.name, 0), clockText(was.at)),
				"it has set watches on later candidates since, and owns none",
			},
			Harm:       "Its program may believe that it is a candidate; it will never lead.",
			Advice:     "Restart it. Then see what its code does when its own znode is gone: it has to create another.",
			Sessions:   []uint64{session},
			References: []string{"CURATOR-346"},
		}
		f.Znodes = r.watchedPaths(last, session)
		r.find(Hex(session), f, hold{})
	}
	if len(others) == 0 {
		return
	}
	f := Finding{
		Severity:   Info,
		Title:      units.Count(len(others), "session watches", "sessions watch") + " candidates and owns none",
		Harm:       "None if they only look on; a program that believes to be a candidate will never lead.",
		Advice:     "Find out who they are by their address, if you do not know them.",
		References: []string{"CURATOR-346"},
	}
	if len(others) > 1 {
		f.Title = units.Count(len(others), "session watches", "sessions watch") + " candidates and own none"
	}
	for _, session := range others[:min(len(others), evidenceMax)] {
		text := "session " + Hex(session)
		if x, ok := j.doctor.clients[session]; ok {
			text += " from " + Safe(x.conn.Addr, 0)
		}
		f.Evidence = append(f.Evidence, text)
		f.Sessions = append(f.Sessions, session)
	}
	r.find("others", f, hold{})
}

func (r *report) watchedPaths(w *round, session uint64) (paths []string) {
	for _, name := range w.watching[session].names {
		if len(paths) < evidenceMax && r.j.known[name] != nil {
			paths = append(paths, r.path(name))
		}
	}
	return paths
}

// oneOfUs reports whether the session is of a member of ours.
func (j *Journal) oneOfUs(session uint64) bool {
	if j.departed[session] != nil {
		return true
	}
	for _, m := range j.members {
		if m.Session == session {
			return true
		}
	}
	return false
}
