package help

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A Group is the heading of a group of flags in the help.
type Group string

const (
	Connection Group = "Connection"
	Kerberos   Group = "Kerberos"
	Requests   Group = "Requests to the servers"
	Candidates Group = "Candidates"
	Command    Group = "Command to run"
	Search     Group = "Search"
	Checks     Group = "Checks"
	Embedded   Group = "Embedded ZooKeeper"
	Faults     Group = "Random faults"
	Screen     Group = "Screen"
	Output     Group = "Output"
)

func order() []Group {
	return []Group{Connection, Kerberos, Requests, Candidates, Command, Search, Checks, Embedded, Faults, Screen, Output}
}

const annotation = "electop_group"

// Add declares flags of cmd in g; the help keeps the order of declaration.
func (g Group) Add(cmd *cobra.Command, declare func(*pflag.FlagSet)) {
	f := pflag.NewFlagSet(string(g), pflag.ContinueOnError)
	f.SortFlags = false
	declare(f)
	f.VisitAll(func(flag *pflag.Flag) { flag.Annotations = map[string][]string{annotation: {string(g)}} })
	cmd.Flags().SortFlags = false
	cmd.Flags().AddFlagSet(f)
}

// A Section is a heading of the help and the flags below it.
type Section struct {
	Title string
	Flags *pflag.FlagSet
}

// Sections returns the flags of cmd by group; flags without a group come last.
func Sections(cmd *cobra.Command) []Section {
	sets := map[Group]*pflag.FlagSet{}
	visit := func(f *pflag.Flag) {
		var g Group
		if named := f.Annotations[annotation]; len(named) > 0 {
			g = Group(named[0])
		}
		if sets[g] == nil {
			sets[g] = pflag.NewFlagSet(string(g), pflag.ContinueOnError)
			sets[g].SortFlags = false
		}
		sets[g].AddFlag(f)
	}
	cmd.LocalFlags().VisitAll(visit)
	cmd.InheritedFlags().VisitAll(visit)
	var out []Section
	for _, g := range slices.Concat(order(), []Group{""}) {
		if sets[g] == nil || !sets[g].HasAvailableFlags() {
			continue
		}
		title := string(g)
		switch {
		case g == "" && len(out) > 0:
			title = "Other flags"
		case g == "":
			title = "Flags"
		}
		out = append(out, Section{title, sets[g]})
	}
	return out
}

// Similar returns the names that cobra would suggest for s.
func Similar(s string, names []string) []string {
	all := cobra.Command{SuggestionsMinimumDistance: 2} // at most two mistyped letters, or s begins the name
	for _, name := range names {
		all.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	return all.SuggestionsFor(s)
}

// Why returns why f refused a value, or what f accepts. err is the error of f for the value.
func Why(f *pflag.Flag, err error) string {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		err = invalid.Unwrap()
	}
	if errors.Is(err, strconv.ErrRange) {
		return "the number is out of range"
	}
	switch f.Value.Type() {
	case "int":
		return "give a whole number"
	case "uint64":
		return "give a whole number that is not negative"
	case "float64":
		return "give a number"
	case "duration":
		return "give a duration, as in 500ms, 10s or 2m"
	case "bool":
		return "give true or false"
	}
	return err.Error()
}

// usage requires that either all subcommands of a command are in groups, or none of them.
const usage = `Usage:{{if .Runnable}}
  {{.UseLine}}{{end}}{{if .HasAvailableSubCommands}}
  {{.CommandPath}} [command]{{end}}{{if .HasExample}}

Examples:
{{.Example}}{{end}}{{if .HasAvailableSubCommands}}{{$commands := .Commands}}{{if .Groups}}{{range $group := .Groups}}

{{.Title}}{{range $commands}}{{if eq .GroupID $group.ID}}{{template "command" .}}{{end}}{{end}}{{end}}{{else}}

Commands:{{range $commands}}{{template "command" .}}{{end}}{{end}}{{end}}{{range sections .}}

{{.Title}}:
{{trim .Flags.FlagUsages}}{{end}}{{if .HasAvailableSubCommands}}

Use "{{.CommandPath}} [command] --help" for more information about a command.{{end}}
{{define "command"}}{{if or .IsAvailableCommand (eq .Name "help")}}
  {{pad .Name .NamePadding}} {{.Short}}{{end}}{{end}}`

// Usage prints the usage of cmd, for [cobra.Command.SetUsageFunc].
func Usage(cmd *cobra.Command) error {
	t, err := template.New("usage").Funcs(template.FuncMap{
		"sections": Sections,
		"trim":     func(s string) string { return strings.TrimRight(s, " \n") },
		"pad":      func(s string, width int) string { return fmt.Sprintf("%-*s", width, s) },
	}).Parse(usage)
	if err != nil {
		return err
	}
	return t.Execute(cmd.OutOrStderr(), cmd)
}
