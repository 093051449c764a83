package topic

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"electop/model/dialect"
)

// systems lists the dialects: first those in which electop can take part, then the
// others by the reason.
func systems() string {
	all := dialect.All()
	slices.SortFunc(all, func(a, b *dialect.Dialect) int {
		return cmp.Or(cmp.Compare(a.Why, b.Why), cmp.Compare(strings.ToLower(a.System), strings.ToLower(b.System)))
	})
	var out strings.Builder
	out.WriteString(text("systems"))
	for i, d := range all {
		switch {
		case i > 0 && d.Why == all[i-1].Why:
		case d.Why == "":
			out.WriteString("\n## electop can take part\n\n")
		default:
			fmt.Fprintf(&out, "\n## electop can only watch\n\nWhy: %s.\n\n", d.Why)
		}
		fmt.Fprintf(&out, "- %s: watches %s. Source: %s.\n", d.System, d.Watches, d.Source)
	}
	return out.String()
}
