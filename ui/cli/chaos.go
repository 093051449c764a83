package cli

import (
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

	"electop/demo"
	"electop/demo/zkserver"
	"electop/model"
	"electop/model/doctor"
	"electop/model/units"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
)

// chaosOptions are the flags of trouble made at random.
type chaosOptions struct {
	on       bool
	seed     uint64
	rate     string
	headless bool

	perSecond float64
	listen    bool // others can join
	cast      *int
}

func (c *chaosOptions) flags(cmd *cobra.Command, o *options) {
	f := cmd.Flags()
	f.BoolVar(&c.on, "chaos", false, "spawn, kill, freeze and heal at random")
	f.Uint64Var(&c.seed, "seed", 0, "the trouble's seed: the same one makes the same trouble (one at random, which is said)")
	f.StringVar(&c.rate, "rate", "2/s", "how much trouble, `N/s`, N/m or N/h")
	f.BoolVar(&c.headless, "headless", false, "no screen: print the events")
	f.BoolVar(&o.json, "json", false, "with --headless: one JSON object a line")
	f.DurationVar(&o.duration, "for", 0, "with --headless: stop after this `DURATION`")
	c.cast = &o.cast
}

// rateMax bounds the trouble that can be asked for, a second.
const rateMax = 100

func (c *chaosOptions) check(cmd *cobra.Command) error {
	changed := cmd.Flags().Changed
	for _, name := range []string{"seed", "rate"} {
		if changed(name) && !c.on {
			return usagef("--%s says something about --chaos, which is not on", name)
		}
	}
	for _, name := range []string{"json", "for"} {
		if changed(name) && !c.headless {
			return usagef("--%s needs --headless: the dashboard goes on until it is left", name)
		}
	}
	for _, name := range []string{"tree", "admin-listen", "campaign", "theme"} {
		if changed(name) && c.headless {
			return usagef("--%s means nothing with --headless", name)
		}
	}
	if c.headless && !c.on {
		return usagef("--headless needs --chaos: without a screen nobody else would do anything")
	}
	c.listen = changed("listen")
	if changed("max-client-cnxns") && c.headless && !c.listen {
		return usagef("--max-client-cnxns needs --listen with --headless: nobody else can connect")
	}
	var err error
	if c.perSecond, err = parseRate(c.rate); err != nil {
		return err
	}
	if c.on && !changed("seed") {
		c.seed = uint64(rand.Uint32N(1_000_000)) // short enough to be typed again
	}
	return nil
}

// parseRate reads N/s, N/m, N/h or N, which is a second's.
func parseRate(s string) (perSecond float64, err error) {
	number, unit, found := strings.Cut(s, "/")
	n, err := strconv.ParseFloat(number, 64)
	per := map[string]float64{"s": 1, "m": 60, "h": 3600}[unit]
	if !found {
		per = 1
	}
	if err != nil || per == 0 || !(n > 0) || n/per > rateMax {
		return 0, usagef("--rate %q: a number of acts over a time, as in 2/s or 30/m, up to %d/s", s, rateMax)
	}
	return n / per, nil
}

// chaos is what to do, nil for nothing.
func (c *chaosOptions) chaos() *demo.Chaos {
	if !c.on {
		return nil
	}
	return &demo.Chaos{Seed: c.seed, Rate: c.perSecond, Cast: *c.cast}
}

// makeTrouble begins once those stand that are there to begin with.
func makeTrouble(ctx context.Context, c demo.Chaos, e *watched, cast *demo.Cast, log *slog.Logger) error {
	if _, err := e.feed.Await(ctx, func(s *doctor.State) bool { return inPlace(s, c.Cast) }); err != nil {
		return nil // the end
	}
	return left(c.Run(ctx, cast, func(a demo.Act) {
		log.Info("chaos", "at", a.At, "act", a.Kind, "member", a.Member)
	}))
}

// errBroken is the end of a run in which something did not hold that must.
var errBroken = errors.New("what must hold did not")

// runHeadless makes trouble without a screen and prints what comes of it. All
// connections are within the process, unless --listen has others join.
func runHeadless(ctx context.Context, o *options, c *chaosOptions, std IO) error {
	if err := o.check(); err != nil {
		return err
	}
	if o.duration < 0 {
		return usagef("--for must not be negative")
	}
	log, closeLog, err := o.logger()
	if err != nil {
		return err
	}
	defer closeLog()
	defer std.secondSignal(ctx)()
	h, err := c.host(ctx, o, log, std)
	if err != nil {
		return err
	}
	defer h.server.Close()
	if !o.castSet {
		o.cast = demoCast
	}
	timeout := o.sessionTimeout
	if timeout == 0 {
		timeout = demoTimeout
	}
	servers, err := client.ParseConnectString(defaultServers) // which nobody dials
	if err != nil {
		return err
	}
	conn := client.Config{Servers: servers, SessionTimeout: timeout, Logger: log}
	r := &headless{o: o, chaos: *c.chaos(), host: h, log: log, std: std}
	return r.run(ctx, within(conn, h.server), backstage(conn, h.server))
}

// host starts the embedded ZooKeeper, for others too if that was asked for.
func (c *chaosOptions) host(ctx context.Context, o *options, log *slog.Logger, std IO) (*host, error) {
	if !c.listen {
		return newHost(demoServer(log)), nil
	}
	if err := confirmOpen(ctx, o, std); err != nil {
		return nil, err
	}
	h, err := embedded(o, demoServer(log))
	if err == nil {
		fmt.Fprintf(std.Err, "electop: ZooKeeper on %s\n", dialable(h.addr))
	}
	return h, err
}

// within is conn for candidates of the same process.
func within(conn client.Config, s *zkserver.Server) client.Config {
	conn.Dial = func(context.Context, string, string) (net.Conn, error) { return s.Dial() }
	return conn
}

// headless is one such run.
type headless struct {
	o     *options
	chaos demo.Chaos
	host  *host
	log   *slog.Logger
	std   IO
}

func (r *headless) run(ctx context.Context, conn, watch client.Config) error {
	o := r.o
	notice := func(s string) {
		r.log.Warn(s)
		fmt.Fprintf(r.std.Err, "electop: %s\n", s)
	}
	o.admin.mode = adminOff
	limit := 0
	broken := &breach{}
	w, err := o.watch(watch, r.log, true, feed.Config{
		Events:  func(es []model.Event) error { return printEvents(r.std.Out, o, es, &limit) },
		Applied: broken.look,
	}, notice)
	if err != nil {
		return err
	}
	defer w.close()
	sc := screen{conn: conn, watch: watch, acting: true, create: true, host: r.host}
	cast, err := newCast(o, sc, w.first(), notice)
	if err != nil {
		return err
	}
	sc.play.chaos = &r.chaos
	stage := stageOf(sc, w.first(), cast, notice)
	fmt.Fprintf(r.std.Err, "electop: chaos, %s, %s to begin with\n", r.chaos, units.Count(r.chaos.Cast, "candidate", "candidates"))
	t := newTasks(ctx)
	t.start("embedded server", func(ctx context.Context) error { return r.host.run(ctx, notice) })
	w.start(t)
	t.start("stage", stage.Run)
	t.start("cast", func(ctx context.Context) error {
		// Looking comes first, so that whatever happens is seen to happen.
		if _, err := w.first().feed.Await(ctx, func(s *doctor.State) bool { return s.Phase != model.Unseen }); err != nil {
			return nil
		}
		return left(cast.SpawnInOrder(ctx, r.chaos.Cast))
	})
	trouble, end := context.WithCancel(t.ctx)
	defer end()
	t.start("chaos", func(context.Context) error {
		return makeTrouble(trouble, r.chaos, w.first(), cast, r.log)
	})
	var over <-chan time.Time
	if o.duration > 0 {
		timer := time.NewTimer(o.duration)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-over:
	case <-t.ctx.Done():
		err = context.Cause(t.ctx)
	}
	end()
	cast.Close()
	if stopped := t.stop(); err == nil && stopped != nil {
		err = stopped
	}
	if err != nil && ctx.Err() == nil {
		return err
	}
	s := w.first().feed.State()
	if said := s.Broken(); len(said) > 0 {
		return fmt.Errorf("%w (%s), first at %s: %s", errBroken, r.chaos, broken.since.Format(time.RFC3339Nano), strings.Join(said, "; "))
	}
	fmt.Fprintf(r.std.Err, "electop: one leader, nothing lost, no ghost: %d joined, %d left, %s (%s)\n",
		s.Totals.Joined, s.Totals.Left, units.Count(s.Totals.Handoffs, "handoff", "handoffs"), r.chaos)
	if ctx.Err() != nil {
		return errInterrupted
	}
	return nil
}

// breach is when something was first seen not to hold.
type breach struct{ since time.Time }

func (b *breach) look(s *doctor.State, _ []model.Event) {
	if b.since.IsZero() && len(s.Broken()) > 0 {
		b.since = s.At
	}
}
