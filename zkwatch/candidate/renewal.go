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

// A renewal keeps the lease of a leader. Its goroutine sends one renewal after
// the other: each waits for the answer to the one before. It ends with cancel, and
// Run waits for it: a leader that stops has no time to.
type renewal struct {
	due    chan struct{}
	done   chan renewed
	cancel context.CancelFunc
}

// A renewed is the result of a renewal: it was committed, or err is why there are
// no more.
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

func (r *renewal) run(ctx context.Context, conn *client.Conn, gate *fault.Gate, own string, every time.Duration, left func() time.Duration) {
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
		began, change := time.Now(), conn.Status().Change
		err := conn.Renew(ctx, own)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			committed++
			timer.Reset(max(0, renewalPause(every, left(), committed)-time.Since(began)))
			r.say(renewed{change: change})
		case !client.Unanswered(err):
			r.say(renewed{err: err})
			return
		default: // retry over the next connection, or over this one if it still exists
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

// say replaces a result that was not received yet.
func (r *renewal) say(done renewed) {
	select {
	case <-r.done:
	default:
	}
	r.done <- done
}

// unrenewable is why the candidacy ends if the lease cannot be renewed.
func (s *candidacy) unrenewable(err error) error {
	if errors.Is(err, zk.ErrNoNode) {
		return s.deposed()
	}
	return fmt.Errorf("renew the lease: %w", err)
}

// unprovedMost is how many renewals may prove nothing before that is reported.
// The first of a connection never does, and the next ones may not.
const unprovedMost = 5

// countRenewal is called when a renewal was committed, and reports it if several in
// a row proved no lease.
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
