package candidates

import (
	"math"
	"strings"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/ui/rows"
	"electop/ui/wording"
)

// orders are those of the rows to choose from, the queue first. Signs and words stay those
// of the queue: who leads, who is next and who watches whom does not depend on it. It is
// never written.
var orders = []*rows.Order{
	nil,
	{Name: "name", Key: func(c *dialect.Candidate) rows.Key { return rows.Key{Text: strings.ToLower(c.Label())} }},
	{Name: "age, newest first", Key: func(c *dialect.Candidate) rows.Key { return rows.Key{Number: math.MaxUint64 - uint64(c.Czxid)} }},
	{Name: "session", Key: func(c *dialect.Candidate) rows.Key { return rows.Key{Number: c.Session} }},
	{Name: "trouble", Rises: trouble},
}

// trouble is how badly off the contender at position i is, 0 for not at all.
func trouble(s *doctor.State, c *dialect.Candidate, i int) int {
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
