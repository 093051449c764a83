package term

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
	"pgregory.net/rapid"
)

func rendererWith(p termenv.Profile) *lipgloss.Renderer {
	r := lipgloss.NewRenderer(new(bytes.Buffer))
	r.SetColorProfile(p)
	return r
}

func TestCanvasKeepsItsSize(t *testing.T) {
	th := NewTheme(Dark, rendererWith(termenv.TrueColor))
	rapid.Check(t, func(t *rapid.T) {
		var c Canvas
		c.Resize(rapid.IntRange(1, 20).Draw(t, "w"), rapid.IntRange(1, 4).Draw(t, "h"))
		texts := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"家", "a家b族c", "é", "e\u0301", "\x1b[2J", "👨‍👩‍👧", "ab", "　"}))
		for range rapid.IntRange(1, 12).Draw(t, "puts") {
			x, y := rapid.IntRange(-2, 22).Draw(t, "x"), rapid.IntRange(-2, 5).Draw(t, "y")
			c.Put(x, y, rapid.IntRange(-2, 30).Draw(t, "end"), Style(rapid.IntRange(0, int(styles)-1).Draw(t, "style")), texts.Draw(t, "text"))
		}
		lines := strings.Split(c.Render(th), "\n")
		if len(lines) != c.H {
			t.Fatalf("%d lines of %d", len(lines), c.H)
		}
		for _, line := range lines {
			if n := ansi.StringWidth(line); n > c.W {
				t.Fatalf("%d cells of %d: %q", n, c.W, line)
			}
			if hasControl(ansi.Strip(line)) {
				t.Fatalf("a control character in %q", line)
			}
		}
	})
}

func TestCanvasWide(t *testing.T) {
	th := NewTheme(Mono, rendererWith(termenv.Ascii))
	for _, c := range []struct {
		name string
		draw func(c *Canvas)
		want string
	}{
		{"whole", func(c *Canvas) { c.Put(0, 0, 6, 0, "a家b") }, "a家b"},
		{"no half", func(c *Canvas) { c.Put(0, 0, 2, 0, "a家b") }, "a"},
		{"left half replaced", func(c *Canvas) { c.Put(0, 0, 6, 0, "家族"); c.Put(0, 0, 6, 0, "x") }, "x 族"},
		{"right half replaced", func(c *Canvas) { c.Put(0, 0, 6, 0, "家族"); c.Put(1, 0, 6, 0, "x") }, " x族"},
		{"wide on wide", func(c *Canvas) { c.Put(0, 0, 6, 0, "家族"); c.Put(1, 0, 6, 0, "人") }, " 人"},
		{"controls", func(c *Canvas) { c.Put(0, 0, 6, 0, "a\x1b\x07\u009bb") }, "ab"},
	} {
		var cv Canvas
		cv.Resize(6, 1)
		c.draw(&cv)
		if got := cv.Render(th); strings.TrimRight(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// The shortcuts for plain letters, lines and blocks give the cells that the
// rules for all of Unicode give.
func TestShortcutsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "~", " ", "│", "─", "█", "░", "▶", "◂", "\u0301", "\ufe0f", "\u200d", "家", "é", "\xe2\x96", "\xe2", "☺"}), 0, 8).Draw(t, "parts"), "")
		if got, want := Width(s), ansi.StringWidth(s); got != want {
			t.Fatalf("%q is %d cells wide, want %d", s, got, want)
		}
		var c Canvas
		c.Resize(40, 1)
		x := c.Put(0, 0, 40, Text, s)
		var want []string
		for rest := s; rest != ""; {
			g, w := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
			rest = rest[len(g):]
			if w > 0 && !hasControl(g) {
				want = append(want, g)
				for range w - 1 {
					want = append(want, covered)
				}
			}
		}
		var got []string
		for i := range x {
			got = append(got, c.cells[i].Text)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q: cells %q, want %q", s, got, want)
		}
	})
}

// What is left of a panel's tail ends where its words end.
func TestBoxTail(t *testing.T) {
	th := NewTheme(Mono, rendererWith(termenv.Ascii))
	f := &Frame{Canvas: &Canvas{}, Theme: th}
	f.Resize(42, 3)
	f.Box(Rect{X: 0, W: 42, H: 3}, "Recipe", false, Span{Style: You, Text: "step by step", Keep: 9}, Span{Style: You, Text: ", 200 held   ", Keep: 8}, Span{Style: Trouble, Text: "herds"})
	if got := strings.SplitN(f.Render(th), "\n", 2)[0]; !strings.Contains(ansi.Strip(got), "step by step, 200 held ──╮") {
		t.Errorf("the title is %q", ansi.Strip(got))
	}
}
