package zkserver

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"electop/demo/zkserver/tree"
	"electop/zkwatch/wire"
)

// ErrClosed means that the Server is closed.
var ErrClosed = errors.New("zkserver: server closed")

// Options configure a Server. The zero value is ready to use.
type Options struct {
	// Tick is the granularity of session expiry; 0 means 100 ms.
	Tick time.Duration
	// MinSessionTimeout and MaxSessionTimeout bound the session timeouts. 0 means two ticks for
	// the minimum, and one minute for the maximum. The maximum is never below the minimum.
	MinSessionTimeout, MaxSessionTimeout time.Duration
	// MaxClientCnxns bounds the clients' connections from one host; 0 means no bound.
	MaxClientCnxns int
	// LoopbackUnbounded exempts loopback addresses from MaxClientCnxns.
	LoopbackUnbounded bool
	// NewestFirst makes getChildren (not multiRead) list the newest child first, to test that a client sorts.
	NewestFirst bool
	// Logger receives the server's log records; nil discards them.
	Logger *slog.Logger
	// Trouble receives a line for the operator when Accept begins to fail temporarily, and
	// when Accept works again. Trouble must not call [Server.Close], which waits for Trouble.
	Trouble func(string)
}

func (o Options) withDefaults() Options {
	o.Tick = cmp.Or(max(o.Tick, 0), 100*time.Millisecond)
	o.MinSessionTimeout = cmp.Or(max(o.MinSessionTimeout, 0), 2*o.Tick)
	o.MaxSessionTimeout = max(cmp.Or(max(o.MaxSessionTimeout, 0), time.Minute), o.MinSessionTimeout)
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	return o
}

// A Server is a ZooKeeper server in memory. Many goroutines may use it, but only one may call [Server.TakeBacklog].
type Server struct {
	opts    Options
	log     *slog.Logger
	start   time.Time
	wg      sync.WaitGroup // goroutines, listeners, AdminServer connections and pending alarms
	closing chan struct{}
	grown   atomic.Int64 // bytes received, queued and held since the last call of relieve

	mu        sync.Mutex // guards the fields below
	closed    bool
	refusing  bool
	pace      Pace
	backlog   backlog
	counters  counters
	tallying  *tallying
	listeners map[net.Listener]bool // true: for clients; false: for the AdminServer
	conns     map[*conn]struct{}
	alive     int // number of connections that are not gone
	piped     int // number of connections made by dial
	tree      *tree.Tree
	sessions  map[int64]*session
	nextID    int64
	zxid      int64 // zxid of the last transaction
	watches   watchTables
	reaper    *alarm
	latency   latency
}

// CloseConnections closes the connections of all clients. Sessions continue.
func (s *Server) CloseConnections() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.drop()
	}
}

// Counters returns a snapshot. Its Requests count all operation codes below -11 or above 107 as 108.
func (s *Server) Counters() Counters {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counters.snapshot()
}

// Refuse sets whether the server refuses new client connections. Existing connections stay.
func (s *Server) Refuse(on bool) {
	s.mu.Lock()
	s.refusing = on
	s.mu.Unlock()
}

// Close closes the listeners and connections, and waits until all goroutines of the server
// have ended. A closed server cannot serve again. The error is always nil.
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

// recovered must be deferred. It recovers a panic, so that only a connection or a callback ends.
func (s *Server) recovered(where string) {
	if r := recover(); r != nil {
		s.counters.panics.Add(1)
		s.log.Error("panic", "in", where, "value", r, "stack", string(debug.Stack()))
	}
}

// New returns a server with the znodes of a new Apache ZooKeeper server.
func New(opts Options) *Server {
	opts = opts.withDefaults()
	s := &Server{
		opts:      opts,
		start:     time.Now(),
		log:       opts.Logger,
		closing:   make(chan struct{}),
		listeners: make(map[net.Listener]bool),
		conns:     make(map[*conn]struct{}),
		watches:   watchTables{data: newWatchTable(), child: newWatchTable()},
	}
	s.tree, s.sessions, s.nextID = tree.New(), make(map[int64]*session), firstID(s.start)
	s.tree.NewestFirst = opts.NewestFirst
	s.counters.Requests = make(map[wire.Op]int64)
	s.counters.lastReply, s.counters.leastReply, s.counters.mostReply = -1, -1, -1
	s.backlog = backlog{s: s, changed: make(chan struct{}, 1)}
	return s
}

// CreateNumbered creates a persistent znode, open to everybody, whose next sequential
// child gets the number next. No client can set this number.
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

// TB is the part of testing.TB that [Start] needs. With TB, a program that embeds a server
// does not link package testing.
type TB interface {
	Helper()
	Cleanup(func())
	Fatalf(format string, args ...any)
}

// Start returns a new server and its address on a free loopback port. The server is closed when the test ends.
func Start(t TB, opts Options) (s *Server, addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("zkserver: listen: %v", err)
	}
	s = New(opts)
	var serve sync.WaitGroup
	var failed error
	serve.Go(func() { failed = s.Serve(l) })
	t.Cleanup(func() {
		s.Close()
		// Serve returns ErrClosed if the test ends before Serve begins.
		if serve.Wait(); failed != nil && !errors.Is(failed, ErrClosed) {
			t.Fatalf("zkserver: serve %s: %v", addr, failed)
		}
	})
	return s, l.Addr().String()
}

// An alarm is a timer whose callback holds s.mu. s.mu also guards the alarm.
type alarm struct {
	s       *Server
	t       *time.Timer
	stopped bool
}

// after requires that the caller holds s.mu. Close waits for pending alarms, so Close must stop each of them.
func (s *Server) after(d time.Duration, f func()) *alarm {
	if s.closed {
		return nil
	}
	s.wg.Add(1)
	a := &alarm{s: s}
	a.t = time.AfterFunc(d, func() {
		defer s.wg.Done()
		defer s.recovered("timer")
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.closed && !a.stopped {
			f()
		}
	})
	return a
}

// stop stops the alarm, which may be nil. A callback that already waits for s.mu does nothing.
func (a *alarm) stop() {
	if a == nil || a.stopped {
		return
	}
	a.stopped = true
	if a.t.Stop() {
		a.s.wg.Done()
	}
}

func (s *Server) elapsed() time.Duration { return time.Since(s.start) }

// reapInterval is the time between two searches for empty containers, as in Apache.
const reapInterval = time.Minute

func (s *Server) armReaper() {
	if s.reaper == nil && s.tree.Containers() > 0 {
		s.reaper = s.after(reapInterval, s.reap)
	}
}

func (s *Server) reap() {
	s.reaper = nil
	for _, path := range s.tree.Due() {
		s.deleteAll([]string{path})
	}
	s.armReaper()
}

// Counters count what a server has done since its start.
type Counters struct {
	Requests      map[wire.Op]int64 // requests by operation, without handshakes
	Notifications int64             // watch events, including held and lost ones
	BytesIn       int64             // bytes of the clients' frames, with length prefixes
	BytesOut      int64             // bytes written to clients, with replies to four-letter words
	Expired       int64             // sessions that expired or were ended by ExpireSession
	CutOff        int64             // connections closed because they used too many bytes; see [Pace] and [MaxHeld]
	Rejected      int64             // connections beyond MaxClientCnxns
	Panics        int64             // recovered panics of connections and timers
}

// Each operation code from opLow to opHigh has a counter; all others share opOther.
const (
	opLow   = -11
	opHigh  = 107
	opOther = opHigh + 1
)

// counters is guarded by Server.mu, except its atomic fields.
type counters struct {
	Counters
	bytesIn, bytesOut, panics atomic.Int64

	authFailed     int64
	received, sent int64 // packets
	// Sizes of queued replies and events, without length prefixes and handshakes; -1 before the first.
	lastReply, leastReply, mostReply int64
}

func (k *counters) reply(size int64) {
	k.sent++
	k.lastReply = size
	if k.leastReply < 0 || size < k.leastReply {
		k.leastReply = size
	}
	k.mostReply = max(k.mostReply, size)
}

func (k *counters) request(op wire.Op) {
	if op < opLow || op > opHigh {
		op = opOther
	}
	k.Requests[op]++
	k.received++
}

func (k *counters) snapshot() Counters {
	out := k.Counters
	out.Requests = maps.Clone(k.Requests)
	out.BytesIn, out.BytesOut, out.Panics = k.bytesIn.Load(), k.bytesOut.Load(), k.panics.Load()
	return out
}
