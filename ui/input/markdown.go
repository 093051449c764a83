package input

import (
	"cmp"
	"fmt"
	"strings"
)

// longHelp says more than the footer has room for.
func longHelp(b Binding) string { return cmp.Or(b.Long, b.Help().Desc) }

// Markdown returns the table of keys for electop help keys.
func Markdown() string {
	var out strings.Builder
	table := Bindings(false)
	for i, m := range modes {
		if i > 0 {
			out.WriteByte('\n')
		}
		title := m.title
		if m.mode == ModeHelp {
			title = "In the help"
		}
		fmt.Fprintf(&out, "%s:", title)
		if m.note != "" {
			fmt.Fprintf(&out, " %s", strings.ToLower(m.note[:1])+m.note[1:])
		}
		out.WriteString("\n\n| key | does |\n|---|---|\n")
		for _, b := range table {
			if b.Modes&m.mode == 0 {
				continue
			}
			var keys []string
			for _, k := range b.Keys() {
				if k == " " {
					k = "space"
				}
				keys = append(keys, "`"+strings.ReplaceAll(k, "+", "-")+"`")
			}
			fmt.Fprintf(&out, "| %s | %s |\n", strings.Join(keys, " "), longHelp(b))
		}
	}
	return out.String()
}
