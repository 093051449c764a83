package term

import "strings"

// Span is text in one style.
type Span struct {
	Style Style
	Text  string
	// Keep orders the spans if a line is too short: the lowest is dropped first, of
	// equal ones the rightmost.
	Keep int
}

func SpansWidth(spans []Span) int {
	n := 0
	for _, s := range spans {
		n += Width(s.Text)
	}
	return n
}

// FitSpans drops spans until the rest fits into w cells. The last one is cut.
func FitSpans(spans []Span, w int) []Span {
	spans = append([]Span(nil), spans...)
	for len(spans) > 1 && SpansWidth(spans) > w {
		least := len(spans) - 1
		for i := len(spans) - 1; i >= 0; i-- {
			if spans[i].Keep < spans[least].Keep {
				least = i
			}
		}
		spans = append(spans[:least], spans[least+1:]...)
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

// AppendColumn appends a text in w cells and a blank, before the next column.
func AppendColumn(to []Span, w int, st Style, text string) []Span {
	text = Cut(text, w)
	return append(to, Span{Style: st, Text: text}, Span{Style: Text, Text: Blanks(w + 1 - Width(text))})
}
