package doctor

import (
	"cmp"
	"slices"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/session"
)

// WatchState says how much is known about a contender's watch.
type WatchState string

const (
	Unverified   WatchState = "unknown"  // inferred from the recipe; Edge.Why says what is missing
	Verified     WatchState = "verified" // a server's table has it
	OtherWatch   WatchState = "other"    // the last answer has its watch on another znode; another answer has to confirm that
	WrongWatch   WatchState = "wrong"    // it watches another znode of the election, by two answers
	MissingWatch WatchState = "missing"  // every member answered twice, and none has the watch
)

// Edge is what is known about the znode that a contender watches.
//
// One answer is enough to verify a watch. A wrong or missing watch needs two
// rounds of answers that agree, at least a second apart. From the first round
// until a second after the second one, the contender's predecessor must not
// change: in every handoff there is a moment without a watch.
type Edge struct {
	State WatchState
	// Watched are the names of the children that it has a data or exists watch
	// on, besides its own.
	Watched []string
	// Own says that it has such a watch on its own znode, to learn of its deletion.
	Own    bool
	Server string    // the member that has the watch
	At     time.Time // when the servers were asked; zero if never
	Why    string    // for Unverified and OtherWatch: what is missing; safe to show
	Early  bool      // for these: the next answers of the servers may decide it
}

// Edge returns what is known about the watch of the contender at position i. A
// holder of the role needs no watch: its edge is Unverified with no Why.
func (s *State) Edge(i int) Edge {
	if i < 0 || i >= s.Queue.Len() {
		return Edge{State: Unverified}
	}
	return s.edge(i, s.Recipe.Holders(s.Queue))
}

// others are the first watchedMax of the names but this one. Without it they share the
// room of names, which nobody changes.
func others(names []string, but string) (out []string) {
	if !slices.Contains(names, but) {
		return slices.Clip(names[:min(len(names), watchedMax)])
	}
	for _, name := range names {
		if name != but && len(out) < watchedMax {
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
			e.Own = slices.Contains(w.names, c.Name) && !last.crowded[c.Session]
			e.Watched = others(w.names, c.Name)
		}
	}
	if i < holders {
		return e
	}
	t, waits := s.Recipe.Watches(s.Queue, i)
	if !waits {
		if s.watchesList() {
			e.Why = "it watches the list of children, which no server's table shows"
		}
		return e
	}
	target := s.Queue.At(t)
	switch {
	case last == nil:
		e.Why = s.neverAsked()
		return e
	case c.Session == 0:
		e.Why = "its session is unknown"
		return e
	case last.watches(c.Session, target.Name) && !target.SeenAt.After(last.end):
		e.State = Verified
		return e
	}
	since := s.predecessors.since(s.Queue, t, i)
	misled := len(e.Watched) > 0 && !last.crowded[c.Session] // nobody else of its session may have set the watch
	before, after := settled(&s.watch, s.At)
	switch {
	case s.Link.Link != model.Connected:
		e.Why = "not connected: its predecessor may have changed"
	case c.SeenAt.After(last.at):
		e.Why, e.Early = "it joined after the servers were asked", true
	case since.After(last.at):
		e.Why, e.Early = "its predecessor changed after the servers were asked", true
	case last.watching[c.Session] != nil && last.watching[c.Session].partial:
		e.Why = e.Server + " has more watches than electop keeps"
	case misled && before.elsewhere(c, target, since) && after.elsewhere(c, target, since):
		e.State = WrongWatch
	case misled:
		e.State, e.Why, e.Early = OtherWatch, "the watch on another znode was seen only once: ask again (v)", true
	case last.why != "":
		e.Why = last.why
	case before == nil && s.watch.base != nil:
		e.Why, e.Early = "this watch was not seen; it may be about to be set", true
	case before == nil:
		e.Why, e.Early = "this watch was not seen, but the servers were asked only once: ask again (v)", true
	case since.After(before.at):
		e.Why, e.Early = "its predecessor changed between the last two answers: ask again (v)", true
	case before.watches(c.Session, target.Name) || after.watches(c.Session, target.Name):
		e.Why, e.Early = "the watch was seen before and is missing now: ask again (v)", true
	case cmp.Or(before.why, after.why) != "":
		e.Why = cmp.Or(before.why, after.why)
	case s.Tracked.Absent(c.Session), last.away(c.Session), before.away(c.Session), after.away(c.Session):
		e.Why = "its client has no connection"
	default:
		e.State = MissingWatch
	}
	return e
}

// elsewhere reports whether the contender watched another child and not target, which is
// its predecessor since then.
func (r *watchTable) elsewhere(c, target *dialect.Candidate, since time.Time) bool {
	if r == nil || since.After(r.at) || r.watches(c.Session, target.Name) {
		return false
	}
	w := r.watching[c.Session]
	return w != nil && (len(w.names) > 1 || len(w.names) == 1 && w.names[0] != c.Name)
}

func (s *State) neverAsked() string {
	if s.Answers == nil {
		return "the servers were not asked (v)"
	}
	for i := range s.Answers.Servers {
		if a := s.Answers.Servers[i].Watches; a.State != session.NotAsked && a.State != session.Answered {
			return s.Answers.Servers[i].Unanswered("watches", a)
		}
	}
	return "the servers were not asked for their watches (v)"
}

// WatchersUnknown says why [model.State.LeaderWatchers] is not known; "" if it is, or if
// there is no candidate.
func (s *State) WatchersUnknown() string {
	switch last := s.watch.last; {
	case s.LeaderWatchers() != nil || s.First() == nil:
		return ""
	case last == nil:
		return s.neverAsked()
	case len(last.watching) == 0 && last.why != "":
		return last.why
	}
	return "the servers were asked while another znode was the first: ask again (v)"
}

// watchesList reports whether those who wait watch the list of children.
func (s *State) watchesList() bool { return s.Dialect != nil && s.Dialect.ChildWatch }
