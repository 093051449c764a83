package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/charmbracelet/x/term"

	"electop/demo"
	"electop/demo/zkserver"
	"electop/ui"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
)

// screen is what differs between the dashboards.
type screen struct {
	conn     client.Config
	watch    client.Config // likewise, for looking on
	mode     string
	cluster  string
	cast     int  // candidates to start with
	campaign bool // stand ourselves from the start
	create   bool
	acting   bool     // keys that act are enabled
	noActing string   // else why not
	hello    []string // the first notices, if any
	entry    entry    // what is known of the election that candidates of ours enter
	consent  bool     // the user knows whose it is
	// verify is how often watches are verified unasked: where that costs nobody
	// anything. 0: not by time.
	verify time.Duration

	// The demo's own.
	host        *host // nil: another's server
	play        play
	invitations []ui.Invitation
	open        bool // to other machines
}

// dashboard runs the screen until it is left.
func dashboard(ctx context.Context, o *options, log *slog.Logger, sc screen) error {
	notices := make(chan string, 16)
	for _, hello := range sc.hello {
		if hello == "" {
			continue
		}
		notices <- hello
	}
	notice := func(s string) {
		log.Warn(s)
		select {
		case notices <- s:
		default: // the status line has one row; the log has them all
		}
	}
	t := newTasks(ctx)
	teacher, first, err := newTutor(sc, t, notice)
	if err != nil {
		return err
	}
	watched, err := o.watch(sc.watch, log, sc.acting, first, notice)
	if err != nil {
		return err
	}
	defer watched.close()
	w := newWall(o, watched, t)
	cast, err := newCast(o, sc, w.first(), notice)
	if err != nil {
		return err
	}
	a := &actions{path: o.path, cast: cast, wall: w, candidacyName: o.candidacyName(), noActing: sc.noActing}
	if sc.host != nil {
		t.start("embedded server", func(ctx context.Context) error { return sc.host.run(ctx, notice) })
	}
	if a.stage = stageOf(sc, w.first(), cast, notice); a.stage != nil {
		t.start("stage", a.stage.Run)
	}
	w.start()
	if sc.verify > 0 {
		t.start("verifying", func(ctx context.Context) error { return w.verifyEvery(ctx, sc.verify) })
	}
	if sc.acting {
		g := &guard{actions: a, screen: sc, election: w.first(), notice: notice}
		g.judge(w.State())
		t.start("cast", g.run)
	}
	if teacher != nil {
		teacher.stage, teacher.feed, teacher.mark = a.stage, w.first().feed, w.mark
	}
	if sc.play.lesson {
		teacher.begin(sc.play.name)
	}
	if sc.play.chaos != nil {
		t.start("chaos", func(ctx context.Context) error { return makeTrouble(ctx, *sc.play.chaos, w.first(), cast, log) })
	}
	role := "observer"
	switch {
	case sc.cast > 0 && sc.mode != ui.ModeDemo:
		role = fmt.Sprintf("cast of %d", sc.cast)
	case sc.campaign:
		role = "candidate"
	}
	opts := ui.Options{
		Source: w, Actions: a, Past: w, Mode: sc.mode, Role: role, Cluster: sc.cluster,
		Invitations: sc.invitations, Open: sc.open,
		Notices: notices, Theme: o.theme, ObserveOnly: o.observeOnly,
	}
	if teacher != nil {
		opts.Tutor = teacher
	}
	err = ui.Run(t.ctx, opts)
	if sc.host != nil {
		sc.host.server.SetPace(zkserver.Pace{}) // goodbyes are not held
	}
	cast.Close()
	if failed := t.stop(); failed != nil && ctx.Err() == nil {
		return failed
	}
	if errors.Is(err, context.Canceled) {
		return ctx.Err()
	}
	return err
}

// newCast returns the cast of an election, with nobody in it yet.
func newCast(o *options, sc screen, e *watched, notice func(string)) (*demo.Cast, error) {
	election, err := o.election(e.path, sc.acting)
	if err != nil {
		return nil, err
	}
	return demo.NewCast(demo.Config{
		Conn: sc.conn, Path: e.path, Ack: election.AckPath, Create: sc.create, Dialect: sc.entry.naming(),
		Put: e.feed.Put, Notice: notice, Now: feed.Now,
	}), nil
}

// candidacyName is the data of our own candidacy's znode.
func (o *options) candidacyName() string {
	if o.name != "" {
		return o.name
	}
	host, err := os.Hostname()
	if err != nil {
		host = "electop"
	}
	return fmt.Sprintf("%s:%d", host, os.Getpid())
}

// needTerminal refuses a dashboard that nobody could see.
func needTerminal(std IO) error {
	if f, ok := std.Out.(*os.File); ok && term.IsTerminal(f.Fd()) {
		return nil
	}
	return usagef("the dashboard needs a terminal on standard output; for scripts use: electop status PATH --json, or electop events PATH --json")
}

// runLive is the dashboard on a cluster.
func runLive(ctx context.Context, o *options, std IO) error {
	if err := o.check(); err != nil { // which says more than that there is no terminal
		return err
	}
	if err := needTerminal(std); err != nil {
		return err
	}
	log, conn, done, err := o.cluster()
	if err != nil {
		return err
	}
	defer done()
	sc := screen{
		conn: conn, watch: conn, cluster: clusterName(conn.Servers), mode: ui.ModeLive,
		cast: o.cast, campaign: o.campaign, create: o.create,
		acting:   o.campaign || o.castSet,
		noActing: "looking on only: start with --campaign or --cast N to take part",
	}
	if sc.acting {
		sc.noActing = ""
		if sc.entry, err = confirm(ctx, o, std, conn); err != nil {
			return err
		}
		if sc.entry.known { // a cluster that is not there yet cannot be asked
			probe, err := connectOnce(ctx, conn, o.connectTimeout)
			if err != nil {
				return err
			}
			var warning string
			sc.conn.Tick, warning = o.askTick(ctx, conn, probe, log)
			probe.Close()
			sc.hello = append(sc.hello, warning)
		}
		sc.consent = o.yes || sc.entry.foreign > 0
		if sc.entry.foreign > 0 {
			sc.hello = append(sc.hello, fmt.Sprintf("%s: %s", sc.entry.whose(), sc.entry.behind))
		}
	}
	return dashboard(ctx, o, log, sc)
}

// clusterName names a cluster in the header's little room: its first server,
// how many more there are, and the chroot.
func clusterName(cs client.ConnectString) string {
	name := cs.Servers[0]
	if more := len(cs.Servers) - 1; more > 0 {
		name = fmt.Sprintf("%s +%d", name, more)
	}
	return name + cs.Chroot
}
