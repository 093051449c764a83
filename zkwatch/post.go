package zkwatch

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// reopenPause is how long a post waits between two sessions, so that a cluster
// that refuses is asked often enough to come alive quickly and not so often as
// to be in its way.
const reopenPause = 200 * time.Millisecond

// A Post is where observers stand: one session for any number of them, and
// another session when that ends. [ObserverConfig.Conn] does not count here.
type Post struct {
	cfg Config // of the next connection

	mu        sync.Mutex
	observers []*Observer
	added     chan struct{} // closed when there is one more
	conn      *Conn         // of the present session
}

// NewPost returns a post with a cluster to look at, and nobody who does.
func NewPost(conn Config) *Post {
	return &Post{cfg: conn, added: make(chan struct{})}
}

// Add has o observe from the post, from now on or, before Run, from then on. An
// observer stands at one post, and stays.
func (p *Post) Add(o *Observer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.observers = append(p.observers, o)
	close(p.added)
	p.added = make(chan struct{})
}

// Conn returns the present session, nil where there is none. It is for reading:
// what others ask of it takes its turn with the observers' own requests.
func (p *Post) Conn() *Conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.conn
}

// Observe runs the observers on one session, see [Post.Run].
func Observe(ctx context.Context, conn Config, observers ...*Observer) error {
	p := NewPost(conn)
	for _, o := range observers {
		p.Add(o)
	}
	return p.Run(ctx)
}

// Run observes until ctx ends, over as many sessions as that takes, and
// returns ctx's error, or that of an impossible configuration.
func (p *Post) Run(ctx context.Context) error {
	for {
		conn, err := Connect(p.cfg)
		if err != nil {
			return fmt.Errorf("observe: %w", err)
		}
		p.use(conn)
		tooLarge := p.session(ctx, conn)
		p.use(nil)
		conn.Close()
		if tooLarge {
			p.cfg, _ = p.cfg.Roomier()
		}
		if !pause(ctx, reopenPause) {
			return ctx.Err()
		}
	}
}

func (p *Post) use(conn *Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conn = conn
}

// session has everybody observe for as long as one session lasts. tooLarge
// says that a reply was larger than the connection allowed.
func (p *Post) session(ctx context.Context, conn *Conn) (tooLarge bool) {
	var wg sync.WaitGroup
	var standing []*Observer
	for lasts := true; lasts; {
		p.mu.Lock()
		fresh, added := p.observers[len(standing):], p.added
		p.mu.Unlock()
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
