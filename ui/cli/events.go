package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"electop/model"
	"electop/model/doctor"
	"electop/model/znode"
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
		Use:   "events [PATH]",
		Short: "Print every event of the election as it happens",
		Args:  pathArg(o),
		RunE:  func(cmd *cobra.Command, _ []string) error { return runEvents(cmd.Context(), o, std) },
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

// errEnough ends a command that has printed all it was asked for.
var errEnough = errors.New("enough")

func runEvents(ctx context.Context, o *options, std IO) error {
	if o.duration < 0 || o.count < 0 {
		return exit.Usagef("--for and --count must not be negative")
	}
	log, conn, done, err := o.open()
	if err != nil {
		return err
	}
	defer done()
	if o.admin.Sessions == 0 {
		o.admin.Mode = admin.Off // nobody can press a key to ask for more
	}
	defer std.secondSignal(ctx)()
	limit := o.count
	var failed error // of the first read
	events := func(es []model.Event) error {
		if s, ok := es[0].Body.(doctor.Snapshot); ok && es[0].N == 1 && s.State.Phase == model.NoParent {
			failed = connect.Missing(o.path, conn.Servers)
			return failed
		}
		return printEvents(std.Out, o, es, &limit)
	}
	notice := func(s string) {
		log.Warn(s)
		fmt.Fprintf(std.Err, "electop: %s\n", s)
	}
	w, err := o.observe(conn, log, feed.Config{Events: events}, notice)
	if err != nil {
		return err
	}
	defer w.Close()
	t := task.NewGroup(ctx)
	w.Start(t)
	err = func() error {
		if err := w.Reach(t.Context(), o.cluster.Timeout); err != nil {
			return err
		}
		s, err := w.First().Feed.Await(t.Context(), func(s *doctor.State) bool { return s.Phase != model.Unseen })
		if err != nil {
			return context.Cause(t.Context())
		}
		if s.Phase == model.Forbidden {
			return connect.Forbidden(o.path, conn.Servers)
		}
		var over <-chan time.Time
		if o.duration > 0 {
			timer := time.NewTimer(o.duration)
			defer timer.Stop()
			over = timer.C
		}
		select {
		case <-over:
			return nil
		case <-t.Context().Done():
			return context.Cause(t.Context())
		}
	}()
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

// printEvents prints events until limit, if there is one, is used up.
func printEvents(out io.Writer, o *options, es []model.Event, limit *int) error {
	for _, e := range es {
		if o.json {
			b, err := znode.SafeJSON(plain.Event(o.path, e))
			if err != nil {
				return err
			}
			if _, err := out.Write(append(b, '\n')); err != nil {
				return err
			}
		} else if _, err := fmt.Fprintln(out, plain.Line(e, time.Local)); err != nil {
			return err
		}
		if *limit > 0 {
			if *limit--; *limit == 0 {
				return errEnough
			}
		}
	}
	return nil
}
