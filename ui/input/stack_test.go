package input

import "testing"

// The modes are a stack: what was opened last is closed first, one that is open
// already is gone back to, and a filter or a question is typed below what is in
// front.
func TestStack(t *testing.T) {
	var s Stack
	expect := func(now, below, front Mode) {
		t.Helper()
		if s.Now() != now || s.Below() != below || s.Front() != front {
			t.Errorf("now %d, below %d, in front %d; want %d, %d, %d", s.Now(), s.Below(), s.Front(), now, below, front)
		}
	}
	expect(ModeNormal, ModeNormal, ModeNormal)
	s.Close() // there is nothing to close
	expect(ModeNormal, ModeNormal, ModeNormal)
	s.Open(ModeFilter)
	expect(ModeFilter, ModeNormal, ModeNormal)
	s.Close()
	s.Open(ModeElections)
	expect(ModeElections, ModeNormal, ModeElections)
	s.Open(ModeDialog)
	expect(ModeDialog, ModeElections, ModeElections)
	s.Close()
	s.Open(ModeFaults)
	s.Open(ModeHelp)
	expect(ModeHelp, ModeFaults, ModeHelp)
	s.Open(ModeFaults) // goes back: else X and ? would open each other for ever
	expect(ModeFaults, ModeElections, ModeFaults)
	if s.Has(ModeHelp) || !s.Has(ModeElections) {
		t.Errorf("open are %+v", s)
	}
	s.Ground(ModePast)
	expect(ModeFaults, ModeElections, ModeFaults)
	s.Close()
	s.Close()
	expect(ModePast, ModePast, ModePast)
	s.Open(ModeHelp)
	s.Home()
	expect(ModePast, ModePast, ModePast)
}

// Each mode can be suspended, and where only looking is allowed no key changes
// anything or asks.
func TestBindingsOfAll(t *testing.T) {
	for _, observeOnly := range []bool{false, true} {
		table := Bindings(observeOnly)
		for _, m := range modes {
			if observeOnly && m.mode == ModeDialog {
				continue
			}
			for key, want := range map[string]Command{"ctrl+z": CmdSuspend, "ctrl+c": CmdQuit} {
				if b, _ := Lookup(table, m.mode, key); b.Do != want {
					t.Errorf("observe only %v: in mode %q %s does %q", observeOnly, m.title, key, b.Do)
				}
			}
		}
		changes := 0
		for _, b := range table {
			if b.Kind.Changes() || b.Modes&ModeDialog != 0 && b.Do != CmdQuit && b.Do != CmdSuspend || b.Do == CmdFaults {
				changes++
				if observeOnly {
					t.Errorf("key %s is there: %s", b.Help().Key, b.Do)
				}
			}
		}
		if !observeOnly && changes == 0 {
			t.Error("no key changes anything")
		}
	}
}
