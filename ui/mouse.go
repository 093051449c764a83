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

// wheelLines is how far a notch of the wheel scrolls a text; a selection it moves by one.
const wheelLines = 3

// mouse handles the wheel and clicks of the left button. What is at a place is what the
// last frame has there.
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

// wheel scrolls the panel at (x, y), or what is in front of all.
func (d *dashboard) wheel(x, y int, do input.Command) {
	mode, front := d.modes.Now(), d.part()
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
		d.past.chose()
	}
	d.dirty = true
}

// click does what a click at (x, y) means: a key of the footer is pressed, a row selected,
// or, where it is selected, opened as enter does, and a panel gets the focus. What is
// behind something else is not clicked.
func (d *dashboard) click(x, y int) tea.Cmd {
	spot := d.canvas.SpotAt(x, y)
	if k, ok := spot.(*input.FootKey); ok { // of one that stands for two, what the table has there
		d.message = mainscreen.Message{}
		if k.Do == input.CmdAnswer {
			d.say(term.Muted, "press the number of the answer")
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
	p := d.part()
	if p == nil {
		return d.clickPanel(x, y, spot)
	}
	if !p.Click(spot) {
		return nil
	}
	return d.oneKey(tea.KeyMsg{Type: tea.KeyEnter})
}

// clickPanel is a click on the main screen.
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
		d.past.chose()
		if again {
			return d.oneKey(tea.KeyMsg{Type: tea.KeyEnter})
		}
	case leadership.Moment:
		d.dragging = true
		return d.moved(d.past.goTo(time.Time(spot)))
	}
	return nil
}

// drag moves the playhead with the pointer, also beside the time line.
func (d *dashboard) drag(x, y int) tea.Cmd {
	at, ok := d.canvas.SpotAt(x, y).(leadership.Moment)
	if !ok || !d.modes.Now().Main() {
		return nil
	}
	d.dirty = true
	return d.moved(d.past.goTo(time.Time(at)))
}
