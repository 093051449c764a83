package zkwatch

import (
	"context"
	"fmt"
	"sync"
	"time"

	"electop/model"
	"electop/model/znode"
)

// ObserverConfig says what an [Observer] looks at.
type ObserverConfig struct {
	Conn Config
	Path string // the election's parent, or the leader's own znode where there is no queue
	Ack  string // its acknowledgement znode; "": none, or not known yet, see SetAck
	// Single says that Path is a leader's own znode, so that nobody leads while it
	// is absent. Otherwise the observer goes by a dialect that knows the path, or
	// finds out when it first sees it exist.
	Single bool
	// Put takes the observations, in order. It may wait: the observer then
	// reads less often, and the journal counts what it missed.
	Put func(context.Context, model.Observation)
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Observer looks at one election: one child watch on its parent, one watch on
// its acknowledgement, and no write ever. Each change costs one getChildren
// and one getData for each child that is new. Candidates are not watched, so
// an observer adds nothing to a handoff.
//
// It lives through lost connections, expired sessions, restarted servers and
// a parent that is absent, deleted, made anew or forbidden.
type Observer struct {
	cfg     ObserverConfig
	ack     ackPath
	refresh chan string

	// The children as they were handed to the model, across connections: with
	// the number of the read that last listed each.
	parent int64 // czxid of their parent; 0: nothing is known
	known  map[string]uint64
	reads  uint64
	effort effort // of the last read

	decided bool // what the path is, a parent or a leader
	single  bool // it is a leader

	began    bool // an earlier session was observed
	tooLarge bool // a reply was larger than its connection allowed

	shown shown
}

// shown is up to which change of the connection's state the model was told,
// so that it hears of a loss before it hears of the read that follows it.
type shown struct {
	mu      sync.Mutex
	since   time.Time
	changed chan struct{}
}

func (s *shown) set(since time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.since = since
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

func (s *shown) await(ctx context.Context, since time.Time) {
	for {
		s.mu.Lock()
		if !s.since.Before(since) {
			s.mu.Unlock()
			return
		}
		if s.changed == nil {
			s.changed = make(chan struct{})
		}
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// rttInterval is how often a newly measured round trip is passed on. Pings,
// which measure it, are rarer than that.
const rttInterval = time.Second

// NewObserver returns an observer that does nothing before [Observer.Run].
func NewObserver(cfg ObserverConfig) *Observer {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	o := &Observer{cfg: cfg, refresh: make(chan string, 16), known: make(map[string]uint64)}
	o.ack.path = cfg.Ack
	o.single = cfg.Single || singleAt(cfg.Path) != nil
	o.decided = o.single
	return o
}

// Run observes with sessions of its own until ctx ends, and returns ctx's
// error, or that of an impossible configuration. See [Post] for several
// observers on one session.
func (o *Observer) Run(ctx context.Context) error { return Observe(ctx, o.cfg.Conn, o) }

// Refresh asks for the data of a known child to be read again. It does not
// wait, and is dropped where there is no connection.
func (o *Observer) Refresh(name string) {
	select {
	case o.refresh <- name:
	default:
	}
}

// session observes for as long as one session lasts.
func (o *Observer) session(ctx context.Context, conn *Conn) {
	gap := o.began
	o.began = true
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() { // the connection: over with the session, and so is the rest
		defer cancel()
		o.watchConnection(ctx, conn)
	})
	wg.Go(func() {
		o.watchChildren(ctx, conn, gap)
		if o.tooLarge { // which ends the session for everybody at this post
			conn.terminate(Closed, fmt.Errorf("read %s: %w", o.cfg.Path, ErrReplyTooLarge), true)
		}
	})
	wg.Go(func() { o.watchAck(ctx, conn) })
	wg.Wait()
}

// watchConnection passes on what happens to the connection until its end.
func (o *Observer) watchConnection(ctx context.Context, conn *Conn) {
	ticker := time.NewTicker(rttInterval)
	defer ticker.Stop()
	statuses := conn.Subscribe(ctx)
	var last model.Connection
	put := func(st Status) {
		defer o.shown.set(st.Since)
		c := model.Connection{
			At: o.cfg.Now(), Link: link(st), Server: st.Server, Session: st.SessionID,
			Timeout: st.Timeout, RTT: shownRTT(st.RTT),
		}
		if st.Err != nil {
			c.Err = znode.Safe(st.Err.Error(), 0)
		}
		same := last
		same.At = c.At
		if c == same {
			return
		}
		last = c
		o.cfg.Put(ctx, &c)
	}
	for {
		select {
		case st, ok := <-statuses:
			if !ok {
				return
			}
			put(st)
		case <-ticker.C:
			if st := conn.Status(); st.State == Connected && last.Link == model.Connected {
				put(st)
			}
		}
	}
}

// link translates a status. A Conn that ended for another reason than expiry
// (the watchdog, too large a reply) is followed by another: to the user that
// is a connection lost.
func link(st Status) model.Link {
	switch st.State {
	case Connecting:
		return model.Connecting
	case Connected:
		return model.Connected
	case Expired:
		if st.SessionID != 0 {
			return model.Expired
		}
	case Closed:
		if st.SessionID == 0 {
			return model.Connecting
		}
	}
	return model.Disconnected
}

// shownRTT keeps two digits: more would change, and be drawn, at every ping.
func shownRTT(d time.Duration) time.Duration {
	unit := time.Microsecond
	for d >= 100*unit {
		unit *= 10
	}
	return d.Round(unit)
}

// awaitConnection waits until conn is connected; false when it is over.
func awaitConnection(ctx context.Context, conn *Conn) bool {
	if conn.Status().State == Connected {
		return true
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for st := range conn.Subscribe(ctx) {
		if st.State == Connected {
			return true
		}
	}
	return false
}

// pause waits for d; false when ctx ended.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
