package cli

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"electop/model"
	"electop/model/session"
	"electop/zkwatch/admin"
	"electop/zkwatch/client"
)

const (
	// tickPatience is how long a candidate waits for the servers to tell their
	// tick. Without it candidates stand as well.
	tickPatience = 2 * time.Second
	// safeTimeout is a session timeout that is no shorter than two ticks of
	// servers that were left at their default.
	safeTimeout = 4 * time.Second
)

// askTick asks the servers for their tick, on which the lease of a leader rests,
// and returns the longest, 0 where none tells. A session timeout that may be too
// short for a lease is worth a warning then.
func (o *options) askTick(ctx context.Context, cfg client.Config, probe *client.Conn, log *slog.Logger) (tick time.Duration, warning string) {
	granted := probe.Status().Timeout
	if o.admin.mode != adminOff {
		ctx, cancel := context.WithTimeout(ctx, tickPatience)
		defer cancel()
		tables := make(chan *session.Table, 1) // of one round
		asker := admin.New(o.admin.config(cfg, oneConn{probe}, log))
		defer asker.Subscribe(admin.Election{Path: o.path, Put: func(_ context.Context, answer model.Observation) {
			if t, ok := answer.(*session.Table); ok {
				tables <- t
			}
		}})()
		asker.Ask(ctx, admin.Want{}) // what fails is not known, which is said below where it matters
		select {
		case t := <-tables:
			for _, s := range t.Servers {
				tick = max(tick, s.Tick)
			}
			if slices.ContainsFunc(t.Servers, func(s session.Server) bool { return s.Tick == 0 }) {
				tick = 0 // the ensemble leader's may be the one that is not known
			}
		default:
		}
	}
	if tick == 0 && granted < safeTimeout {
		warning = fmt.Sprintf("the servers do not tell their tick: with a session timeout of %v a leader's lease is sure only if that is %v at most; ask for %v (--session-timeout), or allow the word conf",
			granted, granted/2, safeTimeout)
	}
	return tick, warning
}
