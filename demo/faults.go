package demo

import (
	"context"
	"fmt"
)

// Fault is what can be done to a candidate, to see what follows.
type Fault string

const (
	Resign    Fault = "resign"     // it closes its session and leaves
	Kill      Fault = "kill"       // like kill -9: it sends nothing more, and its znode stays until its session expires
	Expire    Fault = "expire"     // its session ends as if its timeout had passed; only with a [Stage]
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
	case kind == Expire && c.stage != nil: // also of a dead one
		return c.stage.expireNow(id)
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
