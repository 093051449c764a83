package ui

import (
	"electop/ui/input"
	"electop/ui/term"
	"strings"
	"testing"
)

// The footer is made from the table.
func TestKeysAreInTheFooter(t *testing.T) {
	m := stage(scenes()["main"](), 300, 100, term.Mono)
	for _, b := range input.Bindings(false) {
		if b.Foot > 0 && b.Modes&input.ModeNormal != 0 && b.Kind == "" && b.Do != input.CmdNext { // with one election there is no next
			if !strings.Contains(footerLine(m), b.Help().Key+" "+b.Help().Desc) {
				t.Errorf("the footer lacks %s", b.Help().Key)
			}
		}
	}
}

func TestFooterGivesWay(t *testing.T) {
	for _, w := range []int{60, 80, 100, 120} {
		last := footerLine(stage(scenes()["crowd"](), w, 30, term.Mono)) // nothing can be done here
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
			last := footerLine(stage(scenes()[name](), w, 24, term.Mono))
			if strings.Contains(last, want) != (w < wideFrom) {
				t.Errorf("%s at width %d: %q", name, w, last)
			}
		}
	}
}
