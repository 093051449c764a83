package cli

import (
	"context"
	"fmt"
	"log/slog"
	"net"

	"github.com/spf13/cobra"

	"electop/demo/zkserver"
)

func newServe(std IO) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "The embedded ZooKeeper alone, in memory, until interrupted",
		Args:  noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return runServe(cmd.Context(), o, std) },
	}
	cmd.Flags().StringVar(&o.listen, "listen", "127.0.0.1:2181", "`host:port` to listen on")
	o.adminListenFlag(cmd)
	o.treeFlag(cmd)
	cmd.Flags().IntVar(&o.maxClientCnxns, "max-client-cnxns", 0, "take at most `N` connections from one host; 0 is no bound")
	o.logFlag(cmd)
	return cmd
}

func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no argument, got %q", cmd.CommandPath(), args[0])
	}
	return nil
}

func runServe(ctx context.Context, o *options, std IO) error {
	if o.maxClientCnxns < 0 {
		return usagef("--max-client-cnxns %d is negative", o.maxClientCnxns)
	}
	log, closeLog, err := o.logger()
	if err != nil {
		return err
	}
	defer closeLog()
	server, tree, addr, err := embedded(o, log)
	if err != nil {
		return err
	}
	defer server.Close()
	admin, err := serveAdmin(server, o.adminListen, log)
	if err != nil {
		return err
	}
	if tree == nil {
		fmt.Fprintf(std.Out, "ZooKeeper on %s. Data lives in memory and ends with this process.\n", dialable(addr))
	} else {
		fmt.Fprintf(std.Out, "ZooKeeper on %s. Data lives in memory; persistent znodes are saved when this process is interrupted.\n", dialable(addr))
		fmt.Fprintln(std.Out, tree.said)
	}
	if admin != "" {
		fmt.Fprintf(std.Out, "AdminServer on %s\n", admin)
	}
	if reachable(o.listen) || reachable(o.adminListen) {
		fmt.Fprintln(std.Err, "electop: note: this address is open to the network, and the server asks nobody who they are")
	}
	<-ctx.Done()
	server.Close() // what is saved is the last word
	if err := tree.save(server); err != nil {
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

// serveAdmin starts the AdminServer of s, which ends with s, and returns its
// URL. With no address to listen on it does nothing.
func serveAdmin(s *zkserver.Server, listen string, log *slog.Logger) (string, error) {
	if listen == "" {
		return "", nil
	}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return "", fmt.Errorf("--admin-listen %s: %w", listen, err)
	}
	go func() { // ends with the server's Close
		if err := s.ServeAdmin(l); err != nil {
			log.Error("AdminServer", "err", err)
		}
	}()
	return "http://" + dialable(l.Addr()) + "/commands", nil
}
