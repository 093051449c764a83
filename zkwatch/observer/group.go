package observer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model"
	"electop/zkwatch/client"
)

const reopenPause = 200 * time.Millisecond

// refusedPause and refusedPauseMax bound the pause after refused credentials, because attempts can lock an account.
const (
	refusedPause    = time.Second
	refusedPauseMax = 30 * time.Second
)

// A Group has one session for any number of observers, and connects again when the session ends. It
// ignores the [Config.Conn] of its observers.
type Group struct {
	cfg client.Config // for the next session

	mu          sync.Mutex
	observers   []*Observer
	changed     chan struct{} // closed when observers changes
	conn        *client.Conn  // the current session
	requests    uint64        // number of requests in earlier sessions
	unsupported atomic.Bool   // the servers have no persistent watches
	refused     error         // the refusal of the last session's credentials, or nil
}

// Run observes with its own sessions until ctx ends. It returns ctx's error, or an error if the
// configuration is unusable. A [Group] runs several observers on one session.
func (o *Observer) Run(ctx context.Context) error {
	g := NewGroup(o.cfg.Conn)
	g.Add(o)
	return g.Run(ctx)
}

// NewGroup returns a group without observers.
func NewGroup(conn client.Config) *Group {
	return &Group{cfg: conn, changed: make(chan struct{})}
}

// Add makes o observe on the session of the group. An observer can be added only once, to one group.
func (g *Group) Add(o *Observer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	o.unsupported = &g.unsupported
	g.observers = append(g.observers, o)
	g.change()
}

// Remove stops o without waiting. If o has a persistent watch, o removes the watch.
func (g *Group) Remove(o *Observer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.observers = slices.DeleteFunc(slices.Clone(g.observers), func(other *Observer) bool { return other == o })
	o.remove()
	g.change()
}

// change requires that the caller holds g.mu.
func (g *Group) change() {
	close(g.changed)
	g.changed = make(chan struct{})
}

// Conn returns the connection of the current session, or nil. Use it only for reads, because the
// observers share the connection.
func (g *Group) Conn() *client.Conn {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.conn
}

// Requests counts the requests in all sessions; see [client.Conn.Requests].
func (g *Group) Requests() uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.conn == nil {
		return g.requests
	}
	return g.requests + g.conn.Requests()
}

// Run observes until ctx ends, and opens a new session when one ends. It returns ctx's error, or an
// error if the configuration is unusable.
func (g *Group) Run(ctx context.Context) error {
	nextPause := refusedPause
	for {
		conn, err := client.Connect(g.cfg)
		if err != nil {
			return fmt.Errorf("observe: %w", err)
		}
		g.use(conn)
		tooLarge := g.session(ctx, conn)
		g.use(nil)
		conn.Close()
		if tooLarge {
			g.cfg, _ = g.cfg.Roomier()
		}
		wait := reopenPause
		if refusal(conn) != nil {
			wait, nextPause = nextPause, min(2*nextPause, refusedPauseMax)
		} else {
			nextPause = refusedPause
		}
		if !pause(ctx, wait) {
			return ctx.Err()
		}
	}
}

func refusal(conn *client.Conn) error {
	if err := conn.Status().Err; errors.Is(err, zk.ErrAuthFailed) {
		return err
	}
	return nil
}

// Refused returns the error if the servers refused the group's credentials at the last attempt,
// otherwise nil.
func (g *Group) Refused() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.conn != nil {
		if err := refusal(g.conn); err != nil || g.conn.Status().State == client.Connected {
			return err
		}
	}
	return g.refused
}

func (g *Group) use(conn *client.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.conn != nil {
		g.requests += g.conn.Requests()
		g.refused = refusal(g.conn)
	}
	g.conn = conn
}

func (g *Group) session(ctx context.Context, conn *client.Conn) (tooLarge bool) {
	var wg sync.WaitGroup
	var running []*Observer
	for open := true; open; {
		g.mu.Lock()
		observers, changed := g.observers[:len(g.observers):len(g.observers)], g.changed
		g.mu.Unlock()
		for _, o := range observers {
			if !slices.Contains(running, o) {
				wg.Go(func() { o.session(ctx, conn) })
			}
		}
		running = observers
		select {
		case <-changed:
		case <-conn.Done():
			open = false
		case <-ctx.Done():
			open = false
		}
	}
	wg.Wait()
	for _, o := range running {
		tooLarge = tooLarge || o.tooLarge
		o.tooLarge = false
	}
	return tooLarge
}

// ReadOnce reads the election at path once, after a sync with the ensemble leader, and sets no
// watch.
func ReadOnce(ctx context.Context, conn *client.Conn, path string, now func() time.Time) (*model.Read, error) {
	if err := conn.Sync(ctx, path); err != nil {
		return nil, err
	}
	f, err := conn.Follow(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := &reader{Observer: New(Config{Path: path, Now: now}), conn: conn, f: f, once: true}
	return r.readAll(ctx)
}
