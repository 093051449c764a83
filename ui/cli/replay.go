package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"electop/model"
	"electop/ui"
	"electop/zkwatch/feed"
)

func newReplay(std IO) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "The dashboard on a recording",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("replay takes one FILE, a recording made with --record")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runReplay(cmd.Context(), o, std, args[0]) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.json, "json", false, "print the recording's events as JSON, one object a line")
	f.Float64Var(&o.speed, "speed", 1, "how much faster than life")
	o.screenFlags(cmd)
	o.logFlag(cmd)
	return cmd
}

func runReplay(ctx context.Context, o *options, std IO, file string) error {
	if !o.json {
		if err := needTerminal(std); err != nil {
			return err
		}
	}
	if !(o.speed > 0 && o.speed <= 1e6) {
		return usagef("--speed %v: between 0 and 1000000", o.speed)
	}
	log, closeLog, err := o.logger()
	if err != nil {
		return err
	}
	defer closeLog()
	in, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	defer in.Close()
	d, h, err := model.NewDecoder(in)
	if err != nil {
		return fmt.Errorf("replay %s: %w", file, err)
	}
	election, err := h.Config()
	if err != nil {
		return fmt.Errorf("replay %s: %w", file, err)
	}
	o.path = election.Path
	if o.json {
		limit := 0
		f := feed.New(feed.Config{
			Election: election,
			Events:   func(es []model.Event) error { return printEvents(std.Out, o, es, &limit) },
			Notice:   func(s string) { fmt.Fprintf(std.Err, "electop: %s\n", s) },
		})
		if err := f.Replay(ctx, d, &feed.Player{}); err != nil {
			return fmt.Errorf("replay %s: %w", file, err)
		}
		return nil
	}
	notices := make(chan string, 16)
	f := feed.New(feed.Config{Election: election, Notice: func(s string) {
		log.Warn(s)
		select {
		case notices <- s:
		default:
		}
	}})
	player := &feed.Player{Speed: o.speed}
	t := newTasks(ctx)
	t.start("replay "+file, func(ctx context.Context) error { return f.Replay(ctx, d, player) })
	err = ui.Run(t.ctx, ui.Options{
		Source: f, Actions: replayActions{player}, Now: player.Now, Mode: ui.ModeReplay,
		Role: "recording", Cluster: file, Notices: notices, Theme: o.theme,
	})
	if failed := t.stop(); failed != nil && ctx.Err() == nil {
		return failed
	}
	if errors.Is(err, context.Canceled) {
		return ctx.Err()
	}
	return err
}
