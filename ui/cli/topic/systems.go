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
		fmt.Fprintf(&out, "- %s: watches %s.", d.System, d.Watches)
		if acks := d.AckPatterns(); len(acks) > 0 {
			fmt.Fprintf(&out, " The leader has taken over when there is `%s`.", strings.Join(acks, "` or `"))
		}
		if lists := d.StandbyPatterns(); len(lists) > 0 {
			fmt.Fprintf(&out, " Could lead: those in `%s`.", strings.Join(lists, "`, `"))
		}
		fmt.Fprintf(&out, " Source: %s.\n", d.Source)
	}
	out.WriteString("\n## What discover says of them\n\nThis is a search on a tree with these systems in it, some of them in trouble.\n`discover` also prints the system, the age of the leader's znode, and findings.\n\n")
	out.WriteString(text("discovered"))
	return out.String()
}
