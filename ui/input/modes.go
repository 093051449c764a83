package input

import "electop/ui/action"

// Mode says what the keyboard is for at the moment.
type Mode uint16

const (
	ModeNormal    = Mode(action.OnMain)
	ModeFaults    = Mode(action.OnFaults) // the list of faults
	ModeElections = Mode(action.OnElections)
)

// The modes in which no action has a key.
const (
	ModeHelp Mode = ModeElections << (1 + iota)
	ModeFilter
	ModeDialog
	ModePast    // time travel: the main screen as it was
	ModeLessons // the menu of lessons
	ModeJoin    // how others join
	ModePalette // everything that can be done
	ModeTeach   // what the main screen's keyboard is for besides while a lesson is on
)

// Main reports whether m is the main screen with nothing in front of it.
func (m Mode) Main() bool { return m&(ModeNormal|ModePast) != 0 }

// modes lists them with the words for the help.
var modes = []struct {
	mode  Mode
	title string
	note  string
}{
	{ModeNormal, "On the main screen", ""},
	{ModeTeach, "On the main screen, while a lesson is on", "The keys of the main screen act on the election."},
	{ModeElections, "Choosing an election", ""},
	{ModePast, "Back in time, and in a recording", "Keys that act say why they can't."},
	{ModeFaults, "Choosing a fault", ""},
	{ModeLessons, "Choosing a lesson", ""},
	{ModeJoin, "How to join", ""},
	{ModePalette, "Choosing an action", "What is typed narrows the list to what has these words in it."},
	{ModeFilter, "Typing a filter", "Everything else is text: part of a name, a znode or a session; of a path, a system or a leader among elections."},
	{ModeDialog, "Asked a question", ""},
	{ModeHelp, "In this help", ""},
}
