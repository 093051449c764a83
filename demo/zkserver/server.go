package zkserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"electop/demo/zkserver/tree"
	"electop/zkwatch/wire"
)

// ErrClosed is returned by operations on a closed Server.
var ErrClosed = errors.New("zkserver: server closed")

// Options configure a Server. The zero value is ready to use.
type Options struct {
	// Tick is the granularity of session expiry; 0 is 100 ms. Sessions expire
	// at most one tick late.
	Tick time.Duration
	// MinSessionTimeout and MaxSessionTimeout bound what clients may ask for;
	// 0 is two ticks and a minute.
	MinSessionTimeout, MaxSessionTimeout time.Duration
	// MaxClientCnxns bounds the connections from one host; 0 is no bound.
	MaxClientCnxns int
	// LoopbackUnbounded exempts the host itself from MaxClientCnxns.
	LoopbackUnbounded bool
	// Logger gets events of connections and sessions; nil discards them.
	Logger *slog.Logger
	// Trouble gets a line for the operator when connections cannot be accepted, and
	// when they can be again. It must not call the server.
	Trouble func(string)
}

func (o Options) withDefaults() Options {
	if o.Tick <= 0 {
		o.Tick = 100 * time.Millisecond
	}
	if o.MinSessionTimeout <= 0 {
		o.MinSessionTimeout = 2 * o.Tick
	}
	if o.MaxSessionTimeout <= 0 {
		o.MaxSessionTimeout = time.Minute
	}
	o.MaxSessionTimeout = max(o.MaxSessionTimeout, o.MinSessionTimeout)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// A Server is a ZooKeeper in memory. Make one with [New], hand it connections
// with [Server.Serve], [Server.ServeConn] or [Server.Dial], and end it with
// [Server.Close]. All methods may be called concurrently.
type Server struct {
	opts    Options
	log     *slog.Logger
	start   time.Time
	wg      sync.WaitGroup // connections, their writers, alarms
	closing chan struct{}  // closed by Close
	grown   atomic.Int64   // bytes that connections got or were to send since relieve

	mu        sync.Mutex // guards everything below
	closed    bool
	refusing  bool
	pace      Pace
	backlog   backlog
	counters  counters
	tallying  *tallying             // nil: none
	listeners map[net.Listener]bool // whether they are for clients
	conns     map[*conn]struct{}    // open ones, detached or not
	alive     int                   // those not detached
	perHost   map[string]int
	piped     int // connections made by Dial
	tree      *tree.Tree
	sessions  map[int64]*session
	nextID    int64 // of a session
	zxid      int64 // of the last transaction
	watches   watchTables
	reaper    *alarm
	latency   latency
}

// CloseConnections closes every connection. Sessions continue and can be resumed
// until they expire.
func (s *Server) CloseConnections() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.drop()
	}
}

// Counters returns a snapshot. Requests has an entry for each operation asked
// for at least once; codes outside of -11..107 are counted as 108.
func (s *Server) Counters() Counters {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counters.snapshot()
}

// Refuse makes the server close new connections immediately while on is true.
// Existing connections stay.
func (s *Server) Refuse(on bool) {
	s.mu.Lock()
	s.refusing = on
	s.mu.Unlock()
}

// Close closes the listeners and all connections and waits until every
// goroutine of the server has ended. The tree and the sessions are lost. The error is
// nil. A second call does nothing.
func (s *Server) Close() error {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.closing)
		s.reaper.stop()
		for _, sess := range s.sessions {
			sess.alarm.stop()
		}
		s.endTallying()
		s.backlog.drop(func(*heldMessage) bool { return true })
		for l := range s.listeners {
			l.Close()
		}
		for c := range s.conns {
			c.released.Broadcast()
			c.closeSoon()
		}
	}
	s.mu.Unlock()
	s.wg.Wait()
	return nil
}

// recovered keeps a bug that one connection runs into from ending the
// program. It must be deferred.
func (s *Server) recovered(where string) {
	if r := recover(); r != nil {
		s.counters.panics.Add(1)
		s.log.Error("panic", "in", where, "value", r, "stack", string(debug.Stack()))
	}
}

// debug logs without waiting, for callers that hold s.mu: a log handler may block.
func (s *Server) debug(what string, args ...any) {
	if s.log.Enabled(context.Background(), slog.LevelDebug) {
		s.wg.Go(func() { s.log.Debug(what, args...) })
	}
}

// New returns a server with an empty tree. It starts nothing: no goroutine
// and no timer runs until there is a connection or a session.
func New(opts Options) *Server {
	opts = opts.withDefaults()
	s := &Server{
		opts:      opts,
		start:     time.Now(),
		log:       opts.Logger,
		closing:   make(chan struct{}),
		listeners: make(map[net.Listener]bool),
		conns:     make(map[*conn]struct{}),
		perHost:   make(map[string]int),
		watches:   watchTables{newWatchTable(), newWatchTable()},
	}
	s.tree, s.sessions, s.nextID = tree.New(), make(map[int64]*session), firstID(s.start)
	s.counters.Requests = make(map[wire.Op]int64)
	s.counters.lastReply, s.counters.leastReply, s.counters.mostReply = -1, -1, -1
	s.backlog = backlog{s: s, changed: make(chan struct{}, 1)}
	return s
}

// CreateNumbered creates a persistent znode, open to everybody, whose next sequential
// child gets the number next. It is for tests: a client would have to create as many
// children first.
func (s *Server) CreateNumbered(path string, next int32) error {
	req := wire.CreateRequest{Path: path, ACL: []wire.ACL{{Perms: wire.PermAll, ID: wire.ID{Scheme: "world", ID: "anyone"}}}}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	if _, code := s.write(tree.Writer{}, wire.OpCreate, wire.NewDecoder(wire.Append(nil, &req))); code != wire.OK {
		return fmt.Errorf("zkserver: create %s: %v", path, code)
	}
	s.tree.Get(path).SetNextSequence(next)
	return nil
}
