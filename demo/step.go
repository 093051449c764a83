package demo

import (
	"time"

	"electop/demo/zkserver"
	"electop/model"
)

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
		end, _, lives := s.cfg.Server.Deadline(int64(m.Session))
		if lives && (!ok || end.Before(at) || end.Equal(at) && m.ID < first.ID) {
			first, at, ok = m, end, true
		}
	}
	return first, at, ok
}
