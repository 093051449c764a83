package client

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model/session"
	"electop/zkwatch/fault"
)

// goodbyeTimeout bounds how long Close waits for the server to end the session.
const goodbyeTimeout = time.Second

// A Conn is one session with a cluster, from the first attempt to get it to its
// end. It keeps the session over lost connections and changes of server. It is
// never silently another session: when the session expires, when a server does
// not know it, or when no server gives one for twice its timeout, the Conn enters a
// terminal state, and the owner connects again. So a request made with a Conn
// never runs in a later session.
//
// Its methods may be called by any goroutine at any time.
type Conn struct {
	cfg     Config
	log     *slog.Logger
	gate    *fault.Gate
	servers *servers

	zk      *zk.Conn
	events  <-chan zk.Event // closed when the library's loop has ended
	started chan struct{}   // closed when zk and events are set

	life  context.Context // done from the terminal state on
	end   context.CancelFunc
	done  chan struct{} // closed at the terminal state
	leave func()        // called when the library has its farewell connection: from then on it reaches no server
	left  chan struct{} // closed by leave
	gone  chan struct{} // closed when no goroutine is left
	turn  chan struct{} // holds a token while handed is not 0

	mu          sync.Mutex
	status      Status
	subscribers map[*subscription]bool
	link        *serverConn    // the connection in use or being set up
	ready       *serverConn    // the session continues over this one
	lost        chan struct{}  // while Connected: closed when that ends
	lostBy      error          // what the last connection ended by
	refusals    int            // connections in a row that ended before a session was given
	zxid        int64          // the last one that a reply named
	anchor      session.Anchor // Session 0: none yet
	lease       lease
	distance    distance      // of the server that it is connected to
	admitted    uint64        // requests so far
	handed      atomic.Uint64 // the request that the library has and has not written, by its number; 0: none; set under mu
	requests    atomic.Uint64 // sent so far, see Requests
	calls       sync.WaitGroup
	watchdog    *time.Timer
}

// Connect starts to connect and returns immediately; [Conn.Subscribe] reports the
// result. An error means that cfg is unusable.
func Connect(cfg Config) (*Conn, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", cfg.Servers, err)
	}
	c := &Conn{
		cfg:         cfg,
		log:         cfg.Logger,
		gate:        cfg.Gate,
		servers:     newServers(cfg.Servers.Servers, cfg.Shuffle),
		started:     make(chan struct{}),
		done:        make(chan struct{}),
		left:        make(chan struct{}),
		gone:        make(chan struct{}),
		turn:        make(chan struct{}, 1),
		subscribers: make(map[*subscription]bool),
		status:      Status{Since: time.Now()},
		lease:       lease{tick: cfg.Tick},
	}
	c.leave = sync.OnceFunc(func() { close(c.left) })
	c.life, c.end = context.WithCancel(context.Background())
	c.watchdog = time.AfterFunc(c.patience(), c.giveUp)
	c.zk, c.events, err = zk.Connect(cfg.Servers.Servers, cfg.SessionTimeout,
		zk.WithDialer(c.dial),
		zk.WithHostProvider(c.servers),
		zk.WithLogger(zkLogger{c}),
		zk.WithMaxBufferSize(cfg.MaxReply),
		zk.WithMaxConnBufferSize(cfg.BufferSize),
	)
	if err != nil {
		c.watchdog.Stop()
		c.end()
		return nil, fmt.Errorf("connect to %s: %w", cfg.Servers, err)
	}
	close(c.started)
	return c, nil
}

// Close ends the session, which deletes its ephemeral znodes. It returns when the
// server has confirmed this or a second has passed, and all goroutines have ended.
// Without a connection, or while the gate is shut, no server can be informed: the
// session expires later. Close may be called more than once, in any state.
func (c *Conn) Close() error {
	c.terminate(Closed, ErrClosed, true)
	<-c.gone
	return nil
}

// CloseWithError begins what Close does, and does not wait for it. Status.Err is
// err then.
func (c *Conn) CloseWithError(err error) { c.terminate(Closed, err, true) }

// Cut ends the Conn like a crash of the process: the connection breaks, no server
// is informed, and the session with its ephemeral znodes exists until it expires.
func (c *Conn) Cut() {
	c.terminate(Closed, ErrCut, false)
	<-c.gone
}

// Format implements fmt.Formatter: other goroutines use the fields of a Conn while
// it is printed, and the fields are private.
func (c *Conn) Format(f fmt.State, _ rune) {
	st := c.Status()
	fmt.Fprintf(f, "session %#x at %s: %s", st.SessionID, c.cfg.Servers, st.State)
}

// Config returns the configuration, completed: its Gate freezes the Conn.
func (c *Conn) Config() Config { return c.cfg }

// spawn runs f in a goroutine that teardown waits for, or reports that the Conn
// has ended.
func (c *Conn) spawn(f func()) bool {
	c.mu.Lock()
	ended := c.status.State.Terminal()
	if !ended {
		c.calls.Add(1)
	}
	c.mu.Unlock()
	if ended {
		return false
	}
	go func() {
		defer c.calls.Done()
		f()
	}()
	return true
}

// setErr records err, and notifies the subscribers if it is another. The caller holds
// c.mu.
func (c *Conn) setErr(err error) {
	news := c.status.Err == nil || c.status.Err.Error() != err.Error()
	c.status.Err = err
	if news {
		c.publish()
	}
}

// setState enters state and notifies the subscribers. The caller holds c.mu.
func (c *Conn) setState(state State, err error) {
	c.status.State, c.status.Err, c.status.Since = state, err, time.Now()
	c.status.Change++
	c.publish()
}

// patience returns how long to try without a session before giving up. After the
// session's timeout the servers, if there are any, have ended it.
func (c *Conn) patience() time.Duration {
	timeout := c.status.Timeout
	if timeout == 0 {
		timeout = c.cfg.SessionTimeout
	}
	return 2 * max(timeout, c.cfg.DialTimeout)
}

// giveUp ends a Conn that has had no session for too long. It also helps a client
// that has seen a higher zxid than a restarted server: the server refuses it each
// time, and only a new session starts without a zxid.
func (c *Conn) giveUp() {
	c.mu.Lock()
	waited := c.patience()
	idle := c.status.State == Connecting || c.status.State == Disconnected
	rest := waited - c.gate.OpenFor()
	if idle && rest > 0 { // a frozen Conn does not try to connect
		c.watchdog.Reset(rest)
	}
	last := c.status.Err
	c.mu.Unlock()
	if !idle || rest > 0 {
		return
	}
	err := fmt.Errorf("%w after %v", ErrNoSession, waited)
	if last != nil {
		err = fmt.Errorf("%w: %w", err, last)
	}
	c.terminate(Closed, err, false)
}

// terminate enters a terminal state, unless the Conn is in one, and starts to
// end everything.
func (c *Conn) terminate(state State, err error, goodbye bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.status.State.Terminal() {
		return
	}
	n := c.link
	goodbye = goodbye && c.status.State == Connected && !c.gate.Frozen()
	if c.lost != nil {
		c.lostBy = err
		close(c.lost)
		c.lost = nil
	}
	c.watchdog.Stop()
	c.setState(state, err)
	close(c.done)
	c.end()
	go c.teardown(n, goodbye)
}

// teardown ends the connection and the library. The owner of this goroutine is
// the Conn: Close waits for it.
func (c *Conn) teardown(n *serverConn, goodbye bool) {
	defer close(c.gone)
	if n != nil {
		if goodbye {
			n.sayGoodbye(goodbyeTimeout)
		}
		n.shut()
	}
	<-c.started
	// The library now gets a farewell connection from dial; its Close is quick only
	// then.
	<-c.left
	c.zk.Close()
	for range c.events {
	}
	c.calls.Wait()
}

// zkLogger passes on the library's messages.
type zkLogger struct{ c *Conn }

func (l zkLogger) Printf(format string, args ...any) {
	l.c.log.Debug("zookeeper client: " + fmt.Sprintf(format, args...))
	// If the request to set the watches again does not fit in the library's buffer,
	// it continues without watches, and only logs this.
	for _, arg := range args {
		if err, ok := arg.(error); ok && errors.Is(err, zk.ErrShortBuffer) && format == "Failed to set previous watches: %v" {
			l.c.terminate(Closed, fmt.Errorf("set watches again: %w", ErrRequestTooLarge), false)
		}
	}
}
