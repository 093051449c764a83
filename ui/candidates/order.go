package candidates

import (
	"cmp"
	"slices"
	"strings"

	"electop/model"
	"electop/model/doctor"
	"electop/ui/wording"
)

// An order of the rows. Signs and words stay those of the queue: who leads, who is next and
// who watches whom does not depend on it.
type order struct {
	name string // "" for the queue
	// by returns what contenders are compared by. Equal ones stay in the order of the
	// queue.
	by func(s *doctor.State) func(i, j int) int
}

// orders are those to choose from, the queue first. It is never written.
var orders = []order{
	{},
	{"name", func(s *doctor.State) func(i, j int) int {
		names := make([]string, s.Queue.Len())
		for i, c := range s.Queue.All() {
			names[i] = strings.ToLower(c.Label())
		}
		return func(i, j int) int { return cmp.Compare(names[i], names[j]) }
	}},
	{"age, newest first", func(s *doctor.State) func(i, j int) int {
		return func(i, j int) int { return cmp.Compare(s.Queue.At(j).Czxid, s.Queue.At(i).Czxid) }
	}},
	{"session", func(s *doctor.State) func(i, j int) int {
		return func(i, j int) int { return cmp.Compare(s.Queue.At(i).Session, s.Queue.At(j).Session) }
	}},
	{"trouble", func(s *doctor.State) func(i, j int) int {
		grave := make([]int, s.Queue.Len())
		for i := range grave {
			grave[i] = trouble(s, i)
		}
		return func(i, j int) int { return cmp.Compare(grave[j], grave[i]) }
	}},
}

// trouble is how badly off the contender at position i is, 0 for not at all.
func trouble(s *doctor.State, i int) int {
	c := s.Queue.At(i)
	m := s.Member(c)
	switch {
	case s.Risk(c) != nil:
		return 4
	case m != nil && m.Fault != model.NoFault:
		return 3
	case wording.WrongEdge(s.Edge(i)):
		return 2
	case len(s.Findings) > 0 && len(wording.About(s, c)) > 0:
		return 1
	}
	return 0
}

// sort is what brings positions of s into the order, nil for the queue's.
func (o order) sort(s *doctor.State) func(positions []int) {
	if o.by == nil {
		return nil
	}
	return func(positions []int) { slices.SortStableFunc(positions, o.by(s)) }
}
