package elections

import (
	"time"

	"electop/ui/plain"
)

// Walk is a search for elections, as far as it has got.
type Walk struct {
	plain.Discovery
	Running bool
	Err     string    // why it failed, "" if it did not
	Next    time.Time // when it is searched again, if the list is on the screen then
}
