package doctor

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/session"
	"electop/model/znode"
)

// WatchState is how much is known about a contender's watch.
type WatchState string

const (
	Unverified   WatchState = "unknown"  // not known from the tables, or the contender needs no watch
	Verified     WatchState = "verified" // a server's table has the watch
	OtherWatch   WatchState = "other"    // one round shows a watch on another child; a second round must confirm that
	WrongWatch   WatchState = "wrong"    // two rounds show a watch on another child, and no right watch
	MissingWatch WatchState = "missing"  // every server answered twice, and none has the watch
)

// Edge has what electop knows about the znode that a contender watches.
//
// One answer verifies a watch. A wrong or missing watch needs two rounds of answers that agree, at
// least [calm] apart: each handoff has a moment without a watch.
type Edge struct {
	State    WatchState
	Watched  []string  // the children that the contender's session watches, except its own znode; at most watchedMax
	OwnZnode bool      // the session watches the contender's own znode, and owns no other contender
	Server   string    // a server that has the watches
	At       time.Time // the beginning of the last round; zero: none
	Why      string    // the reason for Unverified and OtherWatch, "" if none is needed; safe to show
	Early    bool      // the next answers of the servers may decide the state
}

// Edge returns what is known about the watch of the contender at position i.
func (s *State) Edge(i int) Edge {
	if i < 0 || i >= s.Queue.Len() {
		return Edge{State: Unverified}
	}
	return s.edge(i, s.Recipe.Holders(s.Queue))
}

func except(names []string, own string) (out []string) {
	if !slices.Contains(names, own) {
		return slices.Clip(names[:min(len(names), watchedMax)])
	}
	for _, name := range names {
		if name != own && len(out) < watchedMax {
			out = append(out, name)
		}
	}
	return out
}

func (s *State) edge(i, holders int) Edge {
	c, last := s.Queue.At(i), s.watch.last
	e := Edge{State: Unverified}
	if last != nil {
		e.At = last.at
		if w := last.watching[c.Session]; w != nil && c.Session != 0 {
			e.Server = w.server
			e.OwnZnode = slices.Contains(w.names, c.Name) && !last.several[c.Session]
			e.Watched = except(w.names, c.Name)
		}
	}
	if i < holders {
		return e
	}
	t, waits := s.Recipe.Watches(s.Queue, i)
	if !waits {
		if s.watchesList() {
			e.Why = "it watches the list of children; no server reports such watches"
		}
		return e
	}
	target := s.Queue.At(t)
	switch {
	case last == nil:
		e.Why = s.whyUnasked()
		return e
	case c.Session == 0:
		e.Why = "its session is unknown"
		return e
	case last.watches(c.Session, target.Name) && !target.SeenAt.After(last.end):
		e.State = Verified
		return e
	}
	onAnother := len(e.Watched) > 0 && !last.several[c.Session] // another contender of the session may have set the watch
	before, after := settled(&s.watch, s.At)
	switch {
	case s.Link.Link != model.Connected:
		e.Why = "electop is not connected: the predecessor may have changed"
	case c.SeenAt.After(last.at):
		e.Why, e.Early = "it joined after the servers were queried", true
	case !s.hadTarget(last, c, target, false):
		e.Why, e.Early = "its predecessor changed after the servers were queried", true
	case last.watching[c.Session] != nil && last.watching[c.Session].partial:
		e.Why = e.Server + " lists more entries than electop keeps"
	case s.Pace.Slowed() || s.pacedAt.After(last.at) || before != nil && s.pacedAt.After(before.at):
		e.Why, e.Early = "the demo's server held messages: the candidate may still set its watch", !s.Pace.Slowed()
	case onAnother && s.watchedAnother(before, c, target) && s.watchedAnother(after, c, target):
		e.State = WrongWatch
	case onAnother:
		e.State, e.Why, e.Early = OtherWatch, "the watch on another znode was seen only once: query again (v)", true
	case last.why != "":
		e.Why = last.why
	case before == nil && s.watch.base != nil:
		e.Why, e.Early = "this watch was not seen; the candidate may still set it", true
	case before == nil:
		e.Why, e.Early = "this watch was not seen, but the servers were queried only once: query again (v)", true
	case !s.hadTarget(before, c, target, false):
		e.Why, e.Early = "its predecessor changed between the last two answers: query again (v)", true
	case before.watches(c.Session, target.Name) || after.watches(c.Session, target.Name):
		e.Why, e.Early = "the watch was seen before and is missing now: query again (v)", true
	case cmp.Or(before.why, after.why) != "":
		e.Why = cmp.Or(before.why, after.why)
	case s.Tracked.Absent(c.Session), last.unconnected(c.Session), before.unconnected(c.Session), after.unconnected(c.Session):
		e.Why = "its client has no connection"
	default:
		e.State = MissingWatch
	}
	return e
}

func (s *State) watchedAnother(r *watchTable, c, target *dialect.Candidate) bool {
	if r == nil || !s.hadTarget(r, c, target, false) || r.watches(c.Session, target.Name) {
		return false
	}
	w := r.watching[c.Session]
	return w != nil && (len(w.names) > 1 || len(w.names) == 1 && w.names[0] != c.Name)
}

func (s *State) whyUnasked() string {
	if s.Answers == nil {
		return "the servers were not queried (v)"
	}
	for i := range s.Answers.Servers {
		if a := s.Answers.Servers[i].Watches; a.State != session.NotRequested && a.State != session.Answered {
			return s.Answers.Servers[i].Unanswered("watches", a)
		}
	}
	return "the servers were not queried for their watches (v)"
}

// WatchersUnknown returns why [model.State.LeaderWatchers] is not known; "" if it is known or the
// queue is empty.
func (s *State) WatchersUnknown() string {
	switch last := s.watch.last; {
	case s.LeaderWatchers() != nil || s.First() == nil:
		return ""
	case last == nil:
		return s.whyUnasked()
	case len(last.watching) == 0 && last.why != "":
		return last.why
	}
	return "the servers were queried while another znode was the first: query again (v)"
}

func (s *State) watchesList() bool { return s.Dialect != nil && s.Dialect.ChildWatch }

// calm is longer than a healthy client needs to set its next watch.
const calm = time.Second

// watchTable has the watches of one round of answers. It is immutable: states share it.
type watchTable struct {
	at, end time.Time
	// queue is the queue when the round began, calmQueue the queue [calm] earlier; see [queues.at].
	queue, calmQueue dialect.Queue
	// why is the reason why the round is incomplete, "" if it is complete. Only a complete round
	// can prove that a watch is missing.
	why      string
	watching map[uint64]*watching
	clients  map[uint64]session.Conn // nil unless all connections are listed
	several  map[uint64]bool         // sessions that own several contenders
}

type watching struct {
	server  string
	names   []string // children, sorted
	partial bool     // a list of the server was longer than electop keeps
}

const watchedMax = 64

// newWatchTable returns nil if no server was queried for watches.
func newWatchTable(t *session.Table, path string, queue dialect.Queue) *watchTable {
	r := &watchTable{at: t.At.Round(0), end: t.End.Round(0), watching: make(map[uint64]*watching), several: make(map[uint64]bool)}
	queried := false
	for i := range t.Servers {
		s := &t.Servers[i]
		queried = queried || s.Watches.State != session.NotRequested
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
	if !queried {
		return nil
	}
	for _, x := range r.watching {
		slices.Sort(x.names)
		x.names = slices.Clip(slices.Compact(x.names))
	}
	r.why = t.Incomplete()
	if t.ListsEveryConn() {
		r.clients = t.Conns()
	}
	owns := make(map[uint64]bool, queue.Len())
	for _, c := range queue.All() {
		if owns[c.Session] && c.Session != 0 {
			r.several[c.Session] = true
		}
		owns[c.Session] = true
	}
	return r
}

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

func (r *watchTable) watches(session uint64, name string) bool {
	w := r.watching[session]
	if w == nil {
		return false
	}
	_, ok := slices.BinarySearch(w.names, name)
	return ok
}

func (r *watchTable) unconnected(session uint64) bool {
	_, ok := r.clients[session]
	return r.clients != nil && !ok
}

func (r *watchTable) When() time.Time { return r.at }

// tables keeps the last table, and three tables at least calm apart: next is the newest of them,
// base is older, first is the oldest. Each is nil if there is none yet.
type tables[T interface {
	comparable
	When() time.Time
}] struct{ last, next, base, first T }

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

func settled(k *tables[*watchTable], now time.Time) (earlier, later *watchTable) {
	all := [...]*watchTable{k.last, k.next, k.base, k.first}
	for i, later := range all {
		if later == nil || now.Before(later.end.Add(calm)) {
			continue
		}
		// The later round ended at least calm ago, so electop had time to read the changes before it.
		for _, earlier := range all[i+1:] {
			if earlier != nil && later.at.Sub(earlier.at) >= calm {
				return earlier, later
			}
		}
	}
	return nil, nil
}

type queues struct {
	now  dialect.Queue
	left time.Time   // when a contender left last; zero: never
	past []pastQueue // oldest first; shared with clones: append only
}

// pastQueue is a queue that no contender left for at least queueLasts after from.
type pastQueue struct {
	from  time.Time
	queue dialect.Queue
}

const (
	queueLasts = 100 * time.Millisecond
	queueKept  = time.Minute
)

func (q *queues) change(at time.Time, queue dialect.Queue, someLeft bool) {
	if someLeft {
		if at.Sub(q.left) >= queueLasts {
			q.past = append(q.past, pastQueue{q.left, q.now})
		}
		for len(q.past) > 1 && at.Sub(q.past[1].from) > queueKept {
			q.past = q.past[1:]
		}
		q.left = at
	}
	q.now = queue
}

// at returns the newest kept queue from that time or before, with contenders that joined later.
func (q *queues) at(at time.Time) dialect.Queue {
	if !q.left.After(at) {
		return q.now
	}
	for _, x := range slices.Backward(q.past) {
		if !x.from.After(at) {
			return x.queue
		}
	}
	return dialect.Queue{}
}

func (s *State) hadTarget(r *watchTable, c, target *dialect.Candidate, calmly bool) bool {
	queue, at := r.queue, r.at
	if calmly {
		queue, at = r.calmQueue, at.Add(-calm)
	}
	i, queued := model.Position(s.Recipe, queue, c)
	if !queued || s.recipeSince.After(at) {
		return false
	}
	t, waits := s.Recipe.Watches(queue, i)
	return waits && queue.At(t).ID() == target.ID()
}
