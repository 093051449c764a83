package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model/session"
	"electop/zkwatch/fault"
)

const closeSessionTimeout = time.Second

// A Conn is one session with a cluster. It keeps the session over lost connections and changes of
// server. If the Conn cannot get or keep a session, or is closed or cut, it ends, and Status.Err has
// the reason. Another session needs another Conn, so a request never runs in a later session.
//
// Any goroutine may call its methods at any time.
type Conn struct {
	cfg     Config
	gate    *fault.Gate
	servers *servers

	zk      *zk.Conn
	events  <-chan zk.Event // closed when the library's loop has ended
	started chan struct{}   // closed when zk and events are set

	life     context.Context // done in a terminal state
	end      context.CancelFunc
	done     chan struct{} // closed in a terminal state
	detach   func()        // called when the library uses the offlineConn
	detached chan struct{} // closed by detach
	finished chan struct{} // closed when all goroutines except those of Subscribe have ended
	turn     chan struct{} // full if queued is not 0

	mu          sync.Mutex
	status      Status
	subscribers map[*subscription]bool
	link        *serverConn    // the connection in use or being set up
	ready       *serverConn    // equals link when the handshake over link is complete
	lost        chan struct{}  // closed when the connection is lost; nil unless Connected
	lostBy      error          // why lost was closed
	refusals    int            // number of connections in a row that ended with ErrRefused
	zxid        int64          // the highest zxid of the replies
	anchor      session.Anchor // of the last answered request or ping; its Session is 0 before the first session
	lease       lease
	trips       []time.Duration // round trips of the last pings and small reads, at most distanceSamples
	admitted    uint64          // number of calls so far, see admit
	queued      atomic.Uint64   // number of the call in the library's queue; 0: none; set under mu
	requests    atomic.Uint64
	background  sync.WaitGroup
	giveUpTimer *time.Timer
}

// Connect starts to connect and returns immediately; [Conn.Subscribe] reports the result. An error
// means that cfg is unusable.
func Connect(cfg Config) (*Conn, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", cfg.Servers, err)
	}
	c := &Conn{
		cfg:         cfg,
		gate:        cfg.Gate,
		servers:     newServers(cfg.Servers.Servers, cfg.Shuffle),
		started:     make(chan struct{}),
		done:        make(chan struct{}),
		detached:    make(chan struct{}),
		finished:    make(chan struct{}),
		turn:        make(chan struct{}, 1),
		subscribers: make(map[*subscription]bool),
		status:      Status{Since: time.Now()},
		lease:       lease{tick: cfg.Tick},
	}
	c.detach = sync.OnceFunc(func() { close(c.detached) })
	c.life, c.end = context.WithCancel(context.Background())
	c.giveUpTimer = time.AfterFunc(c.sessionWait(), c.giveUp)
	c.zk, c.events, err = zk.Connect(cfg.Servers.Servers, cfg.SessionTimeout,
		zk.WithDialer(c.dial),
		zk.WithHostProvider(c.servers),
		zk.WithLogger(zkLogger{c}),
		zk.WithMaxBufferSize(cfg.MaxReply),
		zk.WithMaxConnBufferSize(cfg.BufferSize),
	)
	if err != nil {
		c.giveUpTimer.Stop()
		c.end()
		return nil, fmt.Errorf("connect to %s: %w", cfg.Servers, err)
	}
	close(c.started)
	return c, nil
}

// Close ends the session. It waits at most a second for the server's answer, and then for all
// goroutines except those of Subscribe. Without a connection, or while the gate is shut, Close sends
// nothing, and the session expires later. Close may be called again.
func (c *Conn) Close() error {
	c.terminate(Closed, ErrClosed, true)
	<-c.finished
	return nil
}

// CloseWithError is Close without the wait. Status.Err becomes err, unless the Conn has already ended.
func (c *Conn) CloseWithError(err error) { c.terminate(Closed, err, true) }

// Cut ends the Conn like a crash of the process, without a message to the server.
func (c *Conn) Cut() {
	c.terminate(Closed, ErrCut, false)
	<-c.finished
}

// Format implements fmt.Formatter, because package fmt would read fields without the lock.
func (c *Conn) Format(f fmt.State, _ rune) {
	st := c.Status()
	fmt.Fprintf(f, "session %#x at %s: %s", st.SessionID, c.cfg.Servers, st.State)
}

// Config returns the configuration with its defaults filled in.
func (c *Conn) Config() Config { return c.cfg }

func (c *Conn) spawn(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.status.State.Terminal() {
		return false
	}
	c.background.Go(f)
	return true
}

// setErr requires that the caller holds c.mu.
func (c *Conn) setErr(err error) {
	changed := c.status.Err == nil || c.status.Err.Error() != err.Error()
	c.status.Err = err
	if changed {
		c.publish()
	}
}

// setState requires that the caller holds c.mu.
func (c *Conn) setState(state State, err error) {
	c.status.State, c.status.Err, c.status.Since = state, err, time.Now()
	c.status.Change++
	c.publish()
}

func (c *Conn) sessionWait() time.Duration {
	return 2 * max(cmp.Or(c.status.Timeout, c.cfg.SessionTimeout), c.cfg.DialTimeout)
}

// giveUp is necessary because servers that have lost their data would refuse the zxid of the Conn for ever.
func (c *Conn) giveUp() {
	c.mu.Lock()
	waited := c.sessionWait()
	idle := c.status.State == Connecting || c.status.State == Disconnected
	rest := waited - c.gate.OpenFor()
	if idle && rest > 0 { // the wait starts again at a thaw
		c.giveUpTimer.Reset(rest)
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

func (c *Conn) terminate(state State, err error, sendClose bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.status.State.Terminal() {
		return
	}
	n := c.link
	sendClose = sendClose && c.status.State == Connected && !c.gate.Frozen()
	if c.lost != nil {
		c.lostBy = err
		close(c.lost)
		c.lost = nil
	}
	c.giveUpTimer.Stop()
	c.setState(state, err)
	close(c.done)
	c.end()
	go c.teardown(n, sendClose)
}

func (c *Conn) teardown(n *serverConn, sendClose bool) {
	defer close(c.finished)
	if n != nil {
		if sendClose {
			n.closeSession(closeSessionTimeout)
		}
		n.shut()
	}
	<-c.started
	// The library's Close is quick only over the offlineConn.
	<-c.detached
	c.zk.Close()
	for range c.events {
	}
	c.background.Wait()
}

type zkLogger struct{ c *Conn }

func (l zkLogger) Printf(format string, args ...any) {
	l.c.cfg.Logger.Debug("zookeeper client: " + fmt.Sprintf(format, args...))
	// If setWatches does not fit in the buffer, the library would continue without watches.
	for _, arg := range args {
		if err, ok := arg.(error); ok && errors.Is(err, zk.ErrShortBuffer) && format == "Failed to set previous watches: %v" {
			l.c.terminate(Closed, fmt.Errorf("set watches again: %w", ErrRequestTooLarge), false)
		}
	}
}
