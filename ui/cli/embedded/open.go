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
