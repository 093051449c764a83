package ui

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"electop/model"
	"electop/model/znode"
	"electop/ui/action"
	"electop/ui/input"
	"electop/ui/mainscreen"
	"electop/ui/term"
)

func (d *dashboard) oneKey(msg tea.KeyMsg) tea.Cmd {
	d.message = mainscreen.Message{}
	mode := d.withLesson(d.modes.Now())
	b, ok := input.Lookup(d.table, mode, msg.String())
	switch {
	case ok:
		return d.bound(b, msg)
	case mode.Main() && d.refuseKey(msg.String()):
	case mode == input.ModePalette || mode == input.ModeFilter:
		d.edit(msg)
	case d.question == nil:
		d.unknownKey(msg)
	}
	return nil
}

func (d *dashboard) bound(b input.Binding, msg tea.KeyMsg) tea.Cmd {
	switch {
	case b.Kind != "":
		return d.act(b.Kind, b.Arg)
	case d.modes.Now().Main() && msg.Type == tea.KeyEsc && d.screen.Closes():
		d.screen.Close()
		return nil
	}
	return d.command(b.Do, msg)
}

func (d *dashboard) command(do input.Command, msg tea.KeyMsg) tea.Cmd {
	switch do {
	case input.CmdQuit:
		return tea.Quit
	case input.CmdSuspend:
		return tea.Suspend
	case input.CmdFaults:
		d.openFaults()
	case input.CmdLive, input.CmdPause, input.CmdPlay, input.CmdEarlier, input.CmdLater, input.CmdStepOn,
		input.CmdHandBack, input.CmdHandOn, input.CmdEarliest, input.CmdLatest:
		if do == input.CmdLive && !d.past.journey.On && msg.Type == tea.KeyEsc {
			return nil // there is no time travel to end
		}
		return d.travelled(d.past.travel(do))
	case input.CmdPlaySlower, input.CmdPlayFaster:
		return d.setSpeed(do)
	case input.CmdFiner, input.CmdCoarser:
		d.handoffs.Scale(do == input.CmdFiner)
	case input.CmdLessons, input.CmdLearn, input.CmdAnswer, input.CmdContinue, input.CmdHint, input.CmdSkip, input.CmdReread:
		return d.lessonKey(do, msg.String())
	case input.CmdJoin:
		d.modes.Open(input.ModeJoin)
	case input.CmdDoctor:
		d.screen.Open(mainscreen.Doctor)
	case input.CmdServers:
		d.screen.Open(mainscreen.Servers)
	case input.CmdHelp:
		d.openHelp()
	case input.CmdInspect:
		return d.inspect()
	case input.CmdZoom:
		d.screen.Zoomed = !d.screen.Zoomed
	case input.CmdPanel:
		d.screen.FocusOn(d.screen.Next())
	case input.CmdCopy:
		return d.copyPath()
	case input.CmdTheme:
		d.theme = term.NewTheme(term.NextTheme(d.theme.Name), d.o.Renderer)
		d.report(term.Muted, "theme: "+d.theme.Name)
	case input.CmdChoose:
		return d.chooseElection()
	case input.CmdOpen:
		return d.openElection()
	case input.CmdFilter:
		d.openFilter()
	case input.CmdPalette:
		d.modes.Open(input.ModePalette)
		d.typed.Set("")
		d.palette.Open()
	case input.CmdRun:
		return d.run()
	case input.CmdComplete:
		if e, ok := d.palette.Selected(); ok {
			d.typed.Set(e.Name)
		}
	case input.CmdSort:
		text := "what is wrong comes first"
		if by := d.elections.Sort(); by != "" {
			text = "sorted by " + by + ": o for the next order"
		}
		d.report(term.Muted, text)
	case input.CmdErase:
		d.edit(msg)
	case input.CmdEraseAll:
		d.erase()
	case input.CmdKeep:
		d.modes.Close()
	case input.CmdYes, input.CmdNo:
		return d.answer(do == input.CmdYes)
	case input.CmdBack:
		if !d.back() {
			d.screen.Focus = mainscreen.Candidates
		}
	default:
		d.move(do)
	}
	return nil
}

func (d *dashboard) move(do input.Command) {
	switch front := d.window(); {
	case front != nil:
		front.Move(do)
	case d.screen.Move(do):
		d.past.keepSelection()
	}
}

func (d *dashboard) openFilter() {
	d.modes.Open(input.ModeFilter)
	d.typed.Set(*d.filter())
	if d.modes.Below().Main() {
		if d.screen.Focus >= mainscreen.Selected {
			d.screen.Close()
		}
		d.screen.Focus = mainscreen.Candidates
	}
}

func (d *dashboard) inspect() tea.Cmd {
	r := d.candidates.Row()
	if r.Ref() == (model.Ref{}) {
		d.refuse("inspect", action.NoneSelected)
		return nil
	}
	a, why := d.action(action.Refresh, "")
	if !d.screen.Open(mainscreen.Selected) || why != "" || a.Arg == "" {
		return nil
	}
	return d.doer.cmd(a, r.Name(), r.Ref())
}

func (d *dashboard) refuseKey(k string) bool {
	if _, ok := input.Lookup(d.table, input.ModeLesson, k); ok && !d.lessons.On && d.modes.Now() == input.ModeNormal {
		d.report(term.Muted, "no lesson is running: L opens the menu")
		return true
	}
	b, ok := input.Lookup(d.table, input.ModeNormal|input.ModeLesson, k)
	live := b.Kind != "" || b.Modes&input.ModeLesson != 0 || slices.Contains([]input.Command{input.CmdFaults, input.CmdLessons, input.CmdJoin}, b.Do)
	if !ok || !live || d.past.mode() != input.ModePast {
		return false
	}
	what := "use " + k + " (" + b.Help().Desc + ")"
	if b.Kind != "" {
		what = action.WordsFor(action.Action{Kind: b.Kind, Arg: b.Arg}).Cant
	}
	d.refuse(what, d.past.refusal())
	return true
}

func (d *dashboard) unknownKey(msg tea.KeyMsg) {
	k := msg.String()
	if msg.Paste || d.unknown[k] {
		return
	}
	d.unknown[k] = true
	if k == " " {
		k = "space"
	}
	d.report(term.Muted, znode.Safe(k, 16)+" does nothing here: ? lists the keys")
}
