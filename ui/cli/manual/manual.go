// Package manual writes the commands' help as pages for man(1). A page is Markdown, which
// go-md2man makes roff of; the flags are under the headings of the help.
package manual

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/ui/cli/flaggroup"
)

// Book is what all pages have in common.
type Book struct {
	Version string
	Date    time.Time // of the build; the zero time: unknown
	Topics  string    // the group of the commands that only explain something
}

// Page returns the page of a command, in roff.
func (b Book) Page(cmd *cobra.Command) []byte { return md2man.Render([]byte(b.markdown(cmd))) }

// Write writes a page for each command and topic below root into dir.
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

// pages are the commands below root that have a page. A topic has none: electop help
// shows it.
func (b Book) pages(root *cobra.Command) []*cobra.Command {
	var out []*cobra.Command
	for _, cmd := range root.Commands() {
		if cmd.IsAvailableCommand() && cmd.GroupID != b.Topics && !cmd.HasSubCommands() && cmd.Name() != "help" {
			out = append(out, cmd)
		}
	}
	return out
}

func name(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

func (b Book) markdown(cmd *cobra.Command) string {
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	var out strings.Builder
	date := ""
	if !b.Date.IsZero() {
		date = b.Date.UTC().Format(time.DateOnly)
	}
	fmt.Fprintf(&out, "%% %q %q %q %q %q\n", strings.ToUpper(name(cmd)), "1", date, b.Version, "User Commands")
	fmt.Fprintf(&out, "# NAME\n%s \\- %s\n\n# SYNOPSIS\n**%s**\n\n", name(cmd), escape(cmd.Short), escape(cmd.UseLine()))
	description := cmd.Long
	if description == "" {
		description = cmd.Short
	}
	fmt.Fprintf(&out, "# DESCRIPTION\n%s\n\n", escape(description))
	if !cmd.HasParent() {
		out.WriteString("# COMMANDS\n")
		for _, c := range b.pages(cmd) {
			fmt.Fprintf(&out, "**%s**(1)\n: %s\n\n", name(c), escape(c.Short))
		}
		out.WriteString("# HELP TOPICS\n")
		for _, c := range cmd.Commands() {
			if c.GroupID == b.Topics {
				fmt.Fprintf(&out, "**electop help %s**\n: %s\n\n", c.Name(), escape(c.Short))
			}
		}
	}
	out.WriteString("# OPTIONS\n")
	for _, s := range flaggroup.Sections(cmd) {
		fmt.Fprintf(&out, "## %s\n", escape(s.Title))
		s.Flags.VisitAll(func(f *pflag.Flag) { option(&out, f) })
	}
	if cmd.HasExample() {
		fmt.Fprintf(&out, "# EXAMPLES\n```\n%s\n```\n\n", cmd.Example)
	}
	if cmd.HasParent() {
		fmt.Fprintf(&out, "# SEE ALSO\n**%s**(1)\n", name(cmd.Root()))
	}
	return out.String()
}

// option writes one flag with its placeholder and its default.
func option(out *strings.Builder, f *pflag.Flag) {
	if f.Hidden {
		return
	}
	if f.Shorthand != "" {
		fmt.Fprintf(out, "**-%s**, ", f.Shorthand)
	}
	placeholder, usage := pflag.UnquoteUsage(f)
	fmt.Fprintf(out, "**--%s**", f.Name)
	if placeholder != "" {
		fmt.Fprintf(out, " *%s*", escape(placeholder))
	}
	switch f.DefValue {
	case "", "0", "0s", "false":
	default:
		usage += " (default " + f.DefValue + ")"
	}
	fmt.Fprintf(out, "\n: %s\n\n", escape(usage))
}

// escape keeps text from being read as Markdown.
func escape(text string) string {
	var out strings.Builder
	for _, r := range text {
		if strings.ContainsRune("\\`*_{}[]#|&<>~", r) {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}
