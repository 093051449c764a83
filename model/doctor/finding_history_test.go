package doctor_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/session"
)

// reigns lets so many candidates join, each that long after the one before; then the one
// before leaves. It returns the last.
func (c *clinic) reigns(n int, every time.Duration, prefix, last string) string {
	c.Helper()
	for range n {
		c.pass(every)
		next := c.joins(prefix, c.Tree.Children[last].Session+1)
		c.leaves(last)
		last = next
	}
	return last
}

func TestFlapping(t *testing.T) {
	c := newClinic(t, model.Config{})
	last := c.reigns(5, 5*time.Second, "n_", c.joins("n_", 1)) // a rolling restart
	c.after(time.Second)
	c.reigns(5, 5*time.Second, "n_", last)
	c.after(time.Second, "flapping warning")
	for _, f := range c.J.State().Findings { // who led, until when, and why each left
		if got := strings.Join(f.Evidence, "\n"); !regexp.MustCompile(`host9 until [0-9:.]+Z \(unknown\), host10 until`).MatchString(got) || strings.Contains(got, "host2 ") {
			t.Errorf("evidence: %s", got)
		}
	}
	c.after(2 * time.Minute)

	// The first read shows a young leader and deletions before it: the answer depends on
	// how long it leads, and it is no finding.
	c = newClinic(t, model.Config{})
	last = c.child("n_", 1)
	for i := range 6 {
		next := c.child("n_", uint64(i+2))
		c.Tree.Delete(last)
		last = next
	}
	c.look()
	young := func() bool { return slices.ContainsFunc(c.J.State().Pending, doctor.Pending.Decides) }
	if text, _ := phrase.NothingFound(c.J.State()); !young() || !strings.Contains(text, "Nothing found yet") {
		t.Errorf("a young leader after %d deletions: %q", 6, text)
	}
	c.after(15 * time.Second)
	if !young() {
		t.Error("it has not led for 20 s")
	}
	if c.after(6 * time.Second); young() {
		t.Error("it has led for 20 s")
	}

	// A lock is meant to change hands.
	c = newClinic(t, model.Config{})
	c.reigns(20, time.Second, uuidA+"lock-", c.joins(uuidA+"lock-", 1))
	c.after(300*time.Millisecond, "flapping info")
}

func TestResetLivelock(t *testing.T) {
	c := newClinic(t, model.Config{})
	c.look()
	names := []string{c.child(uuidA+"latch-", 1), c.child(uuidB+"latch-", 2)}
	c.look()
	for i := range 60 {
		c.pass(150 * time.Millisecond)
		c.Tree.Delete(names[i%2])
		names[i%2] = c.joins([]string{uuidA, uuidB}[i%2]+"latch-", uint64(i%2+1))
	}
	c.after(300*time.Millisecond, "reset-livelock critical", "flapping warning")
	c.after(10*time.Second, "flapping warning")
	c.after(2 * time.Minute)
}

func TestAbandonedAttempt(t *testing.T) {
	c := newClinic(t, model.Config{})
	c.look()
	last := c.reigns(15, 25*time.Second, uuidB+"lock-", c.joins(uuidA+"lock-", 1))
	c.after(9 * time.Minute) // held for long, and nobody waits
	c.joins(uuidA+"lock-", 99)
	c.pass(2 * time.Minute)
	c.answer(nil)
	c.has("abandoned-attempt warning")
	c.leaves(last)
	c.after(time.Second)

	// A leader may lead for months.
	c = newClinic(t, model.Config{})
	c.look()
	c.reigns(15, 25*time.Second, "n_", c.joins("n_", 1))
	c.joins("n_", 99)
	c.pass(100 * 24 * time.Hour)
	c.answer(nil)
	c.has()
}

func TestParentVanished(t *testing.T) {
	c, _ := three(t, model.Config{}, "n_")
	c.Tree.DeleteParent()
	c.look()
	c.after(time.Second)
	c.after(5*time.Second, "parent-vanished info") // nobody asked
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
	c.joins("n_", 1)
	c.after(time.Second, "parent-vanished warning") // the other one does not stand
	c.joins("n_", 2)
	c.after(2 * time.Second)

	// All left, and then the empty parent was removed, as containers are.
	c, names := three(t, model.Config{}, "n_")
	for _, name := range names {
		c.Tree.Delete(name)
	}
	c.look()
	c.pass(time.Minute)
	c.Tree.DeleteParent()
	c.look()
	c.after(time.Minute)
}
