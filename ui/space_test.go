package ui

import (
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/muesli/termenv"

	"electop/ui/input"
	"electop/ui/term"
)

func TestLargeScreenIsUsed(t *testing.T) {
	for _, name := range []string{"main", "messages", "lesson", "two-leaders", "replay", "read-only"} {
		m := show(samples()[name](), 300, 100, term.Mono)
		used := 0
		for _, c := range screen(m) {
			if !unicode.IsSpace(c) {
				used++
			}
		}
		if 5*used < 300*100 {
			t.Errorf("%s: %.1f %% of the cells are used, want at least 20 %%:\n%s", name, float64(used)/300, screen(m))
		}
	}
}

func TestPanelBelowAShortListHasRoom(t *testing.T) {
	for _, c := range []struct {
		sample string
		shows  []string
	}{
		{"main", []string{"amber  ├", "birch ", "cedar ", "delta ", "ember ", "first"}},
		{"two-leaders", []string{"its worker: set 5 ✓ stale", "counter", "tokens"}},
		{"lesson-feedback", []string{"✓ amber's session expired", "✗ It was birch"}},
	} {
		m := show(samples()[c.sample](), 60, 20, term.Mono)
		shows(t, m, c.shows...)
	}
	shows(t, show(samples()["two-leaders"](), 100, 30, term.Mono), "prevents that.")
}

func TestWindowsAreReadable(t *testing.T) {
	word := regexp.MustCompile(`[^\s─│╭╮╰╯┤├┴╌█▓▒◂▸▴▵>]+`)
	for _, key := range []string{"?", "X", ":", "L", "J"} {
		sm := samples()["join"]()
		sm.o.Lessons, sm.keys = thirdLesson(questioning), nil
		for _, size := range [][2]int{{60, 20}, {80, 24}, {120, 36}, {200, 50}} {
			m := show(sm, size[0], size[1], term.Mono)
			before := lines(m)
			keys(m, key)
			after := lines(m)
			x, y, w := boxIn(after, front(m))
			if size[0] < 100 {
				if x != 0 || y != 1 || w != size[0] || !strings.HasPrefix(after[size[1]-3], "╰") {
					t.Errorf("%v: the window of key %s does not fill the screen between header and footer:\n%s", size, key, screen(m))
				}
				continue
			}
			for ; !strings.HasPrefix(string([]rune(after[y])[x:]), "╰"); y++ {
				now, was := []rune(after[y]), []rune(before[y])
				for _, side := range [2][2]int{{0, x}, {x + w, len(now)}} {
					text := string(now[side[0]:side[1]])
					for _, at := range word.FindAllStringIndex(text, -1) {
						from := side[0] + len([]rune(text[:at[0]]))
						to := side[0] + len([]rune(text[:at[1]]))
						if whole := word.FindString(string(was[from:])); whole != string(now[from:to]) || word.MatchString(string(was[from-1:from])) {
							t.Errorf("%v: beside the window of key %s: got part %q of the word %q", size, key, string(now[from:to]), whole)
						}
					}
				}
			}
		}
	}
	sm := samples()["killed"]()
	sm.o.Renderer = profileRenderer(termenv.TrueColor)
	m := show(sm, 120, 36, term.Dark)
	const coral = "38;2;240;113;92"
	before := strings.Count(strings.Join(strings.Split(m.View(), "\n")[1:8], ""), coral)
	keys(m, "X")
	if after := strings.Count(strings.Join(strings.Split(m.View(), "\n")[1:8], ""), coral); before == 0 || after > 0 {
		t.Errorf("alarm colour in lines 1 to 7: got it %d times with a window, %d times without; want none with, some without", after, before)
	}
}

func boxIn(all []string, title string) (x, y, w int) {
	for y, line := range all {
		if before, rest, ok := strings.Cut(line, "╭─ "+title); ok {
			inside, _, _ := strings.Cut(rest, "╮")
			return len([]rune(before)), y, 3 + len([]rune(title)) + len([]rune(inside)) + 1
		}
	}
	return 0, 0, 0
}

func TestHelpIsShort(t *testing.T) {
	for _, width := range []int{60, 80, 120, 200, 300} {
		for mode := input.Mode(0); mode < input.ModeLesson<<1; mode = max(1, mode<<1) {
			m := mode
			if m == input.ModeLesson {
				m |= input.ModeNormal
			}
			got := input.HelpLines(input.Bindings(false), &term.NewTheme(term.Mono, plainRenderer()).Glyph, term.TextWidth(width, 160), m, true)
			if len(got) > 80 {
				t.Errorf("width %d: the help of modes %b has %d lines, want 80 at most", width, mode, len(got))
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

func TestRecordingMentionsNoServer(t *testing.T) {
	server := regexp.MustCompile(`[^\n]*\bservers?\b[^\n]*`)
	for _, name := range []string{"replay", "replay-past"} {
		for _, k := range []string{"", "?", "enter", "!", "S", "v", "x", "s", "X", "L", "J", "e", "h", "[", ".", "w", "tab", "z", ":"} {
			m := show(samples()[name](), 120, 60, term.Mono)
			keys(m, k)
			if found := server.FindAllString(strings.ReplaceAll(screen(m), "S      servers ", ""), -1); found != nil {
				t.Errorf("%s, key %q: got lines %q, want none about a server", name, k, found)
			}
		}
	}
}
