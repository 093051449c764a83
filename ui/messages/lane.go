package messages

import (
	"slices"

	"electop/model"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/ui/rows"
	"electop/ui/term"
)

// lane is a candidate at one side of the ladder. The zero lane is nobody's.
type lane struct {
	row     rows.Row
	member  string // [model.Member.ID], "" for a candidate that is not ours
	session uint64
}

func laneOf(r rows.Row) lane {
	l := lane{row: r}
	if r.Candidate != nil {
		l.session = r.Candidate.Session
	}
	if r.Member != nil {
		l.member = r.Member.ID
		if l.session == 0 {
			l.session = r.Member.Session
		}
	}
	return l
}

// has reports whether a message to that member or session is the lane's.
func (l *lane) has(member string, session uint64) bool {
	return l.member != "" && member == l.member || l.session != 0 && session == l.session
}

// style is that of the lane's name.
func (l *lane) style() term.Style {
	m := l.row.Member
	switch {
	case m != nil && m.Fault != model.NoFault, l.row.Candidate == nil:
		return term.Trouble
	case l.row.Position == 0:
		return term.Lead
	}
	return term.Strong
}

// lanes are the selected candidate and another one, in the order of the queue: the one
// that depends on it or, if that has no messages, the one that has the newest.
func lanes(s *doctor.State, selected rows.Row) (left, right lane) {
	if selected.Ref() == (rows.Ref{}) {
		selected = at(s, 0).row
	}
	own, other := laneOf(selected), partner(s, selected)
	if other == (lane{}) || !other.talks(s) {
		if l := newest(s, &own); l != (lane{}) {
			other = l
		}
	}
	if other.row.Candidate != nil && (own.row.Candidate == nil || other.row.Position < own.row.Position) {
		return other, own
	}
	return own, other
}

// partner is who watches a candidate, or for the last one whom it watches, or for one
// without a znode who is first.
func partner(s *doctor.State, of rows.Row) lane {
	i := of.Position
	if of.Candidate == nil || i < 0 || i >= s.Queue.Len() {
		return at(s, 0)
	}
	for j := i + 1; j < s.Queue.Len() && j <= i+watcherMax; j++ {
		if to, ok := s.Recipe.Watches(s.Queue, j); ok && to == i {
			return at(s, j)
		}
	}
	if to, ok := s.Recipe.Watches(s.Queue, i); ok && to != i {
		return at(s, to)
	}
	return lane{}
}

// talks reports whether there is a message of the lane.
func (l *lane) talks(s *doctor.State) bool {
	for i := range s.Exchanges {
		if x := &s.Exchanges[i]; l.has(x.Member, x.Session) {
			return true
		}
	}
	if s.Pace != nil {
		for i := range s.Pace.Held {
			if m := &s.Pace.Held[i]; l.has(memberWith(s, m.Session), m.Session) {
				return true
			}
		}
	}
	return false
}

// newest is the lane of the candidate that has the newest message, but for one.
func newest(s *doctor.State, but *lane) lane {
	find := func(member string, session uint64) (lane, bool) {
		if but.has(member, session) {
			return lane{}, false
		}
		for i, c := range s.Queue.All() {
			if c.Session == session && session != 0 {
				return at(s, i), true
			}
		}
		for _, m := range s.WithoutZnode() {
			if m.ID == member || m.Session == session && session != 0 {
				return laneOf(rows.Row{Member: m, Position: -1}), true
			}
		}
		return lane{}, false
	}
	if s.Pace != nil {
		for _, m := range slices.Backward(s.Pace.Held) {
			if l, ok := find(memberWith(s, m.Session), m.Session); ok {
				return l
			}
		}
	}
	for _, x := range slices.Backward(s.Exchanges) {
		if l, ok := find(x.Member, x.Session); ok {
			return l
		}
	}
	return lane{}
}

// watcherMax is how far behind a candidate its watcher is searched: read locks wait for
// one that may be far ahead.
const watcherMax = 100

// at is the lane of a position in the queue.
func at(s *doctor.State, i int) lane {
	if i < 0 || i >= s.Queue.Len() {
		return lane{}
	}
	return laneOf(rows.Row{Candidate: s.Queue.At(i), Member: s.Member(s.Queue.At(i)), Position: i})
}

func (l *lane) name() string { return znode.Safe(l.row.Name(), rows.NameMax) }
