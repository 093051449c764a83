package ui

import (
	"slices"

	"github.com/charmbracelet/bubbles/viewport"
	tea "github.com/charmbracelet/bubbletea"

	"electop/model/doctor"
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
	b, ok := binding{}, false
	if d.mode == modeNormal && d.learning() {
		b, ok = lookup(d.table, modeTeach, msg.String())
	}
	if !ok {
		b, ok = lookup(d.table, d.mode, msg.String())
	}
	if !ok {
		if d.mode.main() {
			d.refuseKey(msg.String())
		}
		if d.mode == modeFilter {
			d.edit(msg)
		}
		return nil
	}
	switch b.do {
	case cmdSlower:
		return d.pace(ArgSlower)
	case cmdFaster:
		return d.pace(ArgFaster)
	}
	if b.kind != "" {
		return d.act(b.kind)
	}
	switch b.do {
	case cmdLive, cmdBack:
		if d.zoomed && d.mode.main() && msg.Type == tea.KeyEsc {
			d.zoomed = false
			return nil
		}
	}
	switch b.do {
	case cmdFaults, cmdDoFault:
		return d.fault(b.do)
	case cmdEarlier, cmdLater, cmdStepBack, cmdStepOn, cmdHandBack, cmdHandOn, cmdEarliest, cmdLatest, cmdLive:
		return d.travel(b.do)
	case cmdLessons, cmdLearn, cmdAnswer, cmdContinue, cmdHint, cmdSkip, cmdReread:
		return d.teach(b.do, msg.String())
	case cmdJoin:
		d.enter(modeJoin)
	case cmdZoom:
		d.zoomed = !d.zoomed
	case cmdLeft, cmdRight:
		d.sideways(b.do)
	case cmdQuit:
		return tea.Quit
	case cmdSuspend:
		return tea.Suspend
	case cmdTheme:
		d.theme = newTheme(nextTheme(d.theme.name), d.renderer)
		d.say(styleMuted, "theme: "+d.theme.name)
	case cmdHelp:
		d.help.GotoTop()
		d.enter(modeHelp)
	case cmdDoctor:
		d.enter(modeDoctor)
	case cmdServers:
		d.enter(modeServers)
	case cmdChoose:
		return d.choose()
	case cmdOpen:
		return d.open()
	case cmdNext:
		d.turn(1)
	case cmdPrevious:
		d.turn(-1)
	case cmdPanel:
		d.focus = (d.focus + 1) % panels
	case cmdFilter:
		d.enter(modeFilter)
		d.input.SetValue(*d.typed())
		d.input.CursorEnd()
		if d.below().main() {
			d.focus = panelCandidates
		}
	case cmdPause:
		return d.pause()
	case cmdInspect:
		return d.inspect()
	case cmdYes, cmdNo:
		return d.answer(b.do == cmdYes)
	case cmdBack:
		d.goBack()
	case cmdKeep:
		d.leave()
	case cmdErase:
		d.edit(msg)
	case cmdEraseAll:
		d.setFilter("")
	default:
		d.move(b.do)
	}
	return nil
}

// enter opens a mode in front of the present one. One that is open further
// behind is gone back to.
func (d *dashboard) enter(m mode) {
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
func (d *dashboard) below() mode {
	if n := len(d.behind); n > 0 {
		return d.behind[n-1]
	}
	return modeNormal
}

// front is the mode whose view is in front: a filter or an answer is typed in
// the lines below it.
func (d *dashboard) front() mode {
	if d.mode == modeFilter || d.mode == modeDialog {
		return d.below()
	}
	return d.mode
}

// home returns to the main screen, as it is now.
func (d *dashboard) home() { d.mode, d.behind = modeNormal, nil }

func (d *dashboard) goBack() {
	switch {
	case d.mode == modeFilter:
		d.setFilter("")
		d.leave()
	case d.mode == modeElections && d.wall.filter != "":
		d.setFilter("")
	case d.mode != modeNormal:
		d.opening = ""
		d.leave()
	case d.filter != "":
		d.setFilter("")
	default:
		d.focus = panelCandidates
	}
}

// text is the text that is open in front of the panels. It lies with what it
// is about.
func (d *dashboard) text() *viewport.Model {
	switch d.front() {
	case modeHelp:
		return &d.help
	case modeDoctor:
		return &d.doctor
	case modeServers:
		return &d.servers
	}
	return &d.over.text
}

// move moves whatever has the focus.
func (d *dashboard) move(do command) {
	switch {
	case d.mode == modeElections:
		d.wallRows()
		d.wall.move(do)
	case d.mode == modeLessons:
		d.course.moveMenu(do)
	case d.mode == modeFaults:
		d.faults.move(do)
	case !d.mode.main():
		scroll(d.text(), do)
	case d.learning() && (d.focus == panelHandoffs || d.course.pages(do)):
		d.course.scroll(do)
	case d.focus == panelHandoffs:
		last := max(0, len(d.shown().Handoffs)-1)
		d.scroll[panelHandoffs] = moved(do, d.scroll[panelHandoffs], last, 5)
	default:
		d.selectRow(moved(do, d.index, d.rows.len()-1, d.page))
		d.chose()
	}
}

// moved returns where at goes within 0 to last.
func moved(do command, at, last, page int) int {
	switch do {
	case cmdDown:
		at++
	case cmdUp:
		at--
	case cmdPageDown:
		at += max(1, page-1)
	case cmdPageUp:
		at -= max(1, page-1)
	case cmdTop:
		at = 0
	case cmdBottom:
		at = last
	}
	return max(0, min(at, last))
}

// window returns the first of n that is in view, of which page are, so that at
// is among them: top, where that is possible.
func window(top, at, page, n int) int {
	return max(0, min(max(min(top, at), at-page+1), n-page))
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
	r := d.rows.at(d.index)
	if r.ref() == (ref{}) {
		d.say(styleTrouble, "inspect: no candidate is selected")
		return nil
	}
	d.over = overlayState{of: r.ref()}
	d.enter(modeInspect)
	a, why := d.action(Refresh)
	if why != "" || a.Arg == "" {
		return nil
	}
	return d.doer.cmd(a, r.name(), r.ref())
}

// inspected returns the row that is inspected, an empty one if it is gone.
func (d *dashboard) inspected() row { return d.rowOf(d.over.of) }

// rowOf returns the row with that identity, an empty one if it is gone. The
// filter does not hide it.
func (d *dashboard) rowOf(id ref) row {
	all := rows{state: d.shown(), homeless: d.shown().Homeless()}
	return all.at(all.find(id, d.index))
}
