// Package election watches elections ([Elections]). Each election has an observer that reads it and a
// feed that keeps its state. All elections share one session and one poller. The poller requests the
// servers' reports about themselves.
//
// [Search] finds elections, [Elections.Diagnose] runs the doctor, and [Admit] and [Election.Cast]
// prepare electop's candidates to join.
package election

import (
	"context"
	"fmt"
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
	"electop/zkwatch/wire"
)

// Config configures [Elections].
type Config struct {
	Conn      client.Config
	Requests  cluster.Requests
	Elections []model.Config // watched from the start
	Record    Recording      // of the first election
	// First configures the feed of the first election. First.Keep applies to all of Elections.
	First   feed.Config
	Notice  func(string)
	Log     *slog.Logger
	ByReads bool // observers use no persistent watch
}

// Elections are the elections that a command watches.
type Elections struct {
	conn       client.Config
	session    *observer.Group
	poller     *admin.Poller // nil: no requests for the servers' reports
	notice     func(string)
	byReads    bool
	record     *feed.Recorder // nil: nothing is recorded
	recordFile string

	mu  sync.Mutex
	all []*Election // the elements must not change, because All returns the slice

	polling sync.Mutex
	polled  time.Time  // when the last Poll began
	want    admin.Want // what the last Poll requested
}

// New returns elections that do not run yet.
func New(cfg Config) (*Elections, error) {
	w := &Elections{conn: cfg.Conn, session: observer.NewGroup(cfg.Conn), notice: cfg.Notice, byReads: cfg.ByReads, recordFile: cfg.Record.File}
	w.poller = cfg.Requests.Poller(cfg.Conn, w.session.Conn, cfg.Log)
	for i, election := range cfg.Elections {
		f := feed.Config{Keep: cfg.First.Keep}
		if i == 0 {
			f = cfg.First
			var err error
			if w.record, err = cfg.Record.open(election); err != nil {
				return nil, err
			}
			if w.record != nil {
				f.Record = w.record
			}
		}
		f.Election = election
		w.add(f)
	}
	return w, nil
}

func (w *Elections) add(cfg feed.Config) *Election {
	cfg.Notice = w.notice
	if next := cfg.Events; w.poller != nil {
		cfg.Events = func(es []model.Event) error {
			for _, ev := range es {
				if _, ok := ev.Body.(model.Handoff); ok {
					w.poller.Handoff()
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
		Path: cfg.Election.Path, ByReads: w.byReads, Put: e.Feed.PutSlowly, Now: feed.Now,
	})
	w.session.Add(e.observer)
	w.mu.Lock()
	w.all = append(w.all, e)
	w.mu.Unlock()
	return e
}

// Add watches another election in the same session.
func (w *Elections) Add(t *process.Tasks, cfg feed.Config) *Election {
	e := w.add(cfg)
	e.run(t, w.poller)
	return e
}

// Remove stops watching an election, and does not wait for its goroutines.
func (w *Elections) Remove(e *Election) {
	w.session.Remove(e.observer)
	e.end()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = slices.DeleteFunc(slices.Clone(w.all), func(other *Election) bool { return other == e })
}

// Close ends the recording. Call Close after the tasks have ended.
func (w *Elections) Close() {
	if w.record == nil {
		return
	}
	if err := w.record.Close(); err != nil {
		w.notice(fmt.Sprintf("--record %s: %v", w.recordFile, err))
	}
}

// Poller returns the poller, or nil if the servers' reports are not requested.
func (w *Elections) Poller() *admin.Poller { return w.poller }

// All returns the elections that are watched now.
func (w *Elections) All() []*Election {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all[:len(w.all):len(w.all)]
}

// First returns the first election, and panics if there is none.
func (w *Elections) First() *Election { return w.All()[0] }

// Start runs the elections and the poller.
func (w *Elections) Start(t *process.Tasks) {
	w.Observe(t)
	if w.poller != nil {
		t.Start("requests to the servers", w.poller.Run)
	}
}

// Observe runs the elections without the poller.
func (w *Elections) Observe(t *process.Tasks) {
	for _, e := range w.All() {
		e.run(t, w.poller)
	}
	t.Start("observer", w.session.Run)
}

// FirstRead waits until an election was read. It returns an error if no server is reached in time, if the servers
// refuse the credentials, if the election is missing or unreadable, or if ctx ends.
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

// Poll requests reports from the servers, and needs a poller. Callers that wait with the same want share one poll.
func (w *Elections) Poll(ctx context.Context, want admin.Want) {
	called := time.Now()
	w.polling.Lock()
	defer w.polling.Unlock()
	if w.polled.After(called) && w.want == want {
		return
	}
	began := time.Now()
	limited, cancel := context.WithTimeout(ctx, cluster.RequestLimit)
	defer cancel()
	err := w.poller.Poll(limited, want)
	if ctx.Err() != nil {
		return
	}
	if w.polled, w.want = began, want; err != nil {
		w.notice("requests to the servers: " + err.Error())
	}
}

// VerifyEvery makes the poller verify the watches at an interval. The poller must run.
func (w *Elections) VerifyEvery(ctx context.Context, every time.Duration) error {
	for {
		w.poller.Verify()
		if process.Sleep(ctx, every) != nil {
			return nil
		}
	}
}

// Election is a watched election.
type Election struct {
	Path string
	Feed *feed.Feed

	observer *observer.Observer
	end      context.CancelFunc // ends the tasks that run started
}

// Followed configures the election at path. A recognised system's acknowledgement paths replace AckPath.
func Followed(path string) model.Config {
	return model.Config{Path: path, AckPath: path + "-leader", AckFollows: true}
}

// Refresh makes the observer read a znode of the election again.
func (e *Election) Refresh(name string) { e.observer.Refresh(name) }

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
		start("answers of the servers", func(ctx context.Context) error { return e.subscribe(ctx, poller) })
	}
}

func (e *Election) followBeside(ctx context.Context) error {
	for {
		s := e.Feed.State()
		acks, dirs, counts := s.Followed(), s.Around(), s.Counted()
		e.observer.SetBeside(observer.Beside{Acks: acks, Directories: dirs, Counts: counts})
		changed := func(s *doctor.State) bool {
			return !slices.Equal(s.Followed(), acks) || !slices.Equal(s.Around(), dirs) || !slices.Equal(s.Counted(), counts)
		}
		if _, err := e.Feed.Await(ctx, changed); err != nil {
			return nil // ctx has ended
		}
	}
}

func (e *Election) subscribe(ctx context.Context, poller *admin.Poller) error {
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
			return nil // ctx has ended
		}
	}
}

// Health is a snapshot of the observing session.
type Health struct {
	Connected      time.Time     // when the connection began; zero: not connected
	Answered       time.Time     // when a server last answered a request or ping; zero: never in this session
	Timeout        time.Duration // the session timeout; 0: no session
	Err            string        // why the session is not connected; "": connected, or not known
	Requests       uint64        // number of requests in all observing sessions, without pings
	ServerRequests uint64        // number of requests for the servers' reports about themselves
}

// Health returns the current health of the session.
func (w *Elections) Health() Health {
	r := Health{Requests: w.session.Requests()}
	if w.poller != nil {
		r.ServerRequests = w.poller.Requests()
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

// Max bounds the PATHs of a command, because each costs watches and requests. The command exporter has another bound.
const Max = 50

// CheckPath checks a path, and removes the trailing slash that shell completion may add.
func CheckPath(path string) (string, error) {
	if !strings.HasPrefix(path, "/") {
		return "", process.Usagef("PATH must be a znode's path, as in /election, not %q (see electop --help)", path)
	}
	trimmed := strings.TrimSuffix(path, "/")
	if err := wire.ValidatePath(trimmed); err != nil || trimmed == "/" {
		return "", process.Usagef("PATH %q is not the path of a znode below the root", path)
	}
	return trimmed, nil
}
