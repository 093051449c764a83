// Package lesson runs a course in leader election: it shows the next text, asks a
// question, waits for what really happens, and judges the answer. It is pure: the
// texts come from package demo/lessons, the events from the journal.
//
// # How a part goes
//
// A [Lesson] is a list of parts. A [Part] explains something. It may ask the
// student what will happen, then have the student press the real keys, and wait
// until it has happened:
//
//	setting --Start--> asking --Answer--> waiting --the event--> finished --Next--> the next part
//
// [Condition] values end the wait. They are a small closed vocabulary about the
// state of the election and its events; no clock and no key makes one true. A
// prediction is judged in the same way: each option has the condition under
// which it is right, so the event gives the verdict and not the text.
//
// # Roles
//
// Texts and conditions name places in the queue, not candidates: the "leader",
// the "next". While the student reads a part or its question, a role follows
// the election. Once the student has answered, or has to act, the roles are
// fixed: {next} is the candidate that was next then, even if it leaves.
//
// # When a part cannot go on
//
// A part fits the election if its roles are there, and nothing is different from its
// [Setup] that could change the answer. If it does not fit, or if something else
// happens than what it asks for, its act disappears and no answer is judged:
// [Back] restarts the part in its setup. A part that does not fit when the student
// reaches it begins in its setup too.
package lesson

import "time"

// Lesson is one lesson, as data. Tests check that the lessons of package demo/lessons are
// valid.
type Lesson struct {
	ID    string `toml:"-"`
	Title string `toml:"title"`
	About string `toml:"about"` // in a line, for the menu
	Setup Setup  `toml:"setup"` // Cast and Workers, of all parts
	Parts []Part `toml:"part"`
}

// Setup is the election in which a part begins; the program that shows lessons
// builds it.
type Setup struct {
	Cast    int    `toml:"cast"`    // candidates, in the order of their names
	Workers bool   `toml:"workers"` // leaders have one each
	Guarded bool   `toml:"guarded"` // the workers write with the guard
	Recipe  string `toml:"recipe"`  // its name; "" is the election's
	Slow    bool   `toml:"slow"`    // each message is delayed by a second
	Deeds   []Deed `toml:"deeds"`   // what was done then, one after the other
}

// Deed is something done to a candidate.
type Deed struct {
	Fault string `toml:"fault"` // as in the list of faults
	On    int    `toml:"on"`    // the candidate's number in the order of their names, from 1
}

// Part is a step of a lesson. Its texts may have placeholders, see text.go.
type Part struct {
	Setup    Setup     `toml:"setup"`    // without Cast and Workers
	Text     []string  `toml:"text"`     // paragraphs
	Question *Question `toml:"question"` // nil for none; needs an act
	Act      *Act      `toml:"act"`      // nil where there is only something to read
	After    string    `toml:"after"`    // said when it has happened
}

// Question asks for a prediction, before the act.
type Question struct {
	Ask     string   `toml:"ask"`
	Options []Option `toml:"options"`
	Hints   []string `toml:"hints"` // until it is answered
	Right   string   `toml:"right"` // verdicts
	Wrong   string   `toml:"wrong"`
}

// Option is one of the answers. It is the right one if its condition came true
// while the part waited; of several, the first. Else is right if none did.
type Option struct {
	Text  string     `toml:"text"`
	If    *Condition `toml:"if"`
	Else  bool       `toml:"else"`
	Wrong string     `toml:"wrong"` // in place of [Question.Wrong], for who chose this
}

// Act says what the student is to do.
type Act struct {
	Do     string      `toml:"do"`
	Keys   []string    `toml:"keys"`   // that do it, one after the other
	Target Role        `toml:"target"` // whose row has to be selected; "": any
	Fault  string      `toml:"fault"`  // what is done to the target, as in the list of faults; also its end
	Until  []Condition `toml:"until"`  // all of these end the waiting
	Hints  []string    `toml:"hints"`  // while it waits
}

// Entry is a line of the menu.
type Entry struct {
	ID, Title, About string
	Done             bool
}

// Input says what a student does besides acting on the election.
type Input string

const (
	Next   Input = "next" // continue after reading
	Hint   Input = "hint"
	Skip   Input = "skip" // past what is asked or waited for
	Back   Input = "back" // restart the part, or go to the part before if nothing was done in this one
	Answer Input = "answer"
)

// View has what a screen shows of a run. It is immutable.
type View struct {
	ID, Title   string
	Number, Of  int       // of the lesson in the course, from 1
	Began       time.Time // when its setup stood: what was before is not part of it
	Part, Parts int       // from 1
	Setting     bool      // the setup is being built
	Text        []string  // paragraphs of prose
	Question    string    // "" for none
	Options     []string  // to choose from by their number, from 1
	Chosen      int       // -1: not answered yet
	Right       int       // -1: not known yet, or it had no answer
	Verdict     string    // what to say about the answer, once it is known
	Do          string    // what the student is to do now, "" for nothing
	Keys        []string  // that do it, as "x"
	Target      string    // [model.Member.ID] that the act is done to, "" for none
	Fault       string    // to choose from the list of faults, "" for none
	Waiting     bool      // for the event that the act brings about
	Happened    string    // what happened then, "" not yet
	Stuck       string    // which wrong candidate was chosen, or that the part cannot go on; "" for neither
	Hint        string    // shown when asked for, as long as it is about what is to be done
	Hints       int       // that there are still
	CanBack     bool
	CanNext     bool
	Done        bool // the lesson is complete
	Skipped     bool // and something of it was skipped
}
