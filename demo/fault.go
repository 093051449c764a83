package demo

import (
	"context"
	"fmt"
	"time"

	"electop/model"
	"electop/model/znode"
)

// Fault names a fault that a cast can apply to a candidate.
type Fault string

const (
	Resign    Fault = "resign"     // it closes its session and leaves
	Kill      Fault = "kill"       // like kill -9: it sends nothing more, and its znode stays until its session expires
	Expire    Fault = "expire"     // its session ends as if its timeout had passed; only with a [Sandbox]
	LoseReply Fault = "lose reply" // it rejoins; the server executes its create, but the reply is lost with the connection

	// These faults last until they are turned off.
	Freeze    Fault = "freeze"    // it reads, writes and decides nothing, and keeps its belief
	Partition Fault = "partition" // its network passes nothing in either direction, and it continues to run
	NoGuid    Fault = "no guid"   // the names of its next znodes have no guid: it cannot find its znode after a lost reply
	SlowLead  Fault = "slow lead" // its leader procedure does not end: it is elected but does not acknowledge
)

// Fault applies fault kind to candidate id, or ends the fault if on is false. A thawed
// leader is reported as frozen until it has checked whether it still leads. Expire waits,
// at most stopWithin, until the candidate has noticed that its connection is lost.
func (c *Cast) Fault(id string, kind Fault, on bool) error {
	switch {
	case !on && (kind == Resign || kind == Kill || kind == Expire || kind == LoseReply):
		return nil // these faults do not last: nothing to end
	case kind == Expire && c.sandbox != nil: // also for a dead candidate
		return c.sandbox.expireNow(id)
	}
	return c.with(id, func(m *member) error {
		if err := m.whyNot(kind, on); err != nil {
			return err
		}
		m.apply(kind, on)
		return nil
	})
}

// Why returns the reason if a fault is not possible for a member of the cast now, otherwise nil.
// The reason is [ErrNoMember], also for a dead candidate, although [Cast.Fault] can expire its
// session, or [ErrNotNow] or [ErrForeign].
func (c *Cast) Why(id string, kind Fault, on bool) error {
	return c.with(id, func(m *member) error { return m.whyNot(kind, on) })
}

// with locks member id, calls do for it, and returns the error of do.
func (c *Cast) with(id string, do func(*member) error) error {
	c.mu.Lock()
	m := c.members[id]
	c.mu.Unlock()
	if m == nil {
		return fmt.Errorf("%w: %s", ErrNoMember, znode.Safe(id, 40))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return do(m)
}

// NoGuidAll turns NoGuid on or off for all members, and for those that join from now on.
// It cannot be turned on in a third-party election.
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

// Clear makes all members leave, and waits for that until ctx ends. It thaws and heals
// them, so that they can close their sessions, which deletes their znodes. The next
// candidate then gets the first name. Killed candidates are no longer members; their
// znodes are deleted when their sessions expire.
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

// notNow is the text of an [ErrNotNow].
type notNow string

func (e notNow) Error() string        { return string(e) }
func (e notNow) Is(target error) bool { return target == ErrNotNow }

// The caller of the member's methods below holds m.mu. Only awake, withoutGuid and lead
// lock it themselves: they are callbacks of the candidate.

// whyNot returns why a fault is not possible now, nil if it is possible.
func (m *member) whyNot(kind Fault, on bool) error {
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

// apply applies a fault that is possible now, or ends it.
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
			m.partition()
		} else {
			m.heal()
		}
	case NoGuid:
		m.setNoGuid(on)
	case SlowLead:
		m.setSlow(on)
	}
}

// setFault sets a fault, its time and the end of the lease, and publishes it.
func (m *member) setFault(f model.Fault, leaseEnd time.Time) {
	m.fault, m.faultAt, m.leaseEnd, m.thawing = f, m.cast.cfg.Now(), utc(leaseEnd), false
	m.publish(false)
}

func (m *member) clearFault() {
	m.fault, m.faultAt, m.leaseEnd, m.thawing = model.NoFault, time.Time{}, time.Time{}, false
	m.publish(false)
}

func (m *member) kill() {
	if m.fault == model.Killed {
		return // keep the time of its death
	}
	silent := m.frozen() || m.fault == model.Partitioned
	st := m.candidate.Kill()
	if silent { // keep the time of the earlier fault
		m.fault = model.Killed
		m.publish(false)
		return
	}
	m.setFault(model.Killed, st.ExpiresFrom)
}

func (m *member) freeze() {
	if m.frozen() {
		return
	}
	st := m.candidate.Freeze()
	m.setFault(model.Frozen, st.ExpiresFrom)
}

// thaw lets the member continue. If it believes that it leads, which may be wrong by
// now, it is reported as frozen until it has checked, see awake.
func (m *member) thaw() {
	if m.fault != model.Frozen {
		return
	}
	m.thawing = true
	if m.last.Belief != model.Leading && m.last.Belief != model.Elected {
		m.clearFault()
	}
	m.candidate.Thaw()
}

// awake ends a freeze when the candidate has checked its state after a thaw.
func (m *member) awake() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.thawing {
		m.clearFault()
	}
}

// frozen reports whether the member is frozen and does not thaw yet.
func (m *member) frozen() bool { return m.fault == model.Frozen && !m.thawing }

func (m *member) partition() {
	if m.fault == model.Partitioned {
		return
	}
	m.line.Partition()
	st := m.candidate.Status()
	m.session = st.SessionID
	m.setFault(model.Partitioned, st.ExpiresFrom)
}

func (m *member) heal() {
	if m.fault != model.Partitioned {
		return
	}
	m.clearFault()
	m.line.Heal()
}

func (m *member) setNoGuid(on bool) {
	if m.noGuid != on {
		m.noGuid = on
		m.publish(false)
	}
}

// withoutGuid reports whether the next znode has no guid.
func (m *member) withoutGuid() bool {
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

// lead runs the leader procedure. It waits while SlowLead is on or the member is frozen, and
// returns an error if ctx ends.
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

// dismiss makes the member leave for good, even if it is frozen or partitioned.
func (m *member) dismiss() {
	m.resign()
	m.heal()
	m.thaw()
}

// When a session really expires, its client was silent for the timeout: its lease has
// ended, and a leader has stopped. If a leader's session expires on demand, the next leader
// could lead before the old leader notices. So the old lease ends first, and a running
// candidate has no network until its session has ended.

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
	} else { // a dead candidate is no longer in the cast
		m.ExpiresFrom, m.Step = s.cfg.Now(), model.StepNone
		s.cfg.Put(&model.Cast{At: m.ExpiresFrom, Member: m, Gone: true})
	}
	err := s.cfg.Server.ExpireSession(int64(m.Session))
	if _, lives := s.cfg.Server.Deadline(int64(m.Session)); err != nil && lives {
		return fmt.Errorf("expire the session of %s: %w", znode.Safe(m.ID, 40), err)
	}
	return nil // an error, and no live session: the session ended meanwhile
}

// stopWithin is longer than a candidate takes to notice that its connection is lost.
const stopWithin = time.Second

// awaitStop waits until member id, if it runs, has noticed that its connection is lost,
// but at most stopWithin.
func (s *Sandbox) awaitStop(id string) {
	timeout := time.NewTimer(stopWithin)
	defer timeout.Stop()
	for {
		s.mu.Lock()
		m := s.members[id]
		if s.changed == nil {
			s.changed = make(chan struct{})
		}
		changed := s.changed
		s.mu.Unlock()
		active := m.Belief == model.Leading || m.Belief == model.Elected || m.Belief == model.Waiting
		if !active || m.Fault == model.Frozen || m.Fault == model.Killed {
			return
		}
		select {
		case <-changed:
		case <-timeout.C:
			return
		}
	}
}

// loseSession cuts the network of a member, until reconnect, and returns the EndLease of its
// candidate, which the caller calls after it has unlocked m.mu. For a frozen or dead member it
// does nothing and returns nil. If the member has a fault, its reported lease ends now. The
// caller holds m.mu.
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

// reconnect heals the network that loseSession cut, unless the member is partitioned. The caller
// holds m.mu.
func (m *member) reconnect() error {
	if m.fault != model.Partitioned {
		m.line.Heal()
	}
	return nil
}
