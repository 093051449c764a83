package model

// look is what the rules of one run see: the journal, and what several of them
// need, made when the first one asks for it.
type look struct {
	j  *Journal
	in inputs

	view  *State
	owned map[uint64][]int
	seen  *sight
}

// state is enough of a state for [State.Edge]; unlike the journal's own it
// shares the queue.
func (l *look) state() *State {
	if l.view == nil {
		s := l.j.state
		s.Queue = l.j.queue
		s.seen = l.j.diagnosis()
		l.view = &s
	}
	return l.view
}

// owners returns the positions of the contenders of each session.
func (l *look) owners() map[uint64][]int {
	if l.owned == nil {
		l.owned = make(map[uint64][]int, len(l.j.queue))
		all := make([]int, len(l.j.queue)) // one allocation for what is mostly one each
		for i, c := range l.j.queue {
			if c.Session == 0 {
				continue
			}
			if l.owned[c.Session] == nil {
				all[i] = i
				l.owned[c.Session] = all[i : i+1 : i+1]
				continue
			}
			l.owned[c.Session] = append(l.owned[c.Session], i)
		}
	}
	return l.owned
}

// dialect is whose election it is: its ID, "" where that is not known.
func (l *look) dialect() string {
	if d := l.j.state.Dialect; d != nil {
		return d.ID
	}
	return ""
}

// guessed reports whether the recipe is but a guess from the numbers.
func (l *look) guessed() bool { d := l.j.state.Dialect; return d != nil && d.unknown }

// sharing reports whether this is (or may as well be) a lock: threads of one
// process stand for themselves with one session, and reigns are short.
func (l *look) sharing() bool {
	d := l.j.state.Dialect
	return d != nil && (d.Lock || d.shares)
}

// looking reports whether the session is an observing one of this process.
func (l *look) looking(session uint64) bool {
	if session == l.j.state.Link.Session {
		return true
	}
	if t := l.j.state.Table; t != nil {
		for i := range t.Anchors {
			if t.Anchors[i].Session == session {
				return l.owners()[session] == nil
			}
		}
	}
	return false
}

// atMost is the severity, or the ceiling where that is lower.
func atMost(ceiling, s Severity) Severity {
	if s.rank() > ceiling.rank() {
		return ceiling
	}
	return s
}

// path is the full path of a child.
func (l *look) path(name string) string {
	if l.j.single {
		return l.j.cfg.Path
	}
	return Join(l.j.cfg.Path, name)
}

// said names a contender in evidence.
func said(c *Candidate) string {
	text := Safe(c.Name, 0)
	if c.Session != 0 {
		text += " of session " + Hex(c.Session)
	}
	return text
}
