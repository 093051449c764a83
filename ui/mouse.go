package ui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"electop/model"
	"electop/ui/input"
	"electop/ui/leadership"
	"electop/ui/mainscreen"
	"electop/ui/overlay"
	"electop/ui/term"
)

const wheelLines = 3 // lines that one notch of the wheel scrolls; in a list, a notch moves the selection by one row

// mouse handles m, whose position refers to the last frame.
func (d *dashboard) mouse(m tea.MouseEvent) tea.Cmd {
	if m.Action == tea.MouseActionMotion && d.dragging {
		return d.drag(m.X, m.Y)
	}
	d.dragging = false
	switch {
	case m.Action != tea.MouseActionPress || d.screen.At.Header.Empty():
		return nil
	case m.Button == tea.MouseButtonWheelUp:
		d.wheel(m.X, m.Y, input.CmdUp)
	case m.Button == tea.MouseButtonWheelDown:
		d.wheel(m.X, m.Y, input.CmdDown)
	case m.Button == tea.MouseButtonLeft:
		d.dirty = true
		return d.click(m.X, m.Y)
	}
	return nil
}

func (d *dashboard) wheel(x, y int, do input.Command) {
	mode, front := d.modes.Now(), d.window()
	at, found := d.screen.At.PanelAt(x, y)
	_, text := front.(*overlay.Panel)
	switch {
	case mode == input.ModeDialog || mode == input.ModeFilter:
		return
	case text:
		for range wheelLines {
			front.Move(do)
		}
	case front != nil:
		front.Move(do)
	case !found:
		return
	case d.screen.Wheel(at, do, wheelLines):
		d.past.keepSelection()
	}
	d.dirty = true
}

func (d *dashboard) click(x, y int) tea.Cmd {
	spot := d.canvas.SpotAt(x, y)
	if k, ok := spot.(*input.FootKey); ok {
		d.message = mainscreen.Message{}
		if k.Do == input.CmdAnswer {
			d.report(term.Muted, "press the number of the answer")
			return nil
		}
		return d.bound(k.Binding, tea.KeyMsg{})
	}
	switch d.modes.Now() {
	case input.ModeDialog:
		return nil
	case input.ModeFilter:
		d.modes.Close() // the filter stays
	}
	front := d.window()
	if front == nil {
		return d.clickPanel(x, y, spot)
	}
	if !front.Click(spot) {
		return nil
	}
	return d.oneKey(tea.KeyMsg{Type: tea.KeyEnter})
}

func (d *dashboard) clickPanel(x, y int, spot any) tea.Cmd {
	at, found := d.screen.At.PanelAt(x, y)
	if !found {
		return nil
	}
	d.screen.FocusOn(at)
	switch spot := spot.(type) {
	case model.Ref:
		again := d.candidates.Row().Ref() == spot
		d.candidates.Select(spot)
		d.past.keepSelection()
		if again {
			return d.oneKey(tea.KeyMsg{Type: tea.KeyEnter})
		}
	case leadership.TimeSpot:
		d.dragging = true
		return d.travelled(d.past.goTo(time.Time(spot)))
	}
	return nil
}

func (d *dashboard) drag(x, y int) tea.Cmd {
	at, ok := d.canvas.SpotAt(x, y).(leadership.TimeSpot)
	if !ok || !d.modes.Now().Main() {
		return nil
	}
	d.dirty = true
	return d.travelled(d.past.goTo(time.Time(at)))
}
