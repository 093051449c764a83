package zkwatch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model"
)

// lead is the time of a candidate at the head of the queue: the leader
// procedure, the acknowledgement, and then watching for the reasons to stop.
//
// It stops leading at once when the connection is lost. If that comes back
// before the lease ends, and it is still lowest, it leads again under the
// same fence: nobody else can have led meanwhile.
func (s *candidacy) lead(ctx context.Context) error {
	for {
		if err := s.reign(ctx); !errors.Is(err, errSuspended) {
			return err
		}
		if err := s.outlast(ctx); err != nil {
			return err
		}
		leased, cancel := s.leased(ctx)
		target, err := s.list(leased, model.StepListAgain)
		over := leased.Err() != nil && ctx.Err() == nil
		cancel()
		switch {
		case err != nil && over:
			return errLeaseOver
		case err != nil:
			return err
		}
		if !target.Leads {
			return fmt.Errorf("%w: %s is not the lowest any more", errLost, s.name)
		}
	}
}

var (
	errSuspended = errors.New("leadership suspended")
	errLeaseOver = fmt.Errorf("%w: its lease ended", errLost)
)

// reign leads until something ends it: errSuspended for a lost connection.
func (s *candidacy) reign(ctx context.Context) error {
	reign, cancel := context.WithCancel(ctx)
	var procedure chan error // non-nil while the leader procedure runs
	// stop ends the reign: first whatever the procedure started, then what is
	// said of it, and last the procedure itself, which may take its time. The
	// next reign's must not overlap it.
	stop := func() {
		cancel()
		if ctx.Err() == nil && s.believes() {
			s.report(func(m *model.Member) { m.Belief, m.Step = model.Suspended, model.StepNone })
		}
		if procedure != nil {
			<-procedure
			procedure = nil
		}
	}
	defer stop()

	own, stat, err := s.watchOwn(ctx)
	if err != nil {
		return err
	}
	// A process that slept since it asked finds the answer waiting.
	if s.leaseLeft() <= 0 {
		return errLeaseOver
	}
	s.looked()
	fence := stat.Czxid
	s.report(func(m *model.Member) {
		m.Belief, m.Fence = model.Elected, fence
		m.Step, m.StepAt, m.Detail = model.StepLead, s.cfg.Now(), ""
	})

	procedure = make(chan error, 1)
	if s.cfg.Lead == nil {
		procedure <- nil
	} else {
		go func(procedure chan<- error) {
			defer func() { // a panic of the caller's procedure is the end of this candidacy, not of the program
				if r := recover(); r != nil {
					procedure <- fmt.Errorf("leader procedure: panic: %v", r)
				}
			}()
			procedure <- s.cfg.Lead(reign, fence)
		}(procedure)
	}

	var ackGone <-chan zk.Event // somebody else's acknowledgement, awaited
	lease := time.NewTimer(s.nextLook())
	defer lease.Stop()
	for {
		select {
		case <-s.thawed:
			if err := s.look(ctx); err != nil {
				return err
			}
		case err := <-procedure:
			procedure = nil
			if err := s.gate.Wait(ctx); err != nil {
				return err
			}
			if err != nil {
				return fmt.Errorf("leader procedure: %v", err)
			}
			if ackGone, err = s.acknowledge(ctx, fence); err != nil {
				return err
			}
		case e, ok := <-ackGone:
			ackGone = nil
			if err := s.gate.Wait(ctx); err != nil {
				return err
			}
			if !ok || e.Type == zk.EventNotWatching {
				continue // the status says what happened
			}
			if ackGone, err = s.acknowledge(ctx, fence); err != nil {
				return err
			}
		case e, ok := <-own:
			if err := s.gate.Wait(ctx); err != nil {
				return err
			}
			if !ok || e.Type == zk.EventNotWatching {
				own = nil
				continue
			}
			if e.Type == zk.EventNodeDeleted {
				return fmt.Errorf("%w: %s was deleted", errLost, s.name)
			}
			if own, _, err = s.watchOwn(ctx); err != nil {
				return err
			}
		case st, ok := <-s.status:
			// Frozen: it goes on believing until it thaws, as a paused process does.
			if err := s.note(ctx, st, ok); err != nil {
				return err
			}
			if !s.connected {
				return errSuspended
			}
		case <-lease.C:
			if err := s.gate.Wait(ctx); err != nil {
				return err
			}
			if s.leaseLeft() > 0 {
				lease.Reset(s.nextLook())
				continue
			}
			// No server has answered for so long that the session may be gone,
			// though the client library has not noticed yet.
			return errLeaseOver
		case <-s.resign:
			if err := s.gate.Wait(ctx); err != nil {
				return err
			}
			stop() // before the next one can know that it leads
			return s.withdraw(ctx)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// watchOwn reads the own znode and watches it: a leader whose znode somebody
// deletes does not lead any more, and nothing else would tell it.
func (s *candidacy) watchOwn(ctx context.Context) (<-chan zk.Event, *zk.Stat, error) {
	var watch <-chan zk.Event
	var stat *zk.Stat
	err := s.whileLeased(ctx, func(ctx context.Context) (err error) {
		_, stat, watch, err = s.conn.GetW(ctx, model.Join(s.cfg.Path, s.name))
		return err
	})
	return watch, stat, s.owns(stat, err)
}

// owns returns what a read of the own znode means.
func (s *candidacy) owns(stat *zk.Stat, err error) error {
	switch {
	case errors.Is(err, zk.ErrNoNode):
		return fmt.Errorf("%w: %s was deleted", errLost, s.name)
	case err != nil:
		return err
	case uint64(stat.EphemeralOwner) != s.conn.Status().SessionID:
		return fmt.Errorf("%w: %s belongs to another session", errLost, s.name)
	}
	return nil
}

// acknowledge creates the acknowledgement. One of another session stays (it
// goes with that session) and is watched: until then the candidate is elected
// and not acknowledged.
func (s *candidacy) acknowledge(ctx context.Context, fence int64) (gone <-chan zk.Event, err error) {
	if s.cfg.Ack == "" {
		return nil, s.acknowledged(ctx)
	}
	s.report(func(m *model.Member) {
		m.Step, m.StepAt, m.Detail = model.StepAcknowledge, s.cfg.Now(), model.Base(s.cfg.Ack)
	})
	data := model.AckData(model.Join(s.cfg.Path, s.name), fence)
	for {
		err := s.whileLeased(ctx, func(ctx context.Context) error {
			_, err := s.conn.Create(ctx, s.cfg.Ack, data, zk.FlagEphemeral, s.cfg.ACL)
			return err
		})
		if err == nil {
			break
		}
		switch {
		case errors.Is(err, zk.ErrNoNode):
			return nil, fmt.Errorf("%w: %s", errNoAckParent, s.cfg.Ack)
		case !errors.Is(err, zk.ErrNodeExists):
			return nil, err
		}
		var stat *zk.Stat
		err = s.whileLeased(ctx, func(ctx context.Context) (err error) {
			_, stat, gone, err = s.conn.GetW(ctx, s.cfg.Ack)
			return err
		})
		switch {
		case errors.Is(err, zk.ErrNoNode):
			continue
		case err != nil:
			return nil, err
		case uint64(stat.EphemeralOwner) != s.conn.Status().SessionID:
			return gone, nil
		}
		break // an earlier create of this candidacy, whose reply was lost
	}
	return nil, s.acknowledged(ctx)
}

// acknowledged is the last step into leadership, if the lease is not over by
// now.
func (s *candidacy) acknowledged(ctx context.Context) error {
	if err := s.gate.Wait(ctx); err != nil {
		return err
	}
	if s.leaseLeft() <= 0 {
		return errLeaseOver
	}
	s.held = true
	s.report(func(m *model.Member) { m.Belief = model.Leading })
	return nil
}
