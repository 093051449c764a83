package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/history"
	"electop/model/session"
	"electop/zkwatch/admin"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
	"electop/zkwatch/observer"
)

// watching is the elections that a command looks at: an observer and a feed
// for each, all on one session, and one asker, who asks the servers about
// themselves for all of them.
type watching struct {
	conn   client.Config
	group  *observer.Group
	asker  *admin.Asker // nil: the servers are not asked
	notice func(string)

	mu        sync.Mutex
	elections []*watched // only appended to

	close func() // the recording, after the tasks ended
}

// watched is one election.
type watched struct {
	path     string
	feed     *feed.Feed
	observer *observer.Observer
}

// watch puts together what watches the elections of o.paths. first is what is
// special about the feed of the first, all but Election, Record and Notice.
func (o *options) watch(conn client.Config, log *slog.Logger, acting bool, first feed.Config, notice func(string)) (*watching, error) {
	w := &watching{conn: conn, group: observer.NewGroup(conn), notice: notice, close: func() {}}
	if o.admin.mode != adminOff {
		w.asker = admin.New(o.admin.config(conn, w, log))
	}
	for i, path := range o.paths {
		election, err := o.election(path, acting)
		if err != nil {
			return nil, err
		}
		cfg := feed.Config{Keep: first.Keep}
		if i == 0 {
			cfg = first
			if o.record != "" {
				if cfg.Record, err = o.openRecord(election, w); err != nil {
					return nil, err
				}
			}
		}
		cfg.Election, cfg.Notice = election, notice
		w.add(cfg)
	}
	return w, nil
}

// openRecord begins --record.
func (o *options) openRecord(election model.Config, w *watching) (*feed.Recorder, error) {
	r, err := feed.Create(o.record, int64(o.recordMax.bytes()), history.NewHeader(election, feed.Now()))
	switch {
	case errors.Is(err, os.ErrExist):
		return nil, fmt.Errorf("--record %s: it, or its older part %[1]s.1, exists already; give another name", o.record)
	case err != nil:
		return nil, fmt.Errorf("--record: %w", err)
	}
	w.close = func() {
		if err := r.Close(); err != nil {
			w.notice(fmt.Sprintf("--record %s: %v", o.record, err))
		}
	}
	return r, nil
}

// add makes the observer and the feed of one more election; run makes the
// feed live.
func (w *watching) add(cfg feed.Config) *watched {
	e := &watched{path: cfg.Election.Path}
	told := cfg.Events
	cfg.Events = func(es []model.Event) error {
		for _, ev := range es {
			if _, ok := ev.Body.(model.Handoff); ok && w.asker != nil {
				w.asker.Handoff()
			}
		}
		if told != nil {
			return told(es)
		}
		return nil
	}
	e.feed = feed.New(cfg)
	e.observer = observer.New(observer.Config{
		Path: cfg.Election.Path, Ack: cfg.Election.AckPath, Put: e.feed.PutSlowly, Now: feed.Now,
	})
	w.group.Add(e.observer)
	w.mu.Lock()
	w.elections = append(w.elections, e)
	w.mu.Unlock()
	return e
}

// all returns the elections watched so far.
func (w *watching) all() []*watched {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.elections[:len(w.elections):len(w.elections)]
}

func (w *watching) first() *watched { return w.all()[0] }

// start runs everything.
func (w *watching) start(t *tasks) {
	w.observe(t)
	if w.asker != nil {
		t.start("asking the servers", w.asker.Run)
	}
}

// observe runs what watches, and asks the servers nothing unless told to.
func (w *watching) observe(t *tasks) {
	for _, e := range w.all() {
		w.run(t, e)
	}
	t.start("observer", w.group.Run)
}

// run makes an election live, as far as its observer does not.
func (w *watching) run(t *tasks, e *watched) {
	t.start("feed", e.feed.Run)
	t.start("acknowledgement", e.followAck)
	if w.asker != nil {
		t.start("what the servers say", func(ctx context.Context) error { return e.listen(ctx, w.asker) })
	}
}

// followAck lets the observer look at the acknowledgement znode that the
// journal wants to know of, which depends on whose election it is.
func (e *watched) followAck(ctx context.Context) error {
	ack := e.feed.State().Ack.Path
	for {
		s, err := e.feed.Await(ctx, func(s *doctor.State) bool { return s.Ack.Path != ack })
		if err != nil {
			return nil // the end
		}
		ack = s.Ack.Path
		e.observer.SetAck(ack)
	}
}

// listen hands what the servers say of the election to its feed.
func (e *watched) listen(ctx context.Context, asker *admin.Asker) error {
	for {
		ack := e.feed.State().Ack.Path
		cancel := asker.Subscribe(admin.Election{Path: e.path, Ack: ack, Sessions: e.sessions, Put: e.feed.PutSlowly})
		_, err := e.feed.Await(ctx, func(s *doctor.State) bool { return s.Ack.Path != ack })
		cancel()
		if err != nil {
			return nil // the end
		}
	}
}

// sessions are those that matter to the election.
func (e *watched) sessions() []uint64 { return sessionsOf(e.feed.State()) }

func sessionsOf(s *doctor.State) []uint64 {
	out := s.Sessions()
	for _, c := range s.Ignored {
		if c.Session != 0 {
			out = append(out, c.Session)
		}
	}
	for _, m := range s.Members {
		if m.Session != 0 {
			out = append(out, m.Session)
		}
	}
	return out
}

// reach waits until the connection of the first election's feed stands, for
// limit at most.
func (w *watching) reach(ctx context.Context, limit time.Duration) error {
	wait, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	s, err := w.first().feed.Await(wait, func(s *doctor.State) bool { return s.Link.Link == model.Connected })
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return unreachable(w.conn.Servers, limit, s.Link.Err)
	}
	return nil
}

// Ensemble implements [known].
func (w *watching) Ensemble(ctx context.Context) (string, error) {
	if c := w.group.Conn(); c != nil {
		return c.EnsembleConfig(ctx)
	}
	return "", client.ErrNotConnected
}

// Anchors implements [known].
func (w *watching) Anchors() []session.Anchor {
	if c := w.group.Conn(); c != nil {
		return oneConn{c}.Anchors()
	}
	return nil
}

// Touch implements [known].
func (w *watching) Touch(ctx context.Context) {
	if c := w.group.Conn(); c != nil {
		oneConn{c}.Touch(ctx)
	}
}

// verifyEvery has the watches verified again and again.
func (w *watching) verifyEvery(ctx context.Context, every time.Duration) error {
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
