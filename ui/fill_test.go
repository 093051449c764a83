package ui

import (
	"testing"

	"electop/ui/term"
)

// share is how many of the cells carry something besides the panels' borders.
func share(m Model) float64 {
	c, n := &m.d.canvas, 0
	for y := range c.H {
		for x := range c.W {
			cell, _ := c.Cell(x, y)
			if st := cell.Style &^ term.Selected; cell.Text != "" && cell.Text != " " && st != term.Border && st != term.Focus {
				n++
			}
		}
	}
	return float64(n) / float64(c.W*c.H)
}

// A large screen is used: so many of its cells carry something, in quiet scenes too.
func TestLargeScreensAreUsed(t *testing.T) {
	all := scenes()
	for _, c := range []struct {
		w, h  int
		least float64
	}{{160, 46, 0.20}, {200, 50, 0.16}, {300, 100, 0.06}} {
		for _, name := range []string{"main", "killed", "handoff", "verified", "slow", "stepping", "two", "lesson", "herd", "messages"} {
			if got := share(stage(all[name](), c.w, c.h, term.Dark)); got < c.least {
				t.Errorf("%s at %dx%d: %.1f %% of the cells carry something, want %.0f %%", name, c.w, c.h, 100*got, 100*c.least)
			} else {
				t.Logf("%s at %dx%d: %.1f %%", name, c.w, c.h, 100*got)
			}
		}
	}
}
