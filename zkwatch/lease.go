package zkwatch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model"
	"electop/model/units"
	"electop/model/znode"
	"electop/zkwatch/fault"
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
	case disconnected(err):
		s.connected = false
		return errSuspended
	}
	return err
}

// limited returns a context that ends with the lease, or for a leader that has
// none yet with what servers that hear each other give it. Either goes on while
// it is renewed, however late another answer is.
func (s *candidacy) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	left := s.leaseLeft
	if !s.leased {
		left = s.contactLeft
	}
	go func() {
		timer := time.NewTimer(min(left(), lookAtClocks))
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
			timer.Reset(min(d, lookAtClocks))
		}
	}()
	return ctx, cancel
}

// outlast waits, while the leader is suspended, until the connection is there, a
// renewal was committed over it, and the lease holds. A lease that is left from
// before says nothing of the znode, and a server that lags behind would list it.
// It gives up when the session is over, or when no server has answered for so
// long that it may be.
func (s *candidacy) outlast(ctx context.Context, renewal *renewal) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	asked, committed := uint64(0), false
	for {
		if err := s.gate.Wait(ctx); err != nil {
			return err
		}
		if st := s.conn.Status(); st.State == Connected {
			// What is still to come of earlier changes is old.
			s.connected, s.current = true, st.change
			if asked != st.change {
				asked, committed = st.change, false
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
		timer.Reset(min(s.contactLeft(), lookAtClocks))
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

// leaseLeft returns for how long the candidate may still lead, by whichever
// of the monotonic and the wall clock is further on.
func (s *candidacy) leaseLeft() time.Duration {
	st := s.conn.Status()
	return left(st.LeaseEnd, st.Timeout)
}

// contactLeft returns for how long servers that hear each other are sure to keep
// the session, likewise. No leader leads by it.
func (s *candidacy) contactLeft() time.Duration {
	st := s.conn.Status()
	return left(st.ExpiresFrom, st.Timeout)
}

func left(end time.Time, timeout time.Duration) time.Duration {
	now := time.Now()
	limit := end.Add(-leaseMargin(timeout))
	return max(0, min(limit.Sub(now), limit.Round(0).Sub(now.Round(0))))
}

// lookAtClocks is how often a leader looks at its clocks. Its timers run on the
// monotonic one, which stands still while the machine sleeps.
const lookAtClocks = 250 * time.Millisecond

// nextLook is when to see whether the lease is over.
func (s *candidacy) nextLook() time.Duration {
	if s.leased {
		return min(s.leaseLeft(), lookAtClocks)
	}
	return min(s.contactLeft(), lookAtClocks)
}

// suspendedBy says why a leader stops for now.
func (s *candidacy) suspendedBy() string {
	if !s.connected || s.conn.Status().State != Connected {
		return "connection lost"
	}
	return "no write was committed in time"
}

// unprovedMost is how many renewals may prove nothing before that is reported.
// The first of a connection never does, and the next ones may not.
const unprovedMost = 5

// countRenewal takes in that a renewal was committed, and reports it if several
// in a row proved no lease.
func (s *candidacy) countRenewal() {
	if s.leaseLeft() > 0 {
		s.unproved = 0
		return
	}
	if s.unproved++; s.unproved == unprovedMost {
		st := s.conn.Status()
		s.report(func(m *model.Member) {
			m.Obstacle = fmt.Sprintf("no lease: answers take %s, which is too long for a session timeout of %s", units.Took(st.RTT), units.Exact(st.Timeout))
		})
	}
}

// unrenewable is what it means that the lease cannot be renewed.
func (s *candidacy) unrenewable(err error) error {
	if errors.Is(err, zk.ErrNoNode) {
		return s.deposed()
	}
	return fmt.Errorf("renew the lease: %w", err)
}

// A renewal keeps the lease of a leader. Its goroutine sends one renewal after
// the other: each waits for the answer to the one before. It ends with cancel,
// and Run waits for it: a leader that stops has no time to.
type renewal struct {
	due    chan struct{}
	done   chan renewed
	cancel context.CancelFunc
}

// A renewed is what came of a renewal: it was committed, or err is why there
// are no more.
type renewed struct {
	err    error
	change uint64 // the status of the connection that it was sent over
}

// startRenewal returns a renewal that does nothing before now.
func (s *candidacy) startRenewal(ctx context.Context) *renewal {
	ctx, cancel := context.WithCancel(ctx)
	r := &renewal{due: make(chan struct{}, 1), done: make(chan renewed, 1), cancel: cancel}
	own, timeout := znode.Join(s.cfg.Path, s.name), s.conn.Status().Timeout
	s.retired.Go(func() { r.run(ctx, s.conn, s.gate, own, renewEvery(timeout), s.leaseLeft) })
	return r
}

// now has the lease renewed at once and regularly from then on. After a lost
// connection it has to be called again.
func (r *renewal) now() {
	select {
	case r.due <- struct{}{}:
	default:
	}
}

func (r *renewal) run(ctx context.Context, conn *Conn, gate *fault.Gate, own string, every time.Duration, left func() time.Duration) {
	timer := time.NewTimer(every)
	timer.Stop()
	committed := 0 // since the renewal began
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
		began, change := time.Now(), conn.Status().change
		err := conn.Renew(ctx, own)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			committed++
			timer.Reset(max(0, renewalPause(every, left(), committed)-time.Since(began)))
			r.say(renewed{change: change})
		case !disconnected(err):
			r.say(renewed{err: err})
			return
		default: // again over the next connection, or over this one if it is still there
			timer.Reset(every)
		}
	}
}

// renewalPause is the time from one renewal to the next. A lease takes two to
// begin, which follow each other at once, and then some more until it is as
// long as it can be.
func renewalPause(every, left time.Duration, committed int) time.Duration {
	switch {
	case left == 0 && committed == 1:
		return 0
	case left < 2*every:
		return every / 4
	}
	return every
}

// say replaces what was not heard yet.
func (r *renewal) say(done renewed) {
	select {
	case <-r.done:
	default:
	}
	r.done <- done
}
