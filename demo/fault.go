package demo

import (
	"context"
	"fmt"
	"slices"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/znode"
)

// Fault is a fault that a cast can apply to a member. Freeze, Partition, NoGuid and SlowLead last until
// they are turned off.
type Fault string

const (
	Resign    Fault = "resign"     // the member closes its session and leaves
	Kill      Fault = "kill"       // like kill -9: the znode stays until the session expires
	Expire    Fault = "expire"     // the session expires now; needs a [Sandbox]
	LoseReply Fault = "lose reply" // the candidate rejoins; the connection ends before the reply to its create arrives

	Freeze    Fault = "freeze"    // like a long GC pause: the member keeps its belief, and does nothing
	Partition Fault = "partition" // the network delivers nothing in either direction; the member runs
	NoGuid    Fault = "no guid"   // later znode names have no guid: after a lost reply the candidate cannot find its znode
	SlowLead  Fault = "slow lead" // the leader procedure does not end, so the elected candidate does not acknowledge
)

// Fault applies a fault to member id, or ends a lasting fault if on is false. Expire waits at most a second
// until a running candidate has noticed that its connection is lost.
func (c *Cast) Fault(id string, kind Fault, on bool) error {
	switch {
	case !on && (kind == Resign || kind == Kill || kind == Expire || kind == LoseReply):
		return nil // these do not last
	case kind == Expire && c.sandbox != nil: // a dead candidate is no member, but can have a session
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

// Why returns why [Cast.Fault] would refuse a fault: an error that matches [ErrNoMember], [ErrNotNow] or
// [ErrThirdParty], or nil. Why checks no sessions: for Expire of a dead candidate, it returns ErrNoMember.
func (c *Cast) Why(id string, kind Fault, on bool) error {
	return c.with(id, func(m *member) error { return m.whyNot(kind, on) })
}

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

// NoGuidAll turns NoGuid on or off for all present and later members; in a third-party election only off.
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

// Clear makes all members leave, and waits until they have left or ctx ends. It ends freezes and partitions,
// so that the members can close their sessions. The znodes of killed members stay until their sessions expire.
func (c *Cast) Clear(ctx context.Context) error {
	for {
		c.mu.Lock()
		var remaining *member
		for _, m := range c.members {
			m.mu.Lock()
			m.dismiss()
			m.mu.Unlock()
			remaining = m
		}
		if remaining == nil {
			c.nextName = 0
		}
		c.mu.Unlock()
		if remaining == nil {
			return nil
		}
		select {
		case <-remaining.done:
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s to leave: %w", remaining.name, ctx.Err())
		}
	}
}

type notNow string

func (e notNow) Error() string        { return string(e) }
func (e notNow) Is(target error) bool { return target == ErrNotNow }

// The callers of member's methods below hold m.mu. The exceptions are the callbacks of
// candidate.Config: awake, withoutGuid and lead.

func (m *member) whyNot(kind Fault, on bool) error {
	switch {
	case !on:
	case m.kind != dialect.KindElection && slices.Contains([]Fault{LoseReply, NoGuid, SlowLead}, kind):
		return notNow("this demo shows a " + m.kind.String())
	case kind == SlowLead && m.slow == nil && (m.last.Belief == model.Leading || m.last.Belief == model.Elected && m.last.Step == model.StepAcknowledge):
		return notNow(m.name + " has already finished its leader procedure. Select a waiting candidate")
	case kind == Expire && m.cast.sandbox == nil:
		return notNow("it needs the embedded server. Start electop demo")
	case kind == NoGuid && m.cast.foreign():
		return ErrThirdParty
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

func (m *member) setFault(f model.Fault, expiresFrom time.Time) {
	m.fault, m.faultAt, m.expiresFrom, m.thawing = f, m.cast.cfg.Now(), utc(expiresFrom), false
	m.publish(false)
}

func (m *member) clearFault() {
	m.fault, m.faultAt, m.expiresFrom, m.thawing = model.NoFault, time.Time{}, time.Time{}, false
	m.publish(false)
}

func (m *member) kill() {
	if m.fault == model.Killed {
		return // keep the time of its death
	}
	silent := m.frozen() || m.fault == model.Partitioned
	st := m.runner.Kill()
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
	m.gate.Freeze()
	st := m.runner.Status()
	m.setFault(model.Frozen, st.ExpiresFrom)
}

// thaw does not yet clear the fault of a member that believes that it leads or is elected: the belief may be stale.
func (m *member) thaw() {
	if m.fault != model.Frozen {
		return
	}
	m.thawing = true
	if m.last.Belief != model.Leading && m.last.Belief != model.Elected {
		m.clearFault()
	}
	m.runner.Thaw()
}

func (m *member) awake() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.thawing {
		m.clearFault()
	}
}

func (m *member) frozen() bool { return m.fault == model.Frozen && !m.thawing }

func (m *member) partition() {
	if m.fault == model.Partitioned {
		return
	}
	m.line.Partition()
	st := m.runner.Status()
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

func (m *member) dismiss() {
	m.resign()
	m.heal()
	m.thaw()
}

func (s *Sandbox) expireNow(id string) error {
	s.mu.Lock()
	m, ok := s.members[id]
	s.mu.Unlock()
	if !ok {
		return fmt.Errorf("%w: %s", ErrNoMember, znode.Safe(id, 40))
	}
	return s.expire(m)
}

// expire first ends the connection and the lease of a running m, so that m stops leading before its successor leads.
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
	} else { // m is dead or has left, so its runner cannot report
		m.ExpiresFrom, m.Step = s.cfg.Now(), model.StepNone
		s.cfg.Put(&model.Cast{At: m.ExpiresFrom, Member: m, Gone: true})
	}
	err := s.cfg.Server.ExpireSession(int64(m.Session))
	if _, lives := s.cfg.Server.Deadline(int64(m.Session)); err != nil && lives {
		return fmt.Errorf("expire the session of %s: %w", znode.Safe(m.ID, 40), err)
	}
	return nil // if ExpireSession failed, the session had already ended
}

const stopWithin = time.Second

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
		leadsOrWaits := m.Belief == model.Leading || m.Belief == model.Elected || m.Belief == model.Waiting
		if !leadsOrWaits || m.Fault == model.Frozen || m.Fault == model.Killed {
			return
		}
		select {
		case <-changed:
		case <-timeout.C:
			return
		}
	}
}

// loseSession requires that the caller unlocks m.mu before it calls endLease, which may be nil.
func (m *member) loseSession() (endLease func()) {
	if m.fault != model.NoFault {
		m.expiresFrom = m.cast.cfg.Now()
		m.publish(false)
	}
	if m.fault != model.NoFault && m.fault != model.Partitioned {
		return nil
	}
	m.line.Partition()
	return m.runner.EndLease
}

func (m *member) reconnect() error {
	if m.fault != model.Partitioned {
		m.line.Heal()
	}
	return nil
}
