package doctor

import (
	"electop/model"
	"electop/model/dialect"
	"electop/model/session"
	"electop/model/znode"
)

// ruleContext is what the rules of one run see: the election, what the doctor
// remembers, and what several of them need, made when the first one asks for it.
type ruleContext struct {
	m        *Doctor
	s        *model.State
	sessions *session.Tracker
	tabled   bool // since the last run there was a new table

	view   *State
	owned  map[uint64][]int
	named  map[string]*dialect.Candidate
	faults *watchFaults
}

// state is the election with what is known of its edges.
func (l *ruleContext) state() *State {
	if l.view == nil {
		l.view = l.m.state(l.s)
	}
	return l.view
}

// owners returns the positions of the contenders of each session.
func (l *ruleContext) owners() map[uint64][]int {
	if l.owned == nil {
		l.owned = make(map[uint64][]int, l.s.Queue.Len())
		all := make([]int, l.s.Queue.Len()) // one allocation for what is mostly one each
		for i, c := range l.s.Queue.All() {
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

// child returns the child of that name, nil for none.
func (l *ruleContext) child(name string) *dialect.Candidate {
	if l.named == nil {
		l.named = make(map[string]*dialect.Candidate, l.s.Queue.Len()+len(l.s.Ignored))
		for _, c := range l.s.Queue.All() {
			l.named[c.Name] = c
		}
		for _, c := range l.s.Ignored {
			l.named[c.Name] = c
		}
	}
	return l.named[name]
}

// holders returns how many hold the role.
func (l *ruleContext) holders() int { return l.s.Recipe.Holders(l.s.Queue) }

// dialect is the ID of the system that runs the election, "" if unknown.
func (l *ruleContext) dialect() string {
	if d := l.s.Dialect; d != nil {
		return d.ID
	}
	return ""
}

// observing reports whether the session is one of electop's observers.
func (l *ruleContext) observing(session uint64) bool {
	if session == l.s.Link.Session {
		return true
	}
	if t := l.s.Table; t != nil {
		for i := range t.Anchors {
			if t.Anchors[i].Session == session {
				return l.owners()[session] == nil
			}
		}
	}
	return false
}

// path is the full path of a child.
func (l *ruleContext) path(name string) string {
	if l.s.Single {
		return l.s.Path
	}
	return znode.Join(l.s.Path, name)
}

// said names a contender in evidence.
func said(c *dialect.Candidate) string {
	text := safe(c.Name)
	if c.Session != 0 {
		text += " of session " + znode.Hex(c.Session)
	}
	return text
}
