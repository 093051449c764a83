package term

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
	var lines [][]Span
	for _, ft := range facts {
		if ft.Label == Text {
			ft.Label = Muted
		}
		if ft.Text == "" && Width(ft.Name) > factNames {
			lines = append(lines, []Span{{Style: ft.Label, Text: Cut(ft.Name, w)}})
			continue
		}
		for i, line := range OrBlank(Wrap(ft.Text, inside)) {
			if i > 0 {
				ft.Name = ""
			}
			lines = append(lines, append(Column(factNames, ft.Label, ft.Name), Span{Style: ft.Style, Text: line}))
		}
	}
	return lines
}
