package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/ui/cli/help"
	"electop/ui/cli/process"
)

// removedFlags are flags that no longer exist, each with what replaces it.
var removedFlags = map[string]string{
	"ack":              "electop follows the acknowledgement of the system that it recognises",
	"admin-interval":   "the servers are asked every 5s for what costs them almost nothing",
	"admin-listen":     "electop serve has it",
	"data":             "the embedded server keeps its data in memory",
	"depth":            "the search goes 8 levels deep: give a ROOT further down to go deeper",
	"exec-timeout":     "CMD is killed after 30 s",
	"follow":           "electop watches, and reads where that costs less",
	"max-client-cnxns": "electop serve has it",
	"metrics":          "electop exporter serves the metrics",
	"tree":             "the embedded server keeps its data in memory",
}

// flagError is the error of a flag that could not be read.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		name := unknown.GetSpecifiedName()
		if instead := removedFlags[name]; instead != "" {
			return process.Usagef("--%s was removed: %s", name, instead)
		}
		return process.Usagef("%v%s (see %s --help)", err, meantFlag(cmd, name), cmd.CommandPath())
	}
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return process.Usagef("%v (see %s --help)", err, cmd.CommandPath())
	}
	f := invalid.GetFlag()
	return process.Usagef("--%s %q: %s (see %s --help)", f.Name, invalid.GetValue(), help.Why(f, err), cmd.CommandPath())
}

// meantFlag says which flag of cmd may be meant by a name that is none, "" if unknown.
func meantFlag(cmd *cobra.Command, name string) string {
	names := &cobra.Command{SuggestionsMinimumDistance: 2} // cobra compares names of commands
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		names.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
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
		return process.Usagef("no command %q: %s A PATH starts with /, as in /election", word, meant)
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
