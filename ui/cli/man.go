package cli

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/ui/cli/help"
	"electop/ui/cli/process"
)

func newMan(std IO) *cobra.Command {
	dir := ""
	cmd := &cobra.Command{
		Use:               "man [COMMAND]",
		Short:             "Print a manual page, or write one for each command",
		Long:              "Print the manual page of electop or of a COMMAND, for man(1). --dir writes a page for\nelectop and for each command into a directory.",
		Example:           "  electop man | man -l -\n  electop man --dir ~/.local/share/man/man1",
		Hidden:            true,
		ValidArgsFunction: completeHelp,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 1 && dir != "" {
				return process.Usagef("electop man takes one COMMAND, or --dir for all of them")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if c, _, err := cmd.Root().Find([]string{"check"}); err == nil {
				c.Long = checkHelp()
			}
			build := process.ThisBuild()
			book := help.Book{Version: "electop " + cmp.Or(build.Version, "devel"), Date: build.Time}
			if dir != "" {
				if err := book.Write(cmd.Root(), dir); err != nil {
					return fmt.Errorf("manual pages: %w", err)
				}
				return nil
			}
			page, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 || page.GroupID == help.Topic {
				return process.Usagef("no manual page on %q: it is not a command (see electop help)", args[0])
			}
			_, err = std.Out.Write(book.Page(page))
			return err
		},
	}
	help.Output.Add(cmd, func(f *pflag.FlagSet) {
		f.StringVar(&dir, "dir", "", "write a page for each command into `DIRECTORY`")
	})
	return cmd
}
