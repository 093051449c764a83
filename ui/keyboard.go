package ui

import (
	"slices"

	"github.com/charmbracelet/bubbles/viewport"
	tea "github.com/charmbracelet/bubbletea"

	"electop/model/doctor"
	"electop/ui/input"
	"electop/ui/rows"
	"electop/ui/term"
)

// key handles a key press. Keys that came at once are one message: typed fast,
// or over a slow line.
func (d *dashboard) key(msg tea.KeyMsg) tea.Cmd {
	if msg.Type != tea.KeyRunes || len(msg.Runes) < 2 || msg.Paste || msg.Alt {
		return d.oneKey(msg)
	}
	cmds := make([]tea.Cmd, 0, len(msg.Runes))
	for _, r := range msg.Runes {
		cmds = append(cmds, d.oneKey(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}}))
	}
	return tea.Sequence(cmds...)
}

func (d *dashboard) oneKey(msg tea.KeyMsg) tea.Cmd {
	d.status = status{} // it was read, or it is in the way
	b, ok := input.Binding{}, false
	if d.mode == input.ModeNormal && d.learning() {
		b, ok = input.Lookup(d.table, input.ModeTeach, msg.String())
	}
	if !ok {
		b, ok = input.Lookup(d.table, d.mode, msg.String())
	}
	if !ok {
		if d.mode.Main() {
			d.refuseKey(msg.String())
		}
		if d.mode == input.ModeFilter {
			d.edit(msg)
		}
		return nil
	}
	if b.Kind != "" {
		return d.act(b.Kind, b.Arg)
	}
	switch b.Do {
	case input.CmdLive, input.CmdBack:
		if d.zoomed && d.mode.Main() && msg.Type == tea.KeyEsc {
			d.zoomed = false
			return nil
		}
	}
	switch b.Do {
	case input.CmdFaults, input.CmdDoFault:
		return d.fault(b.Do)
	case input.CmdEarlier, input.CmdLater, input.CmdStepBack, input.CmdStepOn, input.CmdHandBack, input.CmdHandOn, input.CmdEarliest, input.CmdLatest, input.CmdLive:
		return d.travel(b.Do)
	case input.CmdLessons, input.CmdLearn, input.CmdAnswer, input.CmdContinue, input.CmdHint, input.CmdSkip, input.CmdReread:
		return d.teach(b.Do, msg.String())
	case input.CmdJoin:
		d.enter(input.ModeJoin)
	case input.CmdZoom:
		d.zoomed = !d.zoomed
	case input.CmdLeft, input.CmdRight:
		d.sideways(b.Do)
	case input.CmdQuit:
		return tea.Quit
	case input.CmdSuspend:
		return tea.Suspend
	case input.CmdTheme:
		d.theme = term.NewTheme(term.NextTheme(d.theme.Name), d.renderer)
		d.say(term.Muted, "theme: "+d.theme.Name)
	case input.CmdHelp:
		d.help.GotoTop()
		d.enter(input.ModeHelp)
	case input.CmdDoctor:
		d.enter(input.ModeDoctor)
	case input.CmdServers:
		d.enter(input.ModeServers)
	case input.CmdChoose:
		return d.choose()
	case input.CmdOpen:
		return d.open()
	case input.CmdNext:
		d.turn(1)
	case input.CmdPrevious:
		d.turn(-1)
	case input.CmdPanel:
		d.focus = (d.focus + 1) % panels
	case input.CmdFilter:
		d.enter(input.ModeFilter)
		d.input.SetValue(*d.typed())
		d.input.CursorEnd()
		if d.below().Main() {
			d.focus = panelCandidates
		}
	case input.CmdPause:
		return d.pause()
	case input.CmdInspect:
		return d.inspect()
	case input.CmdYes, input.CmdNo:
		return d.answer(b.Do == input.CmdYes)
	case input.CmdBack:
		d.goBack()
	case input.CmdKeep:
		d.leave()
	case input.CmdErase:
		d.edit(msg)
	case input.CmdEraseAll:
		d.setFilter("")
	default:
		d.move(b.Do)
	}
	return nil
}

// enter opens a mode in front of the present one. One that is open further
// behind is gone back to.
func (d *dashboard) enter(m input.Mode) {
	if i := slices.Index(d.behind, m); i >= 0 {
		d.mode, d.behind = m, d.behind[:i]
		return
	}
	d.behind = append(d.behind, d.mode)
	d.mode = m
}

// leave returns to the mode behind the present one.
func (d *dashboard) leave() {
	d.mode = d.below()
	d.behind = d.behind[:max(0, len(d.behind)-1)]
}

// below is the mode behind the present one.
func (d *dashboard) below() input.Mode {
	if n := len(d.behind); n > 0 {
		return d.behind[n-1]
	}
	return input.ModeNormal
}

// front is the mode whose view is in front: a filter or an answer is typed in
// the lines below it.
func (d *dashboard) front() input.Mode {
	if d.mode == input.ModeFilter || d.mode == input.ModeDialog {
		return d.below()
	}
	return d.mode
}

// home returns to the main screen, as it is now.
func (d *dashboard) home() { d.mode, d.behind = input.ModeNormal, nil }

func (d *dashboard) goBack() {
	switch {
	case d.mode == input.ModeFilter:
		d.setFilter("")
		d.leave()
	case d.mode == input.ModeElections && d.elections.Filter != "":
		d.setFilter("")
	case d.mode != input.ModeNormal:
		d.opening = ""
		d.leave()
	case d.Filter != "":
		d.setFilter("")
	default:
		d.focus = panelCandidates
	}
}

// text is the text that is open in front of the panels. It lies with what it
// is about.
func (d *dashboard) text() *viewport.Model {
	switch d.front() {
	case input.ModeHelp:
		return &d.help
	case input.ModeDoctor:
		return &d.doctor
	case input.ModeServers:
		return &d.servers
	}
	return &d.over.text
}

// move moves whatever has the focus.
func (d *dashboard) move(do input.Command) {
	switch {
	case d.mode == input.ModeElections:
		d.updateElections()
		d.elections.Move(do)
	case d.mode == input.ModeLessons:
		d.course.MoveMenu(do)
	case d.mode == input.ModeFaults:
		d.faults.move(do)
	case !d.mode.Main():
		input.Scroll(d.text(), do)
	case d.learning() && (d.focus == panelHandoffs || d.course.Pages(do)):
		d.course.Scroll(do)
	case d.focus == panelHandoffs:
		last := max(0, len(d.shown().Handoffs)-1)
		d.scroll[panelHandoffs] = input.Moved(do, d.scroll[panelHandoffs], last, 5)
	default:
		d.SelectRow(input.Moved(do, d.Index, d.Rows.Len()-1, d.Page))
		d.chose()
	}
}

// waiting is how many events the paused picture does not show yet.
func (d *dashboard) waiting() int {
	if d.paused == nil || d.past.on {
		return 0
	}
	count := func(s *doctor.State) int {
		t := s.Totals
		return t.Joined + t.Left + t.Handoffs + t.MissedCreates + t.MissedDeletes + t.Unknown + s.Reconnects
	}
	return max(0, count(d.latest)-count(d.paused))
}

// inspect opens the view of one candidate and has its data read again.
func (d *dashboard) inspect() tea.Cmd {
	r := d.Rows.At(d.Index)
	if r.Ref() == (rows.Ref{}) {
		d.say(term.Trouble, "inspect: no candidate is selected")
		return nil
	}
	d.over = overlayState{of: r.Ref()}
	d.enter(input.ModeInspect)
	a, why := d.action(Refresh, "")
	if why != "" || a.Arg == "" {
		return nil
	}
	return d.doer.cmd(a, r.Name(), r.Ref())
}

// inspected returns the row that is inspected, an empty one if it is gone.
func (d *dashboard) inspected() rows.Row { return d.rowOf(d.over.of) }

// rowOf returns the row with that identity, an empty one if it is gone. The
// filter does not hide it.
func (d *dashboard) rowOf(id rows.Ref) rows.Row {
	all := rows.List{State: d.shown(), NoZnode: d.shown().Homeless()}
	return all.At(all.Find(id, d.Index))
}

// sideways moves the selection by a column of the grid.
func (d *dashboard) sideways(do input.Command) {
	by := 1
	if do == input.CmdLeft {
		by = -1
	}
	if d.zoomed && d.focus == panelCandidates && d.Column(by) {
		d.chose()
	}
}
