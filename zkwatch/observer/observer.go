package observer

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model"
	"electop/model/znode"
	"electop/zkwatch/client"
)

// Config describes what an [Observer] observes, and how.
type Config struct {
	Conn   client.Config
	Path   string // the election's parent, or the leader's own znode if there is no queue
	Beside Beside // until [Observer.SetBeside] replaces it
	// Single reports whether Path is a leader's own znode. If Single is false, the observer decides.
	Single bool
	// ByReads forbids a persistent recursive watch.
	ByReads bool
	// Put receives the observations. Several goroutines call Put. While a call waits, the observer may
	// miss changes.
	Put func(context.Context, model.Observation)
	Now func() time.Time // nil: time.Now; several goroutines call Now
}

// Observer observes one election with one watch on the parent or the leader's own znode, and one on
// each path of [Beside.Acks]. It never writes. It continues after a lost connection and after an expired session.
type Observer struct {
	cfg     Config
	now     clock
	beside  latest[*Beside]
	refresh chan rereadRequest

	known known
	// markers are the paths from [dialect.Markers] that exist. They belong to the parent with the czxid markersOf.
	markers   []string
	markersOf int64

	decided bool // single is valid
	single  bool // the path is a leader's own znode

	unsupported    *atomic.Bool
	fallBackReason model.FollowReason // why no persistent watch is set before retryAt
	retryAt        time.Time          // zero: the start of the next session
	reportedBy     model.FollowedBy   // reportedBy and reportedWhy are from the last reported model.Follow
	reportedWhy    model.FollowReason

	hadSession bool
	tooLarge   bool // a reply to watchChildren exceeded MaxReply

	removed context.Context
	remove  context.CancelFunc

	// reported is the Since of the last reported [client.Status]. The first read after a gap is
	// reported after the status of its connection.
	reported latest[time.Time]
}

const rttInterval = time.Second

// New returns an observer. [Observer.Run] or [Group.Run] starts it.
func New(cfg Config) *Observer {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	o := &Observer{cfg: cfg, now: cfg.Now, refresh: make(chan rereadRequest, 16)}
	o.removed, o.remove = context.WithCancel(context.Background())
	o.known.forget(0)
	o.beside.set(&cfg.Beside)
	o.single = cfg.Single
	o.decided = o.single
	return o
}

// SetBeside replaces [Config.Beside]. It does not wait for reads.
func (o *Observer) SetBeside(b Beside) { o.beside.set(&b) }

// Refresh requests a read of a known child, and does not wait for the read. It drops the request if too many wait.
func (o *Observer) Refresh(name string) { o.request(rereadRequest{name: name}) }

// Settle requests a read of the parent's stat; see [model.State.Unsettled].
func (o *Observer) Settle() { o.request(rereadRequest{parent: true}) }

type rereadRequest struct {
	name   string
	parent bool
}

func (o *Observer) request(r rereadRequest) {
	select {
	case o.refresh <- r:
	default:
	}
}

func (o *Observer) session(ctx context.Context, conn *client.Conn) {
	gap := o.hadSession
	o.hadSession = true
	o.retryAt = time.Time{}
	switch {
	case o.cfg.ByReads:
		o.fallBackReason = model.FollowByChoice
	case o.unsupported.Load(): // a server older than 3.6 closes the connection after addWatch
		o.fallBackReason = model.FollowUnsupported
	default:
		o.fallBackReason = ""
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(o.removed, cancel)()
	var wg sync.WaitGroup
	wg.Go(func() { // the end of the session ends the other goroutines
		defer cancel()
		o.watchConnection(ctx, conn)
	})
	wg.Go(func() { o.watchChildren(ctx, conn, gap) })
	wg.Go(func() { o.followBeside(ctx, conn) })
	wg.Wait()
}

func (o *Observer) watchConnection(ctx context.Context, conn *client.Conn) {
	ticker := time.NewTicker(rttInterval)
	defer ticker.Stop()
	statuses := conn.Subscribe(ctx)
	var last model.Connection
	put := func(st client.Status) {
		defer o.reported.set(st.Since)
		c := model.Connection{
			At: o.now(), Link: link(st), Server: st.Server, Session: st.SessionID,
			Timeout: st.Timeout, RTT: shownRTT(st.RTT), Refused: errors.Is(st.Err, zk.ErrAuthFailed),
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
			if st := conn.Status(); st.State == client.Connected && last.Link == model.Connected {
				put(st)
			}
		}
	}
}

// link maps a closed Conn to Disconnected or Connecting, because the group opens another Conn.
func link(st client.Status) model.Link {
	switch {
	case st.State == client.Connected:
		return model.Connected
	case st.State == client.Expired:
		return model.Expired
	case st.State == client.Connecting, st.SessionID == 0:
		return model.Connecting
	}
	return model.Disconnected
}

// shownRTT rounds to at most two digits; otherwise each ping would change the screen.
func shownRTT(d time.Duration) time.Duration {
	unit := time.Microsecond
	for d >= 100*unit {
		unit *= 10
	}
	return d.Round(unit)
}

type clock func() time.Time

func (now clock) convert(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return now().Add(-time.Since(t))
}

type latest[T comparable] struct {
	mu      sync.Mutex
	value   T
	changed chan struct{} // closed when value changes
}

func (l *latest[T]) get() (value T, changed <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.changed == nil {
		l.changed = make(chan struct{})
	}
	return l.value, l.changed
}

func (l *latest[T]) set(value T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.value != value && l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
	l.value = value
}
