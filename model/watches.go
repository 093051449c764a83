package model

import (
	"cmp"
	"slices"
	"strings"

	"electop/model/dialect"
	"electop/model/session"
	"electop/model/znode"
)

// watches is the last round of questions to the servers that was about watches.
type watches struct {
	table *session.Table // nil: none yet
	// several are the sessions that owned several contenders then: which of them has
	// set a watch is not known. It is replaced when it changes.
	several map[uint64]bool
}

func (w *watches) take(t *session.Table, cs *children) {
	if !slices.ContainsFunc(t.Servers, func(x session.Server) bool { return x.Watches.State != session.NotAsked }) {
		return
	}
	*w = watches{table: t}
	if !cs.crowded() {
		return
	}
	w.several = make(map[uint64]bool)
	for id, n := range cs.owned {
		if n > 1 {
			w.several[id] = true
		}
	}
}

// of returns the names of the children of path on which the session of a contender had
// a watch, by name; nil where several contenders share it.
func (w *watches) of(c *dialect.Candidate, path string) (names []string) {
	if w.table == nil || c.Session == 0 || w.several[c.Session] {
		return nil
	}
	prefix := znode.Join(path, "")
	for i := range w.table.Servers {
		x := &w.table.Servers[i]
		for k := range x.Watched {
			name, child := strings.CutPrefix(x.Watched[k].Path, prefix)
			if child && x.Watches.State == session.Answered && slices.Contains(x.Watched[k].Sessions, c.Session) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// evidence returns what shows now who leads.
func (j *Journal) evidence() (e evidence) {
	e = evidence{
		path: j.cfg.Path, recipe: j.recipe, dialect: j.naming.dialect, queue: j.queue, rest: j.rest,
		doubt: j.doubt, ack: j.ack.AckState, ackPaths: j.ack.paths,
	}
	if j.queue.Len() == 0 {
		return e
	}
	head := j.queue.At(0)
	several := j.crowded() && j.owned[head.Session] > 1
	if several || e.doubt == dialect.Blocked {
		m := j.memberOf(head)
		e.ours = m != nil
		if several {
			e.ghost, e.sure = ghostOf(m, head, j.queue)
		}
	}
	e.waitsFor = j.waitsFor(head)
	if e.doubt == dialect.MixedClients {
		e.counts = j.blindWaits()
	}
	return e
}

// waitsFor returns the child for which head waits: see [State.WaitsFor].
func (j *Journal) waitsFor(head *dialect.Candidate) *dialect.Candidate {
	lower := func(c *dialect.Candidate) bool {
		return c.HasSequence && c.Session != 0 && c.Session != head.Session && c.Sequence < head.Sequence
	}
	if !head.HasSequence || !slices.ContainsFunc(j.rest, lower) {
		return nil // no need to look into the table
	}
	for _, name := range j.watches.of(head, j.cfg.Path) {
		i, ok := slices.BinarySearchFunc(j.rest, name, func(c *dialect.Candidate, name string) int { return cmp.Compare(c.Name, name) })
		if ok && lower(j.rest[i]) {
			return j.rest[i]
		}
	}
	return nil
}

// blindWaits reports whether the contender that might not count the head of the queue
// watches its predecessor, and so does: see [dialect.Dialect.Blind].
func (j *Journal) blindWaits() bool {
	c := j.naming.dialect.Blind(j.queue)
	if c == nil {
		return false
	}
	i, _ := Position(j.recipe, j.queue, c)
	t, waits := j.recipe.Watches(j.queue, i)
	if !waits || i < j.recipe.Holders(j.queue) {
		return false
	}
	before := j.queue.At(t)
	return slices.Contains(j.watches.of(c, j.cfg.Path), before.Name) && !before.SeenAt.After(j.watches.table.End.Round(0))
}
