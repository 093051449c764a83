// Package stage brings our candidates, and in a demo the stage that directs them
// and their server, into a watched election.
package stage

import (
	"context"
	"errors"

	"electop/demo"
	"electop/demo/zkserver"
	"electop/ui/cli/watch"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
)

// NewCast returns an empty cast for e. It fills in the rest of cfg.
func NewCast(e *watch.Election, cfg demo.Config) *demo.Cast {
	cfg.Path, cfg.Put, cfg.Now = e.Path, e.Feed.Put, feed.Now
	return demo.NewCast(cfg)
}

// Config is what a stage is made of.
type Config struct {
	Server  *zkserver.Server
	Workers client.Config // of their connections
	Chaos   *demo.Chaos   // nil: no random faults
	Notice  func(string)
}

// New returns the stage of a demo in the election e.
func New(e *watch.Election, cast *demo.Cast, cfg Config) *demo.Stage {
	s := demo.StageConfig{
		Server: cfg.Server, Cast: cast, Path: e.Path, Workers: cfg.Workers, Put: e.Feed.Put, Notice: cfg.Notice, Now: feed.Now,
	}
	if cfg.Chaos != nil {
		s.Chaos = cfg.Chaos.String()
	}
	return demo.NewStage(s)
}

// Left is err, or nil if that is only the end of the command.
func Left(err error) error {
	if errors.Is(err, demo.ErrClosed) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
