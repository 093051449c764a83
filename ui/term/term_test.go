package term

import (
	"bytes"
	"regexp"
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
			t.Fatalf("got %d lines, want %d", len(lines), c.H)
		}
		for _, line := range lines {
			if n := ansi.StringWidth(line); n > c.W {
				t.Fatalf("got a line of %d cells, want at most %d: %q", n, c.W, line)
			}
			if hasControl(ansi.Strip(line)) {
				t.Fatalf("got a control character in %q, want none", line)
			}
		}
	})
}

func TestWideCharacters(t *testing.T) {
	th := NewTheme(Mono, rendererWith(termenv.Ascii))
	for _, c := range []struct {
		name string
		draw func(c *Canvas)
		want string
	}{
		{"whole", func(c *Canvas) { c.Put(0, 0, 6, 0, "a家b") }, "a家b"},
		{"no half character", func(c *Canvas) { c.Put(0, 0, 2, 0, "a家b") }, "a"},
		{"left half replaced", func(c *Canvas) { c.Put(0, 0, 6, 0, "家族"); c.Put(0, 0, 6, 0, "x") }, "x 族"},
		{"right half replaced", func(c *Canvas) { c.Put(0, 0, 6, 0, "家族"); c.Put(1, 0, 6, 0, "x") }, " x族"},
		{"wide on wide", func(c *Canvas) { c.Put(0, 0, 6, 0, "家族"); c.Put(1, 0, 6, 0, "人") }, " 人"},
		{"controls", func(c *Canvas) { c.Put(0, 0, 6, 0, "a\x1b\x07\u009bb") }, "ab"},
	} {
		var cv Canvas
		cv.Resize(6, 1)
		c.draw(&cv)
		if got := cv.Render(th); strings.TrimRight(got, " ") != c.want {
			t.Errorf("%s: got line %q, want %q", c.name, got, c.want)
		}
	}
}

func TestWidthAndPutFollowGraphemeClusters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "~", " ", "│", "─", "█", "░", "▶", "◂", "\u0301", "\ufe0f", "\u200d", "家", "é", "\xe2\x96", "\xe2", "☺"}), 0, 8).Draw(t, "parts"), "")
		if got, want := Width(s), ansi.StringWidth(s); got != want {
			t.Fatalf("%q: got width %d, want %d", s, got, want)
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
			t.Fatalf("%q: got cells %q, want %q", s, got, want)
		}
	})
}

func TestBoxTail(t *testing.T) {
	th := NewTheme(Mono, rendererWith(termenv.Ascii))
	f := &Frame{Canvas: &Canvas{}, Theme: th}
	f.Resize(42, 3)
	f.Box(Rect{X: 0, W: 42, H: 3}, "Recipe", false, Span{Style: You, Text: "step by step", Keep: 9}, Span{Style: You, Text: ", 200 held   ", Keep: 8}, Span{Style: Trouble, Text: "herds"})
	if got := strings.SplitN(f.Render(th), "\n", 2)[0]; !strings.Contains(ansi.Strip(got), "step by step, 200 held ──╮") {
		t.Errorf("got top line %q, want the tail without its last span", ansi.Strip(got))
	}
}

func TestWrap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "bcd", "--x-y", " ", " ", "  ", "家", "é", "…", "/abc/def"}), 0, 20).Draw(t, "parts"), "")
		w := rapid.IntRange(2, 20).Draw(t, "w")
		lines := Wrap(s, w)
		for _, l := range lines {
			if Width(l) > w {
				t.Errorf("got line %q, want at most %d cells", l, w)
			}
		}
		if got := strings.Join(lines, ""); strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(s, " ", "") {
			t.Errorf("got lines %q of %q, want the same letters", lines, s)
		}
		words := strings.Fields(strings.Join(lines, " "))
		for _, word := range strings.Fields(s) {
			if Width(word) <= w && !slices.Contains(words, word) {
				t.Errorf("got lines %q, want the word %q in one line", lines, word)
			}
		}
	})
}

func TestWrapPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := strings.TrimLeft(strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "bcd", "--x-y", " ", " ", "  ", "/abc/def"}), 1, 30).Draw(t, "parts"), ""), " ")
		w := rapid.IntRange(1, 20).Draw(t, "w")
		var got []string
		wrapPlain(s, w, func(i int, line string) bool {
			if i != len(got) {
				t.Fatalf("got number %d for line %d", i, len(got))
			}
			got = append(got, line)
			return true
		})
		if want := wrapWide(s, w); !slices.Equal(got, want) {
			t.Errorf("%q in %d cells: got lines %q, want %q", s, w, got, want)
		}
	})
}

func TestTailOf(t *testing.T) {
	for _, c := range []struct {
		path string
		w    int
		want string
	}{
		{"/a/long/path", 6, "…/path"}, {"/a/leader", 9, "/a/leader"}, {"/a/leader", 7, "…leader"}, {"/家/家", 5, "…/家"}, {"/家/家", 4, "…/家"}, {"/家/家", 3, "…家"}, {"/家/家a", 3, "…a"}, {"/a", 1, "…"}, {"/a", 0, ""},
	} {
		if got := TailOf(c.path, c.w); got != c.want {
			t.Errorf("%s in %d cells: got %q, want %q", c.path, c.w, got, c.want)
		}
	}
}

func TestMiddleOf(t *testing.T) {
	for _, c := range []struct {
		path string
		w    int
		want string
	}{
		{"/apps/payments/one/election", 15, "/apps…/election"}, {"/apps/leader", 12, "/apps/leader"}, {"/apps/leader", 5, "…ader"}, {"/家家家家家/家", 9, "/家…家/家"},
	} {
		if got := MiddleOf(c.path, c.w); got != c.want {
			t.Errorf("%s in %d cells: got %q, want %q", c.path, c.w, got, c.want)
		}
	}
}

func TestResolveTheme(t *testing.T) {
	for _, c := range []struct{ name, noColor, fgbg, want string }{
		{"", "", "", Dark},
		{Auto, "1", "0;15", Mono},
		{Auto, "", "0;15", Light},
		{Auto, "", "0;default;7", Light},
		{Auto, "", "15;0", Dark},
		{Auto, "", "15;8", Dark},
		{Auto, "", "nonsense", Dark},
		{Light, "1", "15;0", Light},
		{"typo", "", "", Dark},
	} {
		env := func(k string) string { return map[string]string{"NO_COLOR": c.noColor, "COLORFGBG": c.fgbg}[k] }
		if got := ResolveTheme(c.name, env); got != c.want {
			t.Errorf("theme %q with NO_COLOR=%q COLORFGBG=%q: got %s, want %s", c.name, c.noColor, c.fgbg, got, c.want)
		}
	}
}

func TestThemesDistinguishStyles(t *testing.T) {
	for _, name := range []string{Dark, Light, Mono} {
		for _, p := range []termenv.Profile{termenv.TrueColor, termenv.ANSI256, termenv.ANSI, termenv.Ascii} {
			th := NewTheme(name, rendererWith(p))
			for _, pair := range [][2]Style{{Text, Text | Selected}, {Text, Badge}, {Text, Alarm}, {Text, Lead}, {Muted, Key}} {
				if th.codes[pair[0]] == th.codes[pair[1]] {
					t.Errorf("%s on %s: styles %d and %d are both %q", name, p.Name(), pair[0], pair[1], th.codes[pair[0]])
				}
			}
			if name == Mono {
				for st, seq := range th.codes {
					if regexp.MustCompile(`[34][0-9]`).MatchString(seq) {
						t.Errorf("theme mono has a colour: style %d is %q", st, seq)
					}
				}
			}
		}
	}
}

// TestHeatIsGreen checks that the heat colours differ from coral, the colour of Trouble and Alarm.
func TestHeatIsGreen(t *testing.T) {
	for _, p := range []palette{dark, light} {
		for _, c := range p.heat {
			if r, g, b := c.rich[1:3], c.rich[3:5], c.rich[5:7]; g <= r || g <= b {
				t.Errorf("got the heat %s, want more green than red and blue", c.rich)
			}
		}
	}
}
