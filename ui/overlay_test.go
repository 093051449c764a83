package ui

import (
	"regexp"
	"strconv"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
)

// A text that is longer than the screen is read in pages, of which each begins
// with the last line of the one before, and lines.
func TestTextScrolls(t *testing.T) {
	m, _, _ := stagedWith(nil, ModeDemo)
	inView := regexp.MustCompile(`(\d+)-(\d+) of (\d+), j k scroll`)
	at := func() (first, last, all int) {
		t.Helper()
		found := inView.FindStringSubmatch(screen(m))
		if found == nil {
			t.Fatalf("not scrolled:\n%s", screen(m))
		}
		first, _ = strconv.Atoi(found[1])
		last, _ = strconv.Atoi(found[2])
		all, _ = strconv.Atoi(found[3])
		return first, last, all
	}
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	keys(m, "?")
	first, page, all := at()
	if first != 1 || page >= all {
		t.Fatalf("lines %d-%d of %d", first, page, all)
	}
	for last := page; last < all; {
		keys(m, "pgdown")
		f, l, _ := at()
		if f != last && l != all || l <= last {
			t.Fatalf("from line %d on to %d-%d of %d", last, f, l, all)
		}
		last = l
	}
	for _, c := range []struct {
		key         string
		first, last int
	}{{"j", all - page + 1, all}, {"k", all - page, all - 1}, {"home", 1, page}, {"up", 1, page}, {"down", 2, page + 1}, {"pgup", 1, page}, {"G", all - page + 1, all}} {
		keys(m, c.key)
		if f, l, _ := at(); f != c.first || l != c.last {
			t.Errorf("%s: lines %d-%d, want %d-%d", c.key, f, l, c.first, c.last)
		}
	}
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 34})
	if f, l, _ := at(); f != all-page-9 || l != all {
		t.Errorf("on a taller screen: lines %d-%d of %d", f, l, all)
	}
	keys(m, "esc", "?")
	if f, _, _ := at(); f != 1 {
		t.Errorf("opened again: from line %d on", f)
	}
}
