package cli

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/cli/election"
	"electop/ui/cli/help"
	"electop/ui/cli/process"
	"electop/ui/plain"
	"electop/zkwatch/feed"
)

const doctorFor = 6 * time.Second

func newDoctor(std IO) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:               "doctor [PATH...]",
		Short:             "Diagnose known failures of elections (exit code 5: a critical finding; 4: no leader, not yet critical)",
		Long:              "doctor observes each election for a short time, queries every server for its\nconnections and watches, and prints what is wrong, why it is harmful and what to do.\nIt writes nothing. Without --for it observes up to 50 seconds longer if that can\nshow whether a suspicion is critical or whether the leader changes often.\nSeveral elections are observed at the same time.\n" + severalPaths,
		Example:           "  electop doctor /election -s zk1\n  electop doctor /election -s zk1 --for 30s --json\n  electop doctor --cluster prod",
		Args:              pathArgs(o, election.Max),
		ValidArgsFunction: o.completePaths(election.Max),
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.durationSet = cmd.Flags().Changed("for")
			return runDoctor(cmd.Context(), o, std)
		},
	}
	o.cluster.Flags(cmd)
	o.admin.WatchFlags(cmd)
	o.jsonFlag(cmd, "print JSON")
	help.Output.Add(cmd, func(f *pflag.FlagSet) {
		f.DurationVar(&o.duration, "for", doctorFor, "observe for `DURATION`, not longer")
	})
	o.logFlag(cmd)
	return cmd
}

func runDoctor(ctx context.Context, o *options, std IO) error {
	if o.duration <= 0 {
		return process.Usagef("--for %v: must be more than 0", o.duration)
	}
	log, conn, done, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	if err := o.chooseAll(ctx, conn, std); err != nil {
		return err
	}
	if n := len(o.paths); n > election.Max {
		return process.Usagef("cluster %s has %d elections, and doctor observes at most %d at a time: give some PATHs", o.cluster.Cluster, n, election.Max)
	}
	w, err := o.observe(conn, log, feed.Config{}, func(s string) { log.Warn(s) })
	if err != nil {
		return err
	}
	t := process.NewTasks(ctx)
	w.Observe(t)
	line, shown := process.Terminal(std.Err)
	end := &observationEnd{at: time.Now().Add(o.duration), text: "observing"}
	if shown {
		t.Start("countdown", func(ctx context.Context) error { return end.countdown(ctx, line) })
	}
	results := make([]diagnosed, len(o.paths))
	var all sync.WaitGroup
	for i, e := range w.All() {
		r, d := &results[i], election.Diagnosis{For: o.duration, Reach: o.cluster.Reach()}
		if !o.durationSet {
			d.Longer = func(by time.Duration, p doctor.Pending) {
				text := fmt.Sprintf("observing %s longer: %s", units.Exact(by), znode.Safe(p.Title, 0))
				if len(results) > 1 {
					text = znode.Safe(e.Path, 0) + ": " + text
				}
				end.extend(time.Now().Add(by), text)
				if !shown {
					std.note("%s", text)
				}
			}
		}
		r.err = context.Canceled // remains if Diagnose panics
		all.Add(1)
		t.Start("diagnosis", func(ctx context.Context) error {
			defer all.Done()
			r.state, r.observed, r.err = w.Diagnose(ctx, e, d)
			return nil // each result has its own error
		})
	}
	all.Wait()
	if err := t.Stop(); err != nil && ctx.Err() == nil {
		return err
	}
	return o.each(std, func(i int) (any, string, error) {
		r := &results[i]
		if r.err != nil {
			return nil, "", r.err
		}
		o.noteBelow(ctx, conn, r.state, std)
		return plain.Doctor(r.state, r.observed), plain.DoctorText(r.state, r.observed), outcome(r.state)
	})
}

type diagnosed struct {
	state    *doctor.State
	observed time.Duration
	err      error
}

func outcome(s *doctor.State) error {
	if doctor.Worst(s.Findings) == doctor.Critical {
		return process.Critical
	}
	for _, p := range s.Pending {
		if p.Early != nil && p.Severity == doctor.Critical {
			return process.NoLeader
		}
	}
	return nil
}

type observationEnd struct {
	mu   sync.Mutex
	at   time.Time
	text string
}

func (e *observationEnd) extend(at time.Time, text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if at.After(e.at) {
		e.at, e.text = at, text
	}
}

func (e *observationEnd) countdown(ctx context.Context, w io.Writer) error {
	defer fmt.Fprint(w, "\r\x1b[K")
	for {
		e.mu.Lock()
		fmt.Fprintf(w, "\r\x1b[K%s (%s left)", e.text, units.Exact(max(0, time.Until(e.at)).Round(time.Second)))
		e.mu.Unlock()
		if process.Sleep(ctx, time.Second) != nil {
			return nil
		}
	}
}
