package embedded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"electop/ui/cli/exit"
	"electop/ui/cli/terminal"
)

// Open reports whether an address to listen on is open to the network.
func Open(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	ip := net.ParseIP(host)
	return err == nil && host != "localhost" && (ip == nil || !ip.IsLoopback())
}

// ConfirmOpen asks before the embedded server is opened to the network, unless
// --yes was given.
func (o *Options) ConfirmOpen(ctx context.Context, yes bool, stdin io.Reader, stderr io.Writer) error {
	if !Open(o.Listen) {
		return nil
	}
	const says = "opens the embedded ZooKeeper to the network: whoever reaches this port can join, read and write everything; there is no authentication"
	if yes {
		fmt.Fprintf(stderr, "electop: --listen %s %s\n", o.Listen, says)
		return nil
	}
	in, ok := terminal.Of(stdin)
	if !ok {
		return exit.Usagef("--listen %s %s. Add --yes if you want that", o.Listen, says)
	}
	fmt.Fprintf(stderr, "--listen %s %s.\nContinue? (y/N) ", o.Listen, says)
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
