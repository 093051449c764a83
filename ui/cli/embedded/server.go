package embedded

import (
	"context"
	"fmt"
	"net"

	"electop/demo/zkserver"
	"electop/ui/cli/exit"
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
