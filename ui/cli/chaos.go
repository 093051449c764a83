package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/demo"
	"electop/model"
	"electop/model/doctor"
	"electop/model/units"
	"electop/ui/cli/cluster"
	"electop/ui/cli/election"
	"electop/ui/cli/help"
	"electop/ui/cli/process"
	"electop/zkwatch/admin"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
)

type chaosOptions struct {
	on       bool
	seed     uint64
	rate     string
	headless bool

	perSecond float64
	listen    bool // --listen was given
}

func (c *chaosOptions) flags(cmd *cobra.Command, o *options) {
	help.Faults.Add(cmd, func(f *pflag.FlagSet) {
		f.BoolVar(&c.on, "chaos", false, "spawn, resign, kill, freeze, partition and heal at random")
		f.Uint64Var(&c.seed, "seed", 0, "`NUMBER` that the random faults depend on: the same seed, rate and cast make the same faults (default: random, and shown)")
		f.StringVar(&c.rate, "rate", "2/s", "how many faults: `N/s`, N/m or N/h")
		f.BoolVar(&c.headless, "headless", false, "with --chaos: no screen, print the events")
	})
	o.jsonFlag(cmd, "with --headless: one JSON object per line")
	help.Output.Add(cmd, func(f *pflag.FlagSet) {
		f.DurationVar(&o.duration, "for", 0, "with --headless: stop after `DURATION`")
	})
}

const rateMax = 100

func (c *chaosOptions) check(cmd *cobra.Command) error {
	changed := cmd.Flags().Changed
	for _, name := range []string{"seed", "rate"} {
		if changed(name) && !c.on {
			return process.Usagef("--%s needs --chaos", name)
		}
	}
	for _, name := range []string{"json", "for"} {
		if changed(name) && !c.headless {
			return process.Usagef("--%s needs --headless", name)
		}
	}
	for _, name := range []string{"campaign", "theme", "no-mouse"} {
		if changed(name) && c.headless {
			return process.Usagef("--%s has no effect with --headless: omit it", name)
		}
	}
	if c.headless && !c.on {
		return process.Usagef("--headless needs --chaos: without a screen nothing else would happen")
	}
	c.listen = changed("listen")
	var err error
	if c.perSecond, err = parseRate(c.rate); err != nil {
		return err
	}
	if c.on && !changed("seed") {
		c.seed = uint64(rand.Uint32N(1_000_000)) // short enough to be typed again
	}
	return nil
}

func parseRate(s string) (perSecond float64, err error) {
	number, unit, found := strings.Cut(s, "/")
	n, err := strconv.ParseFloat(number, 64)
	per := map[string]float64{"s": 1, "m": 60, "h": 3600}[unit]
	if !found {
		per = 1
	}
	if err != nil || per == 0 || n/per < 1.0/86400 || !(n/per <= rateMax) {
		return 0, process.Usagef("--rate %q: a number of faults per time, as in 2/s or 30/m, from 1 a day up to %d/s", s, rateMax)
	}
	return n / per, nil
}

func (c *chaosOptions) chaos(cast int) *demo.Chaos {
	if !c.on {
		return nil
	}
	return &demo.Chaos{Seed: c.seed, Rate: c.perSecond, Cast: cast}
}

var errBroken = errors.New("an invariant was violated")

func runHeadless(ctx context.Context, o *options, c *chaosOptions, std IO) error {
	if err := o.check(); err != nil {
		return err
	}
	if o.duration < 0 {
		return process.Usagef("--for must not be negative")
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
	return o.headless(ctx, *c.chaos(o.cast), h, log, std)
}

func (c *chaosOptions) server(ctx context.Context, o *options, log *slog.Logger, std IO) (*embedded, error) {
	if !c.listen {
		return newEmbedded(demoServer(log)), nil
	}
	if err := o.server.confirmOpen(ctx, o.yes, std.In, std.Err); err != nil {
		return nil, err
	}
	h, err := o.server.start(demoServer(log))
	if err == nil {
		std.note("ZooKeeper on %s", dialable(h.addr))
	}
	return h, err
}

func (o *options) headless(ctx context.Context, chaos demo.Chaos, h *embedded, log *slog.Logger, std IO) error {
	servers, err := client.ParseConnectString(cluster.DefaultServers) // never dialed
	if err != nil {
		return err
	}
	conn := client.Config{Servers: servers, SessionTimeout: cmp.Or(o.cluster.SessionTimeout, demoSessionTimeout), Logger: log}
	observer := observing(conn, h.ZooKeeper)
	conn.Dial = func(context.Context, string, string) (net.Conn, error) { return h.ZooKeeper.Dial() }
	notice := std.notice(log)
	o.admin.Mode = admin.Off
	var violatedAt time.Time
	o.byReads = true // reads within this process cost little
	cfg := o.watch(observer, log, true)
	cfg.Notice = notice
	cfg.First = feed.Config{
		Events: func(es []model.Event) error { return printEvents(std, o, es) },
		Applied: func(s *doctor.State, _ []model.Event) {
			if violatedAt.IsZero() && len(s.Broken()) > 0 {
				violatedAt = s.At
			}
		},
	}
	w, err := election.New(cfg)
	if err != nil {
		return err
	}
	defer w.Close()
	cast := w.First().Cast(demo.Config{Conn: conn, Ack: cfg.Elections[0].AckPath, Create: true, Notice: notice})
	sandbox := w.First().Sandbox(demo.SandboxConfig{Cast: cast, Server: h.ZooKeeper, Workers: observer, Chaos: &chaos, Notice: notice})
	std.note("chaos, %s, %s at the start", chaos, units.Count(chaos.Cast, "candidate", "candidates"))
	t := process.NewTasks(ctx)
	t.Start("embedded server", func(ctx context.Context) error { return h.run(ctx, notice) })
	w.Start(t)
	t.Start("sandbox", sandbox.Run)
	t.Start("cast", func(ctx context.Context) error {
		// The observer reads before the first candidate joins. So it observes every change.
		if _, err := w.First().Feed.Await(ctx, func(s *doctor.State) bool { return s.Phase != model.Unseen }); err != nil {
			return nil
		}
		return election.IgnoreEnd(cast.SpawnInOrder(ctx, chaos.Cast))
	})
	faults, end := context.WithCancel(t.Context())
	defer end()
	t.Start("chaos", func(context.Context) error {
		return election.CauseFaults(faults, chaos, w.First(), cast, log)
	})
	err = process.Sleep(t.Context(), o.stopAfter())
	end()
	// The observation ends before the cast. Otherwise it could miss a candidate that joins and leaves at the end.
	err = cmp.Or(err, t.Stop())
	cast.Close()
	if err != nil && ctx.Err() == nil {
		return err
	}
	s := w.First().Feed.State()
	if violated := s.Broken(); len(violated) > 0 {
		return fmt.Errorf("%w (%s), first at %s: %s", errBroken, chaos, violatedAt.Format(time.RFC3339Nano), strings.Join(violated, "; "))
	}
	std.note("one leader, nothing lost, no ghost: %d joined, %d left, %s (%s)",
		s.Totals.Joined, s.Totals.Left, units.Count(s.Totals.Handoffs, "handoff", "handoffs"), chaos)
	if ctx.Err() != nil {
		return process.Interrupted
	}
	return nil
}
