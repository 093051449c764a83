package candidate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model"
	"electop/model/znode"
)

// lead keeps the fencing token after a suspension if the znode still exists, because no other candidate
// can have led.
func (s *candidacy) lead(ctx context.Context) error {
	renewal := s.startRenewal(ctx)
	defer renewal.cancel()
	for {
		err := s.reign(ctx, renewal)
		for errors.Is(err, errSuspended) {
			if err = s.awaitLease(ctx, renewal); err == nil {
				err = s.resume(ctx)
			}
		}
		if errors.Is(err, errDeposed) {
			s.letSuccessorRead(ctx)
		}
		if err != nil {
			return err
		}
	}
}

var (
	errSuspended = errors.New("leadership suspended")
	errLeaseOver = fmt.Errorf("%w: no answer within the session timeout", errLost)
)

func (s *candidacy) resume(ctx context.Context) error {
	target, err := s.list(ctx, model.StepListAgain, s.whileLeased)
	switch {
	case err != nil:
		return err
	case !target.Leads:
		return fmt.Errorf("%w: %s is no longer the lowest", errLost, s.name)
	case s.own == nil:
		return s.watchOwn(ctx, s.whileLeased)
	}
	return nil
}

// A reign lasts from Elected until the candidate is suspended or its candidacy ends.
type reign struct {
	*candidacy
	renewal *renewal
	cancel  context.CancelFunc // ends the context of the leader procedure

	renewing  bool
	begun     bool       // the leader procedure was started, if there is one
	procedure chan error // nil unless the procedure runs
	ready     bool       // the procedure returned nil, or there is none
	acked     bool       // this session owns the acknowledgement, or the election has none
	ackGone   bool       // the znode at the acknowledgement's path was just deleted
	leads     bool       // Leading was reported, and no obstacle since then
	led       bool       // Leading was reported
	reported  time.Time  // when Leading or a renewed lease was last reported

	ack      <-chan zk.Event  // a watch on the own acknowledgement or on the znode that prevents it
	ackRetry <-chan time.Time // fires when the acknowledgement must be read or created again
	quota    time.Duration    // the last pause after an attempt that a quota refused
}

func (s *candidacy) reign(ctx context.Context, renewal *renewal) (err error) {
	work, cancel := context.WithCancel(ctx)
	r := &reign{candidacy: s, renewal: renewal, cancel: cancel}
	defer func() { r.stop(ctx, err) }()
	// After a pause of the process the list of children may be out of date.
	if s.expiryLeft() <= 0 {
		return errLeaseOver
	}
	s.report(func(m *model.Member) {
		m.Belief, m.Fence = model.Elected, s.fence
		m.Step, m.StepAt, m.StepOn = model.StepLead, s.cfg.Now(), model.StepOn{}
	})
	timer := time.NewTimer(0)
	defer timer.Stop()
	for err == nil {
		if err := r.over(); err != nil {
			return err
		}
		if err := r.advance(ctx, work); err != nil {
			return err
		}
		timer.Reset(s.untilClockCheck())
		select {
		case <-s.thawed:
			err = s.verifyAfterThaw(ctx)
		case failed := <-r.procedure:
			r.procedure, r.ready = nil, failed == nil
			if err = s.gate.Wait(ctx); err == nil && failed != nil {
				err = fmt.Errorf("leader procedure: %v", failed)
			}
		case e, ok := <-r.ack:
			if err = s.gate.Wait(ctx); err == nil {
				r.ackChanged(e, ok)
			}
		case <-r.ackRetry:
			r.ackRetry = nil
			err = s.gate.Wait(ctx)
		case e, ok := <-s.own:
			err = s.ownChanged(ctx, e, ok, s.whileLeased)
		case done := <-renewal.done:
			err = r.renewed(ctx, done.err)
		case st, ok := <-s.status:
			// A frozen leader still believes that it leads, so noteStatus waits for the thaw.
			if err = s.noteStatus(ctx, st, ok); err == nil && !s.connected {
				err = errSuspended
			}
		case <-timer.C:
			err = s.gate.Wait(ctx)
		case <-s.resign:
			if err = s.gate.Wait(ctx); err == nil {
				r.stop(ctx, errResigned) // the work ends before another candidate can lead
				err = s.withdraw(ctx)
			}
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	return err
}

// stop waits for the procedure and for Config.Stopped, so that the work of two reigns of a Candidate never overlaps.
func (r *reign) stop(ctx context.Context, cause error) {
	r.cancel()
	r.leased = false
	if ctx.Err() == nil && r.believesToLead() {
		why := ""
		if errors.Is(cause, errSuspended) {
			why = r.suspendedBy()
		}
		r.report(func(m *model.Member) { m.Belief, m.Step, m.Obstacle = model.Suspended, model.StepNone, why })
	}
	if r.procedure != nil {
		<-r.procedure
		r.procedure = nil
	}
	if r.led && r.cfg.Stopped != nil {
		r.cfg.Stopped()
	}
	r.leads, r.led = false, false
}

func (r *reign) over() error {
	switch {
	case r.leased && r.leaseLeft() <= 0:
		return errSuspended
	case r.expiryLeft() <= 0:
		return errLeaseOver
	}
	return nil
}

func (r *reign) advance(ctx, work context.Context) error {
	for {
		switch {
		case !r.begun && r.cfg.Lead != nil && r.leaseLeft() <= 0:
			r.renew()
			return nil
		case !r.begun:
			r.begin(work)
		case !r.ready:
			return nil
		case !r.acked && r.ack == nil && r.ackRetry == nil:
			if err := r.acknowledge(ctx); err != nil {
				return err
			}
		case !r.acked:
			return nil
		case r.leaseLeft() <= 0:
			r.renew()
			return nil
		case !r.leads:
			r.leads, r.led, r.leased, r.established = true, true, true, true
			r.renew()
			r.reported = time.Now()
			r.report(func(m *model.Member) { m.Belief, m.Obstacle = model.Leading, "" })
		case r.ack == nil && r.ackRetry == nil && r.cfg.Ack != "":
			if err := r.watchAck(ctx); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

func (r *reign) begin(work context.Context) {
	r.begun = true
	if r.cfg.Lead == nil {
		r.ready = true
		return
	}
	r.leased = true
	r.renew()
	procedure, fence := make(chan error, 1), r.fence
	r.procedure = procedure
	go func() {
		defer func() { // a panic of the procedure ends only this candidacy
			if p := recover(); p != nil {
				procedure <- fmt.Errorf("panic: %v", p)
			}
		}()
		procedure <- r.cfg.Lead(work, fence)
	}()
}

func (r *reign) renew() {
	if !r.renewing {
		r.renewing = true
		r.renewal.now()
	}
}

const leaseReportInterval = time.Second

func (r *reign) renewed(ctx context.Context, err error) error {
	if err := r.gate.Wait(ctx); err != nil {
		return err
	}
	if err != nil {
		return r.unrenewable(err)
	}
	r.countRenewal()
	if r.leads && time.Since(r.reported) >= leaseReportInterval {
		r.reported = time.Now()
		r.report(func(*model.Member) {})
	}
	return nil
}

var errDeposed = fmt.Errorf("%w: its znode was deleted", errLost)

func (s *candidacy) deposed() error { return fmt.Errorf("%w: %s", errDeposed, s.name) }

// watchOwn watches the own znode, because another client may delete it.
func (s *candidacy) watchOwn(ctx context.Context, try attempt) error {
	var stat *zk.Stat
	var watch <-chan zk.Event
	err := try(ctx, func(ctx context.Context) (err error) {
		_, stat, watch, err = s.conn.GetW(ctx, znode.Join(s.cfg.Path, s.name))
		return err
	})
	if err := s.owns(stat, err); err != nil {
		return err
	}
	s.own, s.fence = watch, stat.Czxid
	return nil
}

func (s *candidacy) owns(stat *zk.Stat, err error) error {
	switch {
	case errors.Is(err, zk.ErrNoNode):
		return s.deposed()
	case err != nil:
		return err
	case uint64(stat.EphemeralOwner) != s.conn.Status().SessionID:
		return fmt.Errorf("%w: %s belongs to another session", errLost, s.name)
	}
	return nil
}

func (s *candidacy) ownChanged(ctx context.Context, e zk.Event, ok bool, try attempt) error {
	if err := s.gate.Wait(ctx); err != nil {
		return err
	}
	s.own = nil
	switch {
	case !ok || e.Type == zk.EventNotWatching:
		return nil // the status reports why the watch ended
	case e.Type == zk.EventNodeDeleted:
		return s.deposed()
	}
	return s.watchOwn(ctx, try)
}

const (
	successorPauseLeast = 300 * time.Microsecond
	successorPauseMost  = 100 * time.Millisecond
)

// letSuccessorRead waits, because on a standalone server closeSession would delay the successor's read.
func (s *candidacy) letSuccessorRead(ctx context.Context) {
	select {
	case <-time.After(min(max(s.conn.Status().Distance/2, successorPauseLeast), successorPauseMost)):
	case <-ctx.Done():
	}
}
