package watch

import (
	"context"
	"slices"

	"electop/model"
	"electop/model/doctor"
	"electop/ui/cli/cluster"
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
	end      context.CancelFunc // of what runs
}

// Followed configures the election at path: it follows the acknowledgement of its system. As long
// as its system is not known, it follows the one of electop's own candidates.
func Followed(path string) model.Config {
	return model.Config{Path: path, AckPath: path + "-leader", AckFollows: true}
}

// newElection makes the observer and the feed of an election. It reports handoffs
// to asker, if there is one.
func newElection(cfg feed.Config, asker *admin.Asker, byReads bool) *Election {
	if asker != nil {
		cfg.Events = before(cfg.Events, func(es []model.Event) {
			for _, ev := range es {
				if _, ok := ev.Body.(model.Handoff); ok {
					asker.Handoff()
				}
			}
		})
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
func (e *Election) run(t *task.Group, asker *admin.Asker) {
	var ctx context.Context
	ctx, e.end = context.WithCancel(t.Context())
	start := func(what string, f func(context.Context) error) {
		t.Start(what, func(context.Context) error { return f(ctx) })
	}
	start("feed", e.Feed.Run)
	start("what is beside", e.followBeside)
	start("what is unsettled", func(ctx context.Context) error {
		e.Feed.Settle(ctx, e.observer.Settle)
		return nil
	})
	if asker != nil {
		start("what the servers say", func(ctx context.Context) error { return e.listen(ctx, asker) })
	}
}

// followBeside makes the observer follow what the journal wants to know besides the
// election. It depends on the election's system.
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
func (e *Election) listen(ctx context.Context, asker *admin.Asker) error {
	for {
		ack := e.Feed.State().AckPath()
		cancel := asker.Subscribe(admin.Election{
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
