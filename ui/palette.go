package ui

import (
	"cmp"

	tea "github.com/charmbracelet/bubbletea"

	"electop/ui/action"
	"electop/ui/input"
	"electop/ui/palette"
)

// openPalette opens the list of everything that can be done.
func (d *dashboard) openPalette() {
	d.modes.Open(input.ModePalette)
	d.filter.set("")
	d.palette.Open()
}

// paletteShown is what the list shows now.
func (d *dashboard) paletteShown() palette.Shown {
	return palette.Shown{All: d.entries(), Typed: d.filter.in.Value(), At: d.filter.in.Position()}
}

// entries are what can be done on the main screen: the actions, then what only changes the
// view, each in the order of the table of keys. Moving is for the keys alone.
func (d *dashboard) entries() []palette.Entry {
	var actions, views []palette.Entry
	modes := input.ModeNormal | d.modes.Below() // actions say at another moment why they can't
	if d.lesson() != nil {
		modes |= input.ModeTeach
	}
	listed := map[action.Kind]bool{}
	for _, b := range d.table {
		in := input.Mode(0)
		switch {
		case b.Kind != "" && b.Modes&input.ModeElections != 0:
			in = input.ModeElections
		case b.Modes&modes == 0 || !b.Do.Named() || b.Kind == "" && b.Modes&(d.modes.Below()|input.ModeTeach) == 0:
			continue
		}
		e := palette.Entry{Name: b.Help().Desc, Key: b.Help().Key, About: b.Long, Do: b.Do, Kind: b.Kind, Arg: b.Arg, In: in}
		if in != 0 {
			e.Key = "e " + e.Key
		}
		if b.Kind == "" {
			views = append(views, d.entry(e))
			continue
		}
		listed[b.Kind] = true
		actions = append(actions, d.entry(e))
	}
	if d.o.ObserveOnly {
		return append(actions, views...)
	}
	for _, kind := range action.Faults() {
		if !listed[kind] {
			actions = append(actions, d.entry(palette.Entry{Key: "X", Do: input.CmdAct, Kind: kind}))
		}
	}
	return append(actions, views...)
}

// entry completes an entry with what its action would do now.
func (d *dashboard) entry(e palette.Entry) palette.Entry {
	if e.Kind != "" {
		var a Action
		a, e.Why = d.action(e.Kind, e.Arg)
		words := action.WordsFor(a, "")
		e.Name, e.About = words.Verb, cmp.Or(e.About, words.Is)
	}
	e.About = cmp.Or(e.About, e.Name)
	return e
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
		d.filter.set(e.Name)
	}
}

// typing changes what is typed in the list.
func (d *dashboard) typing(msg tea.KeyMsg) {
	d.filter.edit(msg)
	d.palette.Narrow()
}
