package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/go-zookeeper/zk"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/cli/cluster"
	"electop/ui/cli/election"
	"electop/ui/cli/help"
	"electop/ui/cli/process"
	"electop/ui/plain"
	"electop/zkwatch/admin"
	"electop/zkwatch/client"
)

func newDiscover(std IO) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:     "discover [ROOT]",
		Short:   "Find elections: which system, who leads, how many wait",
		Long:    "Find the elections below ROOT: which system, who leads, how many wait.\nROOT is / if it is not given. Elections in trouble come first: !! is critical, ! a\nwarning, - a remark.\n\nWith --problems the servers are queried, too, and only elections without a leader, with a\ncandidate at risk or with findings are listed. The exit code is 4 if there is one.",
		Example: "  electop discover -s zk1\n  electop discover /apps -s zk1 --max-nodes 1000 --json\n  electop discover --problems -s zk1",
		Args: o.settled(func(cmd *cobra.Command, args []string) error {
			o.search.Root = "/"
			switch {
			case len(args) > 1:
				return process.Usagef("one ROOT at a time, got %d (see %s --help)", len(args), cmd.CommandPath())
			case len(args) == 1 && args[0] != "/":
				var err error
				o.search.Root, err = election.CheckPath(args[0])
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
	help.Search.Add(cmd, func(f *pflag.FlagSet) {
		f.BoolVar(&o.problems, "problems", false, "list only elections without a leader, at risk or with findings")
	})
	o.admin.WatchFlags(cmd)
	o.logFlag(cmd)
	return cmd
}

func runDiscover(ctx context.Context, o *options, std IO) error {
	if err := o.search.Check(); err != nil {
		return err
	}
	log, cfg, done, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	defer std.secondSignal(ctx)()
	conn, err := cluster.Once(ctx, cfg, o.cluster.Reach())
	if err != nil {
		return err
	}
	defer conn.Close()
	var poller *admin.Poller
	if o.problems || o.search.Watches() {
		poller = o.admin.Poller(cfg, func() *client.Conn { return conn }, log)
	}
	d, err := searchBelow(ctx, o.search, conn, poller, std)
	switch {
	case ctx.Err() != nil:
		d.Stopped, err = "interrupted", process.Interrupted
	case errors.Is(err, zk.ErrNoNode):
		return cluster.Missing(o.search.Root, cfg.Servers)
	case err != nil:
		err = fmt.Errorf("discover below %s: %w", o.search.Root, err)
		d.Stopped = "failed"
	}
	_, screen := process.Terminal(std.Out)
	d.Problems, d.Colour = o.problems, screen && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	if err == nil && o.problems && d.ElectionCount() > 0 {
		err = process.NoLeader
	}
	if failed := std.print(o.json, d.JSON(), d.Text()); failed != nil {
		return failed
	}
	return err
}

func searchBelow(ctx context.Context, o election.SearchOptions, conn *client.Conn, poller *admin.Poller, std IO) (plain.Discovery, error) {
	s := election.NewSearch(o)
	clearLine := showProgress(s, std)
	err := s.Run(ctx, conn)
	clearLine()
	if err == nil && poller != nil {
		if noReports := s.Poll(ctx, poller); noReports != nil && ctx.Err() == nil {
			std.note("the servers did not report who is at risk: %s", znode.Safe(noReports.Error(), 0))
		}
	}
	d := s.Discovery()
	slices.SortFunc(d.Elections, func(a, b plain.Found) int { return strings.Compare(a.State.Path, b.State.Path) })
	return d, err
}

func showProgress(s *election.Search, std IO) (clearLine func()) {
	f, ok := process.Terminal(std.Err)
	if !ok {
		return func() {}
	}
	s.Changed = func() {
		znodes, found := s.Progress()
		fmt.Fprintf(f, "\r\x1b[K%s read, %d found", units.Count(znodes, "znode", "znodes"), found)
	}
	return func() { fmt.Fprint(f, "\r\x1b[K") }
}

func (o *options) noteBelow(ctx context.Context, cfg client.Config, s *doctor.State, std IO) {
	if !s.ElectionUnseen() {
		return
	}
	_ = o.cluster.Do(ctx, cfg, func(wait context.Context, conn *client.Conn) error {
		near := election.NewSearch(election.Near(s.Path))
		err := near.Run(wait, conn)
		if text := plain.Below(near.Discovery().Elections); err == nil && text != "" {
			std.note("no election at %s. Below it: %s", znode.Safe(s.Path, 0), text)
		}
		return err
	})
}

func (o *options) mustChoose() bool {
	return o.unnamed && !o.campaign && !o.castSet && o.record.File == ""
}

func (o *options) choose(ctx context.Context, conn client.Config, std IO) (*plain.Discovery, error) {
	d, err := o.find(ctx, conn, std)
	if err != nil {
		return nil, err
	}
	o.path = firstElection(d.Elections).State.Path
	o.paths, o.found = []string{o.path}, true
	return d, nil
}

func (o *options) chooseAll(ctx context.Context, conn client.Config, std IO) error {
	if !o.unnamed || o.cluster.Cluster == "" {
		return nil
	}
	d, err := o.find(ctx, conn, std)
	if err != nil {
		return err
	}
	if d.Stopped != "" {
		std.note("the search stopped early: %s. Cluster %s may have more elections than these", d.WhyStopped(), o.cluster.Cluster)
	}
	o.paths, o.found = electionPaths(*d), true
	return nil
}

func (o *options) find(ctx context.Context, conn client.Config, std IO) (*plain.Discovery, error) {
	c, err := cluster.Once(ctx, conn, o.cluster.Reach())
	if err != nil {
		return nil, err
	}
	defer c.Close()
	d, err := searchBelow(ctx, election.Below("/"), c, nil, std)
	switch {
	case ctx.Err() != nil:
		return nil, process.Interrupted
	case errors.Is(err, zk.ErrNoNode):
		return nil, cluster.Missing("/", conn.Servers)
	case err != nil:
		return nil, fmt.Errorf("search for elections: %w", err)
	}
	if firstElection(d.Elections) == nil {
		return nil, fmt.Errorf("no election found on %s, %d znodes read: give the PATH of the one to watch", conn.Servers, d.Visited)
	}
	return &d, nil
}

func firstElection(all []plain.Found) (first *plain.Found) {
	unknown := func(f *plain.Found) bool { return f.State.Dialect.Kind() == dialect.KindUnknown }
	for i := range all {
		f := &all[i]
		switch {
		case f.State.Roleless():
		case first == nil, unknown(first) && !unknown(f),
			unknown(first) == unknown(f) && doctor.Graver(phrase.Trouble(f.State), phrase.Trouble(first.State)) < 0:
			first = f
		}
	}
	return first
}
