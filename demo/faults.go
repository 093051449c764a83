package demo

import (
	"context"
	"fmt"

	"electop/model"
)

// Partition parts a candidate from the servers: its network passes nothing on
// either way, while it runs on and finds out. Heal ends it. One that is frozen
// has to thaw first (ErrNotNow).
func (c *Cast) Partition(id string) error { return c.try(id, (*member).part) }

// Heal ends a Partition.
func (c *Cast) Heal(id string) error {
	return c.with(id, func(m *member) { m.heal() })
}

// LoseReply makes a candidate volunteer anew, and the reply to that create is
// lost with its connection though the server has carried it out. It refuses
// (ErrNotNow) for one that could not volunteer now.
func (c *Cast) LoseReply(id string) error { return c.try(id, (*member).loseReply) }

// NoGuid says whether a candidate's next znodes are named without a guid. So
// it cannot find its own again after a lost reply. In a foreign election it
// returns ErrForeign.
func (c *Cast) NoGuid(id string, on bool) error {
	if on && c.foreign() {
		return ErrForeign
	}
	return c.with(id, func(m *member) { m.setNoGuid(on) })
}

// NoGuidAll says the same for all members, and for those that enter from now
// on. In a foreign election it does nothing.
func (c *Cast) NoGuidAll(on bool) {
	if on && c.foreign() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.noGuid = on
	for _, m := range c.members {
		m.setNoGuid(on)
	}
}

// SlowLead says whether a candidate's leader procedure takes for ever: it is
// elected then, and not acknowledged, until that is taken back. It refuses
// (ErrNotNow) for one that has this behind it and leads.
func (c *Cast) SlowLead(id string, on bool) error {
	return c.try(id, func(m *member) error { return m.setSlow(on) })
}

// Fault returns what was done to a candidate; none for one that is not in the
// cast.
func (c *Cast) Fault(id string) (f model.Fault) {
	c.with(id, func(m *member) {
		m.mu.Lock()
		defer m.mu.Unlock()
		f = m.fault
	})
	return f
}

// Session returns the session of a candidate; 0 for none.
func (c *Cast) Session(id string) (session uint64) {
	c.with(id, func(m *member) {
		m.mu.Lock()
		defer m.mu.Unlock()
		if st := m.candidate.Status(); !st.State.Terminal() {
			session = st.SessionID
		}
	})
	return session
}

// Clear has everybody leave, frozen and partitioned ones too, as if they were
// healed first: they close their sessions, so that their znodes go. It waits for
// that, until ctx ends. After it the names start again from the first. Those
// that were killed before are no members; the servers let their znodes go.
func (c *Cast) Clear(ctx context.Context) error {
	for {
		c.mu.Lock()
		var left *member
		for _, m := range c.members {
			m.dismiss()
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
