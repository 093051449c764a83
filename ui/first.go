package ui

import (
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// first writes the very first frame without waiting for the next tick of Bubbletea's
// renderer, up to 17 ms away. By then Bubbletea has taken over the terminal. On its first
// tick the renderer writes every line again, whatever is drawn meanwhile; after that it
// skips those that it believes are on the screen, so no later frame may be written here.
// A nil writer, or no frame, is nothing to do.
func first(out io.Writer, frame string) {
	if out == nil || frame == "" {
		return
	}
	// Bubbletea meets an error again when it writes the frame itself.
	_, _ = io.WriteString(out, ansi.CursorHomePosition+strings.ReplaceAll(frame, "\n", "\r\n"))
}
