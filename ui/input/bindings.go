// Package input gives keys their meaning. [Bindings] returns the table of keys with their modes,
// including the keys of [action.Table].
//
// Each overlay has a [Mode], and a [Stack] holds the open modes. [Lookup] returns the binding of a
// key in a mode. No key has two meanings in one mode.
package input

import (
	"cmp"
	"slices"

	"github.com/charmbracelet/bubbles/key"

	"electop/ui/action"
	"electop/ui/term"
)

// Command names what a key does.
type Command string

const (
	CmdDown       Command = "down"
	CmdUp         Command = "up"
	CmdPageDown   Command = "page down"
	CmdPageUp     Command = "page up"
	CmdTop        Command = "top"
	cmdBottom     Command = "bottom"
	CmdInspect    Command = "inspect"
	CmdBack       Command = "back"
	CmdPanel      Command = "panel"
	CmdFilter     Command = "filter"
	CmdSort       Command = "sort"
	CmdErase      Command = "erase"
	CmdEraseAll   Command = "erase all"
	CmdKeep       Command = "keep"
	CmdPause      Command = "pause"
	CmdDoctor     Command = "doctor"
	CmdServers    Command = "servers"
	CmdChoose     Command = "elections"
	CmdOpen       Command = "open"
	CmdFaults     Command = "faults"
	CmdZoom       Command = "zoom"
	CmdJoin       Command = "join"
	CmdLessons    Command = "lessons"
	CmdLearn      Command = "start lesson"
	CmdAnswer     Command = "answer"
	CmdContinue   Command = "continue"
	CmdHint       Command = "hint"
	CmdSkip       Command = "skip"
	CmdReread     Command = "part before"
	CmdEarlier    Command = "earlier"
	CmdLater      Command = "later"
	CmdStepOn     Command = "step on"
	CmdEarliest   Command = "earliest"
	CmdLatest     Command = "latest"
	CmdHandBack   Command = "handoff before"
	CmdHandOn     Command = "handoff after"
	CmdLive       Command = "live"
	CmdPlay       Command = "play"
	CmdLeft       Command = "left"
	CmdRight      Command = "right"
	CmdFiner      Command = "finer scale"
	CmdCoarser    Command = "coarser scale"
	CmdCopy       Command = "copy path"
	CmdTheme      Command = "theme"
	CmdPalette    Command = "palette"
	CmdCluster    Command = "cluster" // only in the list of actions
	CmdRun        Command = "run"
	CmdComplete   Command = "complete"
	CmdHelp       Command = "help"
	CmdYes        Command = "yes"
	CmdNo         Command = "no"
	CmdQuit       Command = "quit"
	CmdSuspend    Command = "suspend"
	CmdPlaySlower Command = "play slower"
	CmdPlayFaster Command = "play faster"

	CmdAct Command = "act" // do the binding's action
)

// Named returns true for each command in the list of actions.
func (c Command) Named() bool {
	switch c {
	case CmdDown, CmdUp, CmdPageDown, CmdPageUp, CmdTop, cmdBottom, CmdLeft, CmdRight, CmdBack, CmdAnswer, CmdPalette, CmdSuspend:
		return false
	}
	return true
}

// Mode is a place in which keys have a meaning.
type Mode uint16

const (
	ModeNormal    = Mode(action.OnMain)
	ModeFaults    = Mode(action.OnFaults)
	ModeElections = Mode(action.OnElections)
)

// Modes in which no action has a key.
const (
	ModeHelp Mode = ModeElections << (1 + iota)
	ModeFilter
	ModeDialog
	ModePast // the main screen during time travel, and in a recording
	ModeLessonMenu
	ModeJoin    // how other programs join
	ModePalette // the list of actions
	ModeLesson  // added to ModeNormal while a lesson is running
)

// Main reports whether m is the main screen without an overlay.
func (m Mode) Main() bool { return m&(ModeNormal|ModePast) != 0 }

var modes = []struct {
	mode  Mode
	title string
	note  string
}{
	{ModeNormal, "On the main screen", ""},
	{ModeLesson, "On the main screen, during a lesson", ""},
	{ModeElections, "Choosing an election", ""},
	{ModePast, "Back in time, and in a recording", "Actions do nothing here; their keys show why."},
	{ModeFaults, "Choosing a fault", ""},
	{ModeLessonMenu, "Choosing a lesson", ""},
	{ModeJoin, "How to join", ""},
	{ModePalette, "Choosing an action", "Typed words filter the list."},
	{ModeFilter, "Typing a filter", "Other keys type a text that a row must show."},
	{ModeDialog, "Answering a question", ""},
	{ModeHelp, "In this help", ""},
}

// Binding is a line of the table of keys.
type Binding struct {
	key.Binding // its help has the keys as shown, and what they do
	Modes       Mode
	Do          Command
	Kind        action.Kind // kind of the action; "": no action
	Arg         string      // Arg of the action, if its kind has several keys
	Long        string      // what the key does, for the help; "": the short help
	Foot        int         // place in the footer, from the left; 0: not in the footer
	Drop        int         // a narrow footer leaves out the key with the highest Drop first, but never a key with Drop 0
	Shown       string      // keys in the footer
	Label       string
}

// FootKey is a key in the footer.
type FootKey struct {
	Binding
	Off   bool       // the key cannot be used now
	Style term.Style // style of Shown and Label unless Off is set; term.Text: the usual styles
}

// Bindings returns the table of keys. With observeOnly it lacks the keys that change something.
func Bindings(observeOnly bool) []Binding {
	const scroll = ModeNormal | ModeElections | ModeHelp | ModeFaults | ModeLessonMenu | ModeJoin
	const everywhere = scroll | ModeFilter | ModeDialog | ModePast | ModePalette | ModeLesson
	def := func(do Command, m Mode, keys []string, shown, does string) Binding {
		return Binding{Binding: key.NewBinding(key.WithKeys(keys...), key.WithHelp(shown, does)), Do: do, Modes: m, Shown: shown, Label: does}
	}
	footed := func(b Binding, foot, drop int) Binding {
		b.Foot, b.Drop = foot, drop
		return b
	}
	all := []Binding{
		def(CmdDown, scroll|ModePast, []string{"j", "down"}, "j ↓", "down"),
		def(CmdUp, scroll|ModePast, []string{"k", "up"}, "k ↑", "up"),
		def(CmdPageDown, scroll, []string{"pgdown"}, "pgdn", "a page down"),
		def(CmdPageUp, scroll, []string{"pgup"}, "pgup", "a page up"),
		def(CmdEarlier, ModePast, []string{"left"}, "←", "the previous event").long("to the previous event"),
		footed(def(CmdLater, ModePast, []string{"right"}, "→", "the next event"), 2, 0).named("← →", "event").long("to the next event"),
		footed(def(CmdStepOn, ModePast, []string{"."}, ".", "the next step"), 4, 2).named("", "step").long("to the next step of the recipe"),
		def(CmdHandBack, ModePast, []string{"pgup"}, "pgup", "the previous handoff").long("to the previous handoff"),
		footed(def(CmdHandOn, ModePast, []string{"pgdown"}, "pgdn", "the next handoff"), 6, 3).named("pgup pgdn", "handoff").long("to the next handoff"),
		def(CmdEarliest, ModePast, []string{"home"}, "home", "the earliest moment kept"),
		footed(def(CmdLatest, ModePast, []string{"end"}, "end", "the last moment"), 8, 4).named("home end", "ends"),
		footed(def(CmdPlay, ModePast, []string{" "}, "space", "play"), 8, 0).long("play the past, or stop playing"),
		def(CmdPlaySlower, ModePast, []string{"["}, "[", "play slower"),
		def(CmdPlayFaster, ModePast, []string{"]"}, "]", "play faster"),
		footed(def(CmdLive, ModePast, []string{"p", "esc"}, "p", "live"), 8, 0).long("back to the present"),
		def(CmdTop, scroll, []string{"g", "home"}, "g", "to the top"),
		def(cmdBottom, scroll, []string{"G", "end"}, "G", "to the end"),
		footed(def(CmdInspect, ModeNormal|ModePast, []string{"enter"}, "enter", "inspect"), 8, 1).long("everything about the selected candidate"),
		footed(def(CmdOpen, ModeElections, []string{"enter"}, "enter", "open"), 1, 0).long("watch the selected election and show it"),
		footed(def(CmdPanel, ModeNormal|ModePast, []string{"tab"}, "tab", "the next panel"), 5, 1),
		footed(def(CmdZoom, ModeNormal|ModePast, []string{"z"}, "z", "zoom"), 15, 0).named("", "zoom out").long("a panel fills the screen; many rows: a grid"),
		def(CmdLeft, ModeNormal, []string{"left"}, "←", "a column to the left, in a grid"),
		def(CmdRight, ModeNormal, []string{"right"}, "→", "a column to the right"),
		footed(def(CmdFilter, ModeNormal|ModePast|ModeElections, []string{"/"}, "/", "filter"), 9, 3).long("show only rows that contain a text"),
		footed(def(CmdPause, ModeNormal, []string{"p"}, "p", "pause"), 14, 3).long("pause and go back in time"),
	}
	all = append(all, actions()...)
	all = append(all,
		footed(def(CmdFaults, ModeNormal, []string{"X"}, "X", "faults"), 5, 2).long("what can be done to the selected candidate"),
		footed(def(CmdLessons, ModeNormal, []string{"L"}, "L", "lessons"), 11, 0).long("lessons, step by step"),
		footed(def(CmdLearn, ModeLessonMenu, []string{"enter"}, "enter", "begin"), 1, 0).
			long("begin the selected lesson, or leave the lesson"),
		footed(def(CmdContinue, ModeLesson, []string{" "}, "space", "go on"), -9, 0).long("read on, go on, or begin the next lesson"),
		footed(def(CmdAnswer, ModeLesson, []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"}, "1-9", "answer"), -8, 0).long("the answer with that number"),
		footed(def(CmdHint, ModeLesson, []string{"H"}, "H", "hint"), -7, 0).long("show a hint; again: the next hint"),
		footed(def(CmdSkip, ModeLesson, []string{">"}, ">", "skip"), -6, 1).long("skip the question or the wait"),
		footed(def(CmdReread, ModeLesson, []string{"<"}, "<", "back"), -5, 1).long("restart the part, or back to the previous part"),
		footed(def(CmdJoin, ModeNormal, []string{"J"}, "J", "join"), 12, 3).long("how your own programs join"),
		footed(def(CmdDoctor, ModeNormal|ModePast, []string{"!"}, "!", "doctor"), 11, 2).long("what the doctor found in this election"),
		footed(def(CmdServers, ModeNormal|ModePast, []string{"S"}, "S", "servers"), 12, 4).long("the members of the ensemble"),
		footed(def(CmdChoose, ModeNormal|ModePast, []string{"e"}, "e", "elections"), 13, 3).long("all elections, watched and found"),
		footed(def(CmdBack, ModeElections, []string{"esc", "e"}, "esc", "back"), 10, 0),
		footed(def(CmdBack, ModeFaults, []string{"esc", "X"}, "esc", "back"), 7, 0),
		footed(def(CmdBack, ModeLessonMenu, []string{"esc", "L"}, "esc", "back"), 2, 0),
		footed(def(CmdBack, ModeJoin, []string{"esc", "J", "enter"}, "esc", "back"), 1, 0),
		footed(def(CmdBack, ModeHelp, []string{"esc", "enter"}, "esc", "back"), 7, 0),
		footed(def(CmdHelp, ModeHelp, []string{"?"}, "?", "all keys"), 6, 0).long("all keys and words; again: as before"),
		def(CmdBack, ModeNormal, []string{"esc"}, "esc", "close a text, zoom out, clear the filter"),
		footed(def(CmdKeep, ModeFilter, []string{"enter"}, "enter", "keep the filter"), 1, 0),
		footed(def(CmdBack, ModeFilter, []string{"esc"}, "esc", "clear the filter"), 2, 0),
		def(CmdErase, ModeFilter|ModePalette, []string{"backspace"}, "backspace", "erase a letter"),
		def(CmdEraseAll, ModeFilter|ModePalette, []string{"ctrl+u"}, "ctrl-u", "erase all"),
		footed(def(CmdYes, ModeDialog, []string{"y"}, "y", "yes"), 1, 0),
		footed(def(CmdNo, ModeDialog, []string{"n", "esc"}, "n", "no"), 2, 0),
		footed(def(CmdSort, ModeElections, []string{"o"}, "o", "sort"), 14, 6).long("the next order: number, path, waiting, trouble"),
		footed(def(CmdCopy, ModeNormal|ModePast|ModeElections, []string{"y"}, "y", "copy path"), 15, 6).long("copy the znode's path, also over ssh"),
		footed(def(CmdTheme, ModeNormal|ModePast, []string{"T"}, "T", "theme"), 15, 5).long("dark, light, no colours"),
		footed(def(CmdPalette, ModeNormal|ModePast, []string{":"}, ":", "actions"), 16, 5).long("all actions, each with its name"),
		def(CmdFiner, ModeNormal|ModePast, []string{"+", "="}, "+", "finer scale").long("a finer scale of the time line"),
		def(CmdCoarser, ModeNormal|ModePast, []string{"-"}, "-", "coarser scale").long("a coarser scale, up to the whole history"),
		def(CmdDown, ModePalette, []string{"down", "ctrl+n"}, "↓", "down"),
		def(CmdUp, ModePalette, []string{"up", "ctrl+p"}, "↑", "up"),
		def(CmdPageDown, ModePalette, []string{"pgdown"}, "pgdn", "a page down"),
		def(CmdPageUp, ModePalette, []string{"pgup"}, "pgup", "a page up"),
		footed(def(CmdRun, ModePalette|ModeFaults, []string{"enter"}, "enter", "do it"), 1, 0).long("do the selected action"),
		footed(def(CmdComplete, ModePalette, []string{"tab"}, "tab", "complete"), 2, 1).long("complete the name of the selected action"),
		footed(def(CmdBack, ModePalette, []string{"esc"}, "esc", "back"), 3, 0),
		footed(def(CmdHelp, ModeNormal|ModeElections|ModePast|ModeFaults|ModeLessonMenu|ModeJoin, []string{"?"}, "?", "help"), 16, 0),
		footed(def(CmdQuit, scroll|ModePast, []string{"q"}, "q", "quit"), 17, 0),
		def(CmdQuit, everywhere, []string{"ctrl+c"}, "ctrl-c", "quit"),
		def(CmdSuspend, everywhere, []string{"ctrl+z"}, "ctrl-z", "suspend: fg brings it back"),
	)
	if !observeOnly {
		return all
	}
	var out []Binding
	for _, b := range all {
		if b.Modes &^= ModeDialog; b.Modes != 0 && !b.Kind.Changes() && b.Do != CmdFaults {
			out = append(out, b)
		}
	}
	return out
}

func actions() (out []Binding) {
	for i := range action.Table {
		d := &action.Table[i]
		if d.Key == "" {
			continue
		}
		out = append(out, Binding{
			Binding: key.NewBinding(key.WithKeys(d.Key), key.WithHelp(d.Key, d.Label)),
			Modes:   Mode(d.Where), Do: CmdAct, Kind: d.Kind, Arg: d.Arg, Long: d.Help, Foot: d.Foot, Drop: d.Drop,
			Shown: cmp.Or(d.Shown, d.Key), Label: d.Label,
		})
	}
	return out
}

func (b Binding) long(text string) Binding {
	b.Long = text
	return b
}

func (b Binding) named(keys, label string) Binding {
	b.Shown, b.Label = cmp.Or(keys, b.Shown), label
	return b
}

// Lookup returns the binding of key k in m, which can combine modes.
func Lookup(table []Binding, m Mode, k string) (Binding, bool) {
	for _, b := range table {
		if b.Modes&m != 0 && slices.Contains(b.Keys(), k) {
			return b, true
		}
	}
	return Binding{}, false
}
