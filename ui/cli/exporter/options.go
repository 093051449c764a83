package exporter

import (
	"errors"
	"net"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/ui/cli/exit"
	"electop/ui/cli/flaggroup"
)

// loopback is the host of an address that names none.
const loopback = "127.0.0.1"

// Flags declares --metrics.
func (x *Exporter) Flags(cmd *cobra.Command) {
	flaggroup.Output.Add(cmd, func(f *pflag.FlagSet) {
		f.StringVar(&x.flag, "metrics", "", "serve Prometheus metrics and /healthz at `[HOST:]PORT`, on 127.0.0.1 without HOST (electop help metrics)")
	})
}

// Wanted reports whether --metrics was given.
func (x *Exporter) Wanted() bool { return x.flag != "" }

// address is the HOST:PORT that the flag means.
func address(flag string) (string, error) {
	if !strings.Contains(flag, ":") {
		flag = ":" + flag
	}
	host, port, err := net.SplitHostPort(flag)
	if err != nil {
		return "", exit.Usagef("--metrics %q is not an address: give PORT or HOST:PORT, as in 9141", flag)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", exit.Usagef("--metrics: %q is not a port: give a number up to 65535, as in 9141", port)
	} else {
		port = strconv.FormatUint(n, 10)
	}
	if host == "" {
		host = loopback
	}
	return net.JoinHostPort(host, port), nil
}

// Listen listens where --metrics says and reports the address to note. Without the flag
// it does nothing. An address that cannot be used is wrong usage.
func (x *Exporter) Listen(note func(format string, args ...any)) error {
	if !x.Wanted() {
		return nil
	}
	addr, err := address(x.flag)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return exit.Usagef("--metrics %s: another program listens there: give another port", addr)
	case err != nil:
		return exit.Usagef("--metrics: %w", err)
	}
	x.listener = l
	open := ""
	if a, ok := l.Addr().(*net.TCPAddr); ok && !a.IP.IsLoopback() {
		open = ", open to other machines"
	}
	note("metrics on http://%s/metrics%s", l.Addr(), open)
	return nil
}

// Close ends the listening, for a command that ends before [Exporter.Run].
func (x *Exporter) Close() {
	if x.listener != nil {
		x.listener.Close()
	}
}
