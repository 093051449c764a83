package admin

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// An Asker asks the members of one ensemble on behalf of the elections that
// are subscribed. Its methods may be called by any goroutine; none but Run and
// Ask waits for anything.
type Asker struct {
	cfg  Config
	http *httpClient

	// turn holds a token while a round is under way; its holder owns ensemble.
	turn     chan struct{}
	ensemble *ensemble

	news chan struct{} // marked when there may be something to do

	mu          sync.Mutex
	subscribers []*subscription
	verify      bool      // Verify was called, and not yet heeded
	verified    time.Time // when it was last heeded
	handoff     time.Time // the last one that no table of watches has followed
	watches     time.Time // when tables of watches were last asked for
}

type subscription struct{ Election }

// New returns an Asker that has asked nobody yet.
func New(cfg Config) *Asker {
	cfg = cfg.withDefaults()
	a := &Asker{
		cfg:  cfg,
		http: newHTTPClient(cfg),
		turn: make(chan struct{}, 1),
		news: make(chan struct{}, 1),
	}
	a.ensemble = newEnsemble(a)
	return a
}

// Subscribe has the answers delivered to e from the next round on, until
// cancel is called. A round that is under way may still deliver once.
func (a *Asker) Subscribe(e Election) (cancel func()) {
	s := &subscription{e}
	a.mu.Lock()
	a.subscribers = append(slices.Clip(a.subscribers), s)
	a.mu.Unlock()
	a.mark()
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.subscribers = slices.DeleteFunc(slices.Clone(a.subscribers), func(o *subscription) bool { return o == s })
	}
}

// Verify has everything asked once, soon: cheap words, connections, sessions
// and the tables of watches. It needs [Asker.Run].
func (a *Asker) Verify() {
	a.mu.Lock()
	a.verify = true
	a.mu.Unlock()
	a.mark()
}

// Handoff says that an election has another leader. Once there was none for
// two seconds the tables of watches are asked for, unless that was done less
// than a minute ago: then when the minute is over. It needs [Asker.Run].
func (a *Asker) Handoff() {
	a.mu.Lock()
	a.handoff = time.Now()
	a.mu.Unlock()
	a.mark()
}

func (a *Asker) mark() {
	select {
	case a.news <- struct{}{}:
	default:
	}
}

// Ask makes one round now and returns when its answers are delivered. Servers
// that had stopped answering are tried again. The error is ctx's: that servers
// fail or refuse is said in what is delivered. If the mode is Off, or nobody is
// subscribed, nobody is asked.
func (a *Asker) Ask(ctx context.Context, w Want) error {
	if err := a.round(ctx, plan{Want: w, asked: true}); err != nil {
		return fmt.Errorf("ask the servers: %w", err)
	}
	return nil
}

func (a *Asker) subscribed() []*subscription {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.subscribers
}
