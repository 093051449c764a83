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
	"electop/ui/plain"
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
	o.clusterFlags(cmd)
	o.adminFlags(cmd)
	o.cadenceFlags(cmd)
	o.recordFlag(cmd)
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
		return usagef("--for and --count must not be negative")
	}
	log, conn, done, err := o.cluster()
	if err != nil {
		return err
	}
	defer done()
	if o.admin.sessions == 0 {
		o.admin.mode = adminOff // nobody looks who could want more
	}
	defer std.secondSignal(ctx)()
	limit := o.count
	var failed error // of the first look
	events := func(es []model.Event) error {
		if s, ok := es[0].Body.(doctor.Snapshot); ok && es[0].N == 1 && s.State.Phase == model.NoParent {
			failed = missing(o.path, conn.Servers)
			return failed
		}
		return printEvents(std.Out, o, es, &limit)
	}
	notice := func(s string) {
		log.Warn(s)
		fmt.Fprintf(std.Err, "electop: %s\n", s)
	}
	w, err := o.watch(conn, log, false, feed.Config{Events: events}, notice)
	if err != nil {
		return err
	}
	defer w.close()
	t := newTasks(ctx)
	w.start(t)
	err = func() error {
		if err := w.reach(t.ctx, o.connectTimeout); err != nil {
			return err
		}
		s, err := w.first().feed.Await(t.ctx, func(s *doctor.State) bool { return s.Phase != model.Unseen })
		if err != nil {
			return context.Cause(t.ctx)
		}
		if s.Phase == model.Forbidden {
			return forbidden(o.path, conn.Servers)
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
		case <-t.ctx.Done():
			return context.Cause(t.ctx)
		}
	}()
	// The tasks' end prints what still waited; that can fail too.
	if stopped := t.stop(); failed == nil && stopped != nil && ctx.Err() == nil && err == nil {
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
