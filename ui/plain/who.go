package plain

import (
	"electop/model/dialect"
	"electop/model/phrase"
	"electop/model/znode"
)

// whoOrWhat is Who for a child that may not be a candidate: then its data does not
// say who it is.
func whoOrWhat(c *dialect.Candidate, ignored bool) string {
	if ignored {
		return znode.Safe(c.Name, 0) + "  (not a candidate)"
	}
	return phrase.Who(c)
}
