// Package lesson runs lessons about leader election: it shows a text, asks a question, waits
// for events of a real election, and checks the answer against these events. It has no input
// or output: the texts come from package demo/lessons, the events from the journal.
//
// # The phases of a part
//
// A [Lesson] is a list of parts. A [Part] explains something. It may ask the user for a
// prediction. Then it may ask for an act with the real keys, and wait for the effect:
//
//	preparing --Start--> asking --Answer--> waiting --the events--> finished --Next--> the next part
//
// The wait ends when every [Condition] of the act was met. Conditions describe the state of the
// election and its events, so a key alone makes no condition true. They also check the
// prediction: each option except the one with Else has the condition under which it is right.
//
// # Roles
//
// Texts and conditions name places in the queue, not candidates: the "leader", the "next".
// While the user reads a part or its question, a role follows the election. When the part begins
// to wait for the act, the roles are fixed: {next} stays the candidate that was next then, even
// if it leaves.
//
// # When a part cannot go on
//
// A part fits the election if its roles have holders, and nothing differs from its [Setup]
// that could change the answer. If the part does not fit, or if something unexpected happens,
// the part shows no act and checks no answer: [Back] restarts it in its setup. If a part does
// not fit when the user reaches it, it also begins in its setup.
package lesson

import "time"

// Lesson is one lesson, as data. Tests check that the lessons of package demo/lessons are
// valid.
type Lesson struct {
	ID    string `toml:"-"`
	Title string `toml:"title"`
	About string `toml:"about"` // a line for the menu
	Setup Setup  `toml:"setup"` // Cast and Workers of all parts
	Parts []Part `toml:"part"`
}

// Setup is the election in which a part begins. The program that runs lessons prepares it.
type Setup struct {
	Cast    int     `toml:"cast"`    // candidates, in the order of their names
	Workers bool    `toml:"workers"` // each leader has a worker
	Guarded bool    `toml:"guarded"` // the workers write with the guard
	Recipe  string  `toml:"recipe"`  // name of the recipe; "" is the name of dialect.Election
	Slow    bool    `toml:"slow"`    // each message is delayed by a second
	Faults  []Fault `toml:"faults"`  // in the order in which they begin
}

// Fault is a fault of a candidate in a [Setup].
type Fault struct {
	Fault string `toml:"fault"` // a name in the list of faults
	On    int    `toml:"on"`    // the candidate's number in the order of their names, from 1
}

// Part is a part of a lesson. Its texts may have placeholders: see role.go.
type Part struct {
	Setup    Setup     `toml:"setup"`    // without Cast and Workers
	Text     []string  `toml:"text"`     // paragraphs
	Question *Question `toml:"question"` // nil for none; needs an act
	Act      *Act      `toml:"act"`      // nil for a part that is only read
	After    string    `toml:"after"`    // shown when the wait has ended
}

// Question asks for a prediction, before the act.
type Question struct {
	Ask     string   `toml:"ask"`
	Options []Option `toml:"options"`
	Hints   []string `toml:"hints"` // shown before the answer
	Right   string   `toml:"right"` // verdict on the right answer
	Wrong   string   `toml:"wrong"` // verdict on a wrong answer
}

// Option is a possible answer. The right answer is the option whose condition came true while
// the part waited, the first in the list if several did, otherwise the option with Else.
type Option struct {
	Text  string     `toml:"text"`
	If    *Condition `toml:"if"`
	Else  bool       `toml:"else"`
	Wrong string     `toml:"wrong"` // the verdict on this option, in place of [Question.Wrong]
}

// Act asks the user to do something.
type Act struct {
	Do     string      `toml:"do"`
	Keys   []string    `toml:"keys"`   // keys to press, one after the other
	Target Role        `toml:"target"` // the candidate to select; "": any
	Fault  string      `toml:"fault"`  // name of the fault to begin or end for the target
	Until  []Condition `toml:"until"`  // the wait ends when all came true
	Hints  []string    `toml:"hints"`  // shown during the wait
}

// Entry is a line of the menu.
type Entry struct {
	ID, Title, About string
	Done             bool
}

// Input names what the user does in a lesson besides changing the election.
type Input string

const (
	Next   Input = "next" // continue after reading
	Hint   Input = "hint"
	Skip   Input = "skip" // skip the question or the wait
	Back   Input = "back" // restart the part; if nothing was done in it, go to the part before
	Answer Input = "answer"
)

// View has what a screen shows about a run. It is immutable.
type View struct {
	ID, Title   string
	Number, Of  int       // number of the lesson, from 1, and number of all lessons
	Began       time.Time // when the last setup was complete: older events are not part of the lesson
	Part, Parts int       // number of the part, from 1, and number of all parts
	Preparing   bool      // the setup is being prepared
	Text        []string  // paragraphs of prose
	Question    string    // "" for none
	Options     []string  // the user chooses an option by its number, from 1
	Chosen      int       // -1: not answered yet
	Right       int       // -1: unknown, or no option is right
	Verdict     string    // verdict on the answer, "" if it is unknown
	Do          string    // what the user must do now, "" for nothing
	Keys        []string  // the keys for that, such as "x"
	Target      string    // [model.Member.ID] of the candidate to act on, "" for none
	Fault       string    // fault to choose from the list of faults, "" for none
	Waiting     bool      // the part waits for the act and its effect
	Acted       bool      // it waits, and the act was done or a part of its effect came
	Held        bool      // it waits, and the server holds messages until the user releases them
	Happened    string    // explains what happened, "" until the wait has ended
	Stuck       string    // which wrong act or event came, that the part cannot go on, or what was skipped; "" for none
	Hint        string    // the last hint that the user asked for, "" for none
	Hints       int       // the number of further hints
	CanBack     bool
	CanNext     bool
	Done        bool // the lesson is complete
	Skipped     bool // something in the lesson was skipped
}
