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

// Candidate takes part in one election with the recipe of ZooKeeper's
// documentation, until it resigns. When it loses a candidacy (the session or the
// znode) it rejoins with a new connection. After a reply that was larger than
// MaxReply the new connection has twice the limit.
//
// A candidacy costs one znode and two watches, on its predecessor and on its own
// znode. After the deletion of its predecessor a candidate sends one getChildren,
// which shows that it is the lowest. It looks for an old acknowledgement, creates
// its own, and leads when committed writes prove its lease, mostly after one more
// write: see [client.Conn.Renew]. Then it watches the acknowledgement. These costs
// are the same for any number of candidates. A leader renews its lease ten times
// in each session timeout. Waiting candidates write nothing.
type Candidate struct {
	cfg  Config
	gate *fault.Gate

	resign     chan struct{}
	resignOnce sync.Once

	mu   sync.Mutex
	conn *client.Conn            // of the present candidacy
	dead bool                    // killed
	end  context.CancelCauseFunc // ends Run

	thawed   chan struct{} // has a token after a Thaw
	thawSeen bool          // the token was received, and Awake not called yet; goroutine of Run only

	acl     []zk.ACL       // for created znodes
	conf    client.Config  // for the next candidacy's connection; goroutine of Run only
	m       model.Member   // the last report; goroutine of Run only
	retired sync.WaitGroup // connections that are being closed, and renewals
}

// Reasons for the end of a candidacy.
var (
	errResigned = errors.New("resigned")
	errKilled   = errors.New("killed")
	errLost     = errors.New("candidacy lost")
	errUnusable = errors.New("unusable configuration")

	errForeign = errors.New("electop cannot take part in this election")
)

// ErrNoParent is returned by [Candidate.Run] if the election's parent does not
// exist and Config.Create is false.
var ErrNoParent = errors.New("the election's parent does not exist")

// volunteerPause is the pause before a candidate rejoins. It doubles, up to
// volunteerPauseMax, while candidacies end before they waited or led, so that
// they do not burden a cluster in trouble.
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

// Resign makes the candidate close its session, which deletes its znode and its
// acknowledgement, and end. Resign does not wait; Run returns at the end.
func (c *Candidate) Resign() { c.resignOnce.Do(func() { close(c.resign) }) }

// Status returns the status of the current candidacy's connection.
func (c *Candidate) Status() client.Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn == nil {
		return client.Status{}
	}
	return c.conn.Status()
}

// Run takes part in the election until the candidate resigns or is killed; then it
// returns nil. If ctx ends, Run closes the session and returns ctx's error. It also
// returns an error if the candidate cannot take part at all.
func (c *Candidate) Run(ctx context.Context) error {
	if d := c.cfg.Dialect; d != nil && d.Why != "" {
		return fmt.Errorf("%w (%s): %s", errForeign, d.System, d.Why)
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	c.mu.Lock()
	c.end = end
	dead := c.dead
	c.mu.Unlock()
	if dead {
		return nil
	}
	defer c.retired.Wait()

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

// runCandidacy runs one candidacy: one connection, one session, one znode. waitedOrLed says
// whether the candidacy waited or led; established says whether an earlier one did.
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
	s.prefix, s.shown, s.nameless = c.prefix()
	err = s.run(ctx)
	c.leave(ctx, conn, err, established || s.established)
	if errors.Is(err, client.ErrReplyTooLarge) {
		c.conf, _ = c.conf.Roomier()
	}
	return s.established, err
}

// hopeless reports whether rejoining after err cannot help. A parent that existed once may
// be created again, and servers that accepted the credentials once may accept them again.
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
	if c.dead {
		return nil, errKilled
	}
	conn, err := client.Connect(c.conf)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUnusable, err)
	}
	c.conn = conn
	return conn, nil
}

// leave closes a candidacy's connection. Closing the session deletes the znode
// at once. If no server is reached, leave tries in the background for as long as
// the session can live, so that the old znode does not stay in the queue longer
// than necessary. It does not try for longer: a follower that can send to the
// ensemble leader, but receives nothing from it, forwards each attempt, and each
// one restarts the session's timeout.
func (c *Candidate) leave(ctx context.Context, conn *client.Conn, err error, established bool) {
	st := conn.Status()
	if !errors.Is(err, errResigned) && context.Cause(ctx) != errKilled && !c.hopeless(err, established) {
		// Before Close, which may take a second.
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
	c.retired.Go(func() {
		defer conn.Close()
		limit, cancel := context.WithTimeout(ctx, time.Until(st.ExpiresFrom)+expiryDelay(st.Timeout))
		defer cancel()
		for s := range conn.Subscribe(limit) {
			if s.State == client.Connected {
				return
			}
		}
	})
}

// expiryDelay is how much later than ExpiresFrom a session may expire: servers
// look for expired ones once a tick, which is half of their shortest session
// timeout.
func expiryDelay(timeout time.Duration) time.Duration { return timeout / 2 }

// report applies change to m and passes m to Config.Report, with the data of the session.
func (c *Candidate) report(change func(m *model.Member)) {
	change(&c.m)
	if c.cfg.Report != nil {
		m := c.m
		m.LosesReply = c.cfg.Conn.Replies.Losing()
		if st := c.Status(); st.SessionID != 0 {
			m.Session, m.Timeout, m.ExpiresFrom = st.SessionID, st.Timeout, st.ExpiresFrom.UTC().Round(0)
			if m.LeaseEnd = (time.Time{}); c.believes() && st.LeaseEnd.After(time.Now()) {
				m.LeaseEnd = st.LeaseEnd.UTC().Round(0)
			}
		}
		c.cfg.Report(c.cfg.Now(), m)
	}
	if !c.believes() {
		c.reportAwake()
	}
}

// Config configures a [Candidate].
type Config struct {
	// Conn is the cluster. Each candidacy opens a connection of its own: a
	// request that the client library still had queued would otherwise run
	// under the next session.
	Conn client.Config
	// Path is the election's parent.
	Path string
	// Create creates a missing parent, with its own parents.
	Create bool
	// Data is the content of the znode: the candidate's name.
	Data []byte
	// Ack is the path of the acknowledgement, whose parent must exist; "" for none.
	Ack string
	// Dialect is the system that runs the election. It decides the znode's name and
	// which znode to watch. nil is electop's own. In a third-party election no
	// acknowledgement is created, even if Ack is set.
	Dialect *dialect.Dialect
	// Recipe replaces the dialect's recipe; nil is the dialect's, or
	// [dialect.Election].
	Recipe dialect.Recipe
	// Lead is the leader procedure, nil for none: it is called when the candidate
	// is the lowest and has a lease, and once more after each suspension. The
	// acknowledgement is created when Lead returns. ctx ends when the candidate stops
	// leading, which may be long after Lead returned, but not when only the
	// acknowledgement is lost: the candidate is still the lowest and has its lease.
	// An error of Lead ends the candidacy.
	Lead func(ctx context.Context, fence int64) error

	// Stopped, if set, is called after each reign in which Leading was reported, by the
	// goroutine of Run. It must return when the work started as leader has ended. Until
	// then the candidate does not lead again and does not close its session, so its
	// acknowledgement stays: a successor that waits for its deletion does not lead either,
	// even if somebody else deleted the candidate's znode. The servers can end the session
	// meanwhile: see Status.LeaseEnd.
	Stopped func()

	// NoGuid is called when a candidacy begins. If it returns true, the znode's
	// name has no guid: after a lost reply the candidate then creates a second
	// znode, as a naive program does. nil means false; third-party elections
	// ignore it.
	NoGuid func() bool

	// Report receives every step and change, in order, from the goroutine of Run. It
	// must not block. The member's ID, You, Fault, NoGuid and SlowLead are
	// not set.
	Report func(at time.Time, m model.Member)
	// Awake, if set, is called by the goroutine of Run after a Thaw, when the
	// candidate knows its state: that it does not lead, which it reported before,
	// or that its lease holds and its own znode exists. After two Thaws in a row
	// it may be called once; if the candidate did not lead, it is called at its
	// next step.
	Awake func()
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}
