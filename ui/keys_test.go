package ui

import (
	"slices"
	"strings"
	"testing"

	"electop/ui/input"
	"electop/ui/mainscreen"
	"electop/ui/term"
)

// The footer is made from the table.
func TestKeysAreInTheFooter(t *testing.T) {
	m := stage(scenes()["main"](), 300, 100, term.Mono)
	for _, b := range input.Bindings(false) {
		at := slices.Contains([]input.Command{input.CmdPanel, input.CmdZoom, input.CmdJoin}, b.Do) // they are shown at times
		if b.Foot > 0 && b.Modes&input.ModeNormal != 0 && b.Kind == "" && !at {
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
			if strings.Contains(last, want) != (w < mainscreen.WideFrom) {
				t.Errorf("%s at width %d: %q", name, w, last)
			}
		}
	}
}

// Help is about the place that one is in; ? again shows all, and again less.
func TestHelpIsAboutThePlace(t *testing.T) {
	for _, c := range []struct {
		scene, keys string
		says, not   []string
	}{
		{"main", "?", []string{"On the main screen", "Signs", "one more candidate", "all keys, signs and words"}, []string{"Choosing a fault", "while a lesson is on", "Back in time"}},
		{"main", "? ?", []string{"On the main screen", "Choosing a fault", "Back in time", "Words"}, nil},
		{"main", "? ? ?", []string{"On the main screen"}, []string{"Choosing a fault"}},
		{"main", "? ? esc ?", []string{"On the main screen"}, []string{"Choosing a fault"}},
		{"main", "X ?", []string{"Choosing a fault"}, []string{"On the main screen"}},
		{"lesson", "?", []string{"On the main screen, while a lesson is on", "go on; after the last part"}, []string{"Back in time"}},
		{"past", "?", []string{"Back in time", "to the event before", "Signs"}, []string{"On the main screen"}},
	} {
		m := stage(scenes()[c.scene](), 120, 250, term.Mono)
		keys(m, strings.Fields(c.keys)...)
		t.Run(c.scene+" "+c.keys, func(t *testing.T) {
			says(t, m, c.says...)
			saysNot(t, m, c.not...)
		})
	}
}

// A key that means nothing says so, once.
func TestUnknownKeysSaySo(t *testing.T) {
	for _, before := range []string{"", "enter", "!", "?", "X"} {
		m, _, _ := stagedWith(nil, ModeDemo)
		keys(m, strings.Fields(before)...)
		keys(m, "%")
		if got := statusLine(m); !strings.Contains(got, "% does nothing here: ? lists the keys") {
			t.Errorf("after %q: the status line says %q", before, got)
		}
		keys(m, "%")
		if got := statusLine(m); strings.Contains(got, "does nothing") {
			t.Errorf("after %q: again it says %q", before, got)
		}
	}
	m, _, _ := stagedWith(nil, ModeDemo)
	keys(m, "/", "%")
	if got := statusLine(m); strings.Contains(got, "does nothing") {
		t.Errorf("what is typed is no key: %q", got)
	}
}
