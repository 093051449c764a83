// Package lesson runs lessons about leader election. The texts come from package demo/lessons,
// the states and events from the journal. A [Run] applies states, events and the user's input, and
// returns a [View] to show.
//
// # The phases of a part
//
// A [Lesson] is a list of parts. Each [Part] has a text. A part may ask for a prediction, and
// for an act in the real election:
//
//	preparing --Start--> asking --Answer--> waiting --the events--> finished --Next--> the next part
//
// The wait ends when the election has met every [Condition] of the act. Conditions also decide
// which prediction was right.
//
// # Roles
//
// Texts and conditions name roles, such as the leader, and usually no candidates. Before the wait for
// the act, the roles follow the election while the election fits the part. From the beginning of the
// wait, each role except [Newcomer] keeps its candidate, even if the candidate leaves.
//
// # When a part cannot go on
//
// A part fits the election if its roles have candidates, and the election has no difference from the
// part's [Setup] that could change the answer. A part that does not fit begins in its setup. If an
// unexpected event disturbs the wait, the part is stuck. [Back] restarts the part in its setup.
package lesson

import (
	"time"

	"electop/model/dialect"
)

// Lesson is the content of a lesson's TOML file.
type Lesson struct {
	ID    string `toml:"-"`
	Title string `toml:"title"`
	About string `toml:"about"` // one line for the menu
	Setup Setup  `toml:"setup"` // only Cast and Workers, for all parts
	Parts []Part `toml:"part"`
}

// Setup describes the election in which a part begins. The caller of [Run.Setup] prepares it.
type Setup struct {
	Cast    int  `toml:"cast"`    // number of candidates; they join in the order of their names
	Workers bool `toml:"workers"` // each leader has a worker
	Guarded bool `toml:"guarded"` // the workers' writes are fenced: a multi checks the leader's znode
	// Kind is what the children are for; "" means an election.
	Kind   dialect.Kind `toml:"kind"`
	Recipe string       `toml:"recipe"` // name of the recipe; "" means [dialect.Election]
	Slow   bool         `toml:"slow"`   // each message is delayed by a second
	Faults []Fault      `toml:"faults"` // in the order in which they begin
}

// Fault is a fault of a candidate in a [Setup].
type Fault struct {
	Fault string `toml:"fault"` // a name in the list of faults
	On    int    `toml:"on"`    // the candidate's place in the queue before the first fault, from 1
}

// Part is a part of a lesson. Its texts may have placeholders, such as {leader}: see values and roles.
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
	Right   string   `toml:"right"` // feedback on the right answer
	Wrong   string   `toml:"wrong"` // feedback on a wrong answer
}

// Option is a possible answer. The right answer is the first option whose condition was met during
// the wait, otherwise the option with Else.
type Option struct {
	Text  string     `toml:"text"`
	If    *Condition `toml:"if"`
	Else  bool       `toml:"else"`
	Wrong string     `toml:"wrong"` // feedback on this option in place of [Question.Wrong]
}

// Act asks the user to do something.
type Act struct {
	Do     string      `toml:"do"`
	Keys   []string    `toml:"keys"`   // keys to press in this order
	Target Role        `toml:"target"` // the candidate to select, "" for none
	Fault  string      `toml:"fault"`  // name of the fault that the act begins or ends
	Until  []Condition `toml:"until"`  // the wait ends when the election has met all of them
	Hints  []string    `toml:"hints"`  // shown during the wait
}

// Entry is a line of the menu.
type Entry struct {
	ID, Title, About string
	Done             bool
}

// Input is what the user does in a lesson besides changing the election.
type Input string

const (
	Next   Input = "next" // continue with the next part
	Hint   Input = "hint"
	Skip   Input = "skip" // skip the question, the wait, or a part that cannot go on
	Back   Input = "back" // restart the part, or the previous part if nothing was done in this part
	Answer Input = "answer"
)

// View has what a screen shows about a run. It is immutable.
type View struct {
	ID, Title   string
	Number, Of  int       // number of the lesson, from 1, and number of all lessons
	Began       time.Time // the end of the last setup; older events do not belong to the lesson
	Part, Parts int       // number of the part, from 1, and number of all parts
	Preparing   bool
	Text        []string // paragraphs
	Question    string   // "" for none
	Options     []string // numbered from 1 on the screen
	Chosen      int      // -1: not answered yet
	Right       int      // -1: unknown, or no option is right
	Feedback    string   // feedback on the answer, "" if it is unknown
	Do          string   // what the user must do now, "" for nothing
	Keys        []string // the keys for Do, such as "x"
	Target      string   // [model.Member.ID] of the candidate to act on, "" for none
	Fault       string   // fault to choose from the list of faults, "" for none
	Waiting     bool     // the part waits for the act and its effect
	Acted       bool     // the part waits, and the act was done or one of the act's conditions was met
	Held        bool     // the part waits, and the server holds messages until the user releases them
	Happened    string   // explains what happened, "" until the wait has ended
	Stuck       string   // why the part cannot go on, which wrong candidate was chosen, or what was skipped; "" for nothing
	Hint        string   // the last hint that the user requested, "" for none
	Hints       int      // the number of further hints
	CanBack     bool
	CanNext     bool
	Done        bool
	Skipped     bool // something in the lesson was skipped, and not done later
}
