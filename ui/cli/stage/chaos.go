package stage

import (
	"context"
	"log/slog"

	"electop/demo"
	"electop/model/doctor"
	"electop/ui/cli/watch"
)

// MakeTrouble makes random faults, once the first candidates are in place.
func MakeTrouble(ctx context.Context, c demo.Chaos, e *watch.Election, cast *demo.Cast, log *slog.Logger) error {
	if _, err := e.Feed.Await(ctx, func(s *doctor.State) bool { return InPlace(s, c.Cast) }); err != nil {
		return nil // the end
	}
	return Left(c.Run(ctx, cast, func(a demo.Act) {
		log.Info("chaos", "at", a.At, "act", a.Kind, "member", a.Member)
	}))
}
