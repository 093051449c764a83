package input

import (
	"strings"
	"testing"

	"electop/ui/term"
)

// No key means two things in one mode.
func TestKeysMeanOneThing(t *testing.T) {
	for _, m := range modes {
		seen := map[string]Command{}
		if m.mode == ModeTeach {
			m.mode |= ModeNormal // the main screen's keys mean what they did
		}
		for _, b := range Bindings(false) {
			if b.Modes&m.mode == 0 {
				continue
			}
			for _, k := range b.Keys() {
				if other, ok := seen[k]; ok {
					t.Errorf("in mode %q %q means %s and %s", m.title, k, other, b.Do)
				}
				seen[k] = b.Do
			}
		}
		if _, ok := seen["ctrl+c"]; !ok {
			t.Errorf("mode %q cannot be quit", m.title)
		}
	}
}

// Help and electop help keys are made from the table, so each key is in them.
func TestKeysAreShown(t *testing.T) {
	var help strings.Builder
	for _, l := range helpLines(Bindings(false), new(term.Glyphs), 0) {
		help.WriteString(l.sign + "\t" + l.text + "\n")
	}
	md := Markdown()
	for _, b := range Bindings(false) {
		if want := b.Help().Key + "\t" + longHelp(b) + "\n"; !strings.Contains(help.String(), want) {
			t.Errorf("the help lacks %q", want)
		}
		for _, k := range b.Keys() {
			if want := "`" + strings.ReplaceAll(k, "+", "-") + "`"; !strings.Contains(md, want) {
				t.Errorf("the table for electop help keys lacks %s", want)
			}
		}
	}
}
