package model

import (
	"slices"
	"time"

	"electop/model/dialect"
)

// ReportedDeletion is a [DeletionReport] with the deleted child.
type ReportedDeletion struct {
	DeletionReport
	Candidate *dialect.Candidate // nil if the child was never observed
	Leader    bool               // the deletion caused a handoff
	Recipe    string             // the recipe's name at the first report
}

// deletionReports has the reported deletions. States share the elements, which are never written.
type deletionReports struct {
	last      []*ReportedDeletion // oldest first, at most [HistoryMax]
	deletions deletionLog
}

func (w *deletionReports) add(cs *children, o *DeletionReport) bool {
	if w.deletions.of(o.Znode, o.Zxid-1) == o.Zxid {
		w.amend(o.Zxid-1, o.Znode, func(x *ReportedDeletion) bool {
			again := x.Zxid == o.Zxid
			if again {
				x.DeletionReport = *o
			}
			return again
		})
		return false
	}
	c := cs.known[o.Znode]
	if c != nil && (c.Czxid >= o.Zxid || w.deletions.of(c.Name, c.Czxid) != 0) {
		c = nil // the deleted znode had the same name, but was not read
	}
	w.deletions.add(o.Znode, o.Zxid)
	w.last = remember(w.last, &ReportedDeletion{DeletionReport: *o, Candidate: c, Recipe: cs.recipe.Name()})
	return true
}

// existed completes a report that came before c was read. from is a zxid at which c existed.
func (w *deletionReports) existed(c *dialect.Candidate, from int64) {
	if end := w.deletions.of(c.Name, from); end != 0 {
		w.amend(from, c.Name, func(x *ReportedDeletion) bool {
			if x.Zxid == end {
				x.Candidate = c
			}
			return x.Zxid == end
		})
	}
}

func (w *deletionReports) led(c *dialect.Candidate) {
	w.amend(c.Czxid, c.Name, func(x *ReportedDeletion) bool {
		x.Leader = x.Candidate != nil && x.Candidate.ID() == c.ID()
		return x.Leader
	})
}

func (w *deletionReports) deletionTime(c *dialect.Candidate, m timeBounds) timeBounds {
	for _, x := range slices.Backward(w.last) {
		if x.Zxid <= c.Czxid {
			break
		}
		if x.Znode == c.Name && x.Candidate != nil && x.Candidate.ID() == c.ID() && !x.Deleted.IsZero() {
			return exactly(wallClock(x.Deleted))
		}
	}
	return m
}

func (w *deletionReports) amend(after int64, name string, change func(x *ReportedDeletion) bool) {
	for i := len(w.last) - 1; i >= 0 && w.last[i].Zxid > after; i-- {
		if w.last[i].Znode != name {
			continue
		}
		if x := *w.last[i]; change(&x) {
			w.last = replaced(w.last, i, &x)
		}
	}
}

func (w *deletionReports) stale(cs *children, o *Write) bool {
	log := &w.deletions
	deleted := log.of(o.Znode, o.Token)
	if deleted == 0 && 0 < o.Token && o.Token <= log.floor {
		// The znode is older than the log, so the log may lack the znode's deletion.
		if c := cs.known[o.Znode]; c == nil || c.Czxid != o.Token {
			deleted = log.floor
		}
	}
	// If o has no zxid, the order of the observations shows which came first.
	return deleted != 0 && (o.Zxid == 0 || deleted < o.Zxid)
}

type deletionLog struct {
	last  []deletion // oldest first
	floor int64      // the zxid of the last dropped deletion, or the parent's first pzxid
}

type deletion struct {
	name string
	zxid int64
}

const deletionsMax = 4096

func (e *deletionLog) add(name string, zxid int64) {
	if len(e.last) == deletionsMax {
		e.floor = e.last[0].zxid
	}
	e.last = keep(e.last, deletion{name, zxid}, deletionsMax)
}

// of returns the first deletion after a zxid, 0 for none: several children may have had the same name.
func (e *deletionLog) of(name string, after int64) (zxid int64) {
	for _, d := range slices.Backward(e.last) {
		if d.zxid <= after {
			break
		}
		if d.name == name {
			zxid = d.zxid
		}
	}
	return zxid
}

// Costs has the last handoffs that show the costs of the plain recipe (Chain) and of the herd recipe,
// newest first.
type Costs struct{ Chain, Herd []*ReportedDeletion }

// CostsMax bounds each list of [Costs].
const CostsMax = 6

// Costs returns the costs of the handoffs since a time.
func (s *State) Costs(since time.Time) (c Costs) {
	for _, w := range slices.Backward(s.Deletions) {
		n := w.Others()
		switch {
		case w.Deleted.Before(since) || !w.Leader || n == 0:
		case w.Recipe == dialect.Election().Name() && n == 1 && len(c.Chain) < CostsMax:
			c.Chain = append(c.Chain, w)
		// Just after a change of the recipe, candidates still watch as in the old recipe.
		case w.Herd() && (n > 1 || s.Queue.Len() == 2) && len(c.Herd) < CostsMax:
			c.Herd = append(c.Herd, w)
		}
	}
	return c
}

// Herd reports whether the recipe was the herd at the first report.
func (w *ReportedDeletion) Herd() bool { return w.Recipe == dialect.Herd().Name() }

// Others counts the notified sessions, without the owner of the deleted znode.
func (w *ReportedDeletion) Others() int {
	n := len(w.Notified)
	if w.Candidate != nil && w.Candidate.Session != 0 && slices.Contains(w.Notified, w.Candidate.Session) {
		n--
	}
	return n
}

// Notified counts the reported notifications that a session got about the deletion of a watched znode.
func (s *State) Notified(session uint64) int { return s.notified[session] }
