package ui

import (
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"electop/model"
)

// filterMax bounds what can be typed, in runes: more than any name's
// distinctive part.
const filterMax = 64

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
	b, ok := lookup(d.table, d.mode, msg.String())
	if !ok {
		if d.mode == modeFilter && (msg.Type == tea.KeyRunes || msg.Type == tea.KeySpace) && !msg.Alt {
			d.setFilter(d.filter + model.Safe(string(msg.Runes), filterMax))
		}
		return nil
	}
	if b.kind != "" {
		return d.act(b.kind)
	}
	switch b.do {
	case cmdQuit:
		return tea.Quit
	case cmdSuspend:
		return tea.Suspend
	case cmdTheme:
		d.theme = newTheme(nextTheme(d.theme.name), d.renderer)
		d.say(styleMuted, "theme: "+d.theme.name)
	case cmdHelp:
		d.back, d.mode, d.over.top = d.mode, modeHelp, 0
	case cmdPanel:
		d.focus = (d.focus + 1) % panels
	case cmdFilter:
		d.mode, d.focus = modeFilter, panelCandidates
	case cmdPause:
		return d.pause()
	case cmdInspect:
		return d.inspect()
	case cmdYes, cmdNo:
		return d.answer(b.do == cmdYes)
	case cmdBack:
		d.goBack()
	case cmdKeep:
		d.mode = modeNormal
	case cmdErase:
		_, n := utf8.DecodeLastRuneInString(d.filter)
		d.setFilter(d.filter[:len(d.filter)-n])
	case cmdEraseAll:
		d.setFilter("")
	default:
		d.move(b.do)
	}
	return nil
}

func (d *dashboard) goBack() {
	switch d.mode {
	case modeHelp:
		d.mode = max(d.back, modeNormal)
	case modeInspect:
		d.mode = modeNormal
	case modeFilter:
		d.mode = modeNormal
		d.setFilter("")
	default:
		if d.filter != "" {
			d.setFilter("")
		} else {
			d.focus = panelCandidates
		}
	}
}

func (d *dashboard) setFilter(text string) {
	if utf8.RuneCountInString(text) > filterMax {
		return
	}
	d.filter = text
	d.reselect()
}

// move moves whatever has the focus.
func (d *dashboard) move(do command) {
	switch {
	case d.mode == modeInspect || d.mode == modeHelp:
		last := max(0, d.over.lines-d.over.pageful)
		d.over.top = moved(do, d.over.top, last, d.over.pageful)
	case d.focus == panelHandoffs:
		last := max(0, len(d.shown().Handoffs)-1)
		d.scroll[panelHandoffs] = moved(do, d.scroll[panelHandoffs], last, 5)
	default:
		d.selectRow(moved(do, d.index, d.rows.len()-1, d.page))
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

// pause holds the picture, or lets it go. A replay is held at its source.
func (d *dashboard) pause() tea.Cmd {
	if d.o.Mode == ModeReplay {
		return d.act(Pause)
	}
	if d.paused != nil {
		d.paused = nil
		d.takeHandoff()
		d.reselect()
		return nil
	}
	d.paused, d.since = d.latest, d.o.Now()
	return nil
}

// waiting is how many events the paused picture does not show yet.
func (d *dashboard) waiting() int {
	if d.paused == nil {
		return 0
	}
	count := func(s *model.State) int {
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
	d.mode, d.over = modeInspect, overlayState{of: r.ref()}
	a, why := d.action(Refresh)
	if why != "" || a.Arg == "" {
		return nil
	}
	return d.doer.cmd(a, r.name(), r.ref())
}

// inspected returns the row that is inspected, an empty one if it is gone.
func (d *dashboard) inspected() row {
	all := rows{state: d.shown(), homeless: d.shown().Homeless()}
	return all.at(all.find(d.over.of, d.index))
}
