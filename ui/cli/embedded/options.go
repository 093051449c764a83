// Package embedded is the ZooKeeper inside electop. Flags say where it listens. Its data
// is in memory.
package embedded

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/demo/zkserver"
	"electop/ui/cli/flaggroup"
)

// openCnxns bounds the connections from one host if --listen is open to the network.
// It is enough for a class behind one address.
const openCnxns = 1000

// Options are the flags of the commands with an embedded ZooKeeper. Each command
// declares those that it uses.
type Options struct {
	Listen         string
	AdminListen    string
	MaxClientCnxns int
	// MaxClientCnxnsSet reports whether it was given; nil: the command has no such
	// flag.
	MaxClientCnxnsSet func() bool
}

// AdminListenFlag declares where the AdminServer listens.
func (o *Options) AdminListenFlag(cmd *cobra.Command) {
	flaggroup.Embedded.Add(cmd, func(f *pflag.FlagSet) {
		f.StringVar(&o.AdminListen, "admin-listen", "", "serve the embedded ZooKeeper's AdminServer (HTTP, /commands) on `HOST:PORT` (default: not at all)")
	})
}

// MaxClientCnxnsFlag declares the bound on connections from one host.
func (o *Options) MaxClientCnxnsFlag(cmd *cobra.Command) {
	const name = "max-client-cnxns"
	flaggroup.Embedded.Add(cmd, func(f *pflag.FlagSet) {
		f.IntVar(&o.MaxClientCnxns, name, 0, fmt.Sprintf("accept at most `N` connections from one host, 0: no limit. Without this flag: %d from each remote host if --listen is open to the network, no limit on loopback", openCnxns))
	})
	o.MaxClientCnxnsSet = func() bool { return cmd.Flags().Changed(name) }
}

// Demo is how the server of a demo is configured. Expiry is checked often:
// in a demo a session should end when the countdown says so.
func Demo(log *slog.Logger) zkserver.Options {
	return zkserver.Options{Tick: 50 * time.Millisecond, Logger: log}
}
