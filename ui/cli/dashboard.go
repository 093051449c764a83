package cli

import (
	"context"
	"fmt"

	"electop/ui"
	"electop/ui/cli/admission"
	"electop/ui/cli/connect"
	"electop/ui/cli/exit"
	"electop/ui/cli/live"
	"electop/ui/cli/terminal"
	"electop/zkwatch/client"
)

// needTerminal refuses a dashboard without a terminal to draw it on.
func needTerminal(std IO) error {
	if _, ok := terminal.Of(std.Out); ok {
		return nil
	}
	return exit.Usagef("the dashboard needs a terminal on standard output; for scripts use: electop status PATH --json, or electop events PATH --json")
}

// runLive is the dashboard on a cluster.
func runLive(ctx context.Context, o *options, std IO) error {
	if err := o.check(); err != nil { // before the terminal: its errors say more
		return err
	}
	if err := needTerminal(std); err != nil {
		return err
	}
	log, conn, done, err := o.open()
	if err != nil {
		return err
	}
	defer done()
	cfg := live.Config{
		Timeout: o.cluster.Timeout, Conn: conn,
		Screen: ui.Options{Cluster: clusterName(conn.Servers), Theme: o.theme, ObserveOnly: o.observeOnly},
		Cast:   o.cast, Campaign: o.campaign, Create: o.create, CandidacyName: o.candidacyName(),
	}
	acting := o.campaign || o.castSet
	if cfg.Watch, err = o.watch(conn, log, acting); err != nil {
		return err
	}
	if !acting {
		cfg.NoActing = "read-only: start with --campaign or --cast N to take part"
		return live.Run(ctx, cfg)
	}
	e, err := o.admission(std, conn).Confirm(ctx)
	if err != nil {
		return err
	}
	if e.Known { // a cluster that is not up yet cannot be asked
		probe, err := connect.Once(ctx, conn, o.cluster.Timeout)
		if err != nil {
			return err
		}
		var warning string
		cfg.Conn.Tick, warning = o.admin.Tick(ctx, o.path, conn, probe, log)
		probe.Close()
		cfg.Notices = append(cfg.Notices, warning)
	}
	cfg.Admission, cfg.Consent = e, o.yes || e.Foreign > 0
	if e.Foreign > 0 {
		cfg.Notices = append(cfg.Notices, fmt.Sprintf("%s: %s", e.Whose(), e.Behind))
	}
	return live.Run(ctx, cfg)
}

// admission is the request to let our candidates join the election.
func (o *options) admission(std IO, conn client.Config) admission.Request {
	return admission.Request{Path: o.path, Conn: conn, Timeout: o.cluster.Timeout, Yes: o.yes, In: std.In, Err: std.Err}
}

// clusterName is a short name of a cluster for the header: its first server, how
// many more there are, and the chroot.
func clusterName(cs client.ConnectString) string {
	name := cs.Servers[0]
	if more := len(cs.Servers) - 1; more > 0 {
		name = fmt.Sprintf("%s +%d", name, more)
	}
	return name + cs.Chroot
}
