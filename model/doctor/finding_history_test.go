package doctor_test

import (
	"slices"
	"testing"
	"time"

	"electop/model"
	"electop/model/session"
)

func TestFlapping(t *testing.T) {
	c := newClinic(t, model.Config{})
	last := c.child("n_", 1)
	c.look()
	for s := range uint64(5) { // a rolling restart
		c.pass(5 * time.Second)
		next := c.child("n_", s+2)
		c.Tree.Delete(last)
		c.look()
		last = next
	}
	c.pass(time.Second)
	c.has()
	for s := range uint64(5) {
		c.pass(5 * time.Second)
		next := c.child("n_", s+10)
		c.Tree.Delete(last)
		c.look()
		last = next
	}
	c.pass(time.Second)
	c.has("flapping warning")
	c.pass(2 * time.Minute)
	c.has()

	// A lock is meant to change hands.
	c = newClinic(t, model.Config{})
	last = c.child(uuidA+"lock-", 1)
	c.look()
	for s := range uint64(20) {
		c.pass(time.Second)
		next := c.child(uuidA+"lock-", s+2)
		c.Tree.Delete(last)
		c.look()
		last = next
	}
	c.pass(300 * time.Millisecond)
	c.has("flapping info")
}

func TestResetLivelock(t *testing.T) {
	c := newClinic(t, model.Config{})
	c.look()
	names := []string{c.child(uuidA+"latch-", 1), c.child(uuidB+"latch-", 2)}
	c.look()
	for i := range 60 {
		c.pass(150 * time.Millisecond)
		c.Tree.Delete(names[i%2])
		names[i%2] = c.child([]string{uuidA, uuidB}[i%2]+"latch-", uint64(i%2+1))
		c.look()
	}
	c.pass(300 * time.Millisecond)
	c.has("reset-livelock critical", "flapping warning")
	c.pass(10 * time.Second)
	c.has("flapping warning")
	c.pass(2 * time.Minute)
	c.has()
}

func TestAbandonedAttempt(t *testing.T) {
	c := newClinic(t, model.Config{})
	c.look()
	last := c.child(uuidA+"lock-", 1)
	c.look()
	for s := range uint64(15) {
		next := c.child(uuidB+"lock-", s+2)
		c.look()
		c.pass(25 * time.Second)
		c.Tree.Delete(last)
		c.look()
		last = next
	}
	c.pass(9 * time.Minute)
	c.has() // held for long, and nobody waits
	c.child(uuidA+"lock-", 99)
	c.look()
	c.pass(2 * time.Minute)
	c.put(c.healthy())
	c.has("abandoned-attempt warning")
	c.Tree.Delete(last)
	c.look()
	c.pass(time.Second)
	c.has()

	// A leader may lead for months.
	c = newClinic(t, model.Config{})
	c.look()
	last = c.child("n_", 1)
	c.look()
	for s := range uint64(15) {
		next := c.child("n_", s+2)
		c.look()
		c.pass(25 * time.Second)
		c.Tree.Delete(last)
		c.look()
		last = next
	}
	c.child("n_", 99)
	c.look()
	c.pass(100 * 24 * time.Hour)
	c.put(c.healthy())
	c.has()
}

func TestParentVanished(t *testing.T) {
	c, _ := three(t, model.Config{}, "n_")
	c.Tree.DeleteParent()
	c.look()
	c.pass(time.Second)
	c.has()
	c.pass(5 * time.Second)
	c.has("parent-vanished info") // nobody asked
	alive := func(sessions ...uint64) *session.Table {
		x := c.healthy()
		for _, s := range sessions {
			x.Servers[0].Clients = append(x.Servers[0].Clients, session.Client{Session: s, Addr: "10.0.0.1:1", Timeout: 10 * time.Second})
		}
		return x
	}
	if got := c.J.State().SessionsToAsk(); !slices.Equal(got, []uint64{1, 2, 3}) {
		t.Errorf("to ask about: %v", got)
	}
	c.put(alive(1, 2))
	c.has("parent-vanished critical")
	c.Tree.CreateParent(0)
	c.child("n_", 1)
	c.look()
	c.pass(time.Second)
	c.has("parent-vanished warning") // the other one does not stand
	c.child("n_", 2)
	c.look()
	c.pass(2 * time.Second)
	c.has()

	// All left, and then the empty parent was removed, as containers are.
	c, names := three(t, model.Config{}, "n_")
	for _, name := range names {
		c.Tree.Delete(name)
	}
	c.look()
	c.pass(time.Minute)
	c.Tree.DeleteParent()
	c.look()
	c.pass(time.Minute)
	c.has()
}
