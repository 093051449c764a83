// Package topic is the help that does not belong to one command: formats, keys,
// systems, exit codes. Part of it is generated (keys from the dashboard's bindings,
// systems from the dialects, flags from the commands); the rest is in the Markdown
// files here. All of it is shown as plain text.
package topic

import (
	"embed"
	"fmt"

	"github.com/spf13/cobra"

	"electop/ui/cli/exit"
	"electop/ui/input"
)

//go:embed *.md
var files embed.FS

// Group is the group of the commands in the help of the root.
const Group = "topics"

// Commands returns a command for each topic, which prints it.
func Commands() []*cobra.Command {
	return []*cobra.Command{
		written("authentication", "Credentials: SASL, Kerberos, and ZooKeeper's own schemes"),
		written("command", "A command that runs only while this candidate leads"),
		written("configuration", "The configuration file: clusters by name, and defaults"),
		written("environment", "Environment variables"),
		generated("exit-codes", "What the exit codes mean", func(*cobra.Command) string { return exitCodes() }),
		generated("flags", "Every flag, the commands that have it, and the environment", flags),
		written("json", "The JSON that --json prints, and recordings"),
		generated("keys", "The dashboard's keys", func(*cobra.Command) string { return input.Markdown() + "\n" + text("keys") }),
		written("lease", "When a leader of electop must stop leading, and what that rests on"),
		written("metrics", "Metrics for Prometheus, their alert rules, and /healthz"),
		written("operators", "What electop asks the servers, what it costs, and what they must allow"),
		generated("systems", "The systems whose elections electop recognises", func(*cobra.Command) string { return systems() }),
		written("teaching", "The demo in front of a class"),
	}
}

func written(name, title string) *cobra.Command {
	return generated(name, title, func(*cobra.Command) string { return text(name) })
}

// generated is a topic whose Markdown is made when the topic is shown.
func generated(name, title string, markdown func(root *cobra.Command) string) *cobra.Command {
	show := func(cmd *cobra.Command) error {
		_, err := fmt.Fprint(cmd.OutOrStdout(), render("# "+title+"\n\n"+markdown(cmd.Root())))
		return err
	}
	cmd := &cobra.Command{
		Use: name, Short: title, GroupID: Group,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return exit.Usagef("the help topic %s takes no argument, got %q", name, args[0])
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return show(cmd) },
	}
	cmd.SetHelpFunc(func(cmd *cobra.Command, _ []string) { _ = show(cmd) })
	return cmd
}

// text is an embedded file.
func text(name string) string {
	b, err := files.ReadFile(name + ".md")
	if err != nil {
		panic(err) // embedded: a test shows every topic
	}
	return string(b)
}

func exitCodes() string {
	s := "| code | meaning |\n|---|---|\n"
	for _, c := range exit.Codes() {
		s += fmt.Sprintf("| %d | %s |\n", c.Number, c.Meaning)
	}
	return s
}
