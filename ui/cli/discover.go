package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/go-zookeeper/zk"
	"github.com/spf13/cobra"

	"electop/model/units"
	"electop/ui/plain"
	"electop/zkwatch/discover"
	"electop/zkwatch/feed"
)

// walkOptions bound a search for elections.
type walkOptions struct {
	root  string
	depth int
	nodes int
	rate  float64
}

func newDiscover(std IO) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "discover [ROOT]",
		Short: "List the elections below a znode: whose, who leads, how many wait",
		Args: func(cmd *cobra.Command, args []string) error {
			o.walk.root = "/"
			switch {
			case len(args) > 1:
				return usagef("one ROOT at a time, got %d (see %s --help)", len(args), cmd.CommandPath())
			case len(args) == 1 && args[0] != "/":
				o.walk.root = args[0]
				return checkPath(args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return runDiscover(cmd.Context(), o, std) },
	}
	o.clusterFlags(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.json, "json", false, "print JSON")
	f.IntVar(&o.walk.depth, "depth", walkDepth, "look no more than `N` levels below ROOT")
	f.IntVar(&o.walk.nodes, "max-nodes", walkNodes, "look at no more than `N` znodes")
	f.Float64Var(&o.walk.rate, "rate", walkRate, "send no more than `N` requests a second")
	o.logFlag(cmd)
	return cmd
}

func (w walkOptions) check() error {
	switch {
	case w.depth < 1 || w.depth > 1000:
		return usagef("--depth %d: between 1 and 1000", w.depth)
	case w.nodes < 1:
		return usagef("--max-nodes %d: at least 1", w.nodes)
	case !(w.rate > 0 && w.rate <= 1e6):
		return usagef("--rate %v: more than 0, and at most 1000000", w.rate)
	}
	return nil
}

func runDiscover(ctx context.Context, o *options, std IO) error {
	o.path = defaultPath // of no meaning here
	if err := o.walk.check(); err != nil {
		return err
	}
	_, cfg, done, err := o.cluster()
	if err != nil {
		return err
	}
	defer done()
	defer std.secondSignal(ctx)()
	conn, err := connectOnce(ctx, cfg, o.connectTimeout)
	if err != nil {
		return err
	}
	defer conn.Close()
	s := newSearch(discover.Config{Root: o.walk.root, Depth: o.walk.depth, Nodes: o.walk.nodes, PerSecond: o.walk.rate, Now: feed.Now})
	said := s.progress(std)
	err = s.run(ctx, conn)
	said()
	slices.SortFunc(s.found, func(a, b plain.Found) int { return strings.Compare(a.State.Path, b.State.Path) })
	d := plain.Discovery{Root: o.walk.root, Elections: s.found, Visited: s.at.Visited, Denied: s.at.Denied, Skipped: s.at.Skipped, Skips: skips(s.at), Stopped: s.at.Stopped}
	switch {
	case ctx.Err() != nil:
		d.Stopped, err = "interrupted", errInterrupted
	case errors.Is(err, zk.ErrNoNode):
		return missing(o.walk.root, cfg.Servers)
	case err != nil:
		err = fmt.Errorf("discover below %s: %w", o.walk.root, err)
		d.Stopped = "failed"
	}
	if failed := printOnce(std, o.json, d.JSON(), func() error { return d.Text(std.Out) }); failed != nil {
		return failed
	}
	return err
}

// progress says on a terminal how far the search got, on one line that the
// returned function clears.
func (s *search) progress(std IO) (clear func()) {
	f, ok := std.Err.(*os.File)
	if !ok || !term.IsTerminal(f.Fd()) {
		return func() {}
	}
	s.changed = func() {
		fmt.Fprintf(f, "\r\x1b[K%s, %s", units.Count(s.at.Visited, "znode", "znodes"), units.Count(len(s.found), "election", "elections"))
	}
	return func() { fmt.Fprint(f, "\r\x1b[K") }
}
