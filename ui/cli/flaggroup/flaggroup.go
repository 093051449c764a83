// Package flaggroup sorts the flags in the help of each command under headings. A flag
// names its group where it is declared; the help needs no text for each command.
package flaggroup

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A Group is a heading in the help of a command, and the flags below it.
type Group string

// The groups.
const (
	Connection Group = "Connection"
	Kerberos   Group = "Kerberos"
	Questions  Group = "Questions to the servers"
	Election   Group = "Election"
	Candidates Group = "Candidates"
	Command    Group = "Command to run"
	Search     Group = "Search"
	Embedded   Group = "Embedded ZooKeeper"
	Faults     Group = "Random faults"
	Screen     Group = "Screen"
	Output     Group = "Output"
)

// order is how the help lists the groups.
func order() []Group {
	return []Group{Connection, Kerberos, Questions, Election, Candidates, Command, Search, Embedded, Faults, Screen, Output}
}

// annotation is where a flag keeps its group.
const annotation = "electop_group"

// Add declares flags of cmd in g. They appear in the help in the order in which they are
// declared.
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

// Sections are the flags of cmd by group, local and inherited ones alike. Flags without
// a group, such as --help, come last.
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
