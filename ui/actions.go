package ui

import (
	"cmp"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"electop/model"
	"electop/model/phrase"
	"electop/model/znode"
	"electop/ui/action"
	"electop/ui/input"
	"electop/ui/overlay"
	"electop/ui/term"
)

type question struct {
	text   string
	action action.Action
	row    model.Row
}

func (d *dashboard) situation() action.Situation {
	x := action.Situation{State: d.shown(), ObserveOnly: d.o.ObserveOnly, Ended: d.ended, Actions: d.o.Actions}
	if d.paused != nil {
		x.WhyPaused = d.past.refusal()
	}
	return x
}

func (d *dashboard) action(kind action.Kind, arg string) (a action.Action, refusal string) {
	return d.situation().Offer(kind, arg, d.target())
}

func (d *dashboard) act(kind action.Kind, arg string) tea.Cmd {
	a, why := d.action(kind, arg)
	return d.try(a, why, d.target())
}

func (d *dashboard) try(a action.Action, why string, r model.Row) tea.Cmd {
	if why != "" {
		d.refuse(action.WordsFor(a).Cant, why)
		return nil
	}
	if d.modes.Now() == input.ModeFaults {
		d.modes.Close() // the panels show the result
	}
	if d.o.Mode == ModeLive && r.Member != nil && r.Member.You && action.Of(a.Kind).Harms {
		d.question = &question{action.WordsFor(a).Verb + ": do this to electop's own candidate on a live cluster?", a, r}
		d.modes.Open(input.ModeDialog)
		return nil
	}
	return d.begin(a, r)
}

func (d *dashboard) refuse(what, why string) { d.report(term.Trouble, "Can't "+what+": "+why+".") }

func (d *dashboard) begin(a action.Action, r model.Row) tea.Cmd {
	if a.Kind == action.Verify {
		d.verifying = d.o.Now()
	}
	d.report(term.Muted, action.WordsFor(a).Begun)
	return d.doer.cmd(a, r.Name(), r.Ref())
}

func (d *dashboard) answer(yes bool) tea.Cmd {
	q := d.question
	d.question = nil
	d.modes.Close()
	if q == nil || !yes {
		d.report(term.Muted, "cancelled: nothing was changed")
		return nil
	}
	if why := d.situation().Refuses(q.action); why != "" { // the election may have changed meanwhile
		d.refuse(action.WordsFor(q.action).Cant, why)
		return nil
	}
	return d.begin(q.action, q.row)
}

func (d *dashboard) done(a action.Action, name string, of model.Ref, err error) {
	d.dirty = true
	if success, ok := errors.AsType[action.Success](err); ok {
		d.report(term.Good, znode.Safe(string(success), 0))
		return
	}
	if err != nil {
		switch a.Kind { // stop waiting for the result
		case action.Verify:
			if i := d.at(a.Election); i >= 0 {
				d.views[i].verifying = time.Time{}
			}
		case action.Open:
			if d.opening == a.Target {
				d.opening = ""
			}
		}
		what := action.WordsFor(a).Cant
		if a.Target != "" {
			what += " " + name
		}
		d.refuse(what, znode.Safe(err.Error(), 0))
		return
	}
	switch a.Kind {
	case action.Refresh:
		d.reread.of, d.reread.at = of, d.o.Now()
	case action.Open:
		d.showOpened(a.Target)
	case action.Pause, action.Listing:
	default:
		d.report(term.Good, strings.ReplaceAll(d.shown().Words(action.WordsFor(a).Done), "{name}", name))
		if action.Of(a.Kind).OfCandidate {
			d.messageAbout = of.Znode
		}
	}
}

func (d *dashboard) openFaults() {
	of := d.candidates.Row().Ref()
	if of == (model.Ref{}) {
		d.refuse("list faults", action.NoneSelected)
		return
	}
	if d.faultsOf != of {
		d.faults.Open()
	}
	d.faultsOf = of
	d.modes.Open(input.ModeFaults)
}

func (d *dashboard) entry(e overlay.Entry) overlay.Entry {
	if e.Kind != "" {
		var a action.Action
		a, e.Why = d.action(e.Kind, e.Arg)
		words := action.WordsFor(a)
		e.Do, e.Name, e.About, e.On = input.CmdAct, words.Verb, cmp.Or(e.About, words.Is), a.Arg == action.ArgOff
	}
	e.About = cmp.Or(e.About, e.Name)
	return e
}

func (d *dashboard) faultsShown() overlay.Shown {
	r := d.target()
	x := overlay.Shown{Title: "Faults of " + r.Name(), Width: 84, Keys: 3, Names: 12}
	if r.Ref() == (model.Ref{}) {
		x.Title = "Faults"
		x.Note = []term.Span{{Style: term.Trouble, Text: "This " + phrase.RoleOf(d.shown()).One + " is gone."}}
	}
	required := action.Kind(d.lessons.View.Fault)
	if !d.lesson().Todo() {
		required = ""
	}
	if to := d.shown().MemberByID(d.lessons.Target()); required != "" && to != nil && r.Member != to {
		required = ""
		x.Note = []term.Span{{Style: term.Lead, Text: "Press esc and select " + znode.Safe(to.Name, znode.NameMax) + " first: this step is about it."}}
	}
	for _, kind := range action.Faults() {
		e := d.entry(overlay.Entry{Kind: kind, Required: kind == required})
		a, _ := d.action(kind, "")
		e.More = map[bool]string{false: d.shown().Words(action.WordsFor(a).Shows)}[d.shown().Roleless()] // Shows is about leaders
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

func (d *dashboard) actionsShown() overlay.Shown {
	var actions, views []overlay.Entry
	here := d.withLesson(d.modes.Below())
	listed, recorded := map[action.Kind]bool{}, d.past.recording() != nil
	for _, b := range d.table {
		e := overlay.Entry{Name: b.Help().Desc, Key: b.Help().Key, About: b.Long, Do: b.Do, Kind: b.Kind, Arg: b.Arg}
		switch {
		case b.Kind != "" && recorded:
			continue
		case b.Kind != "" && b.Modes&input.ModeElections != 0:
			e.In, e.Key = input.ModeElections, "e "+e.Key
		case !b.Do.Named():
			continue
		case b.Kind == "":
			if b.Modes&here != 0 {
				views = append(views, d.entry(e))
			}
			continue
		case b.Modes&(input.ModeNormal|here) == 0: // during time travel the list also has the refused actions
			continue
		}
		listed[b.Kind] = true
		actions = append(actions, d.entry(e))
	}
	for _, name := range d.o.Clusters {
		about := "watch the elections of cluster " + name + " instead of these"
		views = append(views, overlay.Entry{Name: "cluster " + name, About: about, Do: input.CmdCluster, Arg: name})
	}
	for _, kind := range action.Faults() {
		if !d.o.ObserveOnly && !recorded && !listed[kind] {
			actions = append(actions, d.entry(overlay.Entry{Key: "X", Kind: kind}))
		}
	}
	return overlay.Shown{Title: "Actions", All: append(actions, views...), Search: &d.typed, Width: 92, Keys: 7, Names: 21}
}

func (d *dashboard) run() tea.Cmd {
	list, ok := d.window().(*overlay.List)
	if !ok {
		return nil
	}
	e, ok := list.Selected()
	switch {
	case !ok:
		return nil
	case e.Do == input.CmdCluster:
		d.o.SwitchCluster(e.Arg)
		return tea.Quit
	case e.Kind == "":
		d.modes.Close()
		return d.command(e.Do, tea.KeyMsg{})
	}
	r := d.target()
	a, why := d.action(e.Kind, e.Arg)
	if why == "" && d.modes.Now() == input.ModePalette {
		d.modes.Close() // the panels show the result
		if e.In != 0 {
			d.modes.Open(e.In)
		}
	}
	return d.try(a, why, r)
}

const clipboardMax = 56_000 // bytes, 75 kB in base64: some terminals ignore a longer OSC 52 sequence

func (d *dashboard) copyPath() tea.Cmd {
	path, err := d.selectedPath()
	if err == nil && d.o.Clipboard == nil {
		err = errors.New("there is no terminal to send it to")
	}
	if err != nil {
		d.refuse("copy the path", err.Error())
		return nil
	}
	return d.doer.copy(znode.Safe(path, clipboardMax/utf8.UTFMax), d.o.Clipboard)
}

func (d *dashboard) selectedPath() (string, error) {
	if d.modes.Front() == input.ModeElections {
		if e := d.elections.Row(); e != nil {
			return e.Path, nil
		}
		return "", errors.New("no election is selected. j and k select one")
	}
	switch r := d.candidates.Row(); {
	case r.Candidate != nil:
		return znode.Join(d.shown().Path, r.Candidate.Name), nil
	case r.Member != nil:
		return "", errors.New(r.Name() + " has no znode")
	}
	return "", errors.New(action.NoneSelected)
}
