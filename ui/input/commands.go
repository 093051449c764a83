package input

// Command is what a key does.
type Command string

const (
	CmdDown     Command = "down"
	CmdUp       Command = "up"
	CmdPageDown Command = "page down"
	CmdPageUp   Command = "page up"
	CmdTop      Command = "top"
	cmdBottom   Command = "bottom"
	CmdInspect  Command = "inspect"
	CmdBack     Command = "back"
	CmdPanel    Command = "panel"
	CmdFilter   Command = "filter"
	CmdSort     Command = "sort"
	CmdErase    Command = "erase"
	CmdEraseAll Command = "erase all"
	CmdKeep     Command = "keep"
	CmdPause    Command = "pause"
	CmdDoctor   Command = "doctor"
	CmdServers  Command = "servers"
	CmdChoose   Command = "elections"
	CmdOpen     Command = "open"
	CmdFaults   Command = "faults"
	CmdZoom     Command = "zoom"
	CmdJoin     Command = "join"
	CmdLessons  Command = "lessons"
	CmdLearn    Command = "start lesson"
	CmdAnswer   Command = "answer"
	CmdContinue Command = "continue"
	CmdHint     Command = "hint"
	CmdSkip     Command = "skip"
	CmdReread   Command = "part before"
	CmdEarlier  Command = "earlier"
	CmdLater    Command = "later"
	CmdStepOn   Command = "step on"
	CmdEarliest Command = "earliest"
	CmdLatest   Command = "latest"
	CmdHandBack Command = "handoff before"
	CmdHandOn   Command = "handoff after"
	CmdLive     Command = "live"
	CmdPlay     Command = "play"
	CmdLeft     Command = "left"
	CmdRight    Command = "right"
	CmdFiner    Command = "finer scale"
	CmdCoarser  Command = "coarser scale"
	CmdCopy     Command = "copy path"
	CmdTheme    Command = "theme"
	CmdPalette  Command = "palette"
	CmdCluster  Command = "cluster" // of an entry of the list of actions only
	CmdRun      Command = "run"
	CmdComplete Command = "complete"
	CmdHelp     Command = "help"
	CmdYes      Command = "yes"
	CmdNo       Command = "no"
	CmdQuit     Command = "quit"
	CmdSuspend  Command = "suspend"
	// CmdPlaySlower and CmdPlayFaster change the speed of a playback.
	CmdPlaySlower Command = "play slower"
	CmdPlayFaster Command = "play faster"

	CmdAct Command = "act" // what the binding's action says
)

// Named reports whether c is something that can be asked for by name: not a movement, an
// answer by its number, or what only makes sense at the keyboard.
func (c Command) Named() bool {
	switch c {
	case CmdDown, CmdUp, CmdPageDown, CmdPageUp, CmdTop, cmdBottom, CmdLeft, CmdRight, CmdBack, CmdAnswer, CmdPalette, CmdSuspend:
		return false
	}
	return true
}
