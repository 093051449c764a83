package doctor

import (
	"fmt"

	"electop/model"
)

const (
	// After sequenceNear, a thousand creates per second use up the other numbers in 41 hours.
	sequenceNear = 2_000_000_000
	sequenceHalf = 1 << 30
)

func sequenceLimit(r *ruleRun) {
	s := r.s
	if s.Phase != model.Live || !s.ParentRead || s.Single {
		return
	}
	find := func(severity Severity, title, evidence string) *draft {
		f := r.find(sequence, "", "{title}", title)
		f.Severity, f.Znodes, f.Evidence = severity, []string{s.Path}, []string{evidence}
		return f
	}
	n, counted := s.Parent.Creates()
	switch first := s.First(); {
	case first != nil && first.HasSequence && first.Sequence < 0:
		f := find(Critical, "sequence numbers have become negative", described(first))
		f.Znodes = append(f.Znodes, r.path(first.Name))
	case !counted:
		find(Critical, "the sequence numbers are used up", "the parent's counter is at 2147483647")
	case n >= sequenceNear:
		find(Warning, "the sequence numbers are nearly used up", fmt.Sprintf("the next number is %d of at most 2147483647", n))
	case n >= sequenceHalf:
		find(Info, "half of the sequence numbers are used up", fmt.Sprintf("at least %d of 2147483648 numbers are used", sequenceHalf))
	}
}
