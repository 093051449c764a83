// Package election watches elections ([Elections]): each with an observer and a feed, all on one
// session, and with one poller, which asks the servers about themselves. It finds elections
// ([Search]), runs the doctor on one ([Diagnosis]), and prepares electop's candidates to join
// one ([Admission], [Election.Cast]).
package election

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/ui/cli/cluster"
	"electop/ui/cli/process"
	"electop/zkwatch/admin"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
	"electop/zkwatch/observer"
)

// Config says which elections to watch, and how.
type Config struct {
	Conn      client.Config
	Asking    cluster.Asking
	Elections []model.Config // watched from the start
	Record    Recording      // of the first election
	// First configures the feed of the first election, without Election, Record and Notice.
	// Its Keep is for the feeds of all elections.
	First   feed.Config
	Notice  func(string)
	Log     *slog.Logger
	ByReads bool // observers use no persistent watch
}

// Elections are the elections that a command watches.
type Elections struct {
	conn    client.Config
	session *observer.Group
	poller  *admin.Poller // nil: the servers are not asked
	notice  func(string)
	byReads bool
	record  *recorder

	mu  sync.Mutex
	all []*Election // its elements are never changed: All returns it

	asking sync.Mutex
	asked  time.Time  // when Ask last asked the servers
	want   admin.Want // what it asked for
}

// New returns elections that are not running yet.
func New(cfg Config) (*Elections, error) {
	w := &Elections{conn: cfg.Conn, session: observer.NewGroup(cfg.Conn), notice: cfg.Notice, byReads: cfg.ByReads}
	w.poller = cfg.Asking.Poller(cfg.Conn, w.session.Conn, cfg.Log)
	for i, election := range cfg.Elections {
		f := feed.Config{Keep: cfg.First.Keep}
		if i == 0 {
			f = cfg.First
			var err error
			if w.record, err = cfg.Record.open(election); err != nil {
				return nil, err
			}
			if w.record != nil {
				f.Record = w.record.to
			}
		}
		f.Election = election
		w.add(f)
	}
	return w, nil
}

// add prepares to watch one more election, which is not running yet.
func (w *Elections) add(cfg feed.Config) *Election {
	cfg.Notice = w.notice
	e := newElection(cfg, w.poller, w.byReads)
	w.session.Add(e.observer)
	w.mu.Lock()
	w.all = append(w.all, e)
	w.mu.Unlock()
	return e
}

// Add watches one more election, with the session of the others.
func (w *Elections) Add(t *process.Tasks, cfg feed.Config) *Election {
	e := w.add(cfg)
	e.run(t, w.poller)
	return e
}

// Remove stops watching an election. It does not wait.
func (w *Elections) Remove(e *Election) {
	w.session.Remove(e.observer)
	e.end()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = slices.DeleteFunc(slices.Clone(w.all), func(other *Election) bool { return other == e })
}

// Close ends the recording, after the tasks ended.
func (w *Elections) Close() { w.record.close(w.notice) }

// Poller returns the poller, nil if the servers are not asked.
func (w *Elections) Poller() *admin.Poller { return w.poller }

// All returns the elections that are watched now.
func (w *Elections) All() []*Election {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all[:len(w.all):len(w.all)]
}

// First returns the first election.
func (w *Elections) First() *Election { return w.All()[0] }

// Start runs everything.
func (w *Elections) Start(t *process.Tasks) {
	w.Observe(t)
	if w.poller != nil {
		t.Start("asking the servers", w.poller.Run)
	}
}

// Observe runs everything but the poller.
func (w *Elections) Observe(t *process.Tasks) {
	for _, e := range w.All() {
		e.run(t, w.poller)
	}
	t.Start("observer", w.session.Run)
}

// FirstRead waits until an election was read. It returns an error if no server is reached
// within reach, if the servers refuse the credentials, and if the election does not exist or may
// not be read.
func (w *Elections) FirstRead(ctx context.Context, e *Election, reach cluster.Reach) (*doctor.State, error) {
	wait, cancel := context.WithTimeout(ctx, reach.For)
	defer cancel()
	waiting := reach.Waiting(w.conn.Servers)
	reached := func(s *doctor.State) bool {
		waiting(s.Link.Err)
		return s.Link.Link == model.Connected || w.session.Refused() != nil
	}
	s, err := e.Feed.Await(wait, reached)
	if err != nil && ctx.Err() == nil {
		return nil, reach.Failed(w.conn.Servers, s.Link.Err)
	}
	read := func(s *doctor.State) bool { return s.Phase != model.Unseen || w.session.Refused() != nil }
	if s, err = e.Feed.Await(ctx, read); err != nil {
		return nil, context.Cause(ctx)
	}
	if refused := w.session.Refused(); refused != nil && s.Phase == model.Unseen {
		return nil, cluster.Refused(w.conn, refused)
	}
	switch s.Phase {
	case model.Forbidden:
		return nil, cluster.Forbidden(e.Path, w.conn.Servers)
	case model.NoParent:
		return nil, cluster.Missing(e.Path, w.conn.Servers)
	}
	return s, nil
}

// Ask asks the servers within [cluster.AskLimit]. The table of the answers shows what is missing.
// The answers are for all elections, so concurrent callers that want the same share a question.
func (w *Elections) Ask(ctx context.Context, want admin.Want) {
	called := time.Now()
	w.asking.Lock()
	defer w.asking.Unlock()
	if w.asked.After(called) && w.want == want {
		return
	}
	w.asked, w.want = time.Now(), want
	ctx, cancel := context.WithTimeout(ctx, cluster.AskLimit)
	defer cancel()
	if err := w.poller.Poll(ctx, want); err != nil && ctx.Err() == nil {
		w.notice("asking the servers: " + err.Error())
	}
}

// VerifyEvery verifies the watches at an interval.
func (w *Elections) VerifyEvery(ctx context.Context, every time.Duration) error {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		w.poller.Verify()
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// Election is one watched election.
type Election struct {
	Path string
	Feed *feed.Feed

	observer *observer.Observer
	end      context.CancelFunc // ends what run started
}

// Followed configures the election at path. Electop follows the acknowledgement of its system
// or, until the system is known, that of electop's own candidates.
func Followed(path string) model.Config {
	return model.Config{Path: path, AckPath: path + "-leader", AckFollows: true}
}

// newElection makes the observer and the feed of an election. The feed reports handoffs
// to poller, if there is one.
func newElection(cfg feed.Config, poller *admin.Poller, byReads bool) *Election {
	if next := cfg.Events; poller != nil {
		cfg.Events = func(es []model.Event) error {
			for _, ev := range es {
				if _, ok := ev.Body.(model.Handoff); ok {
					poller.Handoff()
				}
			}
			if next == nil {
				return nil
			}
			return next(es)
		}
	}
	e := &Election{Path: cfg.Election.Path, Feed: feed.New(cfg)}
	e.observer = observer.New(observer.Config{
		Path: cfg.Election.Path, ByReads: byReads, Put: e.Feed.PutSlowly, Now: feed.Now,
	})
	return e
}

// Refresh makes the observer read a znode of the election again.
func (e *Election) Refresh(name string) { e.observer.Refresh(name) }

// run runs everything but the observer, which runs with the session.
func (e *Election) run(t *process.Tasks, poller *admin.Poller) {
	var ctx context.Context
	ctx, e.end = context.WithCancel(t.Context())
	start := func(what string, f func(context.Context) error) {
		t.Start(what, func(context.Context) error { return f(ctx) })
	}
	start("feed", e.Feed.Run)
	start("znodes beside the election", e.followBeside)
	start("settling", func(ctx context.Context) error {
		e.Feed.Settle(ctx, e.observer.Settle)
		return nil
	})
	if poller != nil {
		start("answers of the servers", func(ctx context.Context) error { return e.listen(ctx, poller) })
	}
}

// followBeside makes the observer follow the znodes beside the election that the journal
// needs. They depend on the election's system.
func (e *Election) followBeside(ctx context.Context) error {
	for {
		s := e.Feed.State()
		acks, dirs, counts := s.Followed(), s.Around(), s.Counted()
		e.observer.SetBeside(observer.Beside{Acks: acks, Directories: dirs, Counts: counts})
		other := func(s *doctor.State) bool {
			return !slices.Equal(s.Followed(), acks) || !slices.Equal(s.Around(), dirs) || !slices.Equal(s.Counted(), counts)
		}
		if _, err := e.Feed.Await(ctx, other); err != nil {
			return nil // the end
		}
	}
}

// listen passes the servers' answers about the election to its feed.
func (e *Election) listen(ctx context.Context, poller *admin.Poller) error {
	for {
		ack := e.Feed.State().AckPath()
		cancel := poller.Subscribe(admin.Election{
			Path: e.Path, Ack: ack, Put: e.Feed.PutSlowly,
			Sessions: func() []uint64 { return cluster.SessionsOf(e.Feed.State()) },
			Hosts:    func() []string { return e.Feed.State().Hosts() },
		})
		_, err := e.Feed.Await(ctx, func(s *doctor.State) bool { return s.AckPath() != ack })
		cancel()
		if err != nil {
			return nil // the end
		}
	}
}

// Health describes the observing session at one time.
type Health struct {
	Connected time.Time     // when the connection began; zero: there is none
	Answered  time.Time     // the last answer of a server to a request or a ping; zero: none in this session
	Timeout   time.Duration // the session's timeout; 0: there was no session
	Err       string        // why the session is not connected, as far as known
	Requests  uint64        // requests of the session and of those before it
	Questions uint64        // requests to the servers about themselves
}

// Health returns the health of the session now.
func (w *Elections) Health() Health {
	r := Health{Requests: w.session.Requests()}
	if w.poller != nil {
		r.Questions = w.poller.Requests()
	}
	if refused := w.session.Refused(); refused != nil {
		r.Err = refused.Error()
	}
	c := w.session.Conn()
	if c == nil {
		return r
	}
	st := c.Status()
	r.Timeout = st.Timeout
	if st.State == client.Connected {
		r.Connected = st.Since
	} else if st.Err != nil {
		r.Err = st.Err.Error()
	}
	if a, ok := c.Anchor(); ok {
		r.Answered = a.Sent.Add(st.RTT)
	}
	return r
}

// Max bounds the elections of one dashboard, status or doctor: each costs two watches and, per
// change, a request.
const Max = 50

// CheckPath checks the path of an election, and returns it without a / at its end, which the
// completion of a shell may add.
func CheckPath(path string) (string, error) {
	if !strings.HasPrefix(path, "/") {
		return "", process.Usagef("PATH must be a znode's path, as in /election, not %q (see electop --help)", path)
	}
	trimmed := strings.TrimSuffix(path, "/")
	if err := client.ValidatePath(trimmed); err != nil {
		return "", process.Usagef("PATH %q is not the path of a znode below the root", path)
	}
	return trimmed, nil
}
