package ui

import (
	tea "github.com/charmbracelet/bubbletea"

	"electop/ui/input"
	"electop/ui/palette"
)

// openPalette opens the list of everything that can be done.
func (d *dashboard) openPalette() {
	d.modes.Open(input.ModePalette)
	d.typed.Set("")
	d.palette.Open()
}

// paletteShown is what the list shows now.
func (d *dashboard) paletteShown() palette.Shown {
	k := palette.Keys{Table: d.table, Below: d.modes.Below(), Lesson: d.lesson() != nil, ReadOnly: d.o.ObserveOnly, Action: d.action}
	return palette.Shown{All: k.Entries(), Typed: d.typed.Text(), At: d.typed.At()}
}

// run does what is selected in the list, or says why it can't be done.
func (d *dashboard) run() tea.Cmd {
	e, ok := d.palette.Selected()
	switch {
	case !ok:
		return nil
	case e.Kind == "":
		d.modes.Close()
		return d.command(e.Do, tea.KeyMsg{})
	}
	a, why := d.action(e.Kind, e.Arg)
	if why == "" {
		d.modes.Close() // what comes of it is to be seen
		if e.In != 0 {
			d.modes.Open(e.In)
		}
	}
	return d.try(a, why, d.meant(e.Kind))
}

// complete types the name of what is selected.
func (d *dashboard) complete() {
	if e, ok := d.palette.Selected(); ok {
		d.typed.Set(e.Name)
	}
}

// typing changes what is typed in the list.
func (d *dashboard) typing(msg tea.KeyMsg) {
	d.typed.Edit(msg)
	d.palette.Narrow()
}
