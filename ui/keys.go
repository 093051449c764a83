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
	modePast    // time travel: the main screen as it was
	modeFaults  // the list of faults
	modeLessons // the menu of lessons
	modeJoin    // how others join
	modeTeach   // what the main screen's keyboard is for besides while a lesson is on
)

// main reports whether m is the main screen with nothing in front of it.
func (m mode) main() bool { return m&(modeNormal|modePast) != 0 }

// modes lists them with the words for the help.
var modes = []struct {
	mode  mode
	title string
	note  string
}{
	{modeNormal, "On the main screen", ""},
	{modeTeach, "On the main screen, while a lesson is on", "The election is acted on with the keys of the main screen."},
	{modeInspect, "Looking at one candidate", ""},
	{modeDoctor, "Looking at the doctor's findings", ""},
	{modeServers, "Looking at the servers", ""},
	{modeElections, "Choosing an election", ""},
	{modePast, "Back in time", "The keys that act say that they cannot."},
	{modeFaults, "Choosing a fault", ""},
	{modeLessons, "Choosing a lesson", ""},
	{modeJoin, "Looking at how to join", ""},
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
	cmdFaults   command = "faults"
	cmdDoFault  command = "do fault"
	cmdSlower   command = "slower"
	cmdFaster   command = "faster"
	cmdStep     command = "step"
	cmdWorkers  command = "workers"
	cmdFence    command = "fence"
	cmdZoom     command = "zoom"
	cmdJoin     command = "join"
	cmdLessons  command = "lessons"
	cmdLearn    command = "start lesson"
	cmdAnswer   command = "answer"
	cmdContinue command = "continue"
	cmdHint     command = "hint"
	cmdSkip     command = "skip"
	cmdReread   command = "part before"
	cmdEarlier  command = "earlier"
	cmdLater    command = "later"
	cmdStepBack command = "step back"
	cmdStepOn   command = "step on"
	cmdEarliest command = "earliest"
	cmdLatest   command = "latest"
	cmdHandBack command = "handoff before"
	cmdHandOn   command = "handoff after"
	cmdLive     command = "live"
	cmdLeft     command = "left"
	cmdRight    command = "right"
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
	case Spawn, Kill, Freeze, Resign, Campaign, Herd,
		Partition, LoseReply, NoGuid, Expire, SlowLead, Slow, Step, Workers, Fence:
		return true
	}
	return false
}

// bindings returns the table; without the keys that change anything where
// only looking is allowed, and so without the questions that they ask.
func bindings(observeOnly bool) []binding {
	const everywhere = modeNormal | modeInspect | modeDoctor | modeServers | modeElections | modeHelp | modeFilter | modeDialog | modePast | modeFaults | modeLessons | modeJoin | modeTeach
	const panels = modeInspect | modeDoctor | modeServers
	const scroll = modeNormal | panels | modeElections | modeHelp | modeFaults | modeLessons | modeJoin
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
		def(cmdDown, scroll|modePast, []string{"j", "down"}, "j ↓", "down"),
		def(cmdUp, scroll|modePast, []string{"k", "up"}, "k ↑", "up"),
		def(cmdPageDown, scroll, []string{"pgdown"}, "pgdn", "a page down"),
		def(cmdPageUp, scroll, []string{"pgup"}, "pgup", "a page up"),
		footed(def(cmdEarlier, modePast, []string{"left"}, "←", "the event before"), 1, 0),
		footed(def(cmdLater, modePast, []string{"right"}, "→", "the next event"), 2, 0),
		footed(def(cmdStepBack, modePast, []string{","}, ",", "the step before"), 3, 2),
		footed(def(cmdStepOn, modePast, []string{"."}, ".", "the next step"), 4, 2),
		footed(def(cmdHandBack, modePast, []string{"pgup"}, "pgup", "the handoff before"), 5, 3),
		footed(def(cmdHandOn, modePast, []string{"pgdown"}, "pgdn", "the next handoff"), 6, 3),
		footed(def(cmdEarliest, modePast, []string{"home"}, "home", "as far back as is kept"), 7, 4),
		footed(def(cmdLatest, modePast, []string{"end"}, "end", "the last moment"), 8, 4),
		footed(def(cmdLive, modePast, []string{"p", "esc"}, "p", "live"), 8, 0),
		def(cmdTop, scroll, []string{"g", "home"}, "g home", "to the top"),
		def(cmdBottom, scroll, []string{"G", "end"}, "G end", "to the end"),
		footed(def(cmdInspect, modeNormal|modePast, []string{"enter"}, "enter", "inspect"), 8, 2),
		footed(def(cmdOpen, modeElections, []string{"enter"}, "enter", "open"), 1, 0),
		def(cmdPanel, modeNormal|modePast, []string{"tab"}, "tab", "the next panel"),
		def(cmdZoom, modeNormal|modePast, []string{"z"}, "z", "zoom"),
		def(cmdLeft, modeNormal, []string{"left"}, "←", "a column to the left, in the grid of a zoomed crowd"),
		def(cmdRight, modeNormal, []string{"right"}, "→", "a column to the right"),
		footed(def(cmdFilter, modeNormal|modePast|modeElections, []string{"/"}, "/", "filter"), 9, 3),
		footed(def(cmdPause, modeNormal|modeInspect, []string{"p"}, "p", "pause"), 14, 3),
		act(cmdSpawn, modeNormal, "s", Spawn, 1, "spawn"),
		act(cmdKill, acts|modeFaults, "x", Kill, 2, "kill"),
		act(cmdFreeze, acts|modeFaults, "f", Freeze, 3, "freeze"),
		act(cmdResign, acts|modeFaults, "d", Resign, 4, "resign"),
		act(cmdCampaign, modeNormal, "c", Campaign, 5, "campaign"),
		act(cmdHerd, modeNormal, "h", Herd, 6, "herd"),
		footed(def(cmdFaults, acts, []string{"X"}, "X", "faults"), 5, 2),
		footed(def(cmdDoFault, modeFaults, []string{"enter"}, "enter", "do it"), 1, 0),
		act(cmdSlower, modeNormal, "[", Slow, 10, "slower"),
		act(cmdFaster, modeNormal, "]", Slow, 0, "faster"),
		act(cmdStep, modeNormal, ".", Step, 7, "one protocol step"),
		act(cmdWorkers, modeNormal, "w", Workers, 10, "workers"),
		act(cmdFence, modeNormal, "F", Fence, 7, "fence"),
		footed(def(cmdLessons, modeNormal, []string{"L"}, "L", "lessons"), 11, 2),
		footed(def(cmdLearn, modeLessons, []string{"enter"}, "enter", "begin"), 1, 0),
		footed(def(cmdContinue, modeTeach, []string{" "}, "space", "go on"), -9, 0),
		footed(def(cmdAnswer, modeTeach, []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"}, "1-9", "answer"), -8, 0),
		footed(def(cmdHint, modeTeach, []string{"H"}, "H", "hint"), -7, 0),
		footed(def(cmdSkip, modeTeach, []string{">"}, ">", "skip"), -6, 1),
		footed(def(cmdReread, modeTeach, []string{"<"}, "<", "back"), -5, 1),
		def(cmdJoin, modeNormal, []string{"J"}, "J", "join"),
		footed(act(cmdVerify, modeNormal|panels, "v", Verify, 10, "verify"), 10, 3),
		footed(def(cmdDoctor, acts|modePast|modeServers, []string{"!"}, "!", "doctor"), 11, 2),
		footed(def(cmdServers, acts|modePast|modeDoctor, []string{"S"}, "S", "servers"), 12, 4),
		footed(def(cmdChoose, modeNormal, []string{"e"}, "e", "elections"), 13, 3),
		act(cmdLook, modeElections, "r", Discover, 2, "look again"),
		footed(def(cmdNext, modeNormal|modePast|modeDoctor|modeServers, []string{")"}, ")", "the next election"), 7, 3),
		def(cmdPrevious, modeNormal|modePast|modeDoctor|modeServers, []string{"("}, "(", "the election before"),
		footed(def(cmdBack, modeInspect, []string{"esc", "enter"}, "esc", "back"), 7, 0),
		footed(def(cmdBack, modeDoctor, []string{"esc", "!"}, "esc", "back"), 6, 0),
		footed(def(cmdBack, modeServers, []string{"esc", "S"}, "esc", "back"), 6, 0),
		footed(def(cmdBack, modeElections, []string{"esc", "e"}, "esc", "back"), 10, 0),
		footed(def(cmdBack, modeFaults, []string{"esc", "X"}, "esc", "back"), 7, 0),
		footed(def(cmdBack, modeLessons, []string{"esc", "L"}, "esc", "back"), 2, 0),
		footed(def(cmdBack, modeJoin, []string{"esc", "J", "enter"}, "esc", "back"), 1, 0),
		footed(def(cmdBack, modeHelp, []string{"esc", "enter", "?"}, "esc", "back"), 7, 0),
		{Binding: key.NewBinding(key.WithKeys("esc"), key.WithHelp("esc", "clear the filter, or back to the candidates")), do: cmdBack, modes: modeNormal},
		footed(def(cmdKeep, modeFilter, []string{"enter"}, "enter", "keep the filter"), 1, 0),
		footed(def(cmdBack, modeFilter, []string{"esc"}, "esc", "clear the filter"), 2, 0),
		def(cmdErase, modeFilter, []string{"backspace"}, "backspace", "erase a letter"),
		def(cmdEraseAll, modeFilter, []string{"ctrl+u"}, "ctrl-u", "erase all"),
		footed(def(cmdYes, modeDialog, []string{"y"}, "y", "yes"), 1, 0),
		footed(def(cmdNo, modeDialog, []string{"n", "esc"}, "n", "no"), 2, 0),
		footed(def(cmdTheme, modeNormal|modePast, []string{"T"}, "T", "theme"), 15, 5),
		footed(def(cmdHelp, modeNormal|panels|modeElections|modePast|modeFaults|modeLessons|modeJoin, []string{"?"}, "?", "help"), 16, 0),
		footed(def(cmdQuit, scroll|modePast, []string{"q"}, "q", "quit"), 17, 0),
		{Binding: key.NewBinding(key.WithKeys("ctrl+c"), key.WithHelp("ctrl-c", "quit")), do: cmdQuit, modes: everywhere},
		def(cmdSuspend, everywhere, []string{"ctrl+z"}, "ctrl-z", "suspend: fg brings it back"),
	}
	if !observeOnly {
		return all
	}
	var out []binding
	for _, b := range all {
		if b.modes &^= modeDialog; b.modes != 0 && !b.kind.changes() && b.do != cmdFaults && b.do != cmdDoFault {
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
		return "hold the picture and go back in time"
	case cmdSpawn:
		return "one more candidate"
	case cmdKill:
		return "cut the selected candidate's connection, with no goodbye"
	case cmdFreeze:
		return "freeze the selected candidate, as a long pause does; thaw it"
	case cmdResign:
		return "the selected candidate closes its session and leaves"
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
	case cmdFaults:
		return "what can be done to the selected candidate to see what happens"
	case cmdDoFault:
		return "do the selected fault"
	case cmdSlower:
		return "the embedded server holds each reply and notification for longer, up to 1.5 s, then until a step lets it go"
	case cmdFaster:
		return "it holds them for less long, or not at all"
	case cmdStep:
		return "one protocol step: the next reply or notification goes; with none held, a wait is skipped"
	case cmdWorkers:
		return "leaders have workers that write: belief and truth side by side; again: no more"
	case cmdFence:
		return "workers check that their leader's znode is there with each write, or do not"
	case cmdZoom:
		return "the panel with the focus fills the screen, a crowd as a grid; again: back"
	case cmdJoin:
		return "how programs of your own join this election"
	case cmdLessons:
		return "lessons: the election explained, step by step, by doing it"
	case cmdLearn:
		return "begin the selected lesson, for which the demo starts afresh; or end the one that is on"
	case cmdAnswer:
		return "the answer with that number"
	case cmdContinue:
		return "it is read: go on; after the last part, the next lesson"
	case cmdHint:
		return "a hint, and then the next one"
	case cmdSkip:
		return "past what is asked or waited for"
	case cmdReread:
		return "back to the part before"
	case cmdEarlier, cmdLater, cmdStepBack, cmdStepOn, cmdHandBack, cmdHandOn:
		return map[command]string{
			cmdEarlier: "to the event before", cmdLater: "to the next event",
			cmdStepBack: "to the step of the recipe before", cmdStepOn: "to the next step of the recipe",
			cmdHandBack: "to the handoff before", cmdHandOn: "to the next handoff",
		}[b.do]
	case cmdLive:
		return "back to what happens now"
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
				if k == " " {
					k = "space"
				}
				keys = append(keys, "`"+strings.ReplaceAll(k, "+", "-")+"`")
			}
			fmt.Fprintf(&out, "| %s | %s |\n", strings.Join(keys, " "), longHelp(b))
		}
	}
	return out.String()
}
