package input

import "github.com/charmbracelet/bubbles/viewport"

// Scroll moves through a text.
func Scroll(v *viewport.Model, do Command) {
	v.SetYOffset(Moved(do, v.YOffset, v.TotalLineCount(), v.Height))
}

// Moved returns where at goes within 0 to last.
func Moved(do Command, at, last, page int) int {
	switch do {
	case cmdDown:
		at++
	case cmdUp:
		at--
	case CmdPageDown:
		at += max(1, page-1)
	case CmdPageUp:
		at -= max(1, page-1)
	case CmdTop:
		at = 0
	case cmdBottom:
		at = last
	}
	return max(0, min(at, last))
}
