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

// refusedPause and refusedPauseMax bound the pause after refused credentials: many attempts can lock an account.
const (
	refusedPause    = time.Second
	refusedPauseMax = 30 * time.Second
)

// A Group runs any number of observers on one session. If the session ends, the group opens another.
// The group ignores the [Config.Conn] of its observers.
type Group struct {
	cfg client.Config // for the next session

	mu          sync.Mutex
	observers   []*Observer
	changed     chan struct{} // closed when observers changes
	conn        *client.Conn  // the current session; nil: none
	requests    uint64        // sent in earlier sessions
	unsupported atomic.Bool   // a server has no persistent watches
	refused     error         // why the servers refused the credentials in the previous session, or nil
}

// Run observes with its own sessions until ctx ends. It returns the same errors as [Group.Run].
func (o *Observer) Run(ctx context.Context) error {
	g := NewGroup(o.cfg.Conn)
	g.Add(o)
	return g.Run(ctx)
}

// NewGroup returns a group without observers.
func NewGroup(cfg client.Config) *Group {
	return &Group{cfg: cfg, changed: make(chan struct{})}
}

// Add makes o observe on the group's session. An observer can be added only once, to one group.
func (g *Group) Add(o *Observer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	o.unsupported = &g.unsupported
	g.observers = append(g.observers, o)
	g.change()
}

// Remove stops o, without waiting until o has stopped.
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

// Conn returns the connection of the current session, or nil. The observers share it, so do not close it.
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

// Run observes until ctx ends. It returns ctx's error, or an error if the configuration is unusable.
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

// Refused returns why the servers refused the group's credentials, or nil. While the group connects, Refused returns
// the result of the previous session.
func (g *Group) Refused() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.conn != nil {
		if err := refusal(g.conn); err != nil || g.conn.Status().State != client.Connecting {
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

// ReadOnce reads the election at path once, after a sync with the ensemble leader. It sets no watch.
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
