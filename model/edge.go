package model

import (
	"cmp"
	"time"
)

// WatchState is how much is known of a contender's watch.
type WatchState string

const (
	Unverified   WatchState = "unknown"  // inferred by the recipe; Edge.Why says what is missing
	Verified     WatchState = "verified" // a server's table has it
	WrongWatch   WatchState = "wrong"    // it watches another znode of the election
	MissingWatch WatchState = "missing"  // every member answered, twice, and none has it
)

// Edge is what is known of whom a contender watches.
//
// One look is enough to verify a watch. That it is wrong or missing is said
// only if two rounds of asking, a second or more apart, agree, and if nothing
// changed from the first of them until a second after the other that would make
// the contender watch another: in every handoff there is a moment without a
// watch, and it takes a moment to be known.
type Edge struct {
	State WatchState
	// Watched are the names of the children that it has a data or exists watch
	// on, besides its own.
	Watched []string
	Server  string    // the member that has the watch
	At      time.Time // when the servers were asked; zero: never
	Why     string    // for Unverified: what is missing to know; safe to show
	Early   bool      // for Unverified: it will be known when the servers were asked again
}

// edges is what a state knows of watches. It is immutable.
type edges struct {
	rounds
	gone departures
}

// Edge returns what is known of the watch of the contender at position i. The
// holders of the role need none: theirs is Unverified with no Why.
func (s *State) Edge(i int) Edge {
	if i < 0 || i >= len(s.Queue) {
		return Edge{State: Unverified}
	}
	return s.edge(i, s.Recipe.Holders(s.Queue))
}

func (s *State) edge(i, holders int) Edge {
	c, last := s.Queue[i], s.seen.watch.last
	e := Edge{State: Unverified}
	if last != nil {
		e.At = last.at
		if w := last.watching[c.Session]; w != nil && c.Session != 0 {
			e.Server = w.server
			for _, name := range w.names {
				if name != c.Name && len(e.Watched) < watchedMax {
					e.Watched = append(e.Watched, name)
				}
			}
		}
	}
	if i < holders {
		return e
	}
	t, waits := s.Recipe.Watches(s.Queue, i)
	if !waits {
		if s.watchesList() {
			e.Why = "watches the list of children, which no server's table shows"
		}
		return e
	}
	target := s.Queue[t]
	switch {
	case last == nil:
		e.Why = s.neverAsked()
		return e
	case c.Session == 0:
		e.Why = "its session is not known"
		return e
	case last.watches(c.Session, target.Name) && !target.SeenAt.After(last.end):
		e.State = Verified
		return e
	}
	since := s.seen.watch.gone.since(s.Queue, t, i)
	before, after := s.seen.watch.settled(s.At)
	switch {
	case s.Link.Link != Connected:
		e.Why = "not connected: whom it has to watch may have changed"
	case c.SeenAt.After(last.at):
		e.Why, e.Early = "it joined after the servers were asked", true
	case since.After(last.at):
		e.Why, e.Early = "whom it has to watch changed after the servers were asked", true
	case e.partial(last, c):
		e.Why = e.Server + " has more watches than are kept"
	case !e.misled(s, c) && last.why != "":
		e.Why = last.why
	case before == nil && s.seen.watch.base != nil:
		e.Why, e.Early = "no such watch was seen; a change may be on its way", true
	case before == nil:
		e.Why, e.Early = "no such watch was seen, but the servers were asked once only: ask again (v)", true
	case since.After(before.at):
		e.Why, e.Early = "whom it has to watch changed since the servers were asked before: ask again (v)", true
	case before.watches(c.Session, target.Name) || after.watches(c.Session, target.Name):
		e.Why, e.Early = "the watch was seen before and is not there now: ask again (v)", true
	case e.misled(s, c) && before.misled(c) && after.misled(c):
		e.State = WrongWatch
	case e.misled(s, c):
		e.Why, e.Early = "another watch was seen once only: ask again (v)", true
	case cmp.Or(before.why, after.why) != "":
		e.Why = cmp.Or(before.why, after.why)
	case s.absent(c), last.away(c.Session), before.away(c.Session), after.away(c.Session):
		e.Why = "its client has no connection"
	default:
		e.State = MissingWatch
	}
	return e
}

func (e *Edge) partial(r *round, c *Candidate) bool {
	w := r.watching[c.Session]
	return w != nil && w.partial
}

// misled reports whether what the contender watches is to be held against it:
// the session has no other contender that may have set the watch.
func (e *Edge) misled(s *State, c *Candidate) bool {
	if len(s.seen.watch.last.crowded[c.Session]) > 1 {
		return false
	}
	return len(e.Watched) > 0
}

// misled reports whether the contender watched another child.
func (r *round) misled(c *Candidate) bool {
	w := r.watching[c.Session]
	return w != nil && (len(w.names) > 1 || len(w.names) == 1 && w.names[0] != c.Name)
}

// absent reports whether the contender's client had no connection to any
// member when they were last asked.
func (s *State) absent(c *Candidate) bool {
	if !s.seen.clientsWhole {
		return false
	}
	_, ok := s.seen.clients[c.Session]
	return !ok
}

func (s *State) neverAsked() string {
	if s.Told == nil {
		return "the servers were not asked (v)"
	}
	for i := range s.Told.Servers {
		if a := s.Told.Servers[i].Watches; a.State != NotAsked && a.State != Answered {
			return s.Told.Servers[i].unanswered("watches", a)
		}
	}
	return "the servers were not asked for their watches (v)"
}

// watchesList reports whether those who wait watch the list of children.
func (s *State) watchesList() bool { return s.Dialect != nil && s.Dialect.ChildWatch }

// client is where a session is connected.
type client struct {
	conn   *ServerConn
	server string
	at     time.Time
}

// Client returns the connection of a contender's session, and the member it
// is connected to, as the servers last said; nil where none is known.
func (s *State) Client(c *Candidate) (conn *ServerConn, server string, at time.Time) {
	if c == nil || c.Session == 0 {
		return nil, "", time.Time{}
	}
	x := s.seen.clients[c.Session]
	return x.conn, x.server, x.at
}

// clientsOf indexes the connections of a table, nil if nobody told any.
func clientsOf(t *ServerTable) map[uint64]client {
	var out map[uint64]client
	for i := range t.Servers {
		s := &t.Servers[i]
		if s.Connections.State != Answered {
			continue
		}
		if out == nil {
			out = make(map[uint64]client)
		}
		at := wall(s.Connections.At)
		if at.IsZero() {
			at = wall(t.End)
		}
		for k := range s.Clients {
			conn := &s.Clients[k]
			if conn.Session == 0 {
				continue
			}
			// A client that moved while the round went on is listed twice.
			if old, ok := out[conn.Session]; !ok || old.at.Before(at) {
				out[conn.Session] = client{conn, Safe(s.Addr, 0), at}
			}
		}
	}
	return out
}
