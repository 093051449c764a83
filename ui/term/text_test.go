package term

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A wrapped text keeps its letters, no line of it is too long, and only words
// that are longer than a line are broken.
func TestWrap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "bcd", "--x-y", " ", " ", "  ", "家", "é", "…", "/abc/def"}), 0, 20).Draw(t, "parts"), "")
		w := rapid.IntRange(2, 20).Draw(t, "w")
		lines := Wrap(s, w)
		for _, l := range lines {
			if Width(l) > w {
				t.Errorf("%q is wider than %d", l, w)
			}
		}
		if got := strings.Join(lines, ""); strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(s, " ", "") {
			t.Errorf("%q became %q", s, lines)
		}
		words := strings.Fields(strings.Join(lines, " "))
		for _, word := range strings.Fields(s) {
			if Width(word) <= w && !slices.Contains(words, word) {
				t.Errorf("%q is broken in %q", word, lines)
			}
		}
	})
}

// Plain text is wrapped as all text is.
func TestWrapPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := strings.TrimLeft(strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "bcd", "--x-y", " ", " ", "  ", "/abc/def"}), 1, 30).Draw(t, "parts"), ""), " ")
		w := rapid.IntRange(1, 20).Draw(t, "w")
		var got []string
		wrapPlain(s, w, func(i int, line string) bool {
			if i != len(got) {
				t.Fatalf("line %d has number %d", len(got), i)
			}
			got = append(got, line)
			return true
		})
		if want := wrapWide(s, w); !slices.Equal(got, want) {
			t.Errorf("%q in %d cells: %q, want %q", s, w, got, want)
		}
	})
}

// A path that is too long keeps its end.
func TestTailOf(t *testing.T) {
	for _, c := range []struct {
		path string
		w    int
		want string
	}{
		{"/a/long/path", 6, "…/path"}, {"/a/leader", 9, "/a/leader"}, {"/a/leader", 7, "…leader"}, {"/家/家", 5, "…/家"}, {"/家/家", 4, "…/家"}, {"/家/家", 3, "…家"}, {"/家/家a", 3, "…a"}, {"/a", 1, "…"}, {"/a", 0, ""},
	} {
		if got := TailOf(c.path, c.w); got != c.want {
			t.Errorf("%s in %d cells: %q, want %q", c.path, c.w, got, c.want)
		}
	}
}

// A path in a list keeps its beginning and its end.
func TestMiddleOf(t *testing.T) {
	for _, c := range []struct {
		path string
		w    int
		want string
	}{
		{"/apps/payments/one/election", 15, "/apps…/election"}, {"/apps/leader", 12, "/apps/leader"}, {"/apps/leader", 5, "…ader"}, {"/家家家家家/家", 9, "/家…家/家"},
	} {
		if got := MiddleOf(c.path, c.w); got != c.want {
			t.Errorf("%s in %d cells: %q, want %q", c.path, c.w, got, c.want)
		}
	}
}
