package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/spf13/cobra"

	"electop/demo/zkserver"
	"electop/model/units"
)

// openCnxns bounds the connections from one host where anybody can connect. A
// class behind one address fits.
const openCnxns = 1000

// host is the ZooKeeper in this process.
type host struct {
	server *zkserver.Server
	tree   *treeFile // nil without --tree
	kept   string    // what --data found; "" without
	addr   net.Addr  // nil if it does not listen
	// trouble is what the server says, and ended why a listener of it ended
	// early.
	trouble chan string
	ended   chan error
}

func newHost(opts zkserver.Options) *host {
	h := &host{trouble: make(chan string, 16), ended: make(chan error, 2)}
	opts.Trouble = func(s string) {
		select {
		case h.trouble <- s:
		default: // the log has it
		}
	}
	h.server = zkserver.New(opts)
	return h
}

// embedded starts a ZooKeeper that listens, with the tree that --tree names.
func embedded(o *options, opts zkserver.Options) (*host, error) {
	switch {
	case o.maxClientCnxns < 0:
		return nil, usagef("--max-client-cnxns %d is negative", o.maxClientCnxns)
	case !o.maxClientCnxnsSet() && reachable(o.listen):
		opts.MaxClientCnxns, opts.LoopbackUnbounded = openCnxns, true
	default:
		opts.MaxClientCnxns = o.maxClientCnxns
	}
	h := newHost(opts)
	var err error
	if h.tree, err = loadTree(h.server, o.tree); err != nil {
		h.server.Close()
		return nil, err
	}
	if o.data != "" {
		if err := h.keep(o.data); err != nil {
			h.server.Close()
			return nil, err
		}
	}
	l, err := net.Listen("tcp", o.listen)
	if err != nil {
		h.server.Close()
		return nil, fmt.Errorf("--listen %s: %w", o.listen, err)
	}
	h.addr = l.Addr()
	h.serve(func() error { return h.server.Serve(l) })
	return h, nil
}

// keep has the server keep its data in a file.
func (h *host) keep(file string) error {
	k, err := h.server.Keep(file)
	if err != nil {
		if cause := errors.Unwrap(err); cause != nil {
			err = cause // which server it was is no question here
		}
		return fmt.Errorf("--data %s: %w", file, err)
	}
	switch h.kept = fmt.Sprintf("It has %s and %s.", units.Count(k.Znodes, "znode", "znodes"), units.Count(k.Sessions, "session", "sessions")); {
	case k.New:
		h.kept = "It is new."
	case k.Torn > 0:
		h.kept += fmt.Sprintf(" Its last record was torn by a crash: %s dropped, which no client had seen acknowledged.", units.Count(k.Torn, "byte is", "bytes are"))
	}
	return nil
}

// serve has a listener served; f returns nil at the server's Close.
func (h *host) serve(f func() error) {
	go func() {
		if err := f(); err != nil {
			h.ended <- err
		}
	}()
}

// serveAdmin starts the server's AdminServer, which ends with it, and returns
// its URL. With no address to listen on it does nothing.
func (h *host) serveAdmin(listen string) (string, error) {
	if listen == "" {
		return "", nil
	}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return "", fmt.Errorf("--admin-listen %s: %w", listen, err)
	}
	h.serve(func() error { return h.server.ServeAdmin(l) })
	return "http://" + dialable(l.Addr()) + "/commands", nil
}

// run tells what the server says until ctx ends. It returns the error of a
// listener that ended before.
func (h *host) run(ctx context.Context, tell func(string)) error {
	for {
		select {
		case s := <-h.trouble:
			tell(s)
		case err := <-h.ended:
			return err
		case <-ctx.Done():
			return nil
		}
	}
}

// demoServer is how the embedded server is configured. Expiry is checked often:
// in a demo a session should end when the countdown says so.
func demoServer(log *slog.Logger) zkserver.Options {
	return zkserver.Options{Tick: 50 * time.Millisecond, Logger: log}
}

func (o *options) maxClientCnxnsFlag(cmd *cobra.Command) {
	const name = "max-client-cnxns"
	f := cmd.Flags()
	f.IntVar(&o.maxClientCnxns, name, 0, fmt.Sprintf("take at most `N` connections from one host, 0 is no bound; without this flag %d from each other host if --listen is open to the network", openCnxns))
	o.maxClientCnxnsSet = func() bool { return f.Changed(name) }
}
