// Package admission decides whether our candidates may join an election. It may
// belong to another system: then the user is asked.
package admission

import (
	"fmt"

	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
	"electop/zkwatch/candidate"
)

// Election is what is known about an election before our candidates join it.
type Election struct {
	Known   bool             // it could be read
	dialect *dialect.Dialect // nil: there is no candidate; ours use their own naming
	Foreign int              // candidates that are not electop's
	Behind  string           // the queue that we will join; "" if it is empty
}

// Judge describes the election that our candidates want to join. The error says why
// they cannot.
func Judge(s *doctor.State) (Election, error) {
	e := Election{Known: true, dialect: s.Dialect}
	for _, c := range s.Queue.All() {
		if !candidate.OwnName(c.Name) {
			e.Foreign++
		}
	}
	if n := s.Queue.Len(); n > 0 {
		last := s.Queue.At(n - 1)
		e.Behind = fmt.Sprintf("you will queue behind %s, the last is %s", units.Count(n, "candidate", "candidates"), znode.Safe(last.Name, 0))
		if l := last.Label(); l != last.Name {
			e.Behind += " (" + l + ")"
		}
	}
	if e.dialect != nil && e.Foreign > 0 && e.dialect.Prefix == nil {
		why := e.dialect.Why
		if why == "" {
			why = "it has no place for a third-party candidate"
		}
		return e, fmt.Errorf("electop can't take part in an election of %s: %s", e.dialect.System, why)
	}
	return e, nil
}

// Whose describes the election in a question or a refusal.
func (e Election) Whose() string {
	whose := "an election of third-party candidates"
	if e.dialect != nil && e.dialect.Foreign() {
		whose += " (" + e.dialect.System + ")"
	}
	return whose
}

// Naming is the dialect that our candidates follow, nil for electop's own.
func (e Election) Naming() *dialect.Dialect {
	if e.dialect != nil && e.Foreign > 0 && e.dialect.Foreign() {
		return e.dialect
	}
	return nil
}
