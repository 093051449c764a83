package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/spf13/cobra"

	"electop/demo/zkserver"
	"electop/model/znode"
)

func newServe(std IO) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "The embedded ZooKeeper alone, until interrupted; in memory, unless --data or --tree keeps it",
		Args:  noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return runServe(cmd.Context(), o, std) },
	}
	cmd.Flags().StringVar(&o.listen, "listen", "127.0.0.1:2181", "`host:port` to listen on")
	cmd.Flags().DurationVar(&o.tick, "tick", defaultTick, "the server's tick, a `DURATION`: sessions last 2 to 20 of them and expire on one")
	cmd.Flags().StringVar(&o.data, "data", "", "keep everything in `FILE`, sessions and ephemeral znodes too: a crash loses nothing that was acknowledged. Only its owner can read it: it holds session passwords")
	o.adminListenFlag(cmd)
	o.treeFlag(cmd)
	o.maxClientCnxnsFlag(cmd)
	o.logFlag(cmd)
	return cmd
}

func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no argument, got %q", cmd.CommandPath(), args[0])
	}
	return nil
}

// defaultTick is that of the configuration that Apache ships, and tickMax a bound that no timeout overflows with.
const (
	defaultTick = 2 * time.Second
	tickMax     = time.Hour
)

// serverOptions bound sessions as Apache does unless told otherwise.
func serverOptions(tick time.Duration, log *slog.Logger) zkserver.Options {
	return zkserver.Options{Tick: tick, MinSessionTimeout: 2 * tick, MaxSessionTimeout: 20 * tick, Logger: log}
}

func runServe(ctx context.Context, o *options, std IO) error {
	if o.tick < time.Millisecond || o.tick > tickMax {
		return usagef("--tick %v: between 1ms and %v", o.tick, tickMax)
	}
	if o.data != "" && o.tree != "" {
		return usagef("--data with --tree: the one keeps everything, the other loads and saves persistent znodes only")
	}
	log, closeLog, err := o.logger()
	if err != nil {
		return err
	}
	defer closeLog()
	h, err := embedded(o, serverOptions(o.tick, log))
	if err != nil {
		return err
	}
	server, tree, addr := h.server, h.tree, h.addr
	defer server.Close()
	admin, err := h.serveAdmin(o.adminListen)
	if err != nil {
		return err
	}
	switch {
	case h.kept != "":
		fmt.Fprintf(std.Out, "ZooKeeper on %s. Data, sessions and their passwords are kept in %s, which only its owner can read.\n", dialable(addr), znode.Safe(o.data, 0))
		fmt.Fprintln(std.Out, h.kept)
	case tree == nil:
		fmt.Fprintf(std.Out, "ZooKeeper on %s. Data lives in memory and ends with this process.\n", dialable(addr))
	default:
		fmt.Fprintf(std.Out, "ZooKeeper on %s. Data lives in memory; persistent znodes are saved when this process is interrupted.\n", dialable(addr))
		fmt.Fprintln(std.Out, tree.said)
	}
	if admin != "" {
		fmt.Fprintf(std.Out, "AdminServer on %s\n", admin)
	}
	if reachable(o.listen) || reachable(o.adminListen) {
		fmt.Fprintln(std.Err, "electop: note: this address is open to the network, and the server asks nobody who they are")
	}
	ended := h.run(ctx, func(s string) { fmt.Fprintf(std.Err, "electop: %s\n", s) })
	closed := server.Close() // what is saved is the last word
	if err := errors.Join(ended, closed, tree.save(server)); err != nil {
		return err
	}
	return errInterrupted
}

// reachable reports whether an address to listen on is more than loopback.
func reachable(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	ip := net.ParseIP(host)
	return err == nil && host != "localhost" && (ip == nil || !ip.IsLoopback())
}
