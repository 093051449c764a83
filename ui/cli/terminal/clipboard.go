package terminal

import (
	"os"

	"github.com/charmbracelet/x/ansi"
)

// screenPart is how much GNU screen passes on at once.
const screenPart = 76

// Copy sends text to the terminal's clipboard (OSC 52), between two frames. A terminal
// does not say whether it took it.
func (s *Screen) Copy(text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.put([]byte(toClipboard(text, os.Getenv)))
	return err
}

// toClipboard is what sends text to the clipboard. tmux takes it itself where
// set-clipboard is on, or passes it on where allow-passthrough is; GNU screen only passes
// it on.
func toClipboard(text string, getenv func(string) string) string {
	seq := ansi.SetSystemClipboard(text)
	switch {
	case getenv("TMUX") != "":
		return seq + ansi.TmuxPassthrough(seq)
	case getenv("STY") != "":
		return ansi.ScreenPassthrough(seq, screenPart)
	}
	return seq
}
