package term

import (
	"iter"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Cut returns s if it fits into w cells, otherwise its beginning with an ellipsis.
func Cut(s string, w int) string {
	if w <= 0 {
		return ""
	}
	if len(s) <= w { // each cell takes at least one byte
		return s
	}
	if plain(s[:w+1]) {
		return s[:w-1] + "…"
	}
	return ansi.Truncate(s, w, "…")
}

// plain reports whether s is printable ASCII, which takes one cell for each byte.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// Wrap breaks s into lines for w cells: at blanks, and within a word only if the word is longer than a line.
func Wrap(s string, w int) (lines []string) {
	for _, line := range Lines(s, w) {
		if lines == nil {
			lines = make([]string, 0, len(s)/w+1)
		}
		lines = append(lines, line)
	}
	return lines
}

// Lines yields the lines of [Wrap] with their indices.
func Lines(s string, w int) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		if w <= 0 || s == "" {
			return
		}
		s := strings.TrimLeft(s, " ") // ansi.Wrap does not count leading blanks before a long word
		if plain(s) {
			wrapPlain(s, w, yield)
		} else {
			slices.All(wrapWide(s, w))(yield)
		}
	}
}

func wrapWide(s string, w int) []string {
	const noBreak = "\ue000" // stands for a hyphen; znode.Safe escapes U+E000
	s = ansi.Wrap(strings.ReplaceAll(s, "-", noBreak), w, "")
	return strings.Split(strings.ReplaceAll(s, noBreak, "-"), "\n")
}

// wrapPlain copies nothing: the lines are parts of s.
func wrapPlain(s string, w int, yield func(int, string) bool) {
	lines := 0
	from, end := 0, 0    // the line, without the blanks and the word after it
	blanks, word := 0, 0 // lengths of these blanks and this word
	for i := range len(s) {
		if s[i] == ' ' {
			if word > 0 {
				end, blanks, word = i, 0, 0
			}
			blanks++
			continue
		}
		if word == w { // too long for any line
			end, blanks, word = i, 0, 0
		}
		word++
		if end-from+blanks+word > w {
			if !yield(lines, s[from:end]) {
				return
			}
			lines++
			from, blanks = i+1-word, 0
			end = from
		}
	}
	if word > 0 || end-from+blanks <= w {
		end = len(s)
	}
	yield(lines, s[from:end])
}

func Blanks(n int) string { return strings.Repeat(" ", max(0, n)) }

// Fitted returns s in exactly w cells.
func Fitted(s string, w int) string {
	s = Cut(s, w)
	return s + Blanks(w-Width(s))
}

// TailOf shortens a path at its beginning, because the end distinguishes it.
func TailOf(path string, w int) string {
	n := Width(path)
	if n <= w || w < 2 {
		return Cut(path, w)
	}
	s := ansi.TruncateLeft(path, n-w+1, "…")
	if Width(s) > w { // a wide character lies across the cut
		s = ansi.TruncateLeft(path, n-w+2, "…")
	}
	return s
}

// MiddleOf shortens a path in the middle, because the beginning names the application. If w < 6, it is TailOf.
func MiddleOf(path string, w int) string {
	if Width(path) <= w || w < 6 {
		return TailOf(path, w)
	}
	head := ansi.Truncate(path, w/3, "")
	return head + TailOf(path, w-Width(head))
}

// Width returns the number of cells that s takes.
func Width(s string) int {
	if plain(s) {
		return len(s)
	}
	return ansi.StringWidth(s)
}

// Span is text in one style.
type Span struct {
	Style Style
	Text  string
	Keep  int // FitSpans first drops the span with the lowest Keep, and among equals the rightmost
}

func SpansWidth(spans []Span) int {
	n := 0
	for _, s := range spans {
		n += Width(s.Text)
	}
	return n
}

// FitSpans drops spans until the rest fits; a single span is cut.
func FitSpans(spans []Span, w int) []Span {
	spans = slices.Clone(spans)
	for len(spans) > 1 && SpansWidth(spans) > w {
		least := 0
		for i, s := range spans {
			if s.Keep <= spans[least].Keep {
				least = i
			}
		}
		spans = slices.Delete(spans, least, least+1)
	}
	if len(spans) == 1 {
		spans[0].Text = Cut(spans[0].Text, w)
	}
	return spans
}

// TrimSpans removes the blanks at the end of the last span.
func TrimSpans(spans []Span) []Span {
	if n := len(spans); n > 0 {
		spans[n-1].Text = strings.TrimRight(spans[n-1].Text, " ")
	}
	return spans
}

// AppendColumn appends a text in w cells and the blank before the next column.
func AppendColumn(to []Span, w int, st Style, text string) []Span {
	text = Cut(text, w)
	return append(to, Span{Style: st, Text: text}, Span{Style: Text, Text: Blanks(w + 1 - Width(text))})
}

// Fact is a name with a text. The text is wrapped.
type Fact struct {
	Name  string
	Style Style // of the text
	Text  string
	Label Style // of the name; zero: Muted
}

const factNameWidth = 12

// FactLines returns facts on lines of w cells.
func FactLines(w int, facts []Fact) [][]Span {
	inside := w - factNameWidth - 1
	lines := make([][]Span, 0, 2*len(facts))
	spans := make([]Span, 0, 3*cap(lines))
	for _, ft := range facts {
		if ft.Label == Text {
			ft.Label = Muted
		}
		if ft.Text == "" && Width(ft.Name) > factNameWidth {
			lines = append(lines, []Span{{Style: ft.Label, Text: Cut(ft.Name, w)}})
			continue
		}
		add := func(line string) {
			spans = append(AppendColumn(spans, factNameWidth, ft.Label, ft.Name), Span{Style: ft.Style, Text: line})
			lines, ft.Name = append(lines, slices.Clip(spans[len(spans)-3:])), ""
		}
		n := len(lines)
		for _, line := range Lines(ft.Text, inside) {
			add(line)
		}
		if len(lines) == n {
			add("")
		}
	}
	return lines
}
