package doctor_test

import (
	"testing"
	"time"

	"electop/model"
	"electop/model/internal/modeltest"
	"electop/model/session"
)

// shared is a lock that a client of go-zookeeper holds, by its own rule, with two of
// kazoo behind it.
func shared(t *testing.T) (c *clinic, held string) {
	c = newClinic(t, model.Config{})
	held = c.child("_c_"+modeltest.Hex1+"-lock-", 1)
	c.child(modeltest.Hex1+"__lock__", 2)
	c.joins(modeltest.Hex2+"__lock__", 3)
	return c, held
}

// leads checks which session leads, 0 for none, and why none does.
func (c *clinic) leads(session uint64, why model.NoLeader) {
	c.Helper()
	s := c.J.State()
	got := uint64(0)
	if l := s.Leader(); l != nil {
		got = l.Session
	}
	if got != session || s.NoLeader() != why || (s.Holders() > 0) != (session != 0) {
		c.Errorf("session %d leads, %q, want %d, %q", got, s.NoLeader(), session, why)
	}
}

// A lock of two libraries, where kazoo's extra_lock_patterns has go-zookeeper's names: a
// server's table shows that kazoo waits for them.
func TestMixedLock(t *testing.T) {
	c, held := shared(t)
	c.leads(0, model.MixedClients)
	if s := c.J.State(); s.First().Name != held || s.Queue.Len() != 3 {
		t.Errorf("first is %v of %d", s.First(), s.Queue.Len())
	}
	c.asked(nil)
	c.leads(1, "")
	c.has()
	// kazoo's own leads for sure: everybody counts it.
	c.leaves(held)
	c.leads(2, "")
	c.joins("_c_"+modeltest.Hex2+"-lock-", 4)
	c.leads(2, "")
	c.told(nil)
}

// kazoo without extra_lock_patterns counts only kazoo's names and leads beside the
// other. One table does not show that, two do.
func TestLockHeldTwice(t *testing.T) {
	c, _ := shared(t)
	unpatterned := func(x *session.Table) { watches(x, "/e", 2) }
	c.pass(3 * time.Second)
	c.answer(unpatterned)
	c.pass(3 * time.Second)
	c.leads(0, model.MixedClients)
	c.has()
	c.asked(unpatterned)
	c.leads(0, model.MixedClients)
	c.has("two-leaders critical")
	c.asked(nil)
	c.leads(1, "")
	c.has()
	// A thread of another lock on the same client proves nothing of this one's.
	c.joins(modeltest.Hex2+"__lock__", 2)
	c.asked(nil)
	c.leads(0, model.MixedClients)
}
