package dialect_test

import (
	"fmt"
	"testing"

	"electop/model"
	"electop/model/doctor"
	"electop/model/internal/modeltest"
)

// Clients that order names alone wait for a persistent child that has a lower number
// than every candidate.
func TestBlocked(t *testing.T) {
	const k = "0123456789ab4def8123456789abcde"
	for _, c := range []struct {
		name     string
		children []string
		why      model.NoLeader
	}{
		{"a latch", []string{"!" + latchNumber(2), latchNumber(5), latchNumber(6)}, model.Blocked},
		{"before numbers in Curator's order", []string{"!-notes", latchNumber(5)}, model.Blocked},
		{"the same, ephemeral", []string{"-notes", latchNumber(5), latchNumber(6)}, model.Blocked},
		{"nothing behind the lock's name", []string{"!old-latch-", latchNumber(5)}, model.Blocked},
		{"behind numbers in Curator's order", []string{"!config", "!Config", latchNumber(5)}, ""},
		{"others order numbers alone", []string{"!-notes", k + "1__lock__0000000001"}, ""},
		{"behind the first", []string{latchNumber(5), "!" + latchNumber(6), latchNumber(7)}, ""},
		{"of another kind", []string{"!config-0000000001", latchNumber(5)}, ""},
		{"the recipe's clients read any number", []string{"!config-0000000001", "n_0000000005", "n_0000000006"}, model.Blocked},
		{"a reader before readers", []string{"!" + k + "1__rlock__0000000001", k + "2__rlock__0000000002", k + "3__lock__0000000003"}, ""},
		{"a writer before readers", []string{"!" + k + "1__lock__0000000001", k + "2__rlock__0000000002", k + "3__rlock__0000000003"}, model.Blocked},
		{"electop's own know it, and others have such names too", []string{"!" + k + "1-n_0000000001", k + "2-n_0000000002"}, model.Blocked},
	} {
		s := observe("/e", false, znodes(c.children...))
		if s.NoLeader() != c.why || (s.Leader() == nil) != (c.why != "") || s.Holders() > 0 != (c.why == "") {
			t.Errorf("%s: %v leads, %q, want %q", c.name, s.Leader(), s.NoLeader(), c.why)
		}
		if (s.Blocker() != nil) != (c.why == model.Blocked) {
			t.Errorf("%s: %v blocks", c.name, s.Blocker())
		}
	}
}

func latchNumber(n int) string {
	return fmt.Sprintf("_c_0a1b2c3d-1111-4222-8333-44445555666%d-latch-%010d", n, n)
}

// The first that has acknowledged leads, whatever is before it.
func TestBlockedAndAcknowledged(t *testing.T) {
	const k = "0123456789ab4def8123456789abcde"
	j := doctor.NewJournal(model.Config{Path: "/e", AckPath: "/e-leader"})
	first := znodes("!"+k+"1-n_0000000001", k+"2-n_0000000002")
	j.Apply(&model.Read{At: modeltest.Start, Presence: model.Present, Full: true, New: first, Parent: modeltest.Stat(1, 100, 2)})
	if s := j.State(); s.NoLeader() != model.Blocked || len(s.Reigns) > 0 {
		t.Errorf("before: %q, reigns %v", s.NoLeader(), s.Reigns)
	}
	j.Apply(&model.Ack{At: modeltest.Start, Path: "/e-leader", Presence: model.Present, Session: first[1].Session})
	if l := j.State().Leader(); l == nil || l.Name != first[1].Name {
		t.Errorf("%v leads, %q", l, j.State().NoLeader())
	}
	if n := len(j.State().Reigns); n != 1 {
		t.Errorf("%d reigns", n)
	}
}
