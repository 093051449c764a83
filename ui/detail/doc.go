// Package detail has the texts that fill the screen on request: everything about one
// candidate, the doctor's findings, and what the members of the ensemble report.
package detail

import (
	"time"

	"electop/model/doctor"
	"electop/ui/rows"
)

// Panel is what the texts are made from.
type Panel struct {
	State  *doctor.State
	Row    rows.Row  // the candidate
	ReadAt time.Time // when its data was read again, zero: it was not
	Stale  string    // how old the picture is, "" for a current one
	Asking bool      // the servers are being asked now
	Why    string    // why they cannot be asked, "" if they can
}
