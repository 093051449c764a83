package cli

import (
	"context"
	"log/slog"

	"electop/model"
	"electop/ui/cli/task"
	"electop/ui/cli/watch"
	"electop/zkwatch/admin"
	"electop/zkwatch/client"
)

// measure observes the election that a candidate takes part in, for --metrics, with a
// session of its own: nothing that it does delays the candidate. put takes what the
// candidate reports, stop ends the observation. Without --metrics both do nothing.
func (o *options) measure(ctx context.Context, conn client.Config, log *slog.Logger, notice func(string)) (put func(model.Observation), stop func(), err error) {
	if !o.metrics.Wanted() {
		return func(model.Observation) {}, func() {}, nil
	}
	cfg, err := o.watch(conn, log, true)
	if err != nil {
		return nil, nil, err
	}
	cfg.Asking.Mode, cfg.Notice = admin.Off, notice
	w, err := watch.New(cfg)
	if err != nil {
		return nil, nil, err
	}
	t := task.NewGroup(ctx)
	w.Start(t)
	return w.First().Feed.Put, func() {
		if err := t.Stop(); err != nil && ctx.Err() == nil {
			notice("--metrics: " + err.Error())
		}
	}, nil
}
