package demo

import (
	"fmt"
	"time"

	"electop/model"
	"electop/model/znode"
)

// A session that really expires was silent for its timeout, so its lease is over
// and a leader has stopped by then. A session that expires on demand would surprise
// a leader: its successor might lead before it noticed. So the lease is ended first,
// and a running candidate has no network until its session has ended.

// expireNow ends a candidate's session immediately, see [Expire].
func (s *Stage) expireNow(id string) error {
	s.mu.Lock()
	m, ok := s.players[id]
	s.mu.Unlock()
	if !ok {
		return fmt.Errorf("%w: %s", ErrNoMember, znode.Safe(id, 40))
	}
	return s.expire(m)
}

func (s *Stage) expire(m model.Member) error {
	if m.Session == 0 {
		return notNow(znode.Safe(m.ID, 40) + " has no session")
	}
	if _, lives := s.cfg.Server.Deadline(int64(m.Session)); !lives {
		return notNow("the session of " + znode.Safe(m.ID, 40) + " has already ended")
	}
	var endLease func()
	if s.cfg.Cast.with(m.ID, func(m *member) error { endLease = m.loseSession(); return nil }) == nil {
		if endLease != nil {
			endLease()
		}
		defer s.cfg.Cast.with(m.ID, (*member).reconnect)
		s.awaitStop(m.ID)
	} else { // dead and gone: that is all that is left to say of it
		m.ExpiresFrom, m.Step = s.cfg.Now(), model.StepNone
		s.cfg.Put(&model.Cast{At: m.ExpiresFrom, Member: m, Gone: true})
	}
	err := s.cfg.Server.ExpireSession(int64(m.Session))
	if _, lives := s.cfg.Server.Deadline(int64(m.Session)); err != nil && lives {
		return fmt.Errorf("expire the session of %s: %w", znode.Safe(m.ID, 40), err)
	}
	return nil // else its time came while we waited
}

// stopWithin is longer than a candidate takes to notice that its connection is
// lost.
const stopWithin = time.Second

// awaitStop waits until a member that is awake has seen that it is cut off.
func (s *Stage) awaitStop(id string) {
	patience := time.NewTimer(stopWithin)
	defer patience.Stop()
	for {
		s.mu.Lock()
		m := s.players[id]
		if s.news == nil {
			s.news = make(chan struct{})
		}
		news := s.news
		s.mu.Unlock()
		stands := m.Belief == model.Leading || m.Belief == model.Elected || m.Belief == model.Waiting
		if !stands || m.Fault == model.Frozen || m.Fault == model.Killed {
			return
		}
		select {
		case <-news:
		case <-patience.C:
			return
		}
	}
}

// loseSession ends the member's lease and, if it is awake, cuts its network.
// Reconnect follows. The caller holds m.mu, and calls the result, if any, without it.
func (m *member) loseSession() (endLease func()) {
	if m.fault != model.NoFault {
		m.leaseEnd = m.cast.cfg.Now()
		m.publish(false)
	}
	if m.fault != model.NoFault && m.fault != model.Partitioned {
		return nil
	}
	m.line.Partition()
	return m.candidate.EndLease
}

// reconnect gives the member its network back. The caller holds m.mu.
func (m *member) reconnect() error {
	if m.fault != model.Partitioned {
		m.line.Heal()
	}
	return nil
}
