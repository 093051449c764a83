package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"electop/demo"
	"electop/model"
	"electop/model/doctor"
	"electop/model/units"
	"electop/ui/cli/cluster"
	"electop/ui/cli/embedded"
	"electop/ui/cli/exit"
	"electop/ui/cli/stage"
	"electop/ui/cli/task"
	"electop/ui/cli/watch"
	"electop/zkwatch/admin"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
)

// errBroken is the end of a run in which an invariant was violated.
var errBroken = errors.New("something that must hold did not")

// runHeadless causes random faults without a screen and prints the events. All
// connections are inside the process, unless --listen lets others join.
func runHeadless(ctx context.Context, o *options, c *chaosOptions, std IO) error {
	if err := o.check(); err != nil {
		return err
	}
	if o.duration < 0 {
		return exit.Usagef("--for must not be negative")
	}
	log, closeLog, err := o.logger(ctx)
	if err != nil {
		return err
	}
	defer closeLog()
	defer std.secondSignal(ctx)()
	h, err := c.server(ctx, o, log, std)
	if err != nil {
		return err
	}
	defer h.ZooKeeper.Close()
	servers, err := client.ParseConnectString(cluster.DefaultServers) // which nobody dials
	if err != nil {
		return err
	}
	conn := client.Config{Servers: servers, SessionTimeout: cmp.Or(o.cluster.SessionTimeout, demoSessionTimeout), Logger: log}
	r := &headless{o: o, chaos: *c.chaos(o.cast), server: h, log: log, std: std}
	return r.run(ctx, embedded.Within(conn, h.ZooKeeper), embedded.Backstage(conn, h.ZooKeeper))
}

// server starts the embedded ZooKeeper, which listens if --listen was given.
func (c *chaosOptions) server(ctx context.Context, o *options, log *slog.Logger, std IO) (*embedded.Server, error) {
	if !c.listen {
		return embedded.New(embedded.Demo(log)), nil
	}
	if err := o.server.ConfirmOpen(ctx, o.yes, std.In, std.Err); err != nil {
		return nil, err
	}
	h, err := embedded.Listen(&o.server, embedded.Demo(log))
	if err == nil {
		std.note("ZooKeeper on %s", embedded.Dialable(h.Addr()))
	}
	return h, err
}

// headless is one run without a screen.
type headless struct {
	o      *options
	chaos  demo.Chaos
	server *embedded.Server
	log    *slog.Logger
	std    IO
}

func (r *headless) run(ctx context.Context, conn, backstage client.Config) error {
	o := r.o
	notice := r.std.notice(r.log)
	o.admin.Mode = admin.Off
	var broken time.Time // since when an invariant is violated
	o.byReads = true     // as in the demo
	cfg := o.watch(backstage, r.log, true)
	cfg.Notice = notice
	cfg.First = feed.Config{
		Events: func(es []model.Event) error { return printEvents(r.std, o, es) },
		Applied: func(s *doctor.State, _ []model.Event) {
			if broken.IsZero() && len(s.Broken()) > 0 {
				broken = s.At
			}
		},
	}
	w, err := watch.New(cfg)
	if err != nil {
		return err
	}
	defer w.Close()
	cast := stage.NewCast(w.First(), demo.Config{Conn: conn, Ack: cfg.Elections[0].AckPath, Create: true, Notice: notice})
	scene := stage.New(w.First(), demo.StageConfig{Cast: cast, Server: r.server.ZooKeeper, Workers: backstage, Chaos: &r.chaos, Notice: notice})
	r.std.note("chaos, %s, %s to begin with", r.chaos, units.Count(r.chaos.Cast, "candidate", "candidates"))
	t := task.NewGroup(ctx)
	t.Start("embedded server", func(ctx context.Context) error { return r.server.Run(ctx, notice) })
	w.Start(t)
	t.Start("stage", scene.Run)
	t.Start("cast", func(ctx context.Context) error {
		// The observer reads first, so that every later change is observed.
		if _, err := w.First().Feed.Await(ctx, func(s *doctor.State) bool { return s.Phase != model.Unseen }); err != nil {
			return nil
		}
		return stage.IgnoreEnd(cast.SpawnInOrder(ctx, r.chaos.Cast))
	})
	trouble, end := context.WithCancel(t.Context())
	defer end()
	t.Start("chaos", func(context.Context) error {
		return stage.MakeTrouble(trouble, r.chaos, w.First(), cast, r.log)
	})
	err = rest(t.Context(), o.over())
	end()
	// Before the cast: a candidate that has just joined would leave at once, and a
	// znode that is deleted at once is not seen.
	stopped := t.Stop()
	cast.Close()
	if err == nil && stopped != nil {
		err = stopped
	}
	if err != nil && ctx.Err() == nil {
		return err
	}
	s := w.First().Feed.State()
	if violated := s.Broken(); len(violated) > 0 {
		return fmt.Errorf("%w (%s), first at %s: %s", errBroken, r.chaos, broken.Format(time.RFC3339Nano), strings.Join(violated, "; "))
	}
	r.std.note("one leader, nothing lost, no ghost: %d joined, %d left, %s (%s)",
		s.Totals.Joined, s.Totals.Left, units.Count(s.Totals.Handoffs, "handoff", "handoffs"), r.chaos)
	if ctx.Err() != nil {
		return exit.Interrupted
	}
	return nil
}
