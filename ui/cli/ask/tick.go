package ask

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
	// tickPatience is how long to wait for the servers to report their tick.
	// Candidates can join without it.
	tickPatience = 2 * time.Second
	// safeTimeout is two ticks of a server with the default configuration.
	safeTimeout = 4 * time.Second
)

// Tick asks the servers for their tick, from which a leader's lease is computed,
// and returns the longest, 0 if one is unknown. It then warns of a session timeout
// that may be too short for a lease.
func (o Options) Tick(ctx context.Context, path string, cfg client.Config, probe *client.Conn, log *slog.Logger) (tick time.Duration, warning string) {
	granted := probe.Status().Timeout
	if asker := o.Asker(cfg, func() *client.Conn { return probe }, log); asker != nil {
		ctx, cancel := context.WithTimeout(ctx, tickPatience)
		defer cancel()
		tables := make(chan *session.Table, 1) // of one round
		defer asker.Subscribe(admin.Election{Path: path, Put: func(_ context.Context, answer model.Observation) {
			if t, ok := answer.(*session.Table); ok {
				tables <- t
			}
		}})()
		asker.Ask(ctx, admin.Want{}) // an unknown tick is reported below, if it matters
		select {
		case t := <-tables:
			for _, s := range t.Servers {
				tick = max(tick, s.Tick)
			}
			if slices.ContainsFunc(t.Servers, func(s session.Server) bool { return s.Tick == 0 }) {
				tick = 0 // the unknown one may be that of the ensemble's leader
			}
		default:
		}
	}
	if tick == 0 && granted < safeTimeout {
		warning = fmt.Sprintf("the servers' tick is unknown: with a session timeout of %v a leader's lease is safe only if the tick is at most %v. Request a timeout of %v (--session-timeout), or allow the four-letter word conf",
			granted, granted/2, safeTimeout)
	}
	return tick, warning
}
