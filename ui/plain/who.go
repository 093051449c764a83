package plain

import (
	"fmt"

	"electop/model/dialect"
	"electop/model/znode"
)

// Who names a candidate in a line of text: its label and its sequence.
func Who(c *dialect.Candidate) string {
	if c == nil {
		return "nobody"
	}
	label := c.Label()
	if label == c.Name || !c.HasSequence {
		return label
	}
	return fmt.Sprintf("%s (%d)", label, c.Sequence)
}

// whoOrWhat is Who for a child that may not be a candidate: then its data does not
// say who it is.
func whoOrWhat(c *dialect.Candidate, ignored bool) string {
	if ignored {
		return znode.Safe(c.Name, 0) + "  (not a candidate)"
	}
	return Who(c)
}
