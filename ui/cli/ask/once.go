package ask

import (
	"context"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/zkwatch/admin"
)

// Limit bounds the time in which all servers are asked once.
const Limit = 10 * time.Second

// Once asks every server for connections, sessions and watches, and applies
// their answers.
func Once(ctx context.Context, path string, asker *admin.Asker, j *doctor.Journal) error {
	ctx, cancel := context.WithTimeout(ctx, Limit)
	defer cancel()
	defer asker.Subscribe(admin.Election{
		Path: path, Ack: j.State().Ack.Path,
		Sessions: func() []uint64 { return SessionsOf(j.State()) },
		Put:      func(_ context.Context, o model.Observation) { j.Apply(o) },
	})()
	return asker.Ask(ctx, admin.Want{Watches: true, Sessions: true})
}

// SessionsOf returns the sessions that matter to the election.
func SessionsOf(s *doctor.State) []uint64 {
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
