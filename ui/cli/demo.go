package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"electop/demo/zkserver"
	"electop/ui"
	"electop/zkwatch"
)

// demoAsking is how often the demo asks its own server who is connected and
// what they watch: nobody else pays for it.
const demoAsking = time.Second

// demoCast is how many candidates the demo starts with.
const demoCast = 5

func newDemo(std IO) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "demo [PATH]",
		Short: "The dashboard on a ZooKeeper of its own, with candidates to spawn and kill",
		Args:  pathArg(o),
		RunE:  func(cmd *cobra.Command, _ []string) error { return runDemo(cmd.Context(), o, std) },
	}
	f := cmd.Flags()
	f.IntVar(&o.cast, "cast", demoCast, "start with `N` candidates")
	f.StringVar(&o.listen, "listen", "127.0.0.1:0", "`host:port` of the embedded ZooKeeper; programs of your own can join there")
	f.DurationVar(&o.sessionTimeout, "session-timeout", demoTimeout, "the candidates' session timeout")
	f.BoolVar(&o.campaign, "campaign", false, "take part as a candidate from the start")
	o.screenFlags(cmd)
	o.recordFlag(cmd)
	o.ackFlag(cmd)
	o.adminListenFlag(cmd)
	o.treeFlag(cmd)
	o.logFlag(cmd)
	return cmd
}

func runDemo(ctx context.Context, o *options, std IO) error {
	if err := o.check(); err != nil {
		return err
	}
	if err := needTerminal(std); err != nil {
		return err
	}
	log, closeLog, err := o.logger()
	if err != nil {
		return err
	}
	defer closeLog()
	if o.listen == "" {
		o.listen = "127.0.0.1:0"
	}
	server, tree, addr, err := embedded(o, log)
	if err != nil {
		return err
	}
	defer server.Close()
	servers, err := zkwatch.ParseConnectString(addr)
	if err != nil {
		return err
	}
	hello := ""
	if admin, err := serveAdmin(server, o.adminListen, log); err != nil {
		return err
	} else if admin != "" {
		hello = "AdminServer on " + admin
		fmt.Fprintln(std.Out, hello) // and on the screen, which is drawn over it
	}
	if tree != nil {
		fmt.Fprintln(std.Out, tree.said)
		hello = strings.TrimSpace(tree.said + " " + hello)
	}
	timeout := o.sessionTimeout
	if timeout == 0 {
		timeout = demoTimeout
	}
	o.admin = adminOptions{mode: admin4lw, interval: demoAsking, sessions: demoAsking, heavy: true}
	cast := o.cast
	if !o.castSet {
		cast = demoCast
	}
	err = dashboard(ctx, o, log, screen{
		conn: zkwatch.Config{Servers: servers, SessionTimeout: timeout, Logger: log},
		mode: ui.ModeDemo, cluster: "embedded " + addr,
		cast: cast, campaign: o.campaign, create: true, acting: true, hello: hello, consent: true,
		verify: 2 * demoAsking,
	})
	server.Close() // what is saved is the last word
	if unsaved := tree.save(server); unsaved != nil {
		if err != nil && !errors.Is(err, errInterrupted) {
			return fmt.Errorf("%w; %v", err, unsaved)
		}
		return unsaved
	}
	return err
}

// embedded starts a ZooKeeper in this process, with the tree that --tree names.
func embedded(o *options, log *slog.Logger) (s *zkserver.Server, tree *treeFile, addr string, err error) {
	// Expiry is checked often: in a demo a session should end when the
	// countdown says so.
	s = zkserver.New(zkserver.Options{Tick: 50 * time.Millisecond, MaxClientCnxns: o.maxClientCnxns, Logger: log})
	if tree, err = loadTree(s, o.tree); err != nil {
		s.Close()
		return nil, nil, "", err
	}
	l, err := net.Listen("tcp", o.listen)
	if err != nil {
		s.Close()
		return nil, nil, "", fmt.Errorf("--listen %s: %w", o.listen, err)
	}
	go func() { // ends with the server's Close
		if err := s.Serve(l); err != nil {
			log.Error("embedded server", "err", err)
		}
	}()
	return s, tree, dialable(l.Addr()), nil
}

// dialable is the address to connect to for one that is listened on.
func dialable(a net.Addr) string {
	t, ok := a.(*net.TCPAddr)
	if !ok || !t.IP.IsUnspecified() {
		return a.String()
	}
	return net.JoinHostPort("127.0.0.1", fmt.Sprint(t.Port))
}
