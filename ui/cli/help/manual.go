package help

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Book holds what all manual pages share.
type Book struct {
	Version string
	Date    time.Time // of the commit; zero: unknown
}

// Write creates dir, and writes the manual pages of root and of its commands.
func (b Book) Write(root *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, cmd := range append([]*cobra.Command{root}, b.pages(root)...) {
		if err := os.WriteFile(filepath.Join(dir, name(cmd)+".1"), b.Page(cmd), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (b Book) pages(root *cobra.Command) []*cobra.Command {
	var out []*cobra.Command
	for _, cmd := range root.Commands() {
		if cmd.IsAvailableCommand() && cmd.GroupID != Topic && !cmd.HasSubCommands() && cmd.Name() != "help" {
			out = append(out, cmd)
		}
	}
	return out
}

func name(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// Page returns the manual page of a command, in roff.
func (b Book) Page(cmd *cobra.Command) []byte {
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	var out bytes.Buffer
	date := ""
	if !b.Date.IsZero() {
		date = b.Date.UTC().Format(time.DateOnly)
	}
	// .nh disables hyphenation, because a hyphenated flag could not be copied.
	fmt.Fprintf(&out, ".nh\n.TH %q %q %q %q %q\n", strings.ToUpper(name(cmd)), "1", date, b.Version, "User Commands")
	fmt.Fprintf(&out, ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n%s\n", roff(name(cmd)), roff(cmd.Short), bold(cmd.UseLine()))
	fmt.Fprintf(&out, ".SH DESCRIPTION\n%s\n", roff(cmp.Or(cmd.Long, cmd.Short)))
	if !cmd.HasParent() {
		out.WriteString(".SH COMMANDS\n")
		for _, c := range b.pages(cmd) {
			fmt.Fprintf(&out, ".TP\n%s(1)\n%s\n", bold(name(c)), roff(c.Short))
		}
		out.WriteString(".SH HELP TOPICS\n")
		for _, c := range cmd.Commands() {
			if c.GroupID == Topic {
				fmt.Fprintf(&out, ".TP\n%s\n%s\n", bold("electop help "+c.Name()), roff(c.Short))
			}
		}
	}
	out.WriteString(".SH OPTIONS\n")
	for _, s := range Sections(cmd) {
		fmt.Fprintf(&out, ".SS %s\n", roff(s.Title))
		s.Flags.VisitAll(func(f *pflag.Flag) { option(&out, f) })
	}
	if cmd.HasExample() {
		fmt.Fprintf(&out, ".SH EXAMPLES\n.EX\n%s\n.EE\n", verbatim(cmd.Example))
	}
	if cmd.HasParent() {
		fmt.Fprintf(&out, ".SH SEE ALSO\n%s(1)\n", bold(name(cmd.Root())))
	}
	return out.Bytes()
}

func option(out *bytes.Buffer, f *pflag.Flag) {
	out.WriteString(".TP\n")
	if f.Shorthand != "" {
		fmt.Fprintf(out, "%s, ", bold("-"+f.Shorthand))
	}
	placeholder, usage := usageOf(f)
	out.WriteString(bold("--" + f.Name))
	if placeholder != "" {
		fmt.Fprintf(out, " \\fI%s\\fP", roff(placeholder))
	}
	fmt.Fprintf(out, "\n%s\n", roff(usage))
}

func bold(s string) string { return `\fB` + roff(s) + `\fP` }

func roff(s string) string { return strings.ReplaceAll(verbatim(s), "\n\n", "\n.PP\n") }

func verbatim(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`).Replace(s)
	return regexp.MustCompile(`(?m)^\.`).ReplaceAllLiteralString(s, `\&.`)
}
