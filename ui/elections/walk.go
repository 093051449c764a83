package elections

import (
	"time"

	"electop/model/doctor"
)

// Walk is a search for elections, as far as it has got.
type Walk struct {
	Root            string
	Found           []Found // in the order of their finding
	Visited, Denied int     // znodes read, and those that could not be
	Skipped         int     // znodes that were not read
	Running         bool
	Stopped         string    // which bound ended it early, "" for none
	Err             string    // why it failed, "" if it did not
	Next            time.Time // when it is searched again, if the list is on the screen then
}

// Found is an election that a [Walk] found.
type Found struct {
	Path    string
	State   *doctor.State // after the read of the search
	Waiting int           // or could take over where there is no queue; -1: not visible
}
