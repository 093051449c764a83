package candidate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model"
	"electop/model/dialect"
	"electop/model/znode"
	"electop/zkwatch/client"
	"electop/zkwatch/fault"
)

// Candidate takes part in one election. If a candidacy ends, for example because its session is lost,
// the Candidate rejoins with a new connection. [Candidate.Run] lists the exceptions.
//
// A waiting candidate writes nothing. A leader writes to renew its lease: see [client.Conn.Renew].
type Candidate struct {
	cfg  Config
	gate *fault.Gate

	resign     chan struct{}
	resignOnce sync.Once

	mu     sync.Mutex
	conn   *client.Conn // of the current candidacy; nil if there is none
	killed bool
	end    context.CancelCauseFunc // ends Run

	thawed   chan struct{} // has a token after a Thaw
	awakeDue bool          // Config.Awake must be called; only for the goroutine of Run

	acl        []zk.ACL      // for created znodes
	conf       client.Config // for the next connection; only for the goroutine of Run
	m          model.Member  // the candidate's state; only for the goroutine of Run
	background sync.WaitGroup
}

var (
	errResigned = errors.New("resigned")
	errKilled   = errors.New("killed")
	errLost     = errors.New("candidacy lost")
	errUnusable = errors.New("unusable configuration")

	errForeign = errors.New("electop cannot take part in this election")
)

// ErrNoParent means that the parent does not exist and that the candidate did not create it.
var ErrNoParent = errors.New("the election's parent does not exist")

const (
	volunteerPause    = 50 * time.Millisecond
	volunteerPauseMax = 2 * time.Second
)

// New returns a candidate that does nothing before [Candidate.Run].
func New(cfg Config) *Candidate {
	if cfg.Recipe == nil && cfg.Dialect != nil {
		cfg.Recipe = cfg.Dialect.Recipe
	}
	if cfg.Recipe == nil {
		cfg.Recipe = dialect.Election()
	}
	if cfg.Dialect != nil && cfg.Dialect.Foreign() {
		cfg.Ack = ""
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.Conn.Gate = cmp.Or(cfg.Conn.Gate, new(fault.Gate))
	cfg.Conn.Replies = cmp.Or(cfg.Conn.Replies, new(fault.Replies))
	return &Candidate{
		cfg:    cfg,
		acl:    defaultACL(cfg.Conn),
		gate:   cfg.Conn.Gate,
		resign: make(chan struct{}),
		thawed: make(chan struct{}, 1),
		conf:   cfg.Conn,
		m: model.Member{
			Name:   string(znode.NewData(cfg.Data).Bytes),
			Recipe: cfg.Recipe.Name(),
			Belief: model.Volunteering,
		},
	}
}

// Resign makes the candidate close its session and end. It does not wait for the end.
func (c *Candidate) Resign() { c.resignOnce.Do(func() { close(c.resign) }) }

// Status returns the status of the current candidacy's connection, or zero if there is none.
func (c *Candidate) Status() client.Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn == nil {
		return client.Status{}
	}
	return c.conn.Status()
}

// Run takes part in the election until the candidate resigns or is killed; then Run returns nil. If
// ctx ends, Run returns ctx's error. Run returns another error if the candidate cannot take part.
func (c *Candidate) Run(ctx context.Context) error {
	if d := c.cfg.Dialect; d != nil && d.Why != "" {
		return fmt.Errorf("%w (%s): %s", errForeign, d.System, d.Why)
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	c.mu.Lock()
	c.end = end
	killed := c.killed
	c.mu.Unlock()
	if killed {
		return nil
	}
	defer c.background.Wait()

	pause, established := volunteerPause, false
	for {
		waitedOrLed, err := c.runCandidacy(ctx, established)
		established = established || waitedOrLed
		switch {
		case errors.Is(err, errResigned):
			c.report(func(m *model.Member) { m.Belief, m.Step = model.Resigned, model.StepNone })
			return nil
		case context.Cause(ctx) == errKilled:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case c.hopeless(err, established):
			return err
		}
		if waitedOrLed {
			pause = volunteerPause
		}
		c.m = model.Member{Name: c.m.Name, Recipe: c.m.Recipe, Belief: model.Lost}
		select {
		case <-time.After(pause):
		case <-c.resign:
		case <-ctx.Done():
		}
		c.reportAwake()
		pause = min(2*pause, volunteerPauseMax)
	}
}

func (c *Candidate) runCandidacy(ctx context.Context, established bool) (waitedOrLed bool, err error) {
	select {
	case <-c.resign:
		return false, errResigned
	default:
	}
	conn, err := c.connect()
	if err != nil {
		return false, err
	}
	s := &candidacy{Candidate: c, conn: conn}
	s.prefix, s.shown, s.noGuid = c.prefix()
	err = s.run(ctx)
	c.leave(ctx, conn, err, established || s.established)
	if errors.Is(err, client.ErrReplyTooLarge) {
		c.conf, _ = c.conf.Roomier()
	}
	return s.established, err
}

// hopeless excuses ErrNoParent and ErrAuthFailed if established: the parent and the credentials were good before.
func (c *Candidate) hopeless(err error, established bool) bool {
	if errors.Is(err, ErrNoParent) || errors.Is(err, zk.ErrAuthFailed) {
		return !established
	}
	for _, e := range []error{errUnusable, client.ErrTimeoutTooShort, client.ErrRequestTooLarge, zk.ErrNoAuth, zk.ErrInvalidACL, zk.ErrNoChildrenForEphemerals} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

func (c *Candidate) connect() (*client.Conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.killed {
		return nil, errKilled
	}
	conn, err := client.Connect(c.conf)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUnusable, err)
	}
	c.conn = conn
	return conn, nil
}

// leave closes conn. If conn is disconnected and ctx has not ended, a goroutine first waits for a reconnect, or for
// the latest expected expiry. After that, a reconnect over a partitioned follower could keep the session alive.
func (c *Candidate) leave(ctx context.Context, conn *client.Conn, err error, established bool) {
	st := conn.Status()
	if !errors.Is(err, errResigned) && context.Cause(ctx) != errKilled && !c.hopeless(err, established) {
		// Report before Close, which may take a second.
		c.report(func(m *model.Member) {
			m.Belief, m.Step, m.StepOn, m.Obstacle = model.Lost, model.StepNone, model.StepOn{}, ""
			m.Reason = znode.Safe(err.Error(), 80)
			if st.State == client.Connected {
				m.Ending = model.Closing
			}
		})
	}
	c.mu.Lock()
	c.conn = nil
	c.mu.Unlock()
	if ctx.Err() != nil || st.State != client.Disconnected {
		conn.Close()
		return
	}
	c.background.Go(func() {
		defer conn.Close()
		limit, cancel := context.WithTimeout(ctx, time.Until(st.ExpiresFrom)+expiryDelay(st.Timeout))
		defer cancel()
		conn.AwaitConnected(limit)
	})
}

// expiryDelay returns how late servers may expire a session: one tick, by default at most timeout/2.
func expiryDelay(timeout time.Duration) time.Duration { return timeout / 2 }

func (c *Candidate) report(change func(m *model.Member)) {
	change(&c.m)
	if c.cfg.Report != nil {
		m := c.m
		m.LosesReply = c.cfg.Conn.Replies.Losing()
		if st := c.Status(); st.SessionID != 0 {
			m.Session, m.Timeout, m.ExpiresFrom = st.SessionID, st.Timeout, st.ExpiresFrom.UTC().Round(0)
			if m.LeaseEnd = (time.Time{}); c.believesToLead() && st.LeaseEnd.After(time.Now()) {
				m.LeaseEnd = st.LeaseEnd.UTC().Round(0)
			}
		}
		c.cfg.Report(c.cfg.Now(), m)
	}
	if !c.believesToLead() {
		c.reportAwake()
	}
}

// Config configures a [Candidate].
type Config struct {
	// Conn describes the cluster. Each candidacy opens its own connection, because the library could
	// send a queued request in the next session.
	Conn client.Config
	// Path is the election's parent.
	Path string
	// Create makes the candidate create a missing parent, and the parent's missing ancestors.
	Create bool
	// Data is the content of the znode: the candidate's name.
	Data []byte
	// Ack is the path of the acknowledgement; "" means none. The parent of Ack must exist. A candidate of
	// a third-party election ignores Ack and NoGuid.
	Ack string
	// Dialect is the system that runs the election; nil means electop's own.
	Dialect *dialect.Dialect
	// Recipe decides who leads and what to watch. nil means Dialect's recipe or [dialect.Election].
	Recipe dialect.Recipe
	// Lead is the leader procedure; nil means none. fence is the fencing token. Lead starts when the
	// candidate is elected and has a lease, also after a suspension. ctx ends when the candidate stops
	// leading, perhaps long after Lead returned. A Lead that still runs must then return. An error of
	// Lead ends the candidacy. The candidate creates Ack and reports Leading only after Lead returned nil.
	Lead func(ctx context.Context, fence int64) error
	// Stopped, if set, is called when the candidate stops leading, if it had reported Leading. It must
	// return only after all work as leader has ended. Until then the candidate neither leads again
	// nor closes its session.
	Stopped func()
	// NoGuid is called when a candidacy begins; nil means false. If true, the znode's name has no
	// guid, so the candidate creates a second znode after a lost reply.
	NoGuid func() bool
	// Report receives every step and change, in order. It must not block. The goroutine of Run calls
	// Report, Stopped and Awake.
	Report func(at time.Time, m model.Member)
	// Awake, if set, is called after a Thaw; a leader first checks whether it still leads. Two Thaws may
	// cause one call.
	Awake func()
	// Now returns the time of a report; nil: time.Now.
	Now func() time.Time
}
