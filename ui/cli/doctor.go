package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/cli/exit"
	"electop/ui/cli/flaggroup"
	"electop/ui/cli/task"
	"electop/ui/cli/watch"
	"electop/ui/plain"
	"electop/zkwatch/feed"
)

// doctorFor is how long the doctor observes by default: long enough to tell a
// problem from the short moments of a healthy handoff.
const doctorFor = 6 * time.Second

func newDoctor(std IO) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:               "doctor [PATH...]",
		Short:             "Diagnose known failures of elections (exit code 5: a critical finding)",
		Long:              "doctor observes each election for a short time, asks every server who is connected\nand who watches what, and prints what is wrong, why it is harmful and what to do.\nIt writes nothing. Where that shows whether a suspicion is critical, it observes for up\nto 90 seconds more, unless --for is given. Several elections are observed at the same time.\n" + severalPaths,
		Example:           "  electop doctor /election -s zk1\n  electop doctor /election -s zk1 --for 30s --json\n  electop doctor --cluster prod",
		Args:              pathArgs(o, watch.Max),
		ValidArgsFunction: o.completePaths(watch.Max),
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.durationSet = cmd.Flags().Changed("for")
			return runDoctor(cmd.Context(), o, std)
		},
	}
	o.cluster.Flags(cmd)
	o.admin.WatchFlags(cmd)
	followRemoved(cmd)
	ackRemoved(cmd)
	o.jsonFlag(cmd, "print JSON")
	flaggroup.Output.Add(cmd, func(f *pflag.FlagSet) {
		f.DurationVar(&o.duration, "for", doctorFor, "observe for `DURATION`, not longer")
	})
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
	if err := o.chooseAll(ctx, conn, std); err != nil {
		return err
	}
	if n := len(o.paths); n > watch.Max {
		return exit.Usagef("cluster %s has %d elections, and doctor observes at most %d at a time: give their PATHs", o.cluster.Cluster, n, watch.Max)
	}
	w, err := o.observe(conn, log, feed.Config{}, func(s string) { log.Warn(s) })
	if err != nil {
		return err
	}
	t := task.NewGroup(ctx)
	w.Observe(t)
	reach := o.cluster.Reach()
	results := make([]examined, len(o.paths))
	for i, e := range w.All() {
		r, exam := &results[i], watch.Exam{For: o.duration, Reach: reach}
		r.done = make(chan struct{})
		of := ""
		if len(results) > 1 {
			of = znode.Safe(e.Path, 0) + ": "
		}
		if !o.durationSet {
			exam.Longer = func(by time.Duration, p doctor.Pending) {
				std.note("%slooking %s longer: %s", of, units.Exact(by), znode.Safe(p.Title, 0))
			}
		}
		go func() {
			defer close(r.done)
			r.state, r.observed, r.err = w.Examine(t.Context(), e, exam)
		}()
	}
	err = o.each(std, func(i int) (any, string, error) {
		r := &results[i]
		<-r.done
		if r.err != nil {
			return nil, "", r.err
		}
		o.noteBelow(ctx, conn, r.state, std)
		if doctor.Worst(r.state.Findings) == doctor.Critical {
			r.err = exit.Critical
		}
		return plain.Doctor(r.state, r.observed), plain.DoctorText(r.state, r.observed), r.err
	})
	failed := t.Stop()
	for _, r := range results {
		<-r.done
	}
	if failed != nil && ctx.Err() == nil && err == nil {
		err = failed
	}
	return err
}

// examined is how the exam of an election ended.
type examined struct {
	state    *doctor.State
	observed time.Duration
	err      error
	done     chan struct{} // closed at the end
}
