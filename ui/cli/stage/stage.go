// Package stage brings our candidates, and in a demo the stage that directs them
// and their server, into a watched election.
package stage

import (
	"context"
	"errors"
	"log/slog"

	"electop/demo"
	"electop/model"
	"electop/model/doctor"
	"electop/ui/cli/watch"
	"electop/zkwatch/feed"
)

// NewCast returns an empty cast for e. It fills in the rest of cfg.
func NewCast(e *watch.Election, cfg demo.Config) *demo.Cast {
	cfg.Path, cfg.Put, cfg.Now = e.Path, e.Feed.Put, feed.Now
	return demo.NewCast(cfg)
}

// New returns the stage of a demo in the election e. It fills in the rest of cfg.
func New(e *watch.Election, cfg demo.StageConfig) *demo.Stage {
	cfg.Path, cfg.Put, cfg.Now = e.Path, e.Feed.Put, feed.Now
	return demo.NewStage(cfg)
}

// IgnoreEnd returns err, or nil if that is only the end of the command.
func IgnoreEnd(err error) error {
	if errors.Is(err, demo.ErrClosed) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// InPlace reports whether the election has n candidates of ours, no others, and
// each of them leads or waits.
func InPlace(s *doctor.State, n int) bool {
	if s.Phase != model.Live || s.Queue.Len() != n || len(s.Members) != n {
		return false
	}
	for i, c := range s.Queue.All() {
		m := s.Member(c)
		switch {
		case m == nil || m.Fault != model.NoFault || m.Znode != c.Name:
			return false
		case i == 0 && m.Belief != model.Leading, i > 0 && m.Belief != model.Waiting:
			return false
		}
	}
	return s.Ack.Path == "" || s.Acknowledged()
}

// MakeTrouble causes random faults, once the first candidates are in place.
func MakeTrouble(ctx context.Context, c demo.Chaos, e *watch.Election, cast *demo.Cast, log *slog.Logger) error {
	if _, err := e.Feed.Await(ctx, func(s *doctor.State) bool { return InPlace(s, c.Cast) }); err != nil {
		return nil // the end
	}
	return IgnoreEnd(c.Run(ctx, cast, func(a demo.Act) {
		log.Info("chaos", "at", a.At, "act", a.Kind, "member", a.Member)
	}))
}
