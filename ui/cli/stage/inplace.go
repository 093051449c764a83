package stage

import (
	"electop/model"
	"electop/model/doctor"
)

// InPlace reports whether the election has n candidates of ours, no others, and
// each of them leads or watches as it should.
func InPlace(s *doctor.State, n int) bool {
	if s.Phase != model.Live || len(s.Queue) != n || len(s.Members) != n {
		return false
	}
	for i, c := range s.Queue {
		m := s.Member(c)
		switch {
		case m == nil || m.Fault != model.NoFault || m.Znode != c.Name:
			return false
		case i == 0 && m.Belief != model.Leading, i > 0 && m.Belief != model.Waiting:
			return false
		}
	}
	return s.Ack.Path == "" || s.Acknowledged()
}
