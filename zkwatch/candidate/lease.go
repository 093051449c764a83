package candidate

import (
	"context"
	"errors"
	"time"

	"electop/zkwatch/client"
)

// whileLeased makes a leader's request. A lost connection suspends the leader
// rather than being waited out, and so does an answer that takes longer than
// the lease, or, for a leader that has none yet, than the session can last.
func (s *candidacy) whileLeased(ctx context.Context, request func(context.Context) error) error {
	if err := s.gate.Wait(ctx); err != nil {
		return err
	}
	limited, cancel := s.limited(ctx)
	defer cancel()
	err := request(limited)
	over := limited.Err() != nil
	if gateErr := s.gate.Wait(ctx); gateErr != nil {
		return gateErr
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case over:
		return errSuspended
	case client.Unanswered(err):
		s.connected = false
		return errSuspended
	}
	return err
}

// limited returns a context that ends with the lease, or for a leader that has
// none yet with the time for which connected servers keep the session. Either is
// extended while it is renewed, however late another answer is.
func (s *candidacy) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	left := s.leaseLeft
	if !s.leased {
		left = s.contactLeft
	}
	go func() {
		timer := time.NewTimer(min(left(), clockCheck))
		defer timer.Stop()
		for {
			select {
			case <-timer.C:
			case <-ctx.Done():
				return
			}
			d := left()
			if d <= 0 {
				cancel()
				return
			}
			timer.Reset(min(d, clockCheck))
		}
	}()
	return ctx, cancel
}

// awaitLease waits, while the leader is suspended, until it is connected, a
// renewal was committed over that connection, and the lease holds. A lease from
// before does not prove that the znode exists, and a server that lags behind would
// list it. awaitLease gives up when the session is over, or when no server has
// answered for so long that it may be.
func (s *candidacy) awaitLease(ctx context.Context, renewal *renewal) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	asked, committed := uint64(0), false
	for {
		if err := s.gate.Wait(ctx); err != nil {
			return err
		}
		if st := s.conn.Status(); st.State == client.Connected {
			// Earlier changes that are still in the channel are out of date.
			s.connected, s.current = true, st.Change
			if asked != st.Change {
				asked, committed = st.Change, false
				renewal.now()
			}
			if committed && s.leaseLeft() > 0 {
				return nil
			}
		} else {
			s.connected = false
		}
		if s.contactLeft() <= 0 {
			return errLeaseOver
		}
		timer.Reset(min(s.contactLeft(), clockCheck))
		select {
		case st, ok := <-s.status:
			if err := s.note(ctx, st, ok); err != nil {
				return err
			}
		case done := <-renewal.done:
			if err := s.gate.Wait(ctx); err != nil {
				return err
			}
			if done.err != nil {
				return s.unrenewable(done.err)
			}
			committed = committed || done.change == asked
			s.countRenewal()
		case e, ok := <-s.own:
			if err := s.ownChanged(ctx, e, ok, s.whileLeased); err != nil && !errors.Is(err, errSuspended) {
				return err
			}
		case <-timer.C:
		case <-s.resign:
			return s.withdraw(ctx)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// leaseLeft returns for how long the candidate may still lead, by the monotonic
// or the wall clock, whichever gives less.
func (s *candidacy) leaseLeft() time.Duration {
	st := s.conn.Status()
	return left(st.LeaseEnd, st.Timeout)
}

// contactLeft returns for how long connected servers are sure to keep the
// session, likewise. It does not entitle to lead.
func (s *candidacy) contactLeft() time.Duration {
	st := s.conn.Status()
	return left(st.ExpiresFrom, st.Timeout)
}

// A leader keeps away from the end of its lease, and renews it long before.
const (
	leaseMarginShare = 10 // of the timeout: for clocks that run differently, and for stopping
	renewalShare     = 10 // of the timeout, between two renewals
)

// leaseMargin is how long before the end of its lease a leader stops.
func leaseMargin(timeout time.Duration) time.Duration { return timeout / leaseMarginShare }

// renewEvery is how often a leader renews its lease.
func renewEvery(timeout time.Duration) time.Duration { return timeout / renewalShare }

func left(end time.Time, timeout time.Duration) time.Duration {
	now := time.Now()
	limit := end.Add(-leaseMargin(timeout))
	return max(0, min(limit.Sub(now), limit.Round(0).Sub(now.Round(0))))
}

// clockCheck is how often a leader checks its clocks. Timers use the monotonic
// clock, which stops while the machine sleeps.
const clockCheck = 250 * time.Millisecond

// untilClockCheck is how long to wait before seeing whether the lease is over.
func (s *candidacy) untilClockCheck() time.Duration {
	if s.leased {
		return min(s.leaseLeft(), clockCheck)
	}
	return min(s.contactLeft(), clockCheck)
}

// suspendedBy says why a leader stops for now.
func (s *candidacy) suspendedBy() string {
	if !s.connected || s.conn.Status().State != client.Connected {
		return "connection lost"
	}
	return "no write was committed in time"
}
