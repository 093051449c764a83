package observer

import (
	"context"
	"fmt"
	"sync"
	"time"

	"electop/zkwatch/client"
)

// reopenPause is how long a group waits between two sessions: short, to be back
// soon, but long enough not to burden a cluster that refuses.
const reopenPause = 200 * time.Millisecond

// A Group has one session for any number of observers, and connects again when the
// session ends. The observers' own [Config.Conn] is not used.
type Group struct {
	cfg client.Config // of the next connection

	mu        sync.Mutex
	observers []*Observer
	added     chan struct{} // closed when there is one more
	conn      *client.Conn  // of the present session
}

// NewGroup returns a group without observers.
func NewGroup(conn client.Config) *Group {
	return &Group{cfg: conn, added: make(chan struct{})}
}

// Add makes o observe on the session of the group, from now on or from the start of
// Run. An observer belongs to one group and stays there.
func (g *Group) Add(o *Observer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.observers = append(g.observers, o)
	close(g.added)
	g.added = make(chan struct{})
}

// Conn returns the current session, nil if there is none. It is only for reading:
// other requests share it with those of the observers.
func (g *Group) Conn() *client.Conn {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.conn
}

// Run observes until ctx ends, with one session after the other, and returns
// ctx's error, or that of an unusable configuration.
func (g *Group) Run(ctx context.Context) error {
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
		if !pause(ctx, reopenPause) {
			return ctx.Err()
		}
	}
}

func (g *Group) use(conn *client.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.conn = conn
}

// session runs all observers until the session ends. tooLarge says that a reply was
// larger than MaxReply.
func (g *Group) session(ctx context.Context, conn *client.Conn) (tooLarge bool) {
	var wg sync.WaitGroup
	var standing []*Observer
	for lasts := true; lasts; {
		g.mu.Lock()
		fresh, added := g.observers[len(standing):], g.added
		g.mu.Unlock()
		for _, o := range fresh {
			standing = append(standing, o)
			wg.Go(func() { o.session(ctx, conn) })
		}
		select {
		case <-added:
		case <-conn.Done():
			lasts = false
		case <-ctx.Done():
			lasts = false
		}
	}
	wg.Wait()
	for _, o := range standing {
		tooLarge = tooLarge || o.tooLarge
		o.tooLarge = false
	}
	return tooLarge
}
