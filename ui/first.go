package ui

import (
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"electop/model"
)

// early writes two frames that do not wait for the next tick of Bubbletea's renderer, up
// to 17 ms away: the very first one, and the first with the election. On its tick the
// renderer writes the same lines in the same places. Ticks that come more often would
// cost half as much CPU again in a dashboard where nothing happens.
type early struct {
	out  io.Writer // nil: its size was not known at the start
	seen bool      // the election has been on the screen
}

// first writes the first frame, "" for none. Bubbletea has taken over the terminal by then.
func (e *early) first(frame string) {
	if e.out == nil || frame == "" {
		return
	}
	// Bubbletea meets an error again when it writes the frame itself.
	_, _ = io.WriteString(e.out, ansi.CursorHomePosition+strings.ReplaceAll(frame, "\n", "\r\n"))
}

// election writes the first frame with the election, if this is it.
func (e *early) election(frame string, known model.Phase) {
	if !e.seen && known != model.Unseen {
		e.seen = true
		e.first(frame)
	}
}
