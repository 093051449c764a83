package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"electop/model"
	"electop/model/doctor"
	"electop/ui/cli/connect"
	"electop/ui/cli/exit"
	"electop/ui/cli/task"
	"electop/ui/plain"
	"electop/zkwatch/admin"
	"electop/zkwatch/feed"
)

func newEvents(std IO) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:     "events [PATH]",
		Short:   "Print every event of the election as it happens",
		Long:    "Print every event of the election as it happens, until interrupted.\nPATH is /election if it is not given.",
		Example: "  electop events /election -s zk1\n  electop events /election -s zk1 --json --for 10m\n  electop events /election -s zk1 --record FILE",
		Args:    pathArg(o),
		RunE:    func(cmd *cobra.Command, _ []string) error { return runEvents(cmd.Context(), o, std) },
	}
	o.cluster.Flags(cmd)
	o.admin.WatchFlags(cmd)
	o.admin.CadenceFlags(cmd)
	o.record.Flags(cmd)
	o.ackFlag(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.json, "json", false, "print one JSON object a line")
	f.DurationVar(&o.duration, "for", 0, "stop after this `DURATION`")
	f.IntVar(&o.count, "count", 0, "stop after `N` events")
	o.logFlag(cmd)
	return cmd
}

// errEnough ends a command that has printed --count events.
var errEnough = errors.New("enough")

func runEvents(ctx context.Context, o *options, std IO) error {
	if o.duration < 0 || o.count < 0 {
		return exit.Usagef("--for and --count must not be negative")
	}
	log, conn, done, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	if o.admin.Sessions == 0 {
		o.admin.Mode = admin.Off // nobody can press a key to ask for more
	}
	defer std.secondSignal(ctx)()
	var failed error // of the first read
	events := func(es []model.Event) error {
		if s, ok := es[0].Body.(doctor.Snapshot); ok && es[0].N == 1 && s.State.Phase == model.NoParent {
			failed = connect.Missing(o.path, conn.Servers)
			return failed
		}
		return printEvents(std, o, es)
	}
	w, err := o.observe(conn, log, feed.Config{Events: events}, std.notice(log))
	if err != nil {
		return err
	}
	defer w.Close()
	t := task.NewGroup(ctx)
	w.Start(t)
	if _, err = w.FirstRead(t.Context(), o.cluster.Timeout); err == nil {
		err = rest(t.Context(), o.over())
	}
	// Stopping the tasks prints the pending events; that can fail too.
	if stopped := t.Stop(); failed == nil && stopped != nil && ctx.Err() == nil && err == nil {
		err = stopped
	}
	switch {
	case failed != nil:
		return failed
	case errors.Is(err, errEnough):
		return nil
	}
	return err
}

// over is when --for ends, nil without it.
func (o *options) over() <-chan time.Time {
	if o.duration == 0 {
		return nil
	}
	return time.After(o.duration)
}

// printEvents prints events until --count, if it was given, is used up.
func printEvents(std IO, o *options, es []model.Event) error {
	for _, e := range es {
		var err error
		if o.json {
			err = std.json(plain.Event(o.path, e))
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
