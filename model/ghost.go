package model

import (
	"strings"

	"electop/model/dialect"
)

// Ghosts finds the ghosts among the contenders of one session, which are in the queue's
// order: znodes that their client does not know of, because the reply to a create was
// lost and it created another one, known. A candidate of electop, m, reports itself which
// one it knows. Of a third-party client (m is nil) the same guid twice shows it: it
// serves to find the first znode again, so the client wanted only one, and goes by the
// last. Without such evidence a client may want several: latches and threads share its
// session.
func Ghosts(m *Member, owned []*dialect.Candidate) (ghosts []*dialect.Candidate, known *dialect.Candidate) {
	last := make(map[string]*dialect.Candidate, len(owned))
	key := func(c *dialect.Candidate) string { return dialect.Stem(c.Name) }
	if m != nil {
		key = func(*dialect.Candidate) string { return "" }
	}
	for _, c := range owned {
		if m == nil && dialect.HasGuid(c.Name) || m != nil && m.Belief != Volunteering && c.Name == m.Znode && c.Session == m.Session {
			last[key(c)] = c
		}
	}
	for _, c := range owned {
		if goesBy := last[key(c)]; goesBy != nil && goesBy != c && (known == nil || goesBy == known) {
			ghosts, known = append(ghosts, c), goesBy
		}
	}
	return ghosts, known
}

// ghostOf is [State.GhostOf] without building the session's list, because it is asked for
// each change of the queue.
func ghostOf(m *Member, c *dialect.Candidate, queue dialect.Queue) (of string, sure bool) {
	if m == nil && !dialect.HasGuid(c.Name) || m != nil && (m.Belief == Volunteering || m.Session != c.Session) {
		return "", false
	}
	stem := dialect.Stem(c.Name)
	known := c
	for _, x := range queue.All() {
		if x.Session == c.Session && (m != nil && x.Name == m.Znode || m == nil && strings.HasPrefix(x.Name, stem) && dialect.Stem(x.Name) == stem) {
			known = x
		}
	}
	switch {
	case known == c:
		return "", false
	case m != nil:
		return m.Name, true
	}
	return known.Label(), false
}

// GhostOf returns the name of the candidate whose ghost c is (see [Ghosts]), "" for a
// znode that is no ghost. sure means that the owner itself reported another znode; of
// third-party candidates it is only inferred.
func (s *State) GhostOf(c *dialect.Candidate) (of string, sure bool) {
	if c == nil || c.Session == 0 || !s.crowded {
		return "", false
	}
	return ghostOf(s.Member(c), c, s.Queue)
}
