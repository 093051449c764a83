package messages

import (
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

// lanes are the selected candidate and the one that depends on it: its watcher, or for
// the last one whom it watches, or for one without a znode who is first. They are in
// the order of the queue.
func lanes(s *doctor.State, selected rows.Row) (left, right lane) {
	i := selected.Position
	if i < 0 || i >= len(s.Queue) {
		if selected.Member == nil {
			return at(s, 0), at(s, 1)
		}
		left = laneOf(selected)
		if first := rows.Leader(s); first.Candidate != nil {
			right = laneOf(first)
		}
		return left, right
	}
	for j := i + 1; j < len(s.Queue) && j <= i+watcherMax; j++ {
		if to, ok := s.Recipe.Watches(s.Queue, j); ok && to == i {
			return at(s, i), at(s, j)
		}
	}
	if to, ok := s.Recipe.Watches(s.Queue, i); ok && to != i {
		return at(s, to), at(s, i)
	}
	return at(s, i), lane{}
}

// watcherMax is how far behind a candidate its watcher is searched: read locks wait for
// one that may be far ahead.
const watcherMax = 100

// at is the lane of a position in the queue.
func at(s *doctor.State, i int) lane {
	if i < 0 || i >= len(s.Queue) {
		return lane{}
	}
	return laneOf(rows.Row{Candidate: s.Queue[i], Member: s.Member(s.Queue[i]), Position: i})
}

func (l *lane) name() string { return znode.Safe(l.row.Name(), rows.NameMax) }
