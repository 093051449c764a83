package embedded

import (
	"context"
	"errors"
	"fmt"
	"net"

	"electop/demo/zkserver"
	"electop/model/units"
	"electop/ui/cli/exit"
)

// Server is the ZooKeeper in this process.
type Server struct {
	ZooKeeper *zkserver.Server

	tree *treeFile // nil without --tree
	kept string    // what --data found; "" without
	addr net.Addr  // nil if it does not listen
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

// Listen starts a ZooKeeper that listens, with the data of --tree or --data.
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
	var err error
	if s.tree, err = loadTree(s.ZooKeeper, o.Tree); err != nil {
		s.ZooKeeper.Close()
		return nil, err
	}
	if o.Data != "" {
		if err := s.keep(o.Data); err != nil {
			s.ZooKeeper.Close()
			return nil, err
		}
	}
	l, err := net.Listen("tcp", o.Listen)
	if err != nil {
		s.ZooKeeper.Close()
		return nil, fmt.Errorf("--listen %s: %w", o.Listen, err)
	}
	s.addr = l.Addr()
	s.Serve(l)
	return s, nil
}

// keep makes the server keep its data in a file.
func (s *Server) keep(file string) error {
	k, err := s.ZooKeeper.Keep(file)
	if err != nil {
		if cause := errors.Unwrap(err); cause != nil {
			err = cause // without the server's name: there is only one
		}
		return fmt.Errorf("--data %s: %w", file, err)
	}
	switch s.kept = fmt.Sprintf("It has %s and %s.", units.Count(k.Znodes, "znode", "znodes"), units.Count(k.Sessions, "session", "sessions")); {
	case k.New:
		s.kept = "It is new."
	case k.Torn > 0:
		s.kept += fmt.Sprintf(" Its last record was torn by a crash: %s dropped, which no client had seen acknowledged.", units.Count(k.Torn, "byte is", "bytes are"))
	}
	return nil
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

// Kept says what --data found, "" without that flag.
func (s *Server) Kept() string { return s.kept }

// Loaded says what --tree found, "" without that flag.
func (s *Server) Loaded() string {
	if s.tree == nil {
		return ""
	}
	return s.tree.loaded
}

// Save saves the tree where --tree says, after Close.
func (s *Server) Save() error { return s.tree.save(s.ZooKeeper) }
