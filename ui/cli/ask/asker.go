package ask

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/session"
	"electop/zkwatch/admin"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
)

// Asker returns the asker for the cluster of cfg, nil for --admin off. conn returns
// our own session there, nil while there is none: it knows the members of the
// ensemble and relates the servers' clocks to ours.
func (o Options) Asker(cfg client.Config, conn func() *client.Conn, log *slog.Logger) *admin.Asker {
	if o.Mode == admin.Off {
		return nil
	}
	return admin.New(admin.Config{
		Mode: o.Mode, URL: o.URL, Servers: cfg.Servers.Servers, Chroot: cfg.Servers.Chroot,
		Interval: o.Interval, Sessions: o.Sessions, Cheap: o.Cheap, Heavy: o.Heavy,
		Dial: cfg.Dial, DialTLS: cfg.TLS, Now: feed.Now, Logger: log,
		Ensemble: func(ctx context.Context) (string, error) {
			if c := conn(); c != nil {
				return c.EnsembleConfig(ctx)
			}
			return "", client.ErrNotConnected
		},
		Anchors: func() []session.Anchor {
			if c := conn(); c != nil {
				if a, ok := c.Anchor(); ok {
					return []session.Anchor{a}
				}
			}
			return nil
		},
		Touch: func(ctx context.Context) {
			if c := conn(); c != nil {
				_ = c.Touch(ctx) // the anchor is less precise then
			}
		},
	})
}

// Limit bounds the time in which all servers are asked once, after the reading.
const Limit = 10 * time.Second

// While reads elections once, and asks every server for connections, sessions and
// watches if they have candidates. Their answers are applied to the journals that read
// returns. unasked is why there are none. A nil asker asks nobody.
func While(ctx context.Context, asker *admin.Asker, read func() ([]*doctor.Journal, error)) (unasked, err error) {
	if asker == nil {
		_, err = read()
		return nil, err
	}
	limited, end := context.WithCancelCause(ctx)
	defer end(nil)
	nobody := errors.New("no candidates")
	var all []*doctor.Journal
	var elections []*admin.Election
	unasked = asker.AskWhile(limited, admin.Want{Watches: true, Sessions: true}, func() ([]*admin.Election, error) {
		if all, err = read(); err != nil {
			return nil, err
		}
		for _, j := range all {
			if s := j.State(); s.Queue.Len() > 0 {
				elections = append(elections, &admin.Election{
					Path: s.Path, Ack: s.AckPath(),
					Sessions: func() []uint64 { return SessionsOf(j.State()) },
					Put:      func(_ context.Context, o model.Observation) { j.Apply(o) },
				})
			}
		}
		if len(elections) == 0 {
			return nil, nobody
		}
		limit := time.AfterFunc(Limit, func() { end(context.DeadlineExceeded) })
		context.AfterFunc(limited, func() { limit.Stop() })
		return elections, nil
	})
	unbounded := func(j *doctor.Journal) bool {
		return slices.ContainsFunc(j.State().Risks, func(r *doctor.Risk) bool { return r.By.IsZero() })
	}
	if err == nil && unasked == nil && slices.ContainsFunc(all, unbounded) {
		unasked = again(limited, asker, elections)
	}
	if err != nil || errors.Is(unasked, nobody) {
		unasked = nil
	}
	return unasked, err
}

// again asks for sessions once more, when what a client that lost its connection sent last
// has surely reached the ensemble's leader: only then do deadlines bound the time left.
func again(ctx context.Context, asker *admin.Asker, all []*admin.Election) error {
	select {
	case <-time.After(settle):
	case <-ctx.Done():
		return nil // the first answers are good
	}
	for _, e := range all {
		defer asker.Subscribe(*e)()
	}
	return asker.Ask(ctx, admin.Want{Sessions: true})
}

// settle is half a tick of the default configuration and [session.Slack], and a little more.
const settle = 1600 * time.Millisecond

// SessionsOf returns the sessions of the election: of contenders, other children and
// our members.
func SessionsOf(s *doctor.State) []uint64 {
	out := s.SessionsToAsk()
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
