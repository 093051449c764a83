package candidate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model"
	"electop/model/units"
	"electop/model/znode"
	"electop/zkwatch/client"
	"electop/zkwatch/fault"
)

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

func (s *candidacy) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	left := s.leaseLeft
	if !s.leased {
		left = s.expiryLeft
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

// awaitLease also waits for a renewal over the present connection, which proves that the znode still exists.
func (s *candidacy) awaitLease(ctx context.Context, renewal *renewal) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	requested, committed := uint64(0), false
	for {
		if err := s.gate.Wait(ctx); err != nil {
			return err
		}
		if st := s.conn.Status(); st.State == client.Connected {
			// s.status may still hold earlier changes.
			s.connected, s.current = true, st.Change
			if requested != st.Change {
				requested, committed = st.Change, false
				renewal.now()
			}
			if committed && s.leaseLeft() > 0 {
				return nil
			}
		} else {
			s.connected = false
		}
		if s.expiryLeft() <= 0 {
			return errLeaseOver
		}
		timer.Reset(min(s.expiryLeft(), clockCheck))
		var err error
		select {
		case st, ok := <-s.status:
			err = s.noteStatus(ctx, st, ok)
		case done := <-renewal.done:
			switch err = s.gate.Wait(ctx); {
			case err != nil:
			case done.err != nil:
				err = s.unrenewable(done.err)
			default:
				committed = committed || done.change == requested
				s.countRenewal()
			}
		case e, ok := <-s.own:
			if err = s.ownChanged(ctx, e, ok, s.whileLeased); errors.Is(err, errSuspended) {
				err = nil
			}
		case <-timer.C:
		case <-s.resign:
			err = s.withdraw(ctx)
		case <-ctx.Done():
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
	}
}

func (s *candidacy) leaseLeft() time.Duration {
	st := s.conn.Status()
	return left(st.LeaseEnd, st.Timeout)
}

func (s *candidacy) expiryLeft() time.Duration {
	st := s.conn.Status()
	return left(st.ExpiresFrom, st.Timeout)
}

const (
	leaseMarginShare = 10 // the margin is timeout/10: clocks differ in speed, and a leader needs time to stop
	renewalShare     = 10 // renewals usually begin timeout/10 apart
)

func left(end time.Time, timeout time.Duration) time.Duration {
	now := time.Now()
	limit := end.Add(-timeout / leaseMarginShare)
	return max(0, min(limit.Sub(now), limit.Round(0).Sub(now.Round(0))))
}

// clockCheck bounds the time between two checks of the wall clock. Timers use the monotonic clock, which
// on many systems stops while the machine sleeps.
const clockCheck = 250 * time.Millisecond

func (s *candidacy) untilClockCheck() time.Duration {
	if s.leased {
		return min(s.leaseLeft(), clockCheck)
	}
	return min(s.expiryLeft(), clockCheck)
}

func (s *candidacy) suspendedBy() string {
	if !s.connected || s.conn.Status().State != client.Connected {
		return "connection lost"
	}
	return "no write was committed in time"
}

// A renewal renews a lease in its own goroutine, one request at a time.
type renewal struct {
	due    chan struct{}
	done   chan renewed
	cancel context.CancelFunc
}

type renewed struct {
	err    error  // nil: committed; otherwise why the renewals end
	change uint64 // Status.Change before the request
}

func (s *candidacy) startRenewal(ctx context.Context) *renewal {
	ctx, cancel := context.WithCancel(ctx)
	r := &renewal{due: make(chan struct{}, 1), done: make(chan renewed, 1), cancel: cancel}
	own, timeout := znode.Join(s.cfg.Path, s.name), s.conn.Status().Timeout
	s.background.Go(func() { r.run(ctx, s.conn, s.gate, own, timeout/renewalShare, s.leaseLeft) })
	return r
}

func (r *renewal) now() {
	select {
	case r.due <- struct{}{}:
	default:
	}
}

func (r *renewal) run(ctx context.Context, conn *client.Conn, gate *fault.Gate, own string, every time.Duration, left func() time.Duration) {
	timer := time.NewTimer(every)
	timer.Stop()
	committed := 0 // committed renewals since the last r.now()
	for {
		select {
		case <-r.due:
			committed = 0
		case <-timer.C:
		case <-ctx.Done():
			return
		}
		if gate.Wait(ctx) != nil {
			return
		}
		began, change := time.Now(), conn.Status().Change
		err := conn.Renew(ctx, own)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			committed++
			timer.Reset(max(0, renewalPause(every, left(), committed)-time.Since(began)))
			r.put(renewed{change: change})
		case !client.Unanswered(err):
			r.put(renewed{err: err})
			return
		default: // retry over this connection or the next one
			timer.Reset(every)
		}
	}
}

// renewalPause returns 0 if the first renewal proved no lease: the proof often needs a second renewal.
func renewalPause(every, left time.Duration, committed int) time.Duration {
	switch {
	case left == 0 && committed == 1:
		return 0
	case left < 2*every:
		return every / 4
	}
	return every
}

func (r *renewal) put(done renewed) {
	select {
	case <-r.done:
	default:
	}
	r.done <- done
}

func (s *candidacy) unrenewable(err error) error {
	if errors.Is(err, zk.ErrNoNode) {
		return s.deposed()
	}
	return fmt.Errorf("renew the lease: %w", err)
}

// unprovedMost is more than one, because the first renewal after a long wait in the queue may prove no lease.
const unprovedMost = 5

func (s *candidacy) countRenewal() {
	if s.leaseLeft() > 0 {
		s.unproved = 0
		return
	}
	if s.unproved++; s.unproved == unprovedMost {
		st := s.conn.Status()
		s.report(func(m *model.Member) {
			m.Obstacle = fmt.Sprintf("no lease: answers take %s, too long for a session timeout of %s", units.Took(st.RTT), units.Exact(st.Timeout))
		})
	}
}
