package watch

import (
	"context"

	"electop/model"
	"electop/model/doctor"
	"electop/ui/cli/ask"
	"electop/ui/cli/task"
	"electop/zkwatch/admin"
	"electop/zkwatch/feed"
	"electop/zkwatch/observer"
)

// Election is one watched election.
type Election struct {
	Path string
	Feed *feed.Feed

	observer *observer.Observer
}

// newElection makes the observer and the feed of an election. It reports handoffs
// to asker, if there is one.
func newElection(cfg feed.Config, asker *admin.Asker) *Election {
	events := cfg.Events
	cfg.Events = func(es []model.Event) error {
		for _, ev := range es {
			if _, ok := ev.Body.(model.Handoff); ok && asker != nil {
				asker.Handoff()
			}
		}
		if events != nil {
			return events(es)
		}
		return nil
	}
	e := &Election{Path: cfg.Election.Path, Feed: feed.New(cfg)}
	e.observer = observer.New(observer.Config{
		Path: cfg.Election.Path, Ack: cfg.Election.AckPath, Put: e.Feed.PutSlowly, Now: feed.Now,
	})
	return e
}

// Refresh makes the observer read a znode of the election again.
func (e *Election) Refresh(name string) { e.observer.Refresh(name) }

// run runs everything but the observer, which runs with the session.
func (e *Election) run(t *task.Group, asker *admin.Asker) {
	t.Start("feed", e.Feed.Run)
	t.Start("acknowledgement", e.followAck)
	if asker != nil {
		t.Start("what the servers say", func(ctx context.Context) error { return e.listen(ctx, asker) })
	}
}

// followAck makes the observer read the acknowledgement znode that the journal needs.
// It depends on the election's system.
func (e *Election) followAck(ctx context.Context) error {
	ack := e.Feed.State().Ack.Path
	for {
		s, err := e.Feed.Await(ctx, func(s *doctor.State) bool { return s.Ack.Path != ack })
		if err != nil {
			return nil // the end
		}
		ack = s.Ack.Path
		e.observer.SetAck(ack)
	}
}

// listen passes the servers' answers about the election to its feed.
func (e *Election) listen(ctx context.Context, asker *admin.Asker) error {
	for {
		ack := e.Feed.State().Ack.Path
		cancel := asker.Subscribe(admin.Election{
			Path: e.Path, Ack: ack, Put: e.Feed.PutSlowly,
			Sessions: func() []uint64 { return ask.SessionsOf(e.Feed.State()) },
		})
		_, err := e.Feed.Await(ctx, func(s *doctor.State) bool { return s.Ack.Path != ack })
		cancel()
		if err != nil {
			return nil // the end
		}
	}
}
