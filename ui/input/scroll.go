package input

// Moved returns where at goes within 0 to last.
func Moved(do Command, at, last, page int) int {
	switch do {
	case CmdDown:
		at++
	case CmdUp:
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
