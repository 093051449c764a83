package cli

import (
	"context"

	"github.com/spf13/cobra"

	"electop/model/znode"
	"electop/ui/cli/election"
	"electop/ui/cli/exporter"
	"electop/ui/cli/process"
	"electop/zkwatch/admin"
)

const exporterName = "exporter"

func newExporter(std IO) *cobra.Command {
	o := &options{keepTrying: true}
	cmd := &cobra.Command{
		Use:               exporterName + " [PATH...]",
		Short:             "Serve metrics of all elections of a cluster for Prometheus",
		Long:              exporterHelp,
		Example:           "  electop exporter -s zk1,zk2,zk3\n  electop exporter --cluster prod --listen 0.0.0.0:9141\n  electop exporter -s zk1 /election /scheduler/leader",
		Args:              pathArgs(o, exporter.Max),
		ValidArgsFunction: o.completePaths(exporter.Max),
		RunE:              func(cmd *cobra.Command, _ []string) error { return runExporter(cmd.Context(), o, std) },
	}
	o.cluster.Flags(cmd)
	o.admin.CadenceFlags(cmd)
	o.metrics.Flag(cmd, "listen", "127.0.0.1:9141")
	o.logFlag(cmd)
	return cmd
}

const exporterHelp = `Serve metrics of elections for Prometheus, and /healthz, until interrupted. It needs no
terminal and is read-only. SIGTERM ends it with exit code 0.

Without PATH, and without paths of the cluster in the configuration, it searches for
elections as discover does, again and again, and watches up to 200 of them.
Give the PATHs of elections that must never be missing: a search can miss one that has no
candidate when electop starts. electop help metrics has the metrics and alert rules.`

func runExporter(ctx context.Context, o *options, std IO) error {
	log, conn, done, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	if err := o.metrics.Listen(std.note); err != nil {
		return err
	}
	defer o.metrics.Close()
	if err := o.cluster.Known(ctx, conn.Servers); err != nil { // the hosts may exist later
		std.note("%v. electop keeps trying", err)
	}
	if o.admin.Sessions == 0 {
		o.admin.Mode = admin.Off // --admin-sessions 0 also disables the requests for status and watches
	}
	cfg := o.watch(conn, log, false)
	given := cfg.Elections
	cfg.Elections, cfg.Notice = nil, std.notice(log)
	w, err := election.New(cfg)
	if err != nil {
		return err
	}
	t := process.NewTasks(ctx)
	if o.unnamed {
		given = nil
		o.metrics.Search(conn, o.cluster.Reach())
	}
	o.metrics.Start(t, w)
	for _, one := range given {
		if _, ok := o.metrics.Watch(one); !ok {
			std.note("%s is not watched: another PATH has the same metric label", znode.Safe(one.Path, 0))
		}
	}
	<-t.Context().Done()
	if err := t.Stop(); ctx.Err() == nil {
		return err
	}
	return nil
}
