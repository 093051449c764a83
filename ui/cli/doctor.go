package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"electop/model"
	"electop/model/doctor"
	"electop/ui/cli/exit"
	"electop/ui/cli/task"
	"electop/ui/cli/watch"
	"electop/ui/plain"
	"electop/zkwatch/admin"
	"electop/zkwatch/feed"
)

// doctorFor is how long the doctor observes by default: long enough to tell a
// problem from the short moments of a healthy handoff.
const doctorFor = 6 * time.Second

func newDoctor(std IO) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:     "doctor [PATH]",
		Short:   "Diagnose known failures of the election (exit code 5: a critical finding)",
		Long:    "doctor observes the election for a short time, asks every server who is connected\nand who watches what, and prints what is wrong, why it is harmful and what to do.\nIt writes nothing.\nPATH is /election if it is not given.",
		Example: "  electop doctor /election -s zk1\n  electop doctor /election -s zk1 --for 30s --json",
		Args:    pathArg(o),
		RunE:    func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd.Context(), o, std) },
	}
	o.cluster.Flags(cmd)
	o.admin.WatchFlags(cmd)
	o.ackFlag(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.json, "json", false, "print JSON")
	f.DurationVar(&o.duration, "for", doctorFor, "observe for this `DURATION`")
	o.logFlag(cmd)
	return cmd
}

func runDoctor(ctx context.Context, o *options, std IO) error {
	if o.duration <= 0 {
		return exit.Usagef("--for %v: must be more than 0", o.duration)
	}
	log, conn, done, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	w, err := o.observe(conn, log, feed.Config{}, func(s string) { log.Warn(s) })
	if err != nil {
		return err
	}
	t := task.NewGroup(ctx)
	w.Observe(t)
	s, err := examine(t.Context(), o, w)
	if failed := t.Stop(); failed != nil && ctx.Err() == nil && err == nil {
		err = failed
	}
	if err != nil {
		return err
	}
	if err := std.print(o.json, plain.Doctor(s, o.duration), plain.DoctorText(s, o.duration)); err != nil {
		return err
	}
	if doctor.Worst(s.Findings) == doctor.Critical {
		return exit.Critical
	}
	return nil
}

// examine observes the first election for o.duration and asks the servers: for
// everything at the beginning, and later once more: for sessions, to find silent ones,
// and for watches if one was not found.
func examine(ctx context.Context, o *options, w *watch.Elections) (*doctor.State, error) {
	if _, err := w.FirstRead(ctx, o.cluster.Timeout); err != nil {
		return nil, err
	}
	e := w.First()
	end := time.Now().Add(o.duration)
	if w.Asker() != nil {
		w.Ask(ctx, admin.Want{Watches: true, Sessions: true})
		if err := rest(ctx, time.After(min(time.Until(end), max(o.duration/2, time.Until(end)-doctorCalm)))); err != nil {
			return nil, err
		}
		w.Ask(ctx, admin.Want{Watches: unverified(e.Feed.State()), Sessions: true})
	}
	if err := rest(ctx, time.After(time.Until(end))); err != nil {
		return nil, err
	}
	at := feed.Now() // by now everything pending is due
	e.Feed.Put(&model.Advance{At: at})
	s, err := e.Feed.Await(ctx, func(s *doctor.State) bool { return !s.At.Before(at) })
	if err != nil {
		return nil, context.Cause(ctx)
	}
	return s, nil
}

// doctorCalm is the time between the last request to the servers and the end.
const doctorCalm = 2 * time.Second

// unverified reports whether no server has reported the watch of a waiting contender.
func unverified(s *doctor.State) bool {
	for i := range s.Queue {
		if _, waits := s.Recipe.Watches(s.Queue, i); waits && s.Edge(i).State != doctor.Verified {
			return true
		}
	}
	return false
}
