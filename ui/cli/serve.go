package cli

import (
	"context"
	"fmt"
	"net"

	"github.com/spf13/cobra"
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
	log, closeLog, err := o.logger()
	if err != nil {
		return err
	}
	defer closeLog()
	server, addr, err := embedded(o.listen, log)
	if err != nil {
		return err
	}
	defer server.Close()
	fmt.Fprintf(std.Out, "ZooKeeper on %s. Data lives in memory and ends with this process.\n", addr)
	if host, _, err := net.SplitHostPort(o.listen); err == nil {
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			fmt.Fprintln(std.Err, "electop: note: this address is open to the network, and the server asks nobody who they are")
		}
	}
	<-ctx.Done()
	return errInterrupted
}
