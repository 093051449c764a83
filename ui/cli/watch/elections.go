// Package watch watches elections: with an observer and a feed for each, all on
// one session, and one asker, which asks the servers about themselves for all of
// them.
package watch

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/ui/cli/cluster"
	"electop/ui/cli/task"
	"electop/zkwatch/admin"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
	"electop/zkwatch/observer"
)

// Config is what to watch.
type Config struct {
	Conn      client.Config
	Asking    cluster.Asking
	Elections []model.Config // those of the start
	Record    Recording      // of the first
	// First is what is special about the feed of the first, all but Election,
	// Record and Notice. Keep is that of all.
	First   feed.Config
	Notice  func(string)
	Log     *slog.Logger
	ByReads bool // observers use no persistent watch
}

// Elections are the elections that a command watches.
type Elections struct {
	conn    client.Config
	session *observer.Group
	asker   *admin.Asker // nil: the servers are not asked
	notice  func(string)
	byReads bool
	record  *recorder

	mu  sync.Mutex
	all []*Election // replaced, never written

	asking sync.Mutex
	asked  time.Time // when the last question of Ask was sent
	want   admin.Want
}

// New returns elections that are not running yet.
func New(cfg Config) (*Elections, error) {
	w := &Elections{conn: cfg.Conn, session: observer.NewGroup(cfg.Conn), notice: cfg.Notice, byReads: cfg.ByReads}
	w.asker = cfg.Asking.Asker(cfg.Conn, w.session.Conn, cfg.Log)
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

// before returns a receiver of events that gives them to first and then to next, if
// there is one.
func before(next func([]model.Event) error, first func([]model.Event)) func([]model.Event) error {
	return func(es []model.Event) error {
		first(es)
		if next == nil {
			return nil
		}
		return next(es)
	}
}

// add makes what watches one more election. It is not running yet.
func (w *Elections) add(cfg feed.Config) *Election {
	cfg.Notice = w.notice
	e := newElection(cfg, w.asker, w.byReads)
	w.session.Add(e.observer)
	w.mu.Lock()
	w.all = append(w.all, e)
	w.mu.Unlock()
	return e
}

// Add watches one more election, with the session of the others.
func (w *Elections) Add(t *task.Group, cfg feed.Config) *Election {
	e := w.add(cfg)
	e.run(t, w.asker)
	return e
}

// Remove ends the watching of an election that runs. It does not wait.
func (w *Elections) Remove(e *Election) {
	w.session.Remove(e.observer)
	e.end()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = slices.DeleteFunc(slices.Clone(w.all), func(other *Election) bool { return other == e })
}

// Close ends the recording, after the tasks ended.
func (w *Elections) Close() { w.record.close(w.notice) }

// Asker asks the servers; nil: they are not asked.
func (w *Elections) Asker() *admin.Asker { return w.asker }

// All returns the elections watched so far.
func (w *Elections) All() []*Election {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all[:len(w.all):len(w.all)]
}

// First returns the first election.
func (w *Elections) First() *Election { return w.All()[0] }

// Start runs everything.
func (w *Elections) Start(t *task.Group) {
	w.Observe(t)
	if w.asker != nil {
		t.Start("asking the servers", w.asker.Run)
	}
}

// Observe runs everything but the asker.
func (w *Elections) Observe(t *task.Group) {
	for _, e := range w.All() {
		e.run(t, w.asker)
	}
	t.Start("observer", w.session.Run)
}

// FirstRead waits until an election was read. reach is how long to try to reach
// a server. An election that does not exist or may not be read is an error, and so are
// servers that refuse the credentials.
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

// Ask asks the servers within [cluster.AskLimit]. What they did not say is in the table. The
// answers are for all elections: one question may be that of several exams.
func (w *Elections) Ask(ctx context.Context, want admin.Want) {
	came := time.Now()
	w.asking.Lock()
	defer w.asking.Unlock()
	if w.asked.After(came) && w.want == want {
		return
	}
	w.asked, w.want = time.Now(), want
	ctx, cancel := context.WithTimeout(ctx, cluster.AskLimit)
	defer cancel()
	if err := w.asker.Ask(ctx, want); err != nil && ctx.Err() == nil {
		w.notice("asking the servers: " + err.Error())
	}
}

// VerifyEvery verifies the watches at an interval.
func (w *Elections) VerifyEvery(ctx context.Context, every time.Duration) error {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		w.asker.Verify()
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil
		}
	}
}
