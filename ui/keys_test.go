package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// No key means two things in one mode.
func TestKeysMeanOneThing(t *testing.T) {
	for _, m := range modes {
		seen := map[string]command{}
		if m.mode == modeTeach {
			m.mode |= modeNormal // the main screen's keys mean what they did
		}
		for _, b := range bindings(false) {
			if b.modes&m.mode == 0 {
				continue
			}
			for _, k := range b.Keys() {
				if other, ok := seen[k]; ok {
					t.Errorf("in mode %q %q means %s and %s", m.title, k, other, b.do)
				}
				seen[k] = b.do
			}
		}
		if _, ok := seen["ctrl+c"]; !ok {
			t.Errorf("mode %q cannot be quit", m.title)
		}
	}
}

// Help, README and footer are made from the table, so each key is in them.
func TestKeysAreShown(t *testing.T) {
	d := stage(scenes()["main"](), 300, 100, ThemeMono)
	var help strings.Builder
	for _, l := range d.helpLines(d.theme) {
		help.WriteString(l.sign + "\t" + l.text + "\n")
	}
	md := KeysMarkdown()
	for _, b := range bindings(false) {
		if want := b.Help().Key + "\t" + longHelp(b) + "\n"; !strings.Contains(help.String(), want) {
			t.Errorf("the help lacks %q", want)
		}
		for _, k := range b.Keys() {
			if want := "`" + strings.ReplaceAll(k, "+", "-") + "`"; !strings.Contains(md, want) {
				t.Errorf("the table for the README lacks %s", want)
			}
		}
		if b.foot > 0 && b.modes&modeNormal != 0 && b.kind == "" && b.do != cmdNext { // with one election there is no next
			if !strings.Contains(ansi.Strip(d.drawn), b.Help().Key+" "+b.Help().Desc) {
				t.Errorf("the footer lacks %s", b.Help().Key)
			}
		}
	}
}

func TestFooterGivesWay(t *testing.T) {
	for _, w := range []int{60, 80, 100, 120} {
		d := stage(scenes()["crowd"](), w, 30, ThemeMono) // nothing can be done here
		lines := strings.Split(ansi.Strip(d.drawn), "\n")
		last := lines[len(lines)-1]
		for _, want := range []string{"enter inspect", "? help", "q quit"} {
			if !strings.Contains(last, want) {
				t.Errorf("at width %d the footer lacks %q: %q", w, want, last)
			}
		}
	}
}

// Where the recipe is not in view, the footer says how to see it.
func TestFooterLeadsToThePanels(t *testing.T) {
	for name, want := range map[string]string{"main": "tab recipe", "two": "tab belief", "two-recipe": "tab handoffs", "lesson": "tab recipe", "lesson-recipe": "tab lesson"} {
		for _, w := range []int{80, 120} {
			lines := strings.Split(ansi.Strip(stage(scenes()[name](), w, 24, ThemeMono).drawn), "\n")
			last := lines[len(lines)-1]
			if strings.Contains(last, want) != (w < wideFrom) {
				t.Errorf("%s at width %d: %q", name, w, last)
			}
		}
	}
}
