package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-zookeeper/zk"
	"github.com/spf13/cobra"

	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/cli/connect"
	"electop/ui/cli/exit"
	"electop/ui/cli/search"
	"electop/ui/cli/terminal"
	"electop/ui/cli/watch"
	"electop/ui/plain"
	"electop/zkwatch/client"
)

func newDiscover(std IO) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:     "discover [ROOT]",
		Short:   "Find elections: which system, who leads, how many wait",
		Long:    "Find the elections below ROOT: which system, who leads, how many wait.\nROOT is / if it is not given.",
		Example: "  electop discover -s zk1\n  electop discover /apps -s zk1 --max-nodes 1000 --json",
		Args: o.settled(func(cmd *cobra.Command, args []string) error {
			o.search.Root = "/"
			switch {
			case len(args) > 1:
				return exit.Usagef("one ROOT at a time, got %d (see %s --help)", len(args), cmd.CommandPath())
			case len(args) == 1 && args[0] != "/":
				var err error
				o.search.Root, err = watch.CheckPath(args[0])
				return err
			}
			return nil
		}),
		ValidArgsFunction: o.completeRoots,
		RunE:              func(cmd *cobra.Command, _ []string) error { return runDiscover(cmd.Context(), o, std) },
	}
	o.cluster.Flags(cmd)
	o.jsonFlag(cmd, "print JSON")
	o.search.Flags(cmd)
	o.logFlag(cmd)
	return cmd
}

func runDiscover(ctx context.Context, o *options, std IO) error {
	o.path = defaultPath // not used here
	if err := o.search.Check(); err != nil {
		return err
	}
	_, cfg, done, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	defer std.secondSignal(ctx)()
	conn, err := connect.Once(ctx, cfg, o.cluster.Reach())
	if err != nil {
		return err
	}
	defer conn.Close()
	d, err := searchBelow(ctx, o.search, conn, std)
	switch {
	case ctx.Err() != nil:
		d.Stopped, err = "interrupted", exit.Interrupted
	case errors.Is(err, zk.ErrNoNode):
		return connect.Missing(o.search.Root, cfg.Servers)
	case err != nil:
		err = fmt.Errorf("discover below %s: %w", o.search.Root, err)
		d.Stopped = "failed"
	}
	if failed := std.print(o.json, d.JSON(), d.Text()); failed != nil {
		return failed
	}
	return err
}

// searchBelow searches and shows the progress. The elections are in the order of their
// paths. Those found before an error are in the result.
func searchBelow(ctx context.Context, o search.Options, conn *client.Conn, std IO) (plain.Discovery, error) {
	s := search.New(o)
	cleared := showProgress(s, std)
	err := s.Run(ctx, conn)
	cleared()
	d := s.Discovery()
	slices.SortFunc(d.Elections, func(a, b plain.Found) int { return strings.Compare(a.State.Path, b.State.Path) })
	return d, err
}

// showProgress shows the progress of the search on one line of the terminal, which
// the returned function clears.
func showProgress(s *search.Search, std IO) (done func()) {
	f, ok := terminal.Of(std.Err)
	if !ok {
		return func() {}
	}
	s.Changed = func() {
		znodes, elections := s.Progress()
		fmt.Fprintf(f, "\r\x1b[K%s, %s", units.Count(znodes, "znode", "znodes"), units.Count(elections, "election", "elections"))
	}
	return func() { fmt.Fprint(f, "\r\x1b[K") }
}

// electionsBelow says which elections are below the path of s, where the path may be
// a parent of elections instead of one: it has children, and no candidate is among
// them. It is "" where nothing is to be said.
func electionsBelow(ctx context.Context, conn *client.Conn, s *doctor.State) (string, error) {
	if s.Queue.Len() > 0 || s.Parent.Children == 0 {
		return "", nil
	}
	near := search.New(search.Near(s.Path))
	if err := near.Run(ctx, conn); err != nil {
		return "", err
	}
	text := plain.Below(near.Discovery().Elections)
	if text == "" {
		return "", nil
	}
	return fmt.Sprintf("no election at %s. Below it: %s", znode.Safe(s.Path, 0), text), nil
}

// noteBelow notes what [electionsBelow] says, by a connection of its own. It is a hint:
// where the search fails there is none.
func (o *options) noteBelow(ctx context.Context, cfg client.Config, s *doctor.State, std IO) {
	if !s.ElectionUnseen() {
		return
	}
	_ = o.cluster.Do(ctx, cfg, func(wait context.Context, conn *client.Conn) error {
		text, err := electionsBelow(wait, conn, s)
		if text != "" {
			std.note("%s", text)
		}
		return err
	})
}
