// Package help prints electop's help: the flags of each command in groups ([Group]), topics ([Topics])
// and manual pages ([Book]).
//
// Most topics are Markdown files of this directory. The topics exit-codes, flags, keys and systems are
// generated, some with text from such a file. Topics are shown as plain text.
package help

import (
	"cmp"
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/model/dialect"
	"electop/ui/cli/process"
	"electop/ui/input"
	"electop/ui/plain"
)

//go:embed *.md
var files embed.FS

// Topic is the cobra group of the topics.
const Topic = "topics"

// Topics returns one command for each topic.
func Topics() []*cobra.Command {
	return []*cobra.Command{
		written("authentication", "Credentials: SASL, Kerberos, and ZooKeeper's own schemes"),
		written("command", "A command that runs only while this candidate leads"),
		written("configuration", "The configuration file: clusters by name, and defaults"),
		written("environment", "Environment variables"),
		generated("exit-codes", "What the exit codes mean", func(*cobra.Command) string { return exitCodes() }),
		generated("flags", "Every flag, the commands that have it, and the environment", flags),
		written("json", "The JSON that --json prints, and recordings"),
		generated("keys", "The dashboard's keys", func(*cobra.Command) string { return input.Markdown() + "\n" + text("keys") }),
		written("lease", "When a leader of electop must stop leading, and what its lease assumes"),
		written("metrics", "Metrics for Prometheus, their alert rules, and /healthz"),
		written("operators", "Requests to the servers, what they cost, and what the servers must allow"),
		generated("systems", "The systems whose elections electop recognises", func(*cobra.Command) string { return systems() }),
		written("teaching", "The demo in front of a class"),
	}
}

func written(name, title string) *cobra.Command {
	return generated(name, title, func(*cobra.Command) string { return text(name) })
}

func generated(name, title string, markdown func(root *cobra.Command) string) *cobra.Command {
	show := func(cmd *cobra.Command) error {
		_, err := fmt.Fprint(cmd.OutOrStdout(), render("# "+title+"\n\n"+markdown(cmd.Root())))
		return err
	}
	cmd := &cobra.Command{
		Use: name, Short: title, GroupID: Topic,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return process.Usagef("the help topic %s takes no argument, got %q", name, args[0])
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return show(cmd) },
	}
	cmd.SetHelpFunc(func(cmd *cobra.Command, _ []string) { _ = show(cmd) })
	return cmd
}

// Text joins markdown with the content of an embedded Markdown file, and returns the result as plain text.
func Text(markdown, name string) string { return render(markdown + text(name)) }

func text(name string) string {
	b, err := files.ReadFile(name + ".md")
	if err != nil {
		panic(err) // cannot fail: tests show every topic, and the help of check
	}
	return string(b)
}

func exitCodes() string {
	s := "| code | meaning |\n|---|---|\n"
	for _, c := range process.ExitCodes() {
		s += fmt.Sprintf("| %d | %s |\n", c.Number, c.Meaning)
	}
	return s
}

func flags(root *cobra.Command) string {
	type entry struct{ row, name string }
	var entries []entry
	has := map[entry][]string{} // the commands that have the flag
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
		if cmd.GroupID != Topic {
			visit(cmd.Name(), cmd)
		}
	}
	slices.SortStableFunc(entries, func(a, b entry) int {
		if n := len(has[b]) - len(has[a]); n != 0 {
			return n // the flags of the most commands come first
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
	value, usage := usageOf(f)
	usage = strings.ReplaceAll(usage, "|", " or ")
	return fmt.Sprintf("| %s | %s |\n", strings.TrimSpace(name+" "+strings.ReplaceAll(value, "|", ",")), usage)
}

func usageOf(f *pflag.Flag) (value, usage string) {
	value, usage = pflag.UnquoteUsage(f)
	if !slices.Contains([]string{"", "0", "0s", "false"}, f.DefValue) {
		usage += " (default " + f.DefValue + ")"
	}
	return value, usage
}

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
		if !d.Elects() {
			fmt.Fprintf(&out, " Kind: %s.", d.Kind())
		}
		if acks := d.AckPatterns(); len(acks) > 0 {
			fmt.Fprintf(&out, " The leader has taken over when `%s` exists.", strings.Join(acks, "` or `"))
		}
		if lists := d.StandbyPatterns(); len(lists) > 0 {
			fmt.Fprintf(&out, " The programs listed in `%s` could lead.", strings.Join(lists, "`, `"))
		}
		fmt.Fprintf(&out, " Source: %s.\n", d.Source)
	}
	out.WriteString("\n## What discover prints for them\n\nThis is a search on a tree with these systems, some of them in trouble.\n" +
		"`discover` also prints the system, the age of the leader's znode, and findings.\n\n")
	out.WriteString(text("discovered"))
	return out.String()
}

const (
	columns   = 80
	columnMax = 30 // the maximum width of every column but the last
)

func render(markdown string) string {
	var out strings.Builder
	lines := strings.Split(markdown, "\n")
	for i := 0; i < len(lines); {
		line := lines[i]
		next := i + 1
		block := func(in func(string) bool) []string {
			for next < len(lines) && in(lines[next]) {
				next++
			}
			return lines[i:next]
		}
		switch {
		case line == "":
		case strings.HasPrefix(line, "#"):
			out.WriteString(strings.ToUpper(unmarked(strings.TrimLeft(line, "# "))) + "\n")
		case isCode(line):
			out.WriteString(strings.Join(block(isCode), "\n") + "\n")
		case isTable(line):
			renderTable(&out, block(isTable))
		case strings.HasPrefix(line, "- "):
			item := block(func(s string) bool { return isProse(s) || isContinued(s) })
			out.WriteString(wrap("- ", unmarked(strings.TrimPrefix(strings.Join(item, " "), "- "))))
		default:
			out.WriteString(wrap("", unmarked(strings.Join(block(isProse), " "))))
		}
		if next < len(lines) && lines[next] == "" && line != "" && strings.TrimSpace(strings.Join(lines[next:], "")) != "" {
			out.WriteByte('\n')
		}
		i = next
	}
	return out.String()
}

func isCode(s string) bool      { return strings.HasPrefix(s, "    ") }
func isTable(s string) bool     { return strings.HasPrefix(s, "|") }
func isContinued(s string) bool { return strings.HasPrefix(s, "  ") && !isCode(s) }
func isProse(s string) bool {
	return s != "" && !isCode(s) && !isTable(s) && !strings.HasPrefix(s, "#") && !strings.HasPrefix(s, "- ")
}

func unmarked(s string) string { return strings.ReplaceAll(s, "`", "") }

func wrap(first, s string) string {
	at := ansi.StringWidth(first)
	return first + strings.Join(plain.Wrap(s, columns-at), "\n"+strings.Repeat(" ", at)) + "\n"
}

// renderTable aligns columns, and wraps the last. After another cell wider than columnMax, the row continues below it.
func renderTable(out *strings.Builder, lines []string) {
	var rows [][]string
	for i, line := range lines {
		if i == 1 { // the separator under the header
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(unmarked(cells[i]))
		}
		rows = append(rows, cells)
	}
	wide := make([]int, len(rows[0]))
	for _, cells := range rows {
		for i, cell := range cells[:len(cells)-1] {
			if w := ansi.StringWidth(cell); w <= columnMax {
				wide[i] = max(wide[i], w)
			}
		}
	}
	for _, cells := range rows {
		line, at := "", 0
		for i, cell := range cells[:len(cells)-1] {
			line += cell
			at += wide[i] + 2
			if gap := at - ansi.StringWidth(line); gap >= 2 {
				line += strings.Repeat(" ", gap)
			} else {
				out.WriteString(line + "\n")
				line = strings.Repeat(" ", at)
			}
		}
		out.WriteString(wrap(line, cells[len(cells)-1]))
	}
}
