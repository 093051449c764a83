package term

import "slices"

// Fact is a line of a text in front of the panels: what, and how it is.
// Longer ones are wrapped.
type Fact struct {
	Name  string
	Style Style // of the text
	Text  string
	Label Style // of the name; Text stands for Muted
}

// factNames is the width of the names.
const factNames = 12

// FactLines are facts on lines of w cells.
func FactLines(w int, facts []Fact) [][]Span {
	inside := w - factNames - 1
	lines := make([][]Span, 0, 2*len(facts))
	spans := make([]Span, 0, 3*cap(lines)) // of all lines, in one piece
	for _, ft := range facts {
		if ft.Label == Text {
			ft.Label = Muted
		}
		if ft.Text == "" && Width(ft.Name) > factNames {
			lines = append(lines, []Span{{Style: ft.Label, Text: Cut(ft.Name, w)}})
			continue
		}
		add := func(line string) {
			spans = append(AppendColumn(spans, factNames, ft.Label, ft.Name), Span{Style: ft.Style, Text: line})
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
