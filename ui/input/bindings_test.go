package input

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"electop/ui/term"
)

func TestKeysHaveOneMeaning(t *testing.T) {
	for _, m := range modes {
		seen := map[string]Command{}
		if m.mode == ModeLesson {
			m.mode |= ModeNormal // both are active during a lesson
		}
		for _, b := range Bindings(false) {
			if b.Modes&m.mode == 0 {
				continue
			}
			for _, k := range b.Keys() {
				if other, ok := seen[k]; ok {
					t.Errorf("in mode %q key %q means %s and %s", m.title, k, other, b.Do)
				}
				seen[k] = b.Do
			}
		}
	}
}

func TestHelpAndMarkdownHaveAllKeys(t *testing.T) {
	help := helpLines(Bindings(false), new(term.Glyphs), 0, false, true)
	md := Markdown()
	for _, b := range Bindings(false) {
		if !slices.ContainsFunc(help, func(l helpLine) bool {
			return strings.Contains(" "+l.sign+" ", " "+b.Help().Key+" ") && (l.text == longHelp(b) || slices.Contains(slices.Collect(maps.Values(pairs)), l.text))
		}) {
			t.Errorf("the help lacks %s: %s", b.Help().Key, longHelp(b))
		}
		for _, k := range b.Keys() {
			if want := "`" + strings.NewReplacer("ctrl+", "ctrl-", " ", "space").Replace(k) + "`"; !strings.Contains(md, want) {
				t.Errorf("the table for electop help keys lacks %s", want)
			}
		}
	}
}

func TestOpenedModes(t *testing.T) {
	var s Stack
	expect := func(now, below, front Mode) {
		t.Helper()
		if s.Now() != now || s.Below() != below || s.Front() != front {
			t.Errorf("got modes: now %d, below %d, in front %d; want %d, %d, %d", s.Now(), s.Below(), s.Front(), now, below, front)
		}
	}
	expect(ModeNormal, ModeNormal, ModeNormal)
	s.Close()
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
	s.Open(ModeFaults)
	expect(ModeFaults, ModeElections, ModeFaults)
	if s.Has(ModeHelp) || !s.Has(ModeElections) {
		t.Errorf("got open modes %+v, want the elections and the faults", s)
	}
	s.SetBase(ModePast)
	expect(ModeFaults, ModeElections, ModeFaults)
	s.Close()
	s.Close()
	expect(ModePast, ModePast, ModePast)
	s.Open(ModeHelp)
	s.CloseAll()
	expect(ModePast, ModePast, ModePast)
}

func TestQuitInAllModes(t *testing.T) {
	for _, observeOnly := range []bool{false, true} {
		table := Bindings(observeOnly)
		for _, m := range modes {
			if observeOnly && m.mode == ModeDialog {
				continue
			}
			for key, want := range map[string]Command{"ctrl+z": CmdSuspend, "ctrl+c": CmdQuit} {
				if b, _ := Lookup(table, m.mode, key); b.Do != want {
					t.Errorf("observe only %v: in mode %q %s does %q, want %q", observeOnly, m.title, key, b.Do, want)
				}
			}
		}
	}
}

func TestNoKeyChangesAnythingIfObserveOnly(t *testing.T) {
	changes := func(b Binding) bool { return b.Kind.Changes() || b.Do == CmdFaults || b.Do == CmdYes || b.Do == CmdNo }
	if !slices.ContainsFunc(Bindings(false), changes) {
		t.Error("observe only false: no key changes anything")
	}
	for _, b := range Bindings(true) {
		if changes(b) {
			t.Errorf("observe only true: the table has key %s: %s", b.Help().Key, b.Do)
		}
	}
}
