package plain

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"electop/model/phrase"
)

// listMax is how many znodes or sessions are written out for people.
const listMax = 8

func safeList(items []string) string { return phrase.Names(items, listMax) }

// Wrap breaks safe text at spaces only, into lines of at most width cells. A
// longer word stays whole: it may be a path to copy.
func Wrap(s string, width int) (lines []string) {
	for _, word := range strings.Fields(s) {
		if n := len(lines) - 1; n >= 0 && ansi.StringWidth(lines[n])+1+ansi.StringWidth(word) <= width {
			lines[n] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}
