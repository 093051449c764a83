package topic

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flags lists the flags of all commands, grouped by the commands that have them.
func flags(root *cobra.Command) string {
	type entry struct{ row, name string }
	var entries []entry // each once
	has := map[entry][]string{}
	visit := func(command string, cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "help" || f.Name == "version" {
				return
			}
			e := entry{flagRow(f), f.Name}
			if has[e] == nil {
				entries = append(entries, e)
			}
			has[e] = append(has[e], command)
		})
	}
	visit("dashboard", root)
	for _, cmd := range root.Commands() {
		if cmd.GroupID != Group {
			visit(cmd.Name(), cmd)
		}
	}
	slices.SortStableFunc(entries, func(a, b entry) int {
		if n := len(has[b]) - len(has[a]); n != 0 {
			return n // flags of most commands come first
		}
		if n := strings.Compare(strings.Join(has[a], ""), strings.Join(has[b], "")); n != 0 {
			return n
		}
		return strings.Compare(a.name, b.name)
	})
	var out strings.Builder
	out.WriteString(text("flags"))
	last := ""
	for _, e := range entries {
		if commands := strings.Join(has[e], ", "); commands != last {
			fmt.Fprintf(&out, "\n%s:\n\n| flag | meaning |\n|---|---|\n", commands)
			last = commands
		}
		out.WriteString(e.row)
	}
	return out.String() + "\n## Environment\n\n" + text("environment")
}

func flagRow(f *pflag.Flag) string {
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	value, usage := pflag.UnquoteUsage(f)
	usage = strings.ReplaceAll(usage, "|", " or ")
	switch f.DefValue {
	case "", "0", "0s", "false":
	default:
		usage += " (default " + f.DefValue + ")"
	}
	return fmt.Sprintf("| %s | %s |\n", strings.TrimSpace(name+" "+strings.ReplaceAll(value, "|", ",")), usage)
}
