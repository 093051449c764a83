package cli

import (
	"context"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"electop/ui/cli/exit"
	"electop/ui/cli/live"
	"electop/ui/cli/watch"
)

// Run carries out the command line and returns the exit code.
func Run(ctx context.Context, args []string, std IO) int {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	std.unhandle = stop
	root := newRoot(std)
	root.SetArgs(args)
	root.SetIn(std.In)
	root.SetOut(std.Out)
	root.SetErr(std.Err)
	err := root.ExecuteContext(ctx)
	if ctx.Err() != nil && err == nil {
		err = exit.Interrupted
	}
	return exit.Report(std.Err, err)
}

const example = `  electop                                    the dashboard on a demo of its own
  electop -s zk1:2181,zk2:2181 /election     the dashboard on a cluster, looking on
  electop -s zk1:2181/app /election --cast 3 the same, with three candidates of our own
  electop -s zk1 /a /b /c                    three elections at once
  electop discover -s zk1                    which elections there are
  electop doctor /election -s zk1            what is wrong with one
  electop status /election -s zk1 --json     who leads, for a script
  electop events /election -s zk1 --json     every change, one object a line`

func newRoot(std IO) *cobra.Command {
	o := &options{}
	root := &cobra.Command{
		Use:     "electop [PATH...]",
		Short:   "top for ZooKeeper elections",
		Long:    "electop shows a live ZooKeeper leader election: who leads, who waits behind whom,\nand every handoff as it happens. It looks on unless told otherwise. With no\n--servers it brings a ZooKeeper of its own, and candidates to spawn and kill.",
		Example: example,
		Args:    pathArgs(o, watch.Max),
		Version: version(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.cluster.Servers == "" {
				if err := o.demoOnly(cmd); err != nil {
					return err
				}
				return runDemo(cmd.Context(), o, std, live.Play{})
			}
			return runLive(cmd.Context(), o, std)
		},
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetVersionTemplate("electop {{.Version}}\n")
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return exit.Usagef("%v (see %s --help)", err, cmd.CommandPath())
	})
	o.cluster.Flags(root)
	o.admin.WatchFlags(root)
	o.admin.CadenceFlags(root)
	o.screenFlags(root)
	o.actingFlags(root)
	o.record.Flags(root)
	o.ackFlag(root)
	o.logFlag(root)

	root.AddCommand(newDemo(std), newLesson(std), newStatus(std), newEvents(std), newDiscover(std), newDoctor(std), newCampaign(std), newReplay(std), newServe(std))
	for _, cmd := range root.Commands() {
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
	}
	return root
}

// version is the module's version, or the commit it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	if v == "" {
		v = "(devel)"
	}
	return v + " " + info.GoVersion
}
