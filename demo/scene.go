package demo

import (
	"context"
	"fmt"
	"time"

	"electop/demo/zkserver"
	"electop/model"
	"electop/model/dialect"
)

// Scene is an initial state of a stage.
type Scene struct {
	Cast   int            // candidates in the queue, in the order of their names
	Recipe dialect.Recipe // nil: the election's own
	Rules  model.Rules    // without At and Chaos
	Pace   zkserver.Pace  // once they stand
}

// Set prepares a scene: it heals all faults, makes all members leave, and adds new
// candidates one after the other. It waits until they have joined. If ctx ends
// first, the pace stays zero and the candidates that have joined stay. Third-party
// candidates stay.
func (s *Stage) Set(ctx context.Context, sc Scene) (err error) {
	select { // one scene at a time
	case s.setting <- struct{}{}:
		defer func() { <-s.setting }()
	case <-ctx.Done():
		return fmt.Errorf("prepare the scene: %w", ctx.Err())
	}
	s.hurry(sc.Pace)
	defer func() { s.settle(err == nil) }()
	if err := s.empty(ctx); err != nil {
		return fmt.Errorf("remove the candidates: %w", err)
	}
	if err := s.SetRules(sc.Rules); err != nil {
		return err
	}
	if err := s.cfg.Cast.Follow(sc.Recipe); err != nil {
		return fmt.Errorf("prepare the scene: %w", err)
	}
	if err := s.cfg.Cast.SpawnInOrder(ctx, sc.Cast); err != nil {
		return fmt.Errorf("prepare the scene: %w", err)
	}
	return nil
}

// hurry sets full speed until settle sets the pace that was requested last: next, or
// a later one.
func (s *Stage) hurry(next zkserver.Pace) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pace = &next
	s.cfg.Server.SetPace(zkserver.Pace{})
}

func (s *Stage) settle(stands bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if stands {
		s.cfg.Server.SetPace(*s.pace)
	}
	s.pace = nil
}

// empty makes all candidates of electop leave. Sessions that cannot be closed are
// expired, so that no znode of theirs is left.
func (s *Stage) empty(ctx context.Context) error {
	members := s.known()
	if err := s.cfg.Cast.Clear(ctx); err != nil {
		return err
	}
	for _, m := range append(members, s.known()...) {
		_ = s.expire(m) // most are over already
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.orders) // of those who died
	s.mark()
	return nil
}

// A Step is what [Stage.Step] did. It is zero if there was nothing to do.
type Step struct {
	Began    bool           // to hold messages: the pace had no steps
	Released *model.Message // it was the next one held
	Skipped  string         // the silent member whose session expires now
	Wait     time.Duration  // that was skipped
}

// Step releases one message or, if none is held, skips the wait until the session
// of a silent client expires. If the pace has no steps yet, Step only starts to hold
// messages.
func (s *Stage) Step() (Step, error) {
	if !s.Pace().Steps {
		s.SetPace(zkserver.Pace{Steps: true})
		return Step{Began: true}, nil
	}
	if paced, ok := s.cfg.Server.Step(); ok {
		m := message(paced)
		return Step{Released: &m}, nil
	}
	m, at, ok := s.nextToExpire()
	if !ok {
		return Step{}, nil
	}
	wait := max(0, at.Sub(s.cfg.Now()))
	if err := s.expire(m); err != nil {
		return Step{}, err
	}
	return Step{Skipped: m.ID, Wait: wait}, nil
}

// nextToExpire returns the silent candidate of electop whose session expires first,
// and when.
func (s *Stage) nextToExpire() (first model.Member, at time.Time, ok bool) {
	for _, m := range s.known() {
		if m.Fault == model.NoFault || m.Session == 0 {
			continue
		}
		end, lives := s.cfg.Server.Deadline(int64(m.Session))
		if lives && (!ok || end.Before(at) || end.Equal(at) && m.ID < first.ID) {
			first, at, ok = m, end, true
		}
	}
	return first, at, ok
}
