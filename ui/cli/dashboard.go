package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/charmbracelet/lipgloss"

	"electop/ui"
	"electop/ui/cli/cluster"
	"electop/ui/cli/dashboard"
	"electop/ui/cli/election"
	"electop/ui/cli/process"
	"electop/zkwatch/client"
)

const forScripts = "electop status PATH --json, or electop events PATH --json"

func needTerminal(std IO, alternative string) error {
	if _, ok := process.Terminal(std.Out); !ok {
		return process.Usagef("the dashboard needs a terminal on standard output; for scripts use: %s", alternative)
	}
	if os.Getenv("TERM") == "dumb" {
		return process.Usagef("the dashboard can't be drawn on a terminal with TERM=dumb; use: %s, or set TERM to the terminal's type, as in TERM=xterm-256color", alternative)
	}
	return nil
}

func runLive(ctx context.Context, o *options, std IO) error {
	if err := o.check(); err != nil { // before needTerminal, whose error is less specific
		return err
	}
	if err := needTerminal(std, forScripts); err != nil {
		return err
	}
	log, conn, done, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	cfg := dashboard.Config{
		Reach: o.cluster.Reach(), Conn: conn,
		Screen: ui.Options{Cluster: clusterTitle(o.cluster.Cluster, conn.Servers), ObserveOnly: o.observeOnly},
		Cast:   o.cast, Campaign: o.campaign, Create: o.create, CandidacyData: o.candidacyData(),
	}
	if o.mustChoose() {
		if cfg.Found, err = o.choose(ctx, conn, std); err != nil {
			return err
		}
	}
	acting := o.campaign || o.castSet
	cfg.Watch = o.watch(conn, log, acting)
	if !acting {
		cfg.WhyReadOnly = "read-only. Start with --campaign or --cast N to take part"
		return o.runThenSwitch(ctx, std, cfg)
	}
	e, err := o.admit(ctx, std, &cfg.Conn, log, func(warning string) { cfg.Notices = append(cfg.Notices, warning) })
	if u := (process.Error{}); err != nil && !(errors.As(err, &u) && u.Code == process.ExitNoServer) { // a server may be reached later
		return err
	}
	cfg.Admission, cfg.Consent = e, o.yes || e.Foreign > 0
	if e.Foreign > 0 {
		cfg.Notices = append(cfg.Notices, fmt.Sprintf("%s: %s", e.Whose(), e.Behind))
	}
	return o.runOnScreen(ctx, std, cfg)
}

func (o *options) runThenSwitch(ctx context.Context, std IO, cfg dashboard.Config) error {
	next := ""
	cfg.Screen.SwitchCluster = func(cluster string) { next = cluster }
	for _, c := range o.file.Clusters {
		if c.Name != o.cluster.Cluster {
			cfg.Screen.Clusters = append(cfg.Screen.Clusters, c.Name)
		}
	}
	for {
		next = ""
		if err := o.runOnScreen(ctx, std, cfg); err != nil || next == "" {
			return err
		}
		root := newRoot(std)
		root.SetArgs([]string{"--cluster", next, "--theme", o.screen.Theme, "--log-file", o.logFile,
			fmt.Sprintf("--no-mouse=%t", o.screen.NoMouse), fmt.Sprintf("--observe-only=%t", o.observeOnly)})
		err := root.ExecuteContext(ctx)
		if err == nil || ctx.Err() != nil {
			return err
		}
		cfg.Notices = []string{fmt.Sprintf("Can't switch to cluster %s: %v", next, err)}
	}
}

func (o *options) admit(ctx context.Context, std IO, conn *client.Config, log *slog.Logger, warn func(string)) (election.Admission, error) {
	probe, err := cluster.Once(ctx, *conn, o.cluster.Reach())
	if err != nil {
		return election.Admission{}, err
	}
	defer probe.Close()
	tick, warning := o.admin.Tick(ctx, o.path, *conn, probe, log)
	if conn.Tick = tick; warning != "" {
		warn(warning)
	}
	return election.Request{Path: o.path, Servers: conn.Servers, Yes: o.yes, In: std.In, Err: std.Err}.Confirm(ctx, probe)
}

func clusterTitle(named string, cs client.ConnectString) string {
	name := cs.Servers[0]
	if more := len(cs.Servers) - 1; more > 0 {
		name = fmt.Sprintf("%s +%d", name, more)
	}
	return strings.TrimSpace(named + " " + name + cs.Chroot)
}

func (o *options) onScreen(ctx context.Context, std IO, with ui.Options, show func(ui.Options) error) error {
	out, ok := process.Terminal(std.Out)
	if !ok { // cannot happen after needTerminal
		return show(with)
	}
	s, err := process.OpenScreen(ctx, std.In, out)
	if err != nil {
		return fmt.Errorf("open the terminal for the dashboard's keys: %w", err)
	}
	defer s.Close()
	with.Theme, with.Input, with.Output = o.screen.Theme, s.Input(), s.Output()
	with.Width, with.Height = s.Size()
	with.Clipboard, with.Mouse = s.Copy, !o.screen.NoMouse
	with.Renderer = lipgloss.NewRenderer(out)
	return show(with)
}

func (o *options) runOnScreen(ctx context.Context, std IO, cfg dashboard.Config) error {
	return o.onScreen(ctx, std, cfg.Screen, func(screen ui.Options) error {
		cfg.Screen = screen
		return dashboard.Run(ctx, cfg)
	})
}
