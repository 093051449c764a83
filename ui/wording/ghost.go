package wording

import (
	"electop/model/doctor"
	"electop/model/znode"
	"electop/ui/rows"
)

// GhostOf is [doctor.State.GhostOf] of a row's znode, safe to show.
func GhostOf(s *doctor.State, r rows.Row) (of string, sure bool) {
	of, sure = s.GhostOf(r.Candidate)
	return znode.Safe(of, rows.NameMax), sure
}
