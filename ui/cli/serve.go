package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/demo/zkserver"
	"electop/ui/cli/help"
	"electop/ui/cli/process"
	"electop/zkwatch/client"
)

func newServe(std IO) *cobra.Command {
	o := &options{}
	const cnxns = "max-client-cnxns"
	cmd := &cobra.Command{
		Use:     "serve",
		Short:   "Run the embedded ZooKeeper alone, until interrupted",
		Long:    "Run the embedded ZooKeeper alone, until interrupted. Its data is in memory\nand is lost when the process ends.",
		Example: "  electop serve\n  electop serve --listen 127.0.0.1:0 --tick 100ms",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return process.Usagef("%s takes no argument, got %q", cmd.CommandPath(), args[0])
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.server.cnxnsSet = cmd.Flags().Changed(cnxns)
			return runServe(cmd.Context(), o, std)
		},
	}
	help.Embedded.Add(cmd, func(f *pflag.FlagSet) {
		f.StringVar(&o.server.listen, "listen", "127.0.0.1:2181", "`HOST:PORT` to listen on")
		f.DurationVar(&o.tick, "tick", defaultTick, "`DURATION` of the server's tick: session timeouts are 2 to 20 ticks, and sessions expire on a tick")
		f.BoolVar(&o.yes, "yes", false, "open the embedded ZooKeeper to the network without being asked")
		f.StringVar(&o.server.admin, "admin-listen", "", "serve the embedded ZooKeeper's AdminServer (HTTP, /commands) on `HOST:PORT` (default: not at all)")
		f.IntVar(&o.server.cnxns, cnxns, 0, fmt.Sprintf("accept at most `N` connections from one host, 0: no limit. Without this flag: %d from each remote host if --listen is open to the network, no limit on loopback", openCnxns))
	})
	o.logFlag(cmd)
	return cmd
}

const (
	defaultTick = 2 * time.Second // as in Apache ZooKeeper's sample configuration
	tickMax     = time.Hour       // 20 ticks, the longest session timeout, fit in the protocol's int32 milliseconds
)

func runServe(ctx context.Context, o *options, std IO) error {
	if o.tick < time.Millisecond || o.tick > tickMax {
		return process.Usagef("--tick %v: between 1ms and %v", o.tick, tickMax)
	}
	if err := o.server.confirmOpen(ctx, o.yes, std.In, std.Err); err != nil {
		return err
	}
	log, closeLog, err := o.logger(ctx)
	if err != nil {
		return err
	}
	defer closeLog()
	// Apache ZooKeeper has these bounds by default.
	h, err := o.server.start(zkserver.Options{Tick: o.tick, MinSessionTimeout: 2 * o.tick, MaxSessionTimeout: 20 * o.tick, Logger: log})
	if err != nil {
		return err
	}
	defer h.ZooKeeper.Close()
	ours, _ := net.InterfaceAddrs() // after an error, ours is empty
	addr := dialable(h.addr, ours...)
	admin, err := h.serveAdmin(o.server.admin)
	if err != nil {
		return err
	}
	fmt.Fprintf(std.Out, "ZooKeeper on %s. Its data is in memory and is lost when this process ends.\n", addr)
	if admin != "" {
		fmt.Fprintf(std.Out, "AdminServer on %s\n", admin)
	}
	ended := h.run(ctx, func(s string) { std.note("%s", s) })
	if err := errors.Join(ended, h.ZooKeeper.Close()); err != nil {
		return err
	}
	return process.Interrupted
}

type embedded struct {
	ZooKeeper *zkserver.Server

	addr     net.Addr // nil without a listener
	messages chan string
	ended    chan error // errors of Serve and ServeAdmin
}

func newEmbedded(opts zkserver.Options) *embedded {
	s := &embedded{messages: make(chan string, 16), ended: make(chan error, 2)}
	opts.Trouble = func(text string) {
		select {
		case s.messages <- text:
		default: // the channel is full
		}
	}
	s.ZooKeeper = zkserver.New(opts)
	return s
}

func (o *embeddedOptions) start(opts zkserver.Options) (*embedded, error) {
	switch {
	case o.cnxns < 0:
		return nil, process.Usagef("--max-client-cnxns %d is negative", o.cnxns)
	case !o.cnxnsSet && openToNetwork(o.listen):
		opts.MaxClientCnxns, opts.LoopbackUnbounded = openCnxns, true
	default:
		opts.MaxClientCnxns = o.cnxns
	}
	s := newEmbedded(opts)
	l, err := net.Listen("tcp", o.listen)
	if err != nil {
		s.ZooKeeper.Close()
		return nil, fmt.Errorf("--listen %s: %w", o.listen, err)
	}
	s.addr = l.Addr()
	s.serve(func() error { return s.ZooKeeper.Serve(l) })
	return s, nil
}

func (s *embedded) serve(f func() error) {
	go func() {
		if err := f(); err != nil {
			s.ended <- err
		}
	}()
}

func (s *embedded) serveAdmin(listen string) (string, error) {
	if listen == "" {
		return "", nil
	}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return "", fmt.Errorf("--admin-listen %s: %w", listen, err)
	}
	s.serve(func() error { return s.ZooKeeper.ServeAdmin(l) })
	return "http://" + dialable(l.Addr()) + "/commands", nil
}

func (s *embedded) run(ctx context.Context, notice func(string)) error {
	for {
		select {
		case text := <-s.messages:
			notice(text)
		case err := <-s.ended:
			return err
		case <-ctx.Done():
			return nil
		}
	}
}

// openCnxns limits the connections from one remote address. A school class may share one address.
const openCnxns = 1000

type embeddedOptions struct {
	listen, admin string
	cnxns         int
	cnxnsSet      bool
}

func (o *embeddedOptions) flags(cmd *cobra.Command, yes *bool) {
	help.Embedded.Add(cmd, func(f *pflag.FlagSet) {
		f.StringVar(&o.listen, "listen", anyPort, "`HOST:PORT` of the embedded ZooKeeper, where your own programs can join")
		f.BoolVar(yes, "yes", false, "open the embedded ZooKeeper to the network without being asked")
	})
}

const anyPort = "127.0.0.1:0"

// demoServer sets a short tick, so that a session expires soon after its timeout.
func demoServer(log *slog.Logger) zkserver.Options {
	return zkserver.Options{Tick: 50 * time.Millisecond, Logger: log}
}

func openToNetwork(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	ip := net.ParseIP(host)
	return err == nil && host != "localhost" && (ip == nil || !ip.IsLoopback())
}

func (o *embeddedOptions) confirmOpen(ctx context.Context, yes bool, stdin io.Reader, stderr io.Writer) error {
	var opens []string
	for _, f := range []struct{ name, listen, server, can string }{
		{"--listen", o.listen, "ZooKeeper", "join, read and write everything"},
		{"--admin-listen", o.admin, "ZooKeeper's AdminServer", "read which sessions, clients and watches there are"},
	} {
		if openToNetwork(f.listen) {
			opens = append(opens, fmt.Sprintf("%s %s opens the embedded %s to the network: whoever reaches this port can %s; there is no authentication",
				f.name, f.listen, f.server, f.can))
		}
	}
	warning := strings.Join(opens, ". ")
	switch {
	case warning == "":
		return nil
	case yes:
		fmt.Fprintf(stderr, "electop: %s\n", warning)
		return nil
	}
	in, ok := process.Terminal(stdin)
	if !ok {
		return process.Usagef("%s. Add --yes if you want that", warning)
	}
	fmt.Fprintf(stderr, "%s.\nContinue? (y/N) ", warning)
	line, err := process.ReadLine(ctx, in)
	if err != nil {
		return err
	}
	if a := strings.ToLower(strings.TrimSpace(line)); a != "y" && a != "yes" {
		return errors.New("not confirmed: nothing was opened")
	}
	return nil
}

// dialable returns addr, with a concrete IP address in place of an unspecified one.
func dialable(addr net.Addr, ours ...net.Addr) string {
	t, ok := addr.(*net.TCPAddr)
	if !ok || !t.IP.IsUnspecified() {
		return addr.String()
	}
	var ips []net.IP
	for _, a := range ours {
		if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() {
			ips = append(ips, n.IP)
		}
	}
	// An IPv4 address is easier to type.
	slices.SortStableFunc(ips, func(a, b net.IP) int { return len(b.To4()) - len(a.To4()) })
	ips = append(ips, net.IPv4(127, 0, 0, 1))
	return net.JoinHostPort(ips[0].String(), fmt.Sprint(t.Port))
}

// observing returns conn with a Dial that connects to s in memory, without message delays.
func observing(conn client.Config, s *zkserver.Server) client.Config {
	conn.Dial = func(context.Context, string, string) (net.Conn, error) { return s.DialObserver() }
	return conn
}
