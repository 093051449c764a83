package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/model"
	"electop/model/history"
	"electop/ui"
	"electop/ui/action"
	"electop/ui/cli/help"
	"electop/ui/cli/process"
	"electop/ui/travel"
	"electop/zkwatch/feed"
)

func newReplay(std IO) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:     "replay FILE",
		Short:   "The dashboard on a recording, with time travel",
		Long:    "The dashboard on a recording made with --record, with time travel. The older part\nof a recording, FILE.1, needs a replay of its own.",
		Example: "  electop replay FILE --speed 4\n  electop replay FILE --json",
		Args: o.settled(func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return process.Usagef("replay takes one FILE, a recording made with --record")
			}
			return nil
		}),
		RunE: func(cmd *cobra.Command, args []string) error { return runReplay(cmd.Context(), o, std, args[0]) },
	}
	o.jsonFlag(cmd, "print the recording's events as JSON, one object per line")
	help.Screen.Add(cmd, func(f *pflag.FlagSet) {
		f.Float64Var(&o.speed, "speed", 1, "playback speed: a `FACTOR` of 1 is real time")
	})
	o.screen.Flags(cmd)
	o.logFlag(cmd)
	return cmd
}

func runReplay(ctx context.Context, o *options, std IO, file string) error {
	if !o.json {
		if err := needTerminal(std, "electop replay "+file+" --json"); err != nil {
			return err
		}
	}
	if !(o.speed > 0 && o.speed <= 1e6) {
		return process.Usagef("--speed %v: more than 0, at most 1000000", o.speed)
	}
	log, closeLog, err := o.logger(ctx)
	if err != nil {
		return err
	}
	defer closeLog()
	if o.json {
		if err := printRecording(ctx, o, std, file); err != nil {
			return fmt.Errorf("replay %s: %w", file, err)
		}
		return nil
	}
	p, err := process.Await(ctx, func() (*feed.Playback, error) { return feed.OpenPlayback(file, o.speed) })
	if err != nil {
		return fmt.Errorf("replay %s: %w", file, err)
	}
	notices := make(chan string, 16)
	t := process.NewTasks(ctx)
	t.Start("replay "+file, func(ctx context.Context) error {
		return p.Run(ctx, func(s string) {
			log.Warn(s)
			select {
			case notices <- s:
			default:
			}
		})
	})
	err = o.onScreen(ctx, std, ui.Options{
		Source: p, Actions: replayActs(p), Past: recorded{p}, Now: p.Now, Mode: ui.ModeReplay,
		Role: "recording", Cluster: file, Notices: notices,
	}, func(screen ui.Options) error { return ui.Run(t.Context(), screen) })
	if failed := t.Stop(); failed != nil && ctx.Err() == nil {
		return failed
	}
	if errors.Is(err, context.Canceled) {
		return ctx.Err()
	}
	return err
}

func printRecording(ctx context.Context, o *options, std IO, file string) error {
	r, err := process.Await(ctx, func() (*feed.Recording, error) { return feed.OpenRecording(file) })
	if err != nil {
		return err
	}
	defer r.Close()
	o.path, o.cluster.Cluster = r.Election().Path, r.Election().Cluster
	return r.Each(ctx, func(events []model.Event) error { return printEvents(std, o, events) }, func(s string) { std.note("%s", s) })
}

type recorded struct{ *feed.Playback }

func (r recorded) Seek(_ string, n uint64, m history.Move) (history.Moment, bool) {
	return r.Playback.Seek(n, m)
}

func (r recorded) Playing() travel.Playing {
	n, stopped, ended := r.Playback.Playing()
	first, last := r.Span()
	return travel.Playing{N: n, First: first, Last: last, Speed: r.Speed(), Stopped: stopped, Ended: ended, Whole: r.Whole()}
}

func replayActs(p *feed.Playback) action.Acts {
	return action.Acts{Other: "this is a recording. Start electop demo to act", Of: map[action.Kind]action.Act{
		action.Pause: {Do: func(action.Action) error { p.Toggle(); return nil }},
		action.Slow: {Do: func(act action.Action) error {
			factor := map[string]float64{action.ArgSlower: .5, action.ArgFaster: 2}[act.Arg]
			return action.Success(fmt.Sprintf("playback speed: x%.3g", p.Scale(factor)))
		}},
	}}
}
