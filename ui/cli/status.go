package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"electop/model"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/ui/cli/cluster"
	"electop/ui/cli/election"
	"electop/ui/cli/process"
	"electop/ui/plain"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
	"electop/zkwatch/observer"
)

func newStatus(std IO) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:               "status [PATH...]",
		Short:             "Read elections once, print them and exit (exit code 4: no leader)",
		Long:              "Read each election once, print it and exit (exit code 4: no leader).\n" + severalPaths,
		Example:           "  electop status /election -s zk1\n  electop status /election -s zk1 --json\n  electop status --cluster prod",
		Args:              pathArgs(o, election.Max),
		ValidArgsFunction: o.completePaths(election.Max),
		RunE:              func(cmd *cobra.Command, _ []string) error { return runStatus(cmd.Context(), o, std) },
	}
	o.cluster.Flags(cmd)
	o.admin.WatchFlags(cmd)
	o.jsonFlag(cmd, "print JSON")
	o.logFlag(cmd)
	return cmd
}

// gcPercent delays the first garbage collection until the heap has 16 MB, to save time in a short run.
const gcPercent = 400

func runStatus(ctx context.Context, o *options, std IO) error {
	if os.Getenv("GOGC") == "" {
		defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	}
	log, cfg, done, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	if err := o.chooseAll(ctx, cfg, std); err != nil {
		return err
	}
	all, err := o.readStatus(ctx, cfg, log, std)
	if err != nil {
		return err
	}
	return o.each(std, func(i int) (_ any, _ string, err error) {
		s := all[i].State()
		switch {
		case s.Phase == model.NoParent:
			return nil, "", cluster.Missing(s.Path, cfg.Servers)
		case s.Phase == model.Forbidden:
			return nil, "", cluster.Forbidden(s.Path, cfg.Servers)
		case s.Leader() == nil && !s.Roleless():
			err = process.NoLeader
		}
		return plain.Status(s), plain.StatusText(s), err
	})
}

func (o *options) readStatus(ctx context.Context, cfg client.Config, log *slog.Logger, std IO) (all []*doctor.Journal, err error) {
	var noReports error
	err = o.cluster.Do(ctx, cfg, func(_ context.Context, conn *client.Conn) error {
		all = nil
		for _, path := range o.paths {
			wait, cancel := context.WithTimeout(ctx, o.cluster.Reach().For)
			j, err := o.readOnce(wait, conn, path)
			cancel()
			if err != nil {
				return err
			}
			all = append(all, j)
		}
		noReports = cluster.RequestReports(ctx, o.admin.Poller(cfg, func() *client.Conn { return conn }, log), all)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if noReports != nil && ctx.Err() == nil {
		std.note("the servers did not report who watches what: %s", znode.Safe(noReports.Error(), 0))
	}
	for _, j := range all {
		o.noteBelow(ctx, cfg, j.State(), std)
	}
	return all, nil
}

func (o *options) readOnce(ctx context.Context, conn *client.Conn, path string) (*doctor.Journal, error) {
	read, err := observer.ReadOnce(ctx, conn, path, feed.Now)
	if err != nil {
		return nil, err
	}
	st := conn.Status()
	j := doctor.NewJournal(model.Config{Path: path, AckFollows: true, Found: o.found})
	j.Apply(&model.Connection{At: read.At, Link: model.Connected, Server: st.Server, Session: st.SessionID, Timeout: st.Timeout})
	j.Apply(read)
	for {
		more, err := observer.ReadBeside(ctx, conn, j.State().State, feed.Now, nil)
		if err != nil || more == nil {
			return j, err
		}
		j.Apply(more)
	}
}

const severalPaths = "PATH is /election if it is not given. With a cluster of the configuration file, the\ndefault is the cluster's paths, or all elections that discover finds if there are none.\nThe exit code is the worst of all elections: 1 (a PATH cannot be read; the others are\nprinted), then 5 (only doctor), then 4, then 0."

func (o *options) each(std IO, read func(i int) (object any, text string, err error)) (worst error) {
	several := len(o.paths) > 1
	blank := ""
	for i, path := range o.paths {
		object, text, err := read(i)
		if text != "" {
			if several {
				text, blank = fmt.Sprintf("%s== %s\n%s", blank, znode.Safe(path, 0), text), "\n"
			}
			if failed := std.print(o.json, object, text); failed != nil {
				return failed
			}
		}
		e, coded := errors.AsType[process.Error](err)
		shown := coded && (e.Code == process.ExitNoLeader || e.Code == process.ExitFinding) // the text shows the reason
		switch {
		case err == nil:
		case !several || coded && !shown || errors.Is(err, context.Canceled):
			return err
		case !shown:
			std.note("%s", znode.Safe(err.Error(), 1000))
			worst = process.Passed(process.ExitFailure)
		case worst == nil || errors.Is(err, process.Critical) && errors.Is(worst, process.NoLeader):
			worst = err
		}
	}
	return worst
}
