package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/demo/zkserver"
	"electop/ui/cli/embedded"
	"electop/ui/cli/exit"
	"electop/ui/cli/flaggroup"
)

func newServe(std IO) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:               "serve",
		Short:             "Run the embedded ZooKeeper alone, until interrupted",
		Long:              "Run the embedded ZooKeeper alone, until interrupted. Its data lives in memory\nand ends with the process.",
		Example:           "  electop serve\n  electop serve --listen 127.0.0.1:0 --tick 100ms",
		Args:              noArgs,
		ValidArgsFunction: noFiles,
		RunE:              func(cmd *cobra.Command, _ []string) error { return runServe(cmd.Context(), o, std) },
	}
	flaggroup.Embedded.Add(cmd, func(f *pflag.FlagSet) {
		f.StringVar(&o.server.Listen, "listen", "127.0.0.1:2181", "`HOST:PORT` to listen on")
		f.DurationVar(&o.tick, "tick", defaultTick, "`DURATION` of the server's tick: session timeouts are 2 to 20 ticks, and sessions expire on a tick")
	})
	o.openFlag(cmd)
	o.server.AdminListenFlag(cmd)
	o.server.MaxClientCnxnsFlag(cmd)
	o.logFlag(cmd)
	for _, name := range []string{"data", "tree"} {
		flaggroup.Removed(cmd, name, inMemory)
	}
	return cmd
}

// inMemory replaces the flags that kept the embedded server's data.
const inMemory = "the embedded server keeps its data in memory"

func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return exit.Usagef("%s takes no argument, got %q", cmd.CommandPath(), args[0])
	}
	return nil
}

// defaultTick is the one in Apache's sample configuration. tickMax keeps timeouts from
// overflowing.
const (
	defaultTick = 2 * time.Second
	tickMax     = time.Hour
)

// serverOptions bound sessions as Apache ZooKeeper does by default.
func serverOptions(tick time.Duration, log *slog.Logger) zkserver.Options {
	return zkserver.Options{Tick: tick, MinSessionTimeout: 2 * tick, MaxSessionTimeout: 20 * tick, Logger: log}
}

func runServe(ctx context.Context, o *options, std IO) error {
	if o.tick < time.Millisecond || o.tick > tickMax {
		return exit.Usagef("--tick %v: between 1ms and %v", o.tick, tickMax)
	}
	if err := o.server.ConfirmOpen(ctx, o.yes, std.In, std.Err); err != nil {
		return err
	}
	log, closeLog, err := o.logger(ctx)
	if err != nil {
		return err
	}
	defer closeLog()
	h, err := embedded.Listen(&o.server, serverOptions(o.tick, log))
	if err != nil {
		return err
	}
	defer h.ZooKeeper.Close()
	ours, _ := net.InterfaceAddrs() // without them loopback is named
	addr := invitedTo(h.Addr(), ours)
	admin, err := h.ServeAdmin(o.server.AdminListen)
	if err != nil {
		return err
	}
	fmt.Fprintf(std.Out, "ZooKeeper on %s. Data lives in memory and ends with this process.\n", addr)
	if admin != "" {
		fmt.Fprintf(std.Out, "AdminServer on %s\n", admin)
	}
	ended := h.Run(ctx, func(s string) { std.note("%s", s) })
	if err := errors.Join(ended, h.ZooKeeper.Close()); err != nil {
		return err
	}
	return exit.Interrupted
}
