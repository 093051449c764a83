package doctor

import (
	"slices"
	"time"

	"electop/model/dialect"
	"electop/model/units"
	"electop/model/znode"
)

// droppedCandidate finds sessions that watch candidates but own none. An old watch may remain, so the
// session of a deleted candidate is reported only if it watches a candidate that joined after the deletion.
func droppedCandidate(r *ruleRun) {
	s := r.s
	last, base := r.d.watch.last, r.d.watch.base
	if last == nil || base == nil {
		return
	}
	var gone, others []uint64
	watchers := r.manyOtherWatchers()
	ignored := make(map[uint64]bool)
	for _, c := range s.Ignored {
		ignored[c.Session] = true
	}
	for session, w := range last.watching {
		if r.owners()[session] != nil || ignored[session] || r.electopObserves(session) || s.Ours(session) {
			continue
		}
		was, known := r.d.former.of(session)
		sure := was.unseen == unseen(s.Totals)+r.d.former.unowned
		follows, watches := false, false
		for _, name := range w.names {
			c := r.child(name)
			if c == nil || !s.Recipe.Contends(c) || !base.watches(session, name) {
				continue
			}
			watches = true
			follows = follows || sure && known && c.Joined && c.SeenAt.After(was.at)
		}
		switch {
		case follows:
			gone = append(gone, session)
		case watches && !known && !slices.Contains(watchers, session):
			others = append(others, session)
		}
	}
	slices.Sort(gone)
	slices.Sort(others)
	for _, session := range gone {
		was, _ := r.d.former.of(session)
		f := r.find(dropped, znode.Hex(session))
		f.because("session %s owned %s until %s", znode.Hex(session), safe(was.name), units.Clock(was.at))
		f.because("since then it has set watches on later candidates, but owns no candidate")
		f.Sessions = []uint64{session}
		f.Znodes = r.watchedPaths(last, session)
	}
	if len(others) == 0 {
		return
	}
	f := r.find(observers, "others", "{sessions}",
		units.Count(len(others), "session watches candidates but owns none", "sessions watch candidates but own none"))
	f.clients(others)
}

func (r *ruleRun) watchedPaths(w *watchTable, session uint64) (paths []string) {
	for _, name := range w.watching[session].names {
		if len(paths) < evidenceMax && r.child(name) != nil {
			paths = append(paths, r.path(name))
		}
	}
	return paths
}

type formerSessions struct {
	log     []former // oldest first; shared with clones: append only
	unowned int      // number of former contenders with an unknown owner
}

type former struct {
	session uint64
	name    string
	at      time.Time
	unseen  int // what the function unseen returned before the contender left, plus formerSessions.unowned
}

const formerMax = 4096

func (o *formerSessions) add(at time.Time, c *dialect.Candidate, unseen int) {
	if c.Session == 0 {
		o.unowned++
		return
	}
	if len(o.log) == 2*formerMax {
		o.log = slices.Clone(o.log[formerMax:])
	}
	o.log = append(o.log, former{c.Session, c.Name, at, unseen + o.unowned})
}

func (o *formerSessions) of(session uint64) (f former, ok bool) {
	for _, f := range slices.Backward(o.log) {
		if f.session == session {
			return f, true
		}
	}
	return f, false
}
