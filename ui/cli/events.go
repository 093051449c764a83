package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/model"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/ui/cli/cluster"
	"electop/ui/cli/command"
	"electop/ui/cli/help"
	"electop/ui/cli/process"
	"electop/ui/plain"
	"electop/zkwatch/admin"
	"electop/zkwatch/feed"
)

func newEvents(std IO) *cobra.Command {
	o, h := &options{}, &command.Hook{}
	cmd := &cobra.Command{
		Use:               "events [PATH]",
		Short:             "Print every event of the election as it happens",
		Long:              "Print every event of the election as it happens, until interrupted.\nPATH is /election if it is not given and the configuration has no paths of the cluster.\n\nWith --exec a command of yours runs for each handoff, one at a time. On its standard\ninput it gets the line that --json prints. electop reports on standard error how the\ncommand ended. If more than 16 handoffs wait, the oldest is dropped and reported, too.\nWhat the command leaves running in its process group is killed. At the end electop\nwaits for the command, at most for 30s; after an interrupt it does not wait.\nELECTOP_AUTH is not in the command's environment.",
		Example:           "  electop events /election -s zk1\n  electop events /election -s zk1 --json --for 10m\n  electop events /election -s zk1 --record FILE\n  electop events /election -s zk1 --exec 'mail -s handoff ops' >/dev/null",
		Args:              pathArg(o),
		ValidArgsFunction: o.completePaths(1),
		RunE:              func(cmd *cobra.Command, _ []string) error { return runEvents(cmd.Context(), o, h, std) },
	}
	o.cluster.Flags(cmd)
	o.admin.CadenceFlags(cmd)
	o.record.Flags(cmd)
	o.jsonFlag(cmd, "print one JSON object per line")
	help.Output.Add(cmd, func(f *pflag.FlagSet) {
		f.DurationVar(&o.duration, "for", 0, "stop after `DURATION`")
		f.IntVar(&o.count, "count", 0, "stop after `N` events")
	})
	h.Flags(cmd)
	o.logFlag(cmd)
	return cmd
}

var errEnough = errors.New("enough")

func runEvents(ctx context.Context, o *options, h *command.Hook, std IO) error {
	if o.duration < 0 || o.count < 0 {
		return process.Usagef("--for and --count must not be negative")
	}
	log, conn, done, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	if o.admin.Sessions == 0 {
		o.admin.Mode = admin.Off // --admin-sessions 0 also disables the requests for status and watches
	}
	defer std.secondSignal(ctx)()
	var ended error // why no more events are printed
	events := func(es []model.Event) error {
		if s, ok := es[0].Body.(doctor.Snapshot); ok && es[0].N == 1 && s.State.Phase == model.NoParent {
			ended = cluster.Missing(o.path, conn.Servers)
		} else if ended = runHook(h, o, es); ended == nil {
			ended = printEvents(std, o, es)
		}
		return ended
	}
	w, err := o.observe(conn, log, feed.Config{Events: events}, std.notice(log))
	if err != nil {
		return err
	}
	defer w.Close()
	h.Start(ctx, std.Err, std.note, cluster.Environ())
	defer h.Close()
	t := process.NewTasks(ctx)
	w.Start(t)
	var first *doctor.State
	if first, err = w.FirstRead(t.Context(), w.First(), o.cluster.Reach()); err == nil {
		o.noteBelow(t.Context(), conn, first, std)
		err = process.Sleep(t.Context(), o.stopAfter())
	}
	stopped := t.Stop() // after Stop, ended is final
	switch {
	case errors.Is(ended, errEnough):
		return nil
	case ended != nil:
		return ended
	case err == nil && ctx.Err() == nil:
		return stopped
	}
	return err
}

func (o *options) clusterName() string { return cmp.Or(o.cluster.Cluster, o.cluster.Servers) }

func runHook(h *command.Hook, o *options, es []model.Event) error {
	if o.count > 0 {
		es = es[:min(o.count, len(es))]
	}
	for _, e := range es {
		if _, ok := e.Body.(model.Handoff); !ok {
			continue
		}
		line, err := znode.SafeJSON(plain.Event(o.clusterName(), o.path, e))
		if err != nil {
			return err
		}
		h.Put(e.N, append(line, '\n'))
	}
	return nil
}

func (o *options) stopAfter() time.Duration { return cmp.Or(o.duration, math.MaxInt64) }

func printEvents(std IO, o *options, es []model.Event) error {
	for _, e := range es {
		var err error
		if o.json {
			err = std.json(plain.Event(o.clusterName(), o.path, e))
		} else {
			_, err = fmt.Fprintln(std.Out, plain.Line(e, time.Local))
		}
		if err != nil {
			return err
		}
		if o.count > 0 {
			if o.count--; o.count == 0 {
				return errEnough
			}
		}
	}
	return nil
}
