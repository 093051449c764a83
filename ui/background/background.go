// Package background keeps the program from asking the terminal for its
// background colour.
//
// Bubbletea asks in an init function and waits up to five seconds for an
// answer, which some terminals, pipes and recorders never give; even a command
// that only prints its version would wait. Lip Gloss asks once at most, and
// not at all when it was told. Go initialises packages whose imports are ready
// in the order of their paths, and this one's, which imports Lip Gloss only,
// sorts before Bubbletea's. So importing it anywhere in the program is enough.
package background

import "github.com/charmbracelet/lipgloss"

func init() { lipgloss.SetHasDarkBackground(true) }
