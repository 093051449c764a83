package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/model"
	"electop/ui/cli/connect"
	"electop/ui/cli/exit"
	"electop/ui/cli/flaggroup"
	"electop/ui/cli/supervise"
	"electop/zkwatch/candidate"
	"electop/zkwatch/feed"
)

func newCampaign(std IO) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:               campaignName + " [PATH] [-- CMD [ARG]...]",
		Short:             "Take part as a candidate, and run a command while leading",
		Long:              campaignHelp,
		Example:           "  electop campaign /election -s zk1 --name host-1\n  electop campaign /election -s zk1 --create --json\n  electop campaign /nightly -s zk1 --create -- ./report --all\n  electop campaign /jobs -s zk1 --once --grace 20s -- sh -c 'exec worker $ELECTOP_FENCE'",
		Args:              pathAndCommand(o),
		ValidArgsFunction: o.completeCampaign,
		RunE:              func(cmd *cobra.Command, _ []string) error { return runCampaign(cmd.Context(), o, std) },
	}
	o.cluster.Flags(cmd)
	followRemoved(cmd)
	o.ackFlag(cmd)
	o.admin.Flags(cmd, "for their tick")
	o.enterFlags(cmd)
	flaggroup.Candidates.Add(cmd, func(f *pflag.FlagSet) {
		f.StringVar(&o.name, "name", "", "`TEXT` in the znode's data, which says who this candidate is (default HOST:PID)")
	})
	o.commandFlags(cmd)
	o.metrics.Flags(cmd)
	o.jsonFlag(cmd, "print one JSON object a line")
	o.logFlag(cmd)
	return cmd
}

const campaignHelp = `Take part as a candidate until interrupted, and print what happens.
PATH is /election if it is not given.

With CMD behind --, CMD runs while the candidate leads. ELECTOP_PATH, ELECTOP_ZNODE and
ELECTOP_FENCE are in its environment. When leadership is in doubt, CMD and all that it
started (on macOS: its process group) get SIGTERM, and after --grace, or before the lease
ends, SIGKILL. If electop and its watchdog are both stopped, CMD runs until they continue.
When the candidate leads again CMD runs again, except with --once. When CMD ends by itself,
what it left is killed, the candidate resigns, and electop exits with CMD's exit code. What
electop prints about the election then goes to standard error.
electop help command has the rest: what can still go wrong, and what the fencing token is for.`

func runCampaign(ctx context.Context, o *options, std IO) error {
	if o.command.args != nil {
		if err := supervise.Find(o.command.args[0]); err != nil {
			return commandError(err)
		}
	}
	log, conn, done, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	if err := o.metrics.Listen(std.note); err != nil {
		return err
	}
	defer o.metrics.Close()
	ack, err := o.ackPath(o.path)
	if err != nil {
		return err
	}
	e, err := o.admit(ctx, std, &conn, log, func(warning string) { std.note("%s", warning) })
	switch {
	case err != nil:
		return err
	case !e.Known && !o.yes:
		return fmt.Errorf("%s could not be read, so its system is unknown: add --yes to take part", o.path)
	case e.Naming() != nil && o.ack != "" && o.ack != ackNone:
		return exit.Usagef("--ack: %s is %s, where electop creates no acknowledgement znode", o.path, e.Whose())
	case e.Naming() != nil:
		ack = ""
	}
	if e.Behind != "" {
		std.note("%s: %s", o.path, e.Behind)
	}
	defer std.secondSignal(ctx)()
	observe, stop, err := o.measure(ctx, conn, log, std.notice(log))
	if err != nil {
		return err
	}
	defer stop()
	own := std
	if o.command.args != nil { // standard output is the command's
		own.Out = std.Err
	}
	p := &campaignPrinter{std: own, path: o.path, json: o.json}
	reports := newQueue(p.print)
	defer reports.close()
	run, end := ctx, context.CancelFunc(func() {})
	if o.command.args != nil {
		// The candidate goes on while the command stops, so that its lease is renewed.
		run, end = context.WithCancel(context.WithoutCancel(ctx))
		defer end()
	}
	cfg := candidate.Config{
		Conn: conn, Path: o.path, Create: o.create, Data: []byte(o.candidacyName()),
		Dialect: e.Naming(), Ack: ack, Now: feed.Now,
		Report: func(at time.Time, m model.Member) {
			observe(&model.Cast{At: at, Member: m})
			reports.put(statement{at: at, member: m, over: run.Err() != nil})
		},
	}
	ended := "interrupted"
	if o.command.args != nil {
		ended, err = o.supervised(ctx, run, end, std, cfg)
	} else {
		err = candidate.New(cfg).Run(run)
	}
	switch {
	case errors.Is(err, candidate.ErrNoParent):
		return fmt.Errorf("%w, or create it with --create", connect.Missing(o.path, conn.Servers))
	case ctx.Err() != nil:
		err = exit.Interrupted
	case o.command.args == nil || ended == "":
		return err
	}
	reports.put(statement{at: feed.Now(), closed: ended})
	return err
}
