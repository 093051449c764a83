package ui

import (
	"cmp"

	tea "github.com/charmbracelet/bubbletea"

	"electop/model/znode"
	"electop/ui/action"
	"electop/ui/input"
	"electop/ui/overlay"
	"electop/ui/rows"
	"electop/ui/term"
)

// openFaults opens the list of what can be done to the selected candidate. What was selected
// stays selected for the same one.
func (d *dashboard) openFaults() {
	of := d.candidates.Row().Ref()
	if of == (rows.Ref{}) {
		d.refuse("list faults", action.NoneSelected)
		return
	}
	if d.faultsOf != of {
		d.faults.Open()
	}
	d.faultsOf = of
	d.modes.Open(input.ModeFaults)
}

// entry completes an entry of a list with what its action would do now.
func (d *dashboard) entry(e overlay.Entry) overlay.Entry {
	if e.Kind != "" {
		var a action.Action
		a, e.Why = d.action(e.Kind, e.Arg)
		words := action.WordsFor(a, "")
		e.Do, e.Name, e.About, e.On = input.CmdAct, words.Verb, cmp.Or(e.About, words.Is), a.Arg == action.ArgOff
	}
	e.About = cmp.Or(e.About, e.Name)
	return e
}

// faultsShown is what the list of faults shows now.
func (d *dashboard) faultsShown() overlay.Shown {
	r := d.meant()
	x := overlay.Shown{Title: "Faults of " + r.Name(), Width: 84, Keys: 3, Names: 12}
	if r.Ref() == (rows.Ref{}) {
		x.Title = "Faults"
		x.Note = []term.Span{{Style: term.Trouble, Text: "This candidate is gone: its znode was deleted, and it is not electop's."}}
	}
	asked := action.Kind(d.course.View.Fault)
	if !d.lesson().Todo() {
		asked = ""
	}
	if to := rows.Member(d.shown(), d.course.Target()); asked != "" && to != nil && r.Member != to {
		asked = ""
		x.Note = []term.Span{{Style: term.Lead, Text: "The lesson is about " + znode.Safe(to.Name, rows.NameMax) + ": esc, and select it first."}}
	}
	for _, kind := range action.Faults() {
		e := d.entry(overlay.Entry{Kind: kind, Asked: kind == asked})
		a, _ := d.action(kind, "")
		e.More = action.WordsFor(a, "").Shows
		e.On = e.On || kind == action.LoseReply && r.Member != nil && r.Member.LosesReply
		for _, b := range d.table {
			if b.Kind == kind && b.Modes&input.ModeFaults != 0 {
				e.Key = b.Help().Key
			}
		}
		x.All = append(x.All, e)
	}
	return x
}

// actionsShown is what the list of actions shows now: what can be done on the main screen, the
// actions first, then what only changes the view, each in the order of the table of keys.
// Moving is for the keys alone.
func (d *dashboard) actionsShown() overlay.Shown {
	var actions, views []overlay.Entry
	below, teach := d.modes.Below(), input.Mode(0)
	if d.lesson() != nil {
		teach = input.ModeTeach
	}
	listed := map[action.Kind]bool{}
	for _, b := range d.table {
		e := overlay.Entry{Name: b.Help().Desc, Key: b.Help().Key, About: b.Long, Do: b.Do, Kind: b.Kind, Arg: b.Arg}
		switch {
		case b.Kind != "" && b.Modes&input.ModeElections != 0:
			e.In, e.Key = input.ModeElections, "e "+e.Key
		case !b.Do.Named():
			continue
		case b.Kind == "":
			if b.Modes&(below|teach) != 0 {
				views = append(views, d.entry(e))
			}
			continue
		case b.Modes&(input.ModeNormal|below|teach) == 0: // actions say at another moment why they can't
			continue
		}
		listed[b.Kind] = true
		actions = append(actions, d.entry(e))
	}
	for _, name := range d.o.Clusters {
		about := "leave these elections for those of cluster " + name
		views = append(views, overlay.Entry{Name: "cluster " + name, About: about, Do: input.CmdCluster, Arg: name})
	}
	for _, kind := range action.Faults() {
		if !d.o.ObserveOnly && !listed[kind] {
			actions = append(actions, d.entry(overlay.Entry{Key: "X", Kind: kind}))
		}
	}
	search := &overlay.Search{Typed: d.typed.Text(), At: d.typed.At()}
	return overlay.Shown{Title: "Actions", All: append(actions, views...), Search: search, Width: 92, Keys: 7, Names: 21}
}

// run does what is selected in a list, or says why it can't be done.
func (d *dashboard) run() tea.Cmd {
	list, ok := d.part().(*overlay.List)
	if !ok {
		return nil
	}
	e, ok := list.Selected()
	switch {
	case !ok:
		return nil
	case e.Do == input.CmdCluster:
		d.o.Turn(e.Arg)
		return tea.Quit
	case e.Kind == "":
		d.modes.Close()
		return d.command(e.Do, tea.KeyMsg{})
	}
	r := d.meant()
	a, why := d.action(e.Kind, e.Arg)
	if why == "" && d.modes.Now() == input.ModePalette {
		d.modes.Close() // what comes of it is to be seen
		if e.In != 0 {
			d.modes.Open(e.In)
		}
	}
	return d.try(a, why, r)
}
