package grid

import (
	"time"

	"electop/model/doctor"
	"electop/ui/rows"
)

// Shown is what the grid shows.
type Shown struct {
	State     *doctor.State
	Rows      rows.List
	Index     int       // of the selected row
	PointedAt string    // ID of the member that a lesson is about, "" for none
	Since     time.Time // no deletion before is shown
	Moment    bool      // a moment of the past is shown, nothing in slow motion
}
