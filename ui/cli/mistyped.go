package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/ui/cli/exit"
	"electop/ui/cli/flaggroup"
)

// flagError is the error of a flag that could not be read.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		return exit.Usagef("%v%s (see %s --help)", err, meantFlag(cmd, unknown.GetSpecifiedName()), cmd.CommandPath())
	}
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return exit.Usagef("%v (see %s --help)", err, cmd.CommandPath())
	}
	f := invalid.GetFlag()
	if f.Value.Type() == flaggroup.RemovedType {
		return exit.Usagef("%v", invalid.Unwrap())
	}
	return exit.Usagef("--%s %q: %s (see %s --help)", f.Name, invalid.GetValue(), flaggroup.Why(f, err), cmd.CommandPath())
}

// meantFlag says which flag of cmd may be meant by a name that is none, "" if unknown.
func meantFlag(cmd *cobra.Command, name string) string {
	names := &cobra.Command{SuggestionsMinimumDistance: 2} // cobra compares names of commands
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
		}
	})
	similar := names.SuggestionsFor(name)
	if len(name) < 2 || len(similar) == 0 {
		return ""
	}
	return ": did you mean --" + strings.Join(similar[:min(3, len(similar))], " or --") + "?"
}

// noCommand refuses a word that is not a command, where the user meant one.
func noCommand(cmd *cobra.Command, word string) error {
	if cmd.HasParent() || word == "" || strings.HasPrefix(word, "/") {
		return nil
	}
	if meant := meantCommand(cmd, word); meant != "" {
		return exit.Usagef("no command %q: %s A PATH starts with /, as in /election", word, meant)
	}
	return nil
}

// meantCommand says which command may be meant by a word that is none, "" if unknown.
func meantCommand(root *cobra.Command, word string) string {
	if word == "version" {
		return "electop --version prints the version."
	}
	similar := root.SuggestionsFor(word)
	if len(similar) == 0 {
		return ""
	}
	return "did you mean electop " + strings.Join(similar, " or electop ") + "?"
}
