package demo

import (
	"context"
	"fmt"
)

// Partition separates a candidate from the servers: its network passes nothing in
// either direction, and the candidate continues to run. Heal ends it. A frozen
// candidate must thaw first (ErrNotNow).
func (c *Cast) Partition(id string) error { return c.try(id, (*member).part) }

// Heal ends a Partition.
func (c *Cast) Heal(id string) error { return c.with(id, (*member).heal) }

// LoseReply makes a candidate rejoin. The server executes its create, but the reply
// is lost with the connection. It refuses (ErrNotNow) if the candidate cannot
// rejoin now.
func (c *Cast) LoseReply(id string) error { return c.try(id, (*member).loseReply) }

// NoGuid says whether the names of a candidate's next znodes have no guid: then it
// cannot find its own znode after a lost reply. In a third-party election it
// returns ErrForeign.
func (c *Cast) NoGuid(id string, on bool) error {
	if on && c.foreign() {
		return ErrForeign
	}
	return c.with(id, func(m *member) { m.setNoGuid(on) })
}

// NoGuidAll does the same for all members, and for those that join from now on. In
// a third-party election it does nothing.
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

// SlowLead says whether a candidate's leader procedure never ends: the candidate is
// then elected but not acknowledged until SlowLead is off again. It refuses
// (ErrNotNow) for a leader that has already finished its procedure.
func (c *Cast) SlowLead(id string, on bool) error {
	return c.try(id, func(m *member) error { return m.setSlow(on) })
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
