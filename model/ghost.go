package model

import (
	"slices"
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

// ghostOf is [State.GhostOf] for a contender of these.
func ghostOf(m *Member, c *dialect.Candidate, owned []*dialect.Candidate) (of string, sure bool) {
	ghosts, known := Ghosts(m, owned)
	switch {
	case !slices.Contains(ghosts, c):
		return "", false
	case m != nil:
		return m.Name, true
	}
	return known.Label(), false
}

// firstGhost is [State.GhostOf] of the first contender, for each change of the queue: it
// compares names only with those of the first one's session.
func firstGhost(m *Member, queue dialect.Queue) (of string, sure bool) {
	head := queue.At(0)
	if m == nil && !dialect.HasGuid(head.Name) || m != nil && (m.Belief == Volunteering || m.Session != head.Session || m.Znode == head.Name) {
		return "", false
	}
	stem := dialect.Stem(head.Name)
	var known *dialect.Candidate
	for i, c := range queue.All() {
		if i > 0 && c.Session == head.Session && (m != nil && c.Name == m.Znode || m == nil && strings.HasPrefix(c.Name, stem) && dialect.Stem(c.Name) == stem) {
			known = c
		}
	}
	switch {
	case known == nil:
		return "", false
	case m != nil:
		return m.Name, true
	}
	return known.Label(), false
}

// ownedBy returns the contenders of a session.
func ownedBy(queue dialect.Queue, session uint64) (owned []*dialect.Candidate) {
	for _, c := range queue.All() {
		if c.Session == session {
			owned = append(owned, c)
		}
	}
	return owned
}

// GhostOf returns the name of the candidate whose ghost c is (see [Ghosts]), "" for a
// znode that is no ghost. sure means that the owner itself reported another znode; of
// third-party candidates it is only inferred.
func (s *State) GhostOf(c *dialect.Candidate) (of string, sure bool) {
	if c == nil || c.Session == 0 || !s.crowded {
		return "", false
	}
	return ghostOf(s.Member(c), c, ownedBy(s.Queue, c.Session))
}
