package zkwatch

import (
	"context"
	"time"
)

// leaseMargin is how long before the end of its lease a leader stops: for a
// clock that runs a little differently, and a tick of the server's.
func leaseMargin(timeout time.Duration) time.Duration { return timeout / 10 }

// whileLeased makes a leader's request. A lost connection suspends the leader
// rather than being waited out, and so does an answer that takes longer than
// the lease.
func (s *candidacy) whileLeased(ctx context.Context, request func(context.Context) error) error {
	if err := s.gate.Wait(ctx); err != nil {
		return err
	}
	leased, cancel := s.leased(ctx)
	defer cancel()
	err := request(leased)
	over := leased.Err() != nil
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
	case disconnected(err):
		s.connected = false
		return errSuspended
	}
	return err
}

// outlast waits for the connection to come back before the lease ends.
func (s *candidacy) outlast(ctx context.Context) error {
	lease := time.NewTimer(s.nextLook())
	defer lease.Stop()
	for {
		if s.connected || s.conn.Status().State == Connected {
			if err := s.gate.Wait(ctx); err != nil {
				return err
			}
			if s.conn.Status().State == Connected && s.leaseLeft() > 0 {
				s.connected = true
				return nil
			}
			if s.leaseLeft() <= 0 {
				return errLeaseOver
			}
			s.connected = false
		}
		select {
		case st, ok := <-s.status:
			if err := s.note(ctx, st, ok); err != nil {
				return err
			}
		case <-lease.C:
			if err := s.gate.Wait(ctx); err != nil {
				return err
			}
			if s.leaseLeft() > 0 {
				lease.Reset(s.nextLook())
				continue
			}
			return errLeaseOver
		case <-s.resign:
			return s.withdraw(ctx)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// leased returns a context that ends with the lease. That goes on for as long as
// pings are answered, however late another answer is.
func (s *candidacy) leased(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		lease := time.NewTimer(s.leaseLeft())
		defer lease.Stop()
		for {
			select {
			case <-lease.C:
			case <-ctx.Done():
				return
			}
			left := s.leaseLeft()
			if left <= 0 {
				cancel()
				return
			}
			lease.Reset(left)
		}
	}()
	return ctx, cancel
}

// leaseLeft returns for how long the candidate may still lead, by whichever
// of the monotonic and the wall clock is further on.
func (s *candidacy) leaseLeft() time.Duration {
	st := s.conn.Status()
	now := time.Now()
	limit := st.LeaseEnd.Add(-leaseMargin(st.Timeout))
	return max(0, min(limit.Sub(now), limit.Round(0).Sub(now.Round(0))))
}

// lookAtClocks is how often a leader looks at its clocks. Its timers run on the
// monotonic one, which stands still while the machine sleeps.
const lookAtClocks = 250 * time.Millisecond

// nextLook is when to see whether the lease is over.
func (s *candidacy) nextLook() time.Duration { return min(s.leaseLeft(), lookAtClocks) }
