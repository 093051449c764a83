package terminal

import "github.com/charmbracelet/x/term"

// Size is how many columns and rows the terminal has now, 0 if it does not say.
func (s *Screen) Size() (width, height int) {
	width, height, err := term.GetSize(s.out.Fd())
	if err != nil {
		return 0, 0
	}
	return width, height
}
