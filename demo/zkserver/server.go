package zkserver

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// ErrClosed is returned by operations on a closed Server.
var ErrClosed = errors.New("zkserver: server closed")

// ErrRefused is returned by [Server.Dial] while [Server.Refuse] or
// [Server.Restart] is in force.
var ErrRefused = errors.New("zkserver: connection refused")

// Options configure a Server. The zero value is ready to use.
type Options struct {
	// Clock is the source of time; nil is package time.
	Clock Clock
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
	// ReapInterval is how often empty containers and outlived TTL nodes are
	// looked for; 0 is a minute, as Apache does.
	ReapInterval time.Duration
	// Logger receives what happens to connections and sessions; nil discards.
	Logger *slog.Logger
	// Trouble gets a line for the person who runs the server: that connections
	// cannot be accepted for now, or can be again. It must not call the server.
	Trouble func(string)
}

func (o Options) withDefaults() Options {
	if o.Clock == nil {
		o.Clock = wallClock{}
	}
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
	if o.ReapInterval <= 0 {
		o.ReapInterval = time.Minute
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// A Server is a ZooKeeper in memory. Make one with [New], hand it connections
// with [Server.Serve], [Server.ServeConn] or [Server.Dial], and end it with
// [Server.Close]. All methods may be called concurrently.
type Server struct {
	opts     Options
	clock    Clock
	log      *slog.Logger
	start    time.Time
	counters counters
	wg       sync.WaitGroup // connections, their writers, alarms
	closing  chan struct{}  // closed by Close

	kept      atomic.Pointer[datalog] // data, for those without the lock
	closeOnce sync.Once               // of it
	closeErr  error

	mu        sync.Mutex // guards everything below
	closed    bool
	refusing  bool
	down      bool // restarting
	reopen    *alarm
	cut       map[int64]struct{} // partitioned sessions, living or not
	holds     map[*Hold]struct{}
	pace      Pace
	paced     backlog
	tallies   map[string][]*tally // by parent
	wakes     map[*wake]struct{}  // that are not over
	listeners map[net.Listener]struct{}
	conns     map[*conn]struct{} // open ones, detached or not
	alive     int                // those not detached
	perHost   map[string]int
	piped     int // connections made by Dial
	zxid      int64
	tree      *tree
	watches   watches
	sessions  sessions
	reaper    *alarm
	latency   latency
	notes     []note

	data      *datalog // nil: all is lost with the server
	entries   []byte   // of the transaction under way
	appliedAt int64    // its time
	sealed    int64    // the zxid of the last record
	failure   error    // why the server cannot go on
}

// New returns a server with an empty tree. It starts nothing: no goroutine
// and no timer runs until there is a connection or a session.
func New(opts Options) *Server {
	opts = opts.withDefaults()
	s := &Server{
		opts:      opts,
		clock:     opts.Clock,
		log:       opts.Logger,
		start:     opts.Clock.Now(),
		closing:   make(chan struct{}),
		listeners: make(map[net.Listener]struct{}),
		conns:     make(map[*conn]struct{}),
		perHost:   make(map[string]int),
		cut:       make(map[int64]struct{}),
		holds:     make(map[*Hold]struct{}),
		tallies:   make(map[string][]*tally),
		wakes:     make(map[*wake]struct{}),
		tree:      newTree(),
	}
	s.paced = backlog{s: s, changed: make(chan struct{}, 1)}
	s.watches.init()
	s.sessions.init(s.start)
	return s
}

// Dial returns the client's end of a connection in memory that s serves. It
// uses net.Pipe and hence no operating system resource, and it works inside a
// testing/synctest bubble. To the four-letter words and to the ip
// authentication scheme it looks like one from 127.0.0.1.
func (s *Server) Dial() (net.Conn, error) { return s.dial(false) }

// DialBackstage is [Server.Dial] for who looks on: its session is not paced,
// and no [Tally] counts it. That goes for the connection: the session, resumed
// through another one, is like any.
func (s *Server) DialBackstage() (net.Conn, error) { return s.dial(true) }

func (s *Server) dial(backstage bool) (net.Conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, ErrClosed
	case s.refusing || s.down:
		return nil, ErrRefused
	}
	client, server := net.Pipe()
	s.piped++
	nc := pipeConn{Conn: server, remote: pipeAddr(s.piped), backstage: backstage}
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		s.ServeConn(nc)
	}()
	return client, nil
}

// pipeConn is the server's end of a connection made by Dial. Its remote
// address tells one from another.
type pipeConn struct {
	net.Conn
	remote    pipeAddr
	backstage bool
}

func (c pipeConn) RemoteAddr() net.Addr { return c.remote }

type pipeAddr int

func (pipeAddr) Network() string  { return "pipe" }
func (a pipeAddr) String() string { return fmt.Sprintf("127.0.0.1:%d", int(a)) }

// CloseConnections closes every connection. Sessions live on and can be
// resumed until they expire.
func (s *Server) CloseConnections() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	for c := range s.conns {
		s.detach(c)
		c.closeSoon()
	}
}

// Refuse makes the server close new connections at once while on is true.
// Those that exist stay.
func (s *Server) Refuse(on bool) {
	s.mu.Lock()
	s.refusing = on
	s.mu.Unlock()
}

// Close closes the listeners and all connections and waits until every
// goroutine of the server has ended. The tree and the sessions are lost, but for
// those of [Server.Keep], the end of which can be an error. To call it again
// changes nothing.
func (s *Server) Close() error {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.closing)
		s.sessions.alarm.stop()
		s.reaper.stop()
		s.reopen.stop()
		for w := range s.wakes {
			w.end()
		}
		for h := range s.holds {
			h.end(false)
		}
		s.paced.empty(false)
		s.paced.signal()
		for l := range s.listeners {
			l.Close()
		}
		for c := range s.conns {
			c.handshake.stop()
			c.wakeUp()
			s.wg.Add(1)
			go func() { // a Close may block, in TLS for one
				defer s.wg.Done()
				c.nc.Close()
			}()
		}
	}
	l := s.data
	s.mu.Unlock()
	s.wg.Wait()
	s.closeOnce.Do(func() {
		if l == nil {
			return
		}
		if err := l.close(); err != nil && s.failure == nil { // else it was said
			s.closeErr = fmt.Errorf("zkserver: keep data: %w", err)
		}
	})
	return s.closeErr
}

// recovered keeps a bug that one connection runs into from ending the
// program. It is to be deferred.
func (s *Server) recovered(where string) {
	if r := recover(); r != nil {
		s.counters.panics.Add(1)
		s.log.Error("panic", "in", where, "value", r, "stack", string(debug.Stack()))
	}
}
