package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"electop/demo"
	"electop/demo/zkserver"
	"electop/ui"
	"electop/zkwatch/client"
)

// demoAsking is how often the demo asks its own server who is connected and
// what they watch: nobody else pays for it.
const demoAsking = time.Second

// demoCast is how many candidates the demo starts with.
const demoCast = 5

func newDemo(std IO) *cobra.Command {
	o := &options{}
	c := &chaosOptions{}
	cmd := &cobra.Command{
		Use:   "demo [PATH]",
		Short: "The dashboard on a ZooKeeper of its own, with candidates to spawn and kill",
		Long:  "The dashboard on a ZooKeeper of its own, with candidates to spawn and kill.\nWith --chaos trouble is made at random, and what must hold is checked all the while.",
		Args:  pathArg(o),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := c.check(cmd); err != nil {
				return err
			}
			if c.headless {
				return runHeadless(cmd.Context(), o, c, std)
			}
			return runDemo(cmd.Context(), o, std, play{chaos: c.chaos()})
		},
	}
	f := cmd.Flags()
	f.IntVar(&o.cast, "cast", demoCast, "start with `N` candidates")
	f.StringVar(&o.listen, "listen", "127.0.0.1:0", "`host:port` of the embedded ZooKeeper; programs of your own can join there")
	f.DurationVar(&o.sessionTimeout, "session-timeout", demoTimeout, "the candidates' session timeout")
	f.BoolVar(&o.campaign, "campaign", false, "take part as a candidate from the start")
	f.BoolVar(&o.yes, "yes", false, "open the embedded ZooKeeper to the network without being asked")
	c.flags(cmd, o)
	o.screenFlags(cmd)
	o.recordFlag(cmd)
	o.ackFlag(cmd)
	o.adminListenFlag(cmd)
	o.maxClientCnxnsFlag(cmd)
	o.treeFlag(cmd)
	o.logFlag(cmd)
	return cmd
}

// play is what is on in a demo.
type play struct {
	lesson bool   // a lesson begins at once
	name   string // which; "" for the first that was not done
	chaos  *demo.Chaos
}

func runDemo(ctx context.Context, o *options, std IO, p play) error {
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
	if err := confirmOpen(ctx, o, std); err != nil {
		return err
	}
	h, err := embedded(o, demoServer(log))
	if err != nil {
		return err
	}
	server, tree := h.server, h.tree
	defer server.Close()
	addr := dialable(h.addr)
	servers, err := client.ParseConnectString(addr)
	if err != nil {
		return err
	}
	hello := ""
	if admin, err := h.serveAdmin(o.adminListen); err != nil {
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
	switch {
	case p.lesson:
		cast = 0 // the lesson has its own
	case !o.castSet:
		cast = demoCast
	}
	conn := client.Config{Servers: servers, SessionTimeout: timeout, Logger: log}
	err = dashboard(ctx, o, log, screen{
		conn: conn, watch: backstage(conn, server),
		mode: ui.ModeDemo, cluster: "embedded " + addr,
		cast: cast, campaign: o.campaign, create: true, acting: true, hello: []string{hello}, consent: true,
		verify: 2 * demoAsking,
		host:   h, play: p,
		invitations: invitations(invitedTo(h.addr, net.InterfaceAddrs), o.path), open: reachable(o.listen),
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

// confirmOpen asks before the embedded server is opened to the network, unless
// --yes was said.
func confirmOpen(ctx context.Context, o *options, std IO) error {
	if !reachable(o.listen) {
		return nil
	}
	const says = "opens the embedded ZooKeeper to the network: whoever reaches this port can join, read and write everything in it; nobody is asked who they are"
	if o.yes {
		fmt.Fprintf(std.Err, "electop: --listen %s %s\n", o.listen, says)
		return nil
	}
	in, ok := std.In.(*os.File)
	if !ok || !term.IsTerminal(in.Fd()) {
		return usagef("--listen %s %s. If that is meant say --yes", o.listen, says)
	}
	fmt.Fprintf(std.Err, "--listen %s %s.\nGo on? (y/N) ", o.listen, says)
	line, err := readLine(ctx, in)
	if err != nil {
		return err
	}
	if a := strings.ToLower(strings.TrimSpace(line)); a != "y" && a != "yes" {
		return errors.New("not confirmed: nothing was opened")
	}
	return nil
}

// backstage is conn for who only looks on: the server does not slow it down,
// nor does it count what it asks for.
func backstage(conn client.Config, s *zkserver.Server) client.Config {
	conn.Dial = func(context.Context, string, string) (net.Conn, error) { return s.DialBackstage() }
	return conn
}

// dialable is the address to connect to for one that is listened on.
func dialable(a net.Addr) string {
	t, ok := a.(*net.TCPAddr)
	if !ok || !t.IP.IsUnspecified() {
		return a.String()
	}
	return net.JoinHostPort("127.0.0.1", fmt.Sprint(t.Port))
}
