package candidates

import (
	"electop/model/doctor"
	"electop/ui/rows"
)

// table is the queue as a frame shows it: who leads, and what each of the others watches.
type table struct {
	State     *doctor.State
	Rows      *rows.List
	Index     int    // of the selected row
	top       int    // first contender in view
	PointedAt string // ID of the member that a lesson is about, "" for none
}
