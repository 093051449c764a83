package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"electop/model"
	"electop/ui/cli/connect"
	"electop/ui/cli/exit"
	"electop/zkwatch/candidate"
	"electop/zkwatch/feed"
)

func newCampaign(std IO) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:     "campaign [PATH]",
		Short:   "Take part as a candidate until interrupted, and print what happens",
		Long:    "Take part as a candidate until interrupted, and print what happens.\nPATH is /election if it is not given.",
		Example: "  electop campaign /election -s zk1 --name host-1\n  electop campaign /election -s zk1 --create --json",
		Args:    pathArg(o),
		RunE:    func(cmd *cobra.Command, _ []string) error { return runCampaign(cmd.Context(), o, std) },
	}
	o.cluster.Flags(cmd)
	o.ackFlag(cmd)
	o.admin.Flags(cmd, "for their tick")
	f := cmd.Flags()
	f.BoolVar(&o.json, "json", false, "print one JSON object a line")
	f.BoolVar(&o.create, "create", false, "create the election's parent if it is missing")
	f.BoolVar(&o.yes, "yes", false, "enter an election with third-party candidates without being asked")
	f.StringVar(&o.name, "name", "", "`TEXT` in the znode's data, which says who this candidate is (default HOST:PID)")
	o.logFlag(cmd)
	return cmd
}

func runCampaign(ctx context.Context, o *options, std IO) error {
	log, conn, done, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer done()
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
	p := &campaignPrinter{std: std, path: o.path, json: o.json}
	reports := newQueue(p.print)
	defer reports.close()
	c := candidate.New(candidate.Config{
		Conn: conn, Path: o.path, Create: o.create, Data: []byte(o.candidacyName()),
		Dialect: e.Naming(), Ack: ack, Now: feed.Now,
		Report: func(at time.Time, m model.Member) {
			reports.put(statement{at: at, member: m, over: ctx.Err() != nil})
		},
	})
	err = c.Run(ctx)
	switch {
	case errors.Is(err, candidate.ErrNoParent):
		return fmt.Errorf("%w, or create it with --create", connect.Missing(o.path, conn.Servers))
	case ctx.Err() != nil:
		reports.put(statement{at: feed.Now(), closed: true})
		return exit.Interrupted
	}
	return err
}
