package search

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/ui/cli/exit"
	"electop/ui/cli/flaggroup"
)

// The default bounds of a search. A busy ensemble must not notice it.
const (
	defaultDepth = 8
	defaultNodes = 10_000
	defaultRate  = 200 // requests a second
)

// Options say where to search, and bound it.
type Options struct {
	Root  string
	depth int
	nodes int
	rate  float64
	all   bool
}

// Below returns the default options of a search below root.
func Below(root string) Options {
	return Options{Root: root, depth: defaultDepth, nodes: defaultNodes, rate: defaultRate}
}

// Near returns the options of a quick look below root, where the user expected an
// election.
func Near(root string) Options {
	return Options{Root: root, depth: 4, nodes: 300, rate: 1000}
}

// Flags declares the bounds as flags.
func (o *Options) Flags(cmd *cobra.Command) {
	flaggroup.Search.Add(cmd, func(f *pflag.FlagSet) {
		f.IntVar(&o.nodes, "max-nodes", defaultNodes, "read at most `N` znodes")
		f.BoolVar(&o.all, "all", false, "show lists of members too (registered servers, services)")
		f.Float64Var(&o.rate, "rate", defaultRate, "send at most `N` requests a second")
	})
	o.depth = defaultDepth
	flaggroup.Removed(cmd, "depth", fmt.Sprintf("the search goes %d levels deep: give a ROOT further down to go deeper", defaultDepth))
}

// Check refuses bounds that no search can have.
func (o Options) Check() error {
	switch {
	case o.nodes < 1:
		return exit.Usagef("--max-nodes %d: at least 1", o.nodes)
	case !(o.rate > 0 && o.rate <= 1e6):
		return exit.Usagef("--rate %v: more than 0, and at most 1000000", o.rate)
	}
	return nil
}
