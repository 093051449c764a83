package doctor

import (
	"slices"
	"strings"
	"time"

	"electop/model/dialect"
	"electop/model/session"
	"electop/model/znode"
)

// calm is the time that a contender may take to set its watch again, and electop to see
// that it must. A table proves a wrong or missing watch only if another table, at
// least this much older, agrees. Healthy clients take milliseconds (a
// notification, a list, a read).
const calm = time.Second

// watchTable is one round of asking for watch tables, indexed. It is immutable
// once made, for states share it.
type watchTable struct {
	at, end time.Time
	// why says why the round is incomplete, "" if it is complete: only a complete
	// round can prove that a watch is missing.
	why      string
	watching map[uint64]*watching // by session
	// clients are the connections of the same round, nil if not all members
	// reported theirs: a session without a connection had no watch either.
	clients map[uint64]session.Conn
	crowded map[uint64]bool // sessions that own several contenders
}

// watching has the znodes of the election that one session watches.
type watching struct {
	server  string
	names   []string // children, sorted; at most watchedMax
	partial bool     // there was more
}

// watchedMax bounds how many watched children are kept of one session. The
// right one is looked for among all of them, whatever the bound.
const watchedMax = 64

// newWatchTable indexes a table, nil if no server was asked for watches.
func newWatchTable(t *session.Table, path string, queue dialect.Queue) *watchTable {
	r := &watchTable{at: t.At.Round(0), end: t.End.Round(0), watching: make(map[uint64]*watching), crowded: make(map[uint64]bool)}
	asked := false
	for i := range t.Servers {
		s := &t.Servers[i]
		asked = asked || s.Watches.State != session.NotAsked
		if s.Watches.State != session.Answered {
			continue
		}
		for j := range s.Watched {
			w := &s.Watched[j]
			name, child := childOf(path, w.Path)
			if !child {
				continue
			}
			for _, session := range w.Sessions {
				x := r.watching[session]
				if x == nil {
					x = &watching{server: znode.Safe(s.Addr, 0)}
					r.watching[session] = x
				}
				x.names = append(x.names, name)
				x.partial = x.partial || s.Leftover
			}
		}
	}
	if !asked {
		return nil
	}
	for _, x := range r.watching {
		slices.Sort(x.names)
		x.names = slices.Clip(slices.Compact(x.names))
	}
	r.why = t.Incomplete()
	if t.TellsEveryConn() {
		r.clients = t.Conns()
	}
	owns := make(map[uint64]bool, queue.Len())
	for _, c := range queue.All() {
		if owns[c.Session] && c.Session != 0 {
			r.crowded[c.Session] = true
		}
		owns[c.Session] = true
	}
	return r
}

// childOf returns the name of the child of parent that path is.
func childOf(parent, path string) (name string, ok bool) {
	if parent != "/" {
		if path, ok = strings.CutPrefix(path, parent); !ok {
			return "", false
		}
	}
	if len(path) < 2 || path[0] != '/' || strings.IndexByte(path[1:], '/') >= 0 {
		return "", false
	}
	return path[1:], true
}

// watches reports whether the session has a watch on the child.
func (r *watchTable) watches(session uint64, name string) bool {
	w := r.watching[session]
	if w == nil {
		return false
	}
	_, ok := slices.BinarySearch(w.names, name)
	return ok
}

// away reports whether the session is known to have had no connection.
func (r *watchTable) away(session uint64) bool {
	if r.clients == nil {
		return false
	}
	_, ok := r.clients[session]
	return !ok
}

// When is when the servers were asked.
func (r *watchTable) When() time.Time { return r.at }

// tables are the last table of a kind, and up to three others that are calm or more
// apart. None is nil.
type tables[T interface {
	comparable
	When() time.Time
}] struct{ last, next, base, first T }

// add adds another table.
func (k *tables[T]) add(t T) {
	var none T
	switch {
	case k.last != none && t.When().Before(k.last.When()): // the clock was set back
		*k = tables[T]{next: t}
	case k.next == none:
		k.next = t
	case t.When().Sub(k.next.When()) >= calm:
		k.first, k.base, k.next = k.base, k.next, t
	}
	k.last = t
}

// settled returns two rounds, calm or more apart, of which the later one was
// over calm ago: what it saw change has come to be known by then. nil for none
// yet.
func settled(k *tables[*watchTable], now time.Time) (earlier, later *watchTable) {
	all := [...]*watchTable{k.last, k.next, k.base, k.first}
	for i, later := range all {
		if later == nil || now.Before(later.end.Add(calm)) {
			continue
		}
		for _, earlier := range all[i+1:] {
			if earlier != nil && later.at.Sub(earlier.at) >= calm {
				return earlier, later
			}
		}
	}
	return nil, nil
}
