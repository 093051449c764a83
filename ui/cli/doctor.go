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
		Use:               "doctor [PATH]",
		Short:             "Diagnose known failures of the election (exit code 5: a critical finding)",
		Long:              "doctor observes the election for a short time, asks every server who is connected\nand who watches what, and prints what is wrong, why it is harmful and what to do.\nIt writes nothing. Where that shows whether a suspicion is critical, it observes for up\nto 90 seconds more, unless --for is given.\nPATH is /election if it is not given.",
		Example:           "  electop doctor /election -s zk1\n  electop doctor /election -s zk1 --for 30s --json",
		Args:              pathArg(o),
		ValidArgsFunction: o.completePaths(1),
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
	w, err := o.observe(conn, log, feed.Config{}, func(s string) { log.Warn(s) })
	if err != nil {
		return err
	}
	t := task.NewGroup(ctx)
	w.Observe(t)
	exam := watch.Exam{For: o.duration, Reach: o.cluster.Reach()}
	if !o.durationSet {
		exam.Longer = func(by time.Duration, p doctor.Pending) {
			std.note("looking %s longer: %s", units.Exact(by), znode.Safe(p.Title, 0))
		}
	}
	s, observed, err := w.Examine(t.Context(), exam)
	if failed := t.Stop(); failed != nil && ctx.Err() == nil && err == nil {
		err = failed
	}
	if err != nil {
		return err
	}
	o.noteBelow(ctx, conn, s, std)
	if err := std.print(o.json, plain.Doctor(s, observed), plain.DoctorText(s, observed)); err != nil {
		return err
	}
	if doctor.Worst(s.Findings) == doctor.Critical {
		return exit.Critical
	}
	return nil
}
