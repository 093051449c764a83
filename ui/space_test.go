package ui

import (
	"regexp"
	"strings"
	"testing"

	"electop/ui/input"
	"electop/ui/term"
)

// The help of the main screen begins with the keys of a first visit and the signs. The help of
// no mode has more than 80 lines.
func TestHelpIsShort(t *testing.T) {
	for _, width := range []int{80, 120, 200, 300} {
		for of := input.Mode(0); of < input.ModeLesson<<1; of = max(1, of<<1) {
			m := of
			if m == input.ModeLesson {
				m |= input.ModeNormal
			}
			got := input.HelpLines(input.Bindings(false), &term.NewTheme(term.Mono, plainRenderer()).Glyph, term.TextWidth(width, 160), m)
			if len(got) > 80 {
				t.Errorf("width %d: the help of modes %b has %d lines, want 80 at most", width, of, len(got))
			}
		}
	}
	for _, size := range [][2]int{{60, 20}, {120, 36}} {
		m := show(samples()["help"](), size[0], size[1], term.Mono)
		shows(t, m, "On a first visit", "Signs", "★    leads")
		for _, key := range []string{"x", "f", "s", "h", "L", "q"} {
			if !regexp.MustCompile(`(?m)│ ` + key + ` +[a-z]`).MatchString(screen(m)) {
				t.Errorf("%v: the help lacks key %s in view", size, key)
			}
		}
	}
	if m := show(samples()["help"](), 120, 36, term.Mono); !strings.Contains(screen(m), "Lanes") || !strings.Contains(screen(m), "On the main screen") {
		t.Errorf("the help has no second column:\n%s", screen(m))
	}
}

// In a recording no text speaks of a server.
func TestRecordingHasNoServer(t *testing.T) {
	server := regexp.MustCompile(`[^\n]*\bservers?\b[^\n]*`)
	for _, name := range []string{"replay", "replay-past"} {
		for _, k := range []string{"", "?", "enter", "!", "S", "v", "x", "s", "X", "L", "J", "e", "h", "[", ".", "w", "tab", "z", ":"} {
			m := show(samples()[name](), 120, 60, term.Mono)
			keys(m, k)
			if found := server.FindAllString(strings.ReplaceAll(screen(m), "S      servers ", ""), -1); found != nil {
				t.Errorf("%s, key %q: %q", name, k, found)
			}
		}
	}
}
