package demo

import (
	"context"
	"fmt"
	"time"

	"electop/model"
	"electop/model/znode"
)

// Fault is what can be done to a candidate, to see what follows.
type Fault string

const (
	Resign    Fault = "resign"     // it closes its session and leaves
	Kill      Fault = "kill"       // like kill -9: it sends nothing more, and its znode stays until its session expires
	Expire    Fault = "expire"     // its session ends as if its timeout had passed; only with a [Sandbox]
	LoseReply Fault = "lose reply" // it rejoins; the server executes its create, but the reply is lost with the connection

	// These last until they are off.
	Freeze    Fault = "freeze"    // it reads, writes and decides nothing, and keeps its belief
	Partition Fault = "partition" // its network passes nothing in either direction, and it continues to run
	NoGuid    Fault = "no guid"   // the names of its next znodes have no guid: it cannot find its own after a lost reply
	SlowLead  Fault = "slow lead" // its leader procedure does not end: it is elected but does not acknowledge
)

// Fault applies a fault to a candidate, or ends it if on is false. A leader that is no
// longer frozen is reported as frozen until it has checked whether it still leads.
func (c *Cast) Fault(id string, kind Fault, on bool) error {
	switch {
	case !on && (kind == Resign || kind == Kill || kind == Expire || kind == LoseReply):
		return nil // they do not last
	case kind == Expire && c.sandbox != nil: // also of a dead one
		return c.sandbox.expireNow(id)
	}
	return c.with(id, func(m *member) error {
		if err := m.unfit(kind, on); err != nil {
			return err
		}
		m.apply(kind, on)
		return nil
	})
}

// Why returns why Fault cannot be called for a candidate now, nil if it can: the error
// is [ErrNoMember], [ErrNotNow] or [ErrForeign].
func (c *Cast) Why(id string, kind Fault, on bool) error {
	return c.with(id, func(m *member) error { return m.unfit(kind, on) })
}

// NoGuidAll is NoGuid for all members, and for those that join from now on. In a
// third-party election it does nothing.
func (c *Cast) NoGuidAll(on bool) {
	if on && c.foreign() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.noGuid = on
	for _, m := range c.members {
		m.mu.Lock()
		m.setNoGuid(on)
		m.mu.Unlock()
	}
}

// Clear makes all members leave. Frozen and partitioned members are healed first:
// they close their sessions, which deletes their znodes. Clear waits for that until
// ctx ends. Then the names start again from the first. Killed candidates are no
// longer members; their znodes are deleted when their sessions expire.
func (c *Cast) Clear(ctx context.Context) error {
	for {
		c.mu.Lock()
		var left *member
		for _, m := range c.members {
			m.mu.Lock()
			m.dismiss()
			m.mu.Unlock()
			left = m
		}
		if left == nil {
			c.named = 0
		}
		c.mu.Unlock()
		if left == nil {
			return nil
		}
		select {
		case <-left.done:
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s to leave: %w", left.name, ctx.Err())
		}
	}
}

// notNow is an ErrNotNow.
type notNow string

func (e notNow) Error() string        { return string(e) }
func (e notNow) Is(target error) bool { return target == ErrNotNow }

// The caller of these methods holds m.mu, except for awake, nameless and lead, which
// the candidate calls.

// unfit returns what prevents a fault, nil for nothing.
func (m *member) unfit(kind Fault, on bool) error {
	switch {
	case !on:
	case kind == SlowLead && m.slow == nil && (m.last.Belief == model.Leading || m.last.Belief == model.Elected && m.last.Step == model.StepAcknowledge):
		return notNow(m.name + " has already finished its leader procedure. Select one that waits")
	case kind == Expire && m.cast.sandbox == nil:
		return notNow("it needs the embedded server. Start electop demo")
	case kind == NoGuid && m.cast.foreign():
		return ErrForeign
	case kind == SlowLead, kind == NoGuid, kind == Kill, kind == Expire:
	case m.fault == model.Killed:
		return notNow(m.name + " is dead")
	case m.fault == model.Frozen && kind != Freeze:
		return notNow(m.name + " is frozen. Thaw it first")
	case m.fault == model.Partitioned && (kind == Freeze || kind == LoseReply):
		return notNow(m.name + " is partitioned. Heal it first")
	case kind == LoseReply && (m.leaving || m.gone):
		return notNow(m.name + " is leaving")
	}
	return nil
}

// apply applies a fault for which the member is not unfit, or ends it.
func (m *member) apply(kind Fault, on bool) {
	switch kind {
	case Resign:
		m.resign()
	case Kill:
		m.kill()
	case LoseReply:
		m.loses = true
		m.publish(false)
		m.follow(m.recipe, nil, 0)
	case Freeze:
		if on {
			m.freeze()
		} else {
			m.thaw()
		}
	case Partition:
		if on {
			m.part()
		} else {
			m.heal()
		}
	case NoGuid:
		m.setNoGuid(on)
	case SlowLead:
		m.setSlow(on)
	}
}

// mark notes a fault and since when.
func (m *member) mark(f model.Fault, leaseEnd time.Time) {
	m.fault, m.faultAt, m.leaseEnd, m.thawing = f, m.cast.cfg.Now(), utc(leaseEnd), false
}

// mend notes that the fault is over.
func (m *member) mend() {
	m.fault, m.faultAt, m.leaseEnd, m.thawing = model.NoFault, time.Time{}, time.Time{}, false
	m.publish(false)
}

func (m *member) kill() {
	if m.fault == model.Killed {
		return // and the time of its death stays
	}
	silent := m.stuck() || m.fault == model.Partitioned
	st := m.candidate.Kill()
	if silent { // since the earlier fault
		m.fault = model.Killed
	} else {
		m.mark(model.Killed, st.ExpiresFrom)
	}
	m.publish(false)
}

func (m *member) freeze() {
	if m.stuck() {
		return
	}
	st := m.candidate.Freeze()
	m.mark(model.Frozen, st.ExpiresFrom)
	m.publish(false)
}

// thaw lets the member continue. If it believes that it leads, which may be wrong by
// now, it is reported as frozen until it has checked, see awake.
func (m *member) thaw() {
	if m.fault != model.Frozen {
		return
	}
	m.thawing = true
	if m.last.Belief != model.Leading && m.last.Belief != model.Elected {
		m.mend()
	}
	m.candidate.Thaw()
}

// awake is called when the candidate knows its state.
func (m *member) awake() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.thawing {
		m.mend()
	}
}

// stuck reports whether the member can do nothing for itself.
func (m *member) stuck() bool { return m.fault == model.Frozen && !m.thawing }

func (m *member) part() {
	if m.fault == model.Partitioned {
		return
	}
	m.line.Partition()
	st := m.candidate.Status()
	m.session = st.SessionID
	m.mark(model.Partitioned, st.ExpiresFrom)
	m.publish(false)
}

func (m *member) heal() {
	if m.fault != model.Partitioned {
		return
	}
	m.mend()
	m.line.Heal()
}

func (m *member) setNoGuid(on bool) {
	if m.noGuid != on {
		m.noGuid = on
		m.publish(false)
	}
}

// nameless reports whether the next znode has no guid.
func (m *member) nameless() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.noGuid
}

func (m *member) setSlow(on bool) {
	switch {
	case on == (m.slow != nil):
		return
	case on:
		m.slow = make(chan struct{})
	default:
		close(m.slow)
		m.slow = nil
	}
	m.publish(false)
}

// lead is the leader procedure. It takes as long as SlowLead is on, and does not end
// while the member is frozen.
func (m *member) lead(ctx context.Context, _ int64) error {
	for {
		if err := m.gate.Wait(ctx); err != nil {
			return err
		}
		m.mu.Lock()
		slow := m.slow
		m.mu.Unlock()
		if slow == nil {
			return nil
		}
		select {
		case <-slow:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// dismiss makes the member leave for good, whatever its fault.
func (m *member) dismiss() {
	m.resign()
	m.heal()
	m.thaw()
}

// A session that really expires was silent for its timeout, so its lease is over
// and a leader has stopped by then. A session that expires on demand would surprise
// a leader: its successor might lead before it noticed. So the lease is ended first,
// and a running candidate has no network until its session has ended.

// expireNow ends a candidate's session immediately, see [Expire].
func (s *Sandbox) expireNow(id string) error {
	s.mu.Lock()
	m, ok := s.members[id]
	s.mu.Unlock()
	if !ok {
		return fmt.Errorf("%w: %s", ErrNoMember, znode.Safe(id, 40))
	}
	return s.expire(m)
}

func (s *Sandbox) expire(m model.Member) error {
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
func (s *Sandbox) awaitStop(id string) {
	patience := time.NewTimer(stopWithin)
	defer patience.Stop()
	for {
		s.mu.Lock()
		m := s.members[id]
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
