// Package embedded is the ZooKeeper inside electop. Flags say where it listens. Its data
// is in memory.
package embedded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/demo/zkserver"
	"electop/ui/cli/exit"
	"electop/ui/cli/flaggroup"
	"electop/ui/cli/terminal"
	"electop/zkwatch/client"
)

// Server is the ZooKeeper in this process.
type Server struct {
	ZooKeeper *zkserver.Server

	addr net.Addr // nil if it does not listen
	// messages are the server's, and ended has the errors of listeners that ended
	// before Close.
	messages chan string
	ended    chan error
}

// New returns a server that only this process can reach.
func New(opts zkserver.Options) *Server {
	s := &Server{messages: make(chan string, 16), ended: make(chan error, 2)}
	opts.Trouble = func(text string) {
		select {
		case s.messages <- text:
		default: // the log has it
		}
	}
	s.ZooKeeper = zkserver.New(opts)
	return s
}

// Listen starts a ZooKeeper that listens.
func Listen(o *Options, opts zkserver.Options) (*Server, error) {
	switch {
	case o.MaxClientCnxns < 0:
		return nil, exit.Usagef("--max-client-cnxns %d is negative", o.MaxClientCnxns)
	case (o.MaxClientCnxnsSet == nil || !o.MaxClientCnxnsSet()) && Open(o.Listen):
		opts.MaxClientCnxns, opts.LoopbackUnbounded = openCnxns, true
	default:
		opts.MaxClientCnxns = o.MaxClientCnxns
	}
	s := New(opts)
	l, err := net.Listen("tcp", o.Listen)
	if err != nil {
		s.ZooKeeper.Close()
		return nil, fmt.Errorf("--listen %s: %w", o.Listen, err)
	}
	s.addr = l.Addr()
	s.Serve(l)
	return s, nil
}

// Serve serves clients on l.
func (s *Server) Serve(l net.Listener) {
	s.serve(func() error { return s.ZooKeeper.Serve(l) })
}

// serve runs f, which serves a listener and returns nil at the server's Close.
func (s *Server) serve(f func() error) {
	go func() {
		if err := f(); err != nil {
			s.ended <- err
		}
	}()
}

// ServeAdmin starts the server's AdminServer, which ends with it, and returns
// its URL. With no address to listen on it does nothing.
func (s *Server) ServeAdmin(listen string) (string, error) {
	if listen == "" {
		return "", nil
	}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return "", fmt.Errorf("--admin-listen %s: %w", listen, err)
	}
	s.serve(func() error { return s.ZooKeeper.ServeAdmin(l) })
	return "http://" + Dialable(l.Addr()) + "/commands", nil
}

// Run passes the server's messages to notice until ctx ends. It returns the error of a
// listener that ended before.
func (s *Server) Run(ctx context.Context, notice func(string)) error {
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

// Addr is where it listens.
func (s *Server) Addr() net.Addr { return s.addr }

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

// Open reports whether an address to listen on is open to the network.
func Open(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	ip := net.ParseIP(host)
	return err == nil && host != "localhost" && (ip == nil || !ip.IsLoopback())
}

// ConfirmOpen asks before the embedded server or its AdminServer is opened to the network,
// unless --yes was given.
func (o *Options) ConfirmOpen(ctx context.Context, yes bool, stdin io.Reader, stderr io.Writer) error {
	var opens []string
	for _, f := range []struct{ name, listen, server, can string }{
		{"--listen", o.Listen, "ZooKeeper", "join, read and write everything"},
		{"--admin-listen", o.AdminListen, "ZooKeeper's AdminServer", "read which sessions, clients and watches there are"},
	} {
		if Open(f.listen) {
			opens = append(opens, fmt.Sprintf("%s %s opens the embedded %s to the network: whoever reaches this port can %s; there is no authentication",
				f.name, f.listen, f.server, f.can))
		}
	}
	says := strings.Join(opens, ". ")
	switch {
	case says == "":
		return nil
	case yes:
		fmt.Fprintf(stderr, "electop: %s\n", says)
		return nil
	}
	in, ok := terminal.Of(stdin)
	if !ok {
		return exit.Usagef("%s. Add --yes if you want that", says)
	}
	fmt.Fprintf(stderr, "%s.\nContinue? (y/N) ", says)
	line, err := terminal.ReadLine(ctx, in)
	if err != nil {
		return err
	}
	if a := strings.ToLower(strings.TrimSpace(line)); a != "y" && a != "yes" {
		return errors.New("not confirmed: nothing was opened")
	}
	return nil
}

// Dialable is the address to connect to a server that listens on a.
func Dialable(a net.Addr) string {
	t, ok := a.(*net.TCPAddr)
	if !ok || !t.IP.IsUnspecified() {
		return a.String()
	}
	return net.JoinHostPort("127.0.0.1", fmt.Sprint(t.Port))
}

// Within returns conn for candidates in the same process.
func Within(conn client.Config, s *zkserver.Server) client.Config {
	conn.Dial = func(context.Context, string, string) (net.Conn, error) { return s.Dial() }
	return conn
}

// Backstage returns conn for an observer: the server does not slow it down and
// does not count its requests.
func Backstage(conn client.Config, s *zkserver.Server) client.Config {
	conn.Dial = func(context.Context, string, string) (net.Conn, error) { return s.DialBackstage() }
	return conn
}
