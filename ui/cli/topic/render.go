package topic

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"electop/ui/plain"
)

const (
	columns   = 80
	columnMax = 30 // of a table, except the last
)

// render turns the Markdown of the topics into plain text: headings, paragraphs,
// lists, indented code and tables.
func render(markdown string) string {
	var out strings.Builder
	lines := strings.Split(markdown, "\n")
	for i := 0; i < len(lines); {
		line := lines[i]
		next := i + 1
		block := func(in func(string) bool) []string {
			for next < len(lines) && in(lines[next]) {
				next++
			}
			return lines[i:next]
		}
		switch {
		case line == "":
		case strings.HasPrefix(line, "#"):
			out.WriteString(strings.ToUpper(unmarked(strings.TrimLeft(line, "# "))) + "\n")
		case isCode(line):
			out.WriteString(strings.Join(block(isCode), "\n") + "\n")
		case isTable(line):
			renderTable(&out, block(isTable))
		case strings.HasPrefix(line, "- "):
			item := block(func(s string) bool { return isProse(s) || isContinued(s) })
			out.WriteString(wrap("- ", unmarked(strings.TrimPrefix(strings.Join(item, " "), "- "))))
		default:
			out.WriteString(wrap("", unmarked(strings.Join(block(isProse), " "))))
		}
		if next < len(lines) && lines[next] == "" && line != "" && strings.TrimSpace(strings.Join(lines[next:], "")) != "" {
			out.WriteByte('\n')
		}
		i = next
	}
	return out.String()
}

func isCode(s string) bool      { return strings.HasPrefix(s, "    ") }
func isTable(s string) bool     { return strings.HasPrefix(s, "|") }
func isContinued(s string) bool { return strings.HasPrefix(s, "  ") && !isCode(s) }
func isProse(s string) bool {
	return s != "" && !isCode(s) && !isTable(s) && !strings.HasPrefix(s, "#") && !strings.HasPrefix(s, "- ")
}

// unmarked is text without the marks of code.
func unmarked(s string) string { return strings.ReplaceAll(s, "`", "") }

// wrap writes s behind first, and its further lines below s.
func wrap(first, s string) string {
	at := ansi.StringWidth(first)
	return first + strings.Join(plain.Wrap(s, columns-at), "\n"+strings.Repeat(" ", at)) + "\n"
}

// renderTable writes the rows in columns. The last column is wrapped; a cell that is
// too wide for another column has a line of its own.
func renderTable(out *strings.Builder, lines []string) {
	var rows [][]string
	for i, line := range lines {
		if i == 1 { // under the header
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(unmarked(cells[i]))
		}
		rows = append(rows, cells)
	}
	wide := make([]int, len(rows[0]))
	for _, cells := range rows {
		for i, cell := range cells[:len(cells)-1] {
			if w := ansi.StringWidth(cell); w <= columnMax {
				wide[i] = max(wide[i], w)
			}
		}
	}
	for _, cells := range rows {
		line, at := "", 0
		for i, cell := range cells[:len(cells)-1] {
			line += cell
			at += wide[i] + 2
			if gap := at - ansi.StringWidth(line); gap >= 2 {
				line += strings.Repeat(" ", gap)
			} else {
				out.WriteString(line + "\n")
				line = strings.Repeat(" ", at)
			}
		}
		out.WriteString(wrap(line, cells[len(cells)-1]))
	}
}
