package doctor

import (
	"fmt"

	"electop/model"
)

const (
	// sequenceNear: at a thousand creates a second the rest lasts a day and a half.
	sequenceNear = 2_000_000_000
	sequenceHalf = 1 << 30
)

// sequenceLimit finds counters near 2^31 and names beyond it.
func sequenceLimit(r *report) {
	s := r.s
	if s.Phase != model.Live || !s.ParentRead || s.Single {
		return
	}
	f := Finding{
		Harm:       "Servers from 3.6 on refuse every sequential create after number 2147483647; older ones continue with negative numbers, which sort before all others.",
		Advice:     "Use another parent, or delete and recreate this one while the queue is empty: a new parent counts from 0.",
		References: []string{"kazoo#730", "ZOOKEEPER-3249"},
		Znodes:     []string{s.Path},
	}
	n, counted := s.Parent.Creates()
	switch {
	case s.Queue.Len() > 0 && s.Queue.At(0).HasSequence && s.Queue.At(0).Sequence < 0:
		f.Severity, f.Title = Critical, "sequence numbers have become negative"
		f.Evidence = []string{said(s.Queue.At(0))}
		f.Znodes = append(f.Znodes, r.path(s.Queue.At(0).Name))
	case !counted:
		f.Severity, f.Title = Critical, "the sequence numbers are used up"
		f.Evidence = []string{"the parent's counter is at 2147483647"}
	case n >= sequenceNear:
		f.Severity, f.Title = Warning, "the sequence numbers are nearly used up"
		f.Evidence = []string{fmt.Sprintf("the next number is %d of at most 2147483647", n)}
	case n >= sequenceHalf:
		f.Severity, f.Title = Info, "half of the sequence numbers are used up"
		f.Evidence = []string{fmt.Sprintf("more than %d of at most 2147483647 numbers are used", sequenceHalf)}
	default:
		return
	}
	r.find("", f, hold{})
}
