package ui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/bubbles/key"
)

// mode says what the keyboard is for at the moment.
type mode uint16

const (
	modeNormal mode = 1 << iota
	modeInspect
	modeDoctor
	modeServers
	modeElections
	modeHelp
	modeFilter
	modeDialog
)

// modes lists them with the words for the help.
var modes = []struct {
	mode  mode
	title string
	note  string
}{
	{modeNormal, "On the main screen", ""},
	{modeInspect, "Looking at one candidate", ""},
	{modeDoctor, "Looking at the doctor's findings", ""},
	{modeServers, "Looking at the servers", ""},
	{modeElections, "Choosing an election", ""},
	{modeFilter, "Typing a filter", "Everything else is text: part of a name, a znode or a session; of a path, a system or a leader among elections."},
	{modeDialog, "Asked a question", ""},
	{modeHelp, "In this help", ""},
}

// command is what a key does.
type command string

const (
	cmdDown     command = "down"
	cmdUp       command = "up"
	cmdPageDown command = "page down"
	cmdPageUp   command = "page up"
	cmdTop      command = "top"
	cmdBottom   command = "bottom"
	cmdInspect  command = "inspect"
	cmdBack     command = "back"
	cmdPanel    command = "panel"
	cmdFilter   command = "filter"
	cmdErase    command = "erase"
	cmdEraseAll command = "erase all"
	cmdKeep     command = "keep"
	cmdPause    command = "pause"
	cmdSpawn    command = "spawn"
	cmdKill     command = "kill"
	cmdFreeze   command = "freeze"
	cmdResign   command = "resign"
	cmdCampaign command = "campaign"
	cmdHerd     command = "herd"
	cmdVerify   command = "verify"
	cmdDoctor   command = "doctor"
	cmdServers  command = "servers"
	cmdChoose   command = "elections"
	cmdNext     command = "next election"
	cmdPrevious command = "previous election"
	cmdOpen     command = "open"
	cmdLook     command = "look again"
	cmdTheme    command = "theme"
	cmdHelp     command = "help"
	cmdYes      command = "yes"
	cmdNo       command = "no"
	cmdQuit     command = "quit"
	cmdSuspend  command = "suspend"
)

// binding is a line of the table of keys, from which the footer, the help and
// the README are made.
type binding struct {
	key.Binding // its help: the keys as shown, what they do
	modes       mode
	do          command
	kind        Kind // of the action, "" for a key that only changes the view
	foot        int  // place in the footer, from the left; 0: not there
	drop        int  // the higher, the sooner it leaves a narrow footer
}

// changes tells whether actions of that kind change anything but this
// program's own view.
func (k Kind) changes() bool {
	switch k {
	case Spawn, Kill, Freeze, Resign, Campaign, Herd:
		return true
	}
	return false
}

// bindings returns the table; without the keys that change anything where
// only looking is allowed, and so without the questions that they ask.
func bindings(observeOnly bool) []binding {
	const everywhere = modeNormal | modeInspect | modeDoctor | modeServers | modeElections | modeHelp | modeFilter | modeDialog
	const panels = modeInspect | modeDoctor | modeServers
	const scroll = modeNormal | panels | modeElections | modeHelp
	const acts = modeNormal | modeInspect
	def := func(do command, m mode, keys []string, shown, does string) binding {
		return binding{Binding: key.NewBinding(key.WithKeys(keys...), key.WithHelp(shown, does)), do: do, modes: m}
	}
	act := func(do command, m mode, k string, kind Kind, foot int, does string) binding {
		b := def(do, m, []string{k}, k, does)
		b.kind, b.foot = kind, foot
		return b
	}
	footed := func(b binding, foot, drop int) binding {
		b.foot, b.drop = foot, drop
		return b
	}
	all := []binding{
		def(cmdDown, scroll, []string{"j", "down"}, "j ↓", "down"),
		def(cmdUp, scroll, []string{"k", "up"}, "k ↑", "up"),
		def(cmdPageDown, scroll, []string{"pgdown"}, "pgdn", "a page down"),
		def(cmdPageUp, scroll, []string{"pgup"}, "pgup", "a page up"),
		def(cmdTop, scroll, []string{"g", "home"}, "g home", "to the top"),
		def(cmdBottom, scroll, []string{"G", "end"}, "G end", "to the end"),
		footed(def(cmdInspect, modeNormal, []string{"enter"}, "enter", "inspect"), 8, 2),
		footed(def(cmdOpen, modeElections, []string{"enter"}, "enter", "open"), 1, 0),
		def(cmdPanel, modeNormal, []string{"tab"}, "tab", "the next panel"),
		footed(def(cmdFilter, modeNormal|modeElections, []string{"/"}, "/", "filter"), 9, 3),
		footed(def(cmdPause, modeNormal|modeInspect, []string{"p"}, "p", "pause"), 14, 3),
		act(cmdSpawn, modeNormal, "s", Spawn, 1, "spawn"),
		act(cmdKill, acts, "x", Kill, 2, "kill"),
		act(cmdFreeze, acts, "f", Freeze, 3, "freeze"),
		act(cmdResign, acts, "d", Resign, 4, "resign"),
		act(cmdCampaign, modeNormal, "c", Campaign, 5, "campaign"),
		act(cmdHerd, modeNormal, "h", Herd, 6, "herd"),
		footed(act(cmdVerify, modeNormal|panels, "v", Verify, 10, "verify"), 10, 3),
		footed(def(cmdDoctor, acts|modeServers, []string{"!"}, "!", "doctor"), 11, 2),
		footed(def(cmdServers, acts|modeDoctor, []string{"S"}, "S", "servers"), 12, 4),
		footed(def(cmdChoose, modeNormal, []string{"e"}, "e", "elections"), 13, 3),
		act(cmdLook, modeElections, "r", Discover, 2, "look again"),
		footed(def(cmdNext, modeNormal|modeDoctor|modeServers, []string{")"}, ")", "the next election"), 7, 3),
		def(cmdPrevious, modeNormal|modeDoctor|modeServers, []string{"("}, "(", "the election before"),
		footed(def(cmdBack, modeInspect, []string{"esc", "enter"}, "esc", "back"), 7, 0),
		footed(def(cmdBack, modeDoctor, []string{"esc", "!"}, "esc", "back"), 6, 0),
		footed(def(cmdBack, modeServers, []string{"esc", "S"}, "esc", "back"), 6, 0),
		footed(def(cmdBack, modeElections, []string{"esc", "e"}, "esc", "back"), 10, 0),
		footed(def(cmdBack, modeHelp, []string{"esc", "enter", "?"}, "esc", "back"), 7, 0),
		{Binding: key.NewBinding(key.WithKeys("esc"), key.WithHelp("esc", "clear the filter, or back to the candidates")), do: cmdBack, modes: modeNormal},
		footed(def(cmdKeep, modeFilter, []string{"enter"}, "enter", "keep the filter"), 1, 0),
		footed(def(cmdBack, modeFilter, []string{"esc"}, "esc", "clear the filter"), 2, 0),
		def(cmdErase, modeFilter, []string{"backspace"}, "backspace", "erase a letter"),
		def(cmdEraseAll, modeFilter, []string{"ctrl+u"}, "ctrl-u", "erase all"),
		footed(def(cmdYes, modeDialog, []string{"y"}, "y", "yes"), 1, 0),
		footed(def(cmdNo, modeDialog, []string{"n", "esc"}, "n", "no"), 2, 0),
		footed(def(cmdTheme, modeNormal, []string{"T"}, "T", "theme"), 15, 5),
		footed(def(cmdHelp, modeNormal|panels|modeElections, []string{"?"}, "?", "help"), 16, 0),
		footed(def(cmdQuit, scroll, []string{"q"}, "q", "quit"), 17, 0),
		{Binding: key.NewBinding(key.WithKeys("ctrl+c"), key.WithHelp("ctrl-c", "quit")), do: cmdQuit, modes: everywhere},
		def(cmdSuspend, everywhere, []string{"ctrl+z"}, "ctrl-z", "suspend: fg brings it back"),
	}
	if !observeOnly {
		return all
	}
	var out []binding
	for _, b := range all {
		if b.modes &^= modeDialog; b.modes != 0 && !b.kind.changes() {
			out = append(out, b)
		}
	}
	return out
}

// longHelp says more than the footer has room for.
func longHelp(b binding) string {
	switch b.do {
	case cmdInspect:
		return "everything about the selected candidate, its data read again"
	case cmdFilter:
		return "show only rows with this text in them"
	case cmdPause:
		return "hold the picture and look closely; again: live"
	case cmdSpawn:
		return "one more candidate"
	case cmdKill:
		return "cut the selected candidate's connection, with no goodbye"
	case cmdFreeze:
		return "freeze the selected candidate, as a long pause does; thaw it"
	case cmdResign:
		return "the selected candidate deletes its znode and leaves"
	case cmdCampaign:
		return "this program stands for election itself; withdraws"
	case cmdHerd:
		return "everybody watches the leader (herd), or its predecessor"
	case cmdVerify:
		return "ask the servers now who watches what, and who is connected"
	case cmdDoctor:
		return "what the doctor found wrong with this election"
	case cmdServers:
		return "the members of the ensemble, and what they were asked"
	case cmdChoose:
		return "all elections: those watched, and those found on the cluster"
	case cmdNext:
		return "the next of the elections watched"
	case cmdPrevious:
		return "the one before it"
	case cmdOpen:
		return "watch the selected election and show it"
	case cmdLook:
		return "search the cluster for elections again"
	case cmdTheme:
		return "dark, light, no colours"
	}
	return b.Help().Desc
}

// lookup returns what key does in mode m.
func lookup(table []binding, m mode, k string) (binding, bool) {
	for _, b := range table {
		if b.modes&m == 0 {
			continue
		}
		for _, have := range b.Keys() {
			if have == k {
				return b, true
			}
		}
	}
	return binding{}, false
}

// KeysMarkdown returns the table of keys for the README.
func KeysMarkdown() string {
	var out strings.Builder
	table := bindings(false)
	for i, m := range modes {
		if i > 0 {
			out.WriteByte('\n')
		}
		title := m.title
		if m.mode == modeHelp {
			title = "In the help"
		}
		fmt.Fprintf(&out, "%s:", title)
		if m.note != "" {
			fmt.Fprintf(&out, " %s", strings.ToLower(m.note[:1])+m.note[1:])
		}
		out.WriteString("\n\n| key | does |\n|---|---|\n")
		for _, b := range table {
			if b.modes&m.mode == 0 {
				continue
			}
			var keys []string
			for _, k := range b.Keys() {
				keys = append(keys, "`"+strings.ReplaceAll(k, "+", "-")+"`")
			}
			fmt.Fprintf(&out, "| %s | %s |\n", strings.Join(keys, " "), longHelp(b))
		}
	}
	return out.String()
}
