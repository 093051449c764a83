package ui

import (
	"io"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"electop/model"
)

// At the start two frames do not wait for the next tick of Bubbletea's renderer, up to
// 17 ms away: the very first one, and the first with the election. On its tick the
// renderer writes the same lines in the same places. Ticks that come more often would
// cost half as much CPU again in a dashboard where nothing happens.

// showFirst draws and writes the first frame, if the terminal's size is known already.
// Bubbletea has taken over the terminal by then.
func (d *dashboard) showFirst() tea.Cmd {
	if d.o.Width == 0 || d.o.Height == 0 {
		return nil
	}
	tick := d.redraw()
	d.writeFrame()
	return tick
}

// showElection writes the first frame with the election, if this is it.
func (d *dashboard) showElection() {
	if d.seen || d.shown().Phase == model.Unseen {
		return
	}
	d.seen = true
	d.writeFrame()
}

// writeFrame writes the present frame.
func (d *dashboard) writeFrame() {
	if d.o.Output == nil || d.o.Width == 0 || d.drawn == "" {
		return
	}
	// Bubbletea meets an error again when it writes the frame itself.
	_, _ = io.WriteString(d.o.Output, ansi.CursorHomePosition+strings.ReplaceAll(d.drawn, "\n", "\r\n"))
}
