package model

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"time"

	"electop/model/dialect"
	"electop/model/session"
	"electop/model/znode"
)

func (j *Journal) applyTable(t *session.Table) {
	t = t.Checked()
	j.table, j.answers = t, t.MergedOver(j.answers)
	j.watches.apply(t, &j.children, j.cfg.Path, j.link.Session)
	at := session.Later(j.at, wallClock(t.When()))
	holders := make([]session.Holder, j.queue.Len())
	for i, c := range j.queue.All() {
		holders[i] = session.Holder{Session: c.Session, SeenAt: c.SeenAt}
		if m := j.memberOf(c); m != nil {
			holders[i].Timeout = m.Timeout
		}
	}
	if j.naming.dialect.Guess(wallClock(t.When()).After(j.readAt) && j.children.chained(t, j.cfg.Path)) != j.naming.dialect {
		j.interpret(j.naming.dialect.Guess(true))
		j.checkHead(at, timeBounds{}, false)
	}
	if d := j.byWatches(j.naming.dialect, &j.watches, j.cfg.Path, j.data); d != j.naming.dialect && j.parentRead && j.naming.given == nil {
		j.interpret(d)
	}
	j.leaving = j.leaving || j.naming.dialect.Kind() == dialect.KindDouble && j.othersWatch(t, j.cfg.Path, j.link.Session)
	j.sessions.Apply(t, at, holders, j.unexplained.has)
	j.returned.apply(t, j.sessions.View(), at, j.owns)
	j.expired = j.expired.add(t)
	for _, c := range j.unexplained.explain(t, at) {
		j.correct(c, at)
	}
}

func (cs *children) byWatches(d *dialect.Dialect, w *watches, path string, data znode.Data) *dialect.Dialect {
	switch {
	case d == nil && len(cs.known) == 0 && w.first != nil && len(w.first.Others) > 1:
		return dialect.Barrier(data)
	case !d.Vague() || w.table == nil:
		return d
	}
	e := dialect.Evidence{Path: path}
	for _, c := range cs.known {
		e.Children = append(e.Children, c.Znode)
	}
	for name := range watchedIn(w.table, path) {
		e.Ready = e.Ready || name == dialect.Ready
	}
	return cmp.Or(dialect.Recognise(e), d)
}

func watchedIn(t *session.Table, path string) iter.Seq2[string, []uint64] {
	prefix := znode.Join(path, "")
	return func(yield func(string, []uint64) bool) {
		for i := range t.Servers {
			for _, w := range t.Servers[i].Watched {
				name, in := strings.CutPrefix(w.Path, prefix)
				if in && t.Servers[i].Watches.State == session.Answered && !yield(name, w.Sessions) {
					return
				}
			}
		}
	}
}

// othersWatch can show that a double barrier is being left: only then do participants watch each other's znodes.
func (cs *children) othersWatch(t *session.Table, path string, own uint64) bool {
	for name, sessions := range watchedIn(t, path) {
		c := cs.known[name]
		if c != nil && cs.recipe.Contends(c) && slices.ContainsFunc(sessions, func(id uint64) bool { return id != own && id != c.Session }) {
			return true
		}
	}
	return false
}

func (j *Journal) correct(c correction, at time.Time) {
	if h := j.past.correct(c); h != nil {
		j.emit(at, Explained{*h})
	}
}

// chained requires that t is newer than the last read.
func (cs *children) chained(t *session.Table, path string) bool {
	for name, sessions := range watchedIn(t, path) {
		if c := cs.known[name]; c != nil {
			at, ok := Position(cs.recipe, cs.queue, c)
			if ok && at+1 < cs.queue.Len() && slices.Contains(sessions, cs.queue.At(at+1).Session) {
				return true
			}
		}
	}
	return false
}

// Current reports whether electop has read the state, is connected, and watched all changes since the last read.
func (j *Journal) Current() bool {
	return j.began && !j.gap && j.link.Link == Connected
}

// Queue returns the contenders in the recipe's order, and the recipe.
func (j *Journal) Queue() (dialect.Queue, dialect.Recipe) { return j.queue, j.recipe }

// Totals returns the counts so far.
func (j *Journal) Totals() Totals { return j.totals.Totals }

type watches struct {
	table *session.Table // nil: none yet
	// several has the sessions with several contenders. Which contender set a watch is then unknown.
	several map[uint64]bool
	first   *Watchers
}

// Watchers are the sessions that watch the first znode of the queue, or the parent of an empty queue.
// The znode's owner and electop do not count. Servers do not report watches on a list of children.
type Watchers struct {
	Candidates int      // how many of the sessions own a contender
	Others     []uint64 // the other sessions, sorted
	Why        string   // why there may be more, "" if these are all; safe for a terminal

	of *dialect.Candidate
}

// Total returns the number of sessions.
func (w *Watchers) Total() int { return w.Candidates + len(w.Others) }

// LeaderWatchers returns the watchers of the first znode of the queue, nil if unknown.
func (s *State) LeaderWatchers() *Watchers {
	w := s.watchers
	if w == nil || s.First() == nil || w.of == nil || w.of.ID() != s.First().ID() {
		return nil
	}
	return w
}

func watchersOf(t *session.Table, cs *children, path string, own uint64) *Watchers {
	w := &Watchers{Why: t.Incomplete()}
	skip := map[uint64]bool{own: true}
	if cs.queue.Len() > 0 {
		w.of = cs.queue.At(0)
		skip[w.of.Session] = true
		path = znode.Join(path, w.of.Name)
	}
	if !slices.ContainsFunc(t.Servers, func(x session.Server) bool { return x.Watches.State == session.Answered }) {
		return nil
	}
	for name, sessions := range watchedIn(t, znode.Dir(path)) {
		for _, id := range sessions {
			switch {
			case name != znode.Base(path) || skip[id] || t.Anchored(id):
				continue
			case cs.owns(id):
				w.Candidates++
			default:
				w.Others = append(w.Others, id)
			}
			skip[id] = true
		}
	}
	slices.Sort(w.Others)
	return w
}

func (w *watches) apply(t *session.Table, cs *children, path string, own uint64) {
	if !slices.ContainsFunc(t.Servers, func(x session.Server) bool { return x.Watches.State != session.NotRequested }) {
		return
	}
	*w = watches{table: t, first: watchersOf(t, cs, path, own)}
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

func (w *watches) of(c *dialect.Candidate, path string) (names []string) {
	if w.table == nil || c.Session == 0 || w.several[c.Session] {
		return nil
	}
	for name, sessions := range watchedIn(w.table, path) {
		if slices.Contains(sessions, c.Session) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (w *watches) waitsFor(head *dialect.Candidate, rest []*dialect.Candidate, path string) *dialect.Candidate {
	lower := func(c *dialect.Candidate) bool {
		return c.HasSequence && c.Session != 0 && c.Session != head.Session && c.Sequence < head.Sequence
	}
	if !head.HasSequence || !slices.ContainsFunc(rest, lower) {
		return nil // no need to search the table
	}
	for _, name := range w.of(head, path) {
		i, ok := slices.BinarySearchFunc(rest, name, func(c *dialect.Candidate, name string) int { return cmp.Compare(c.Name, name) })
		if ok && lower(rest[i]) {
			return rest[i]
		}
	}
	return nil
}

func (w *watches) waits(c *dialect.Candidate, cs *children, path string) bool {
	return slices.ContainsFunc(w.of(c, path), func(name string) bool {
		k, end := cs.known[name], w.table.End.Round(0)
		return k != nil && k.HasSequence && k.Session != 0 && k.Sequence < c.Sequence && !k.SeenAt.After(end) && !c.SeenAt.After(end)
	})
}
