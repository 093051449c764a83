// Package action is what the user can want done to an election. Each action is
// one value of [Table]: its key and where that works, its names and texts, and
// what the key would do now. The table of keys, the footer, the help, the list of
// faults, the status line and the documentation read it. A [Situation] says what a key
// would do at a moment, or why it cannot.
//
// To add an action, add a value to the table. Where it touches the server, it is
// one more value in the [Acts] of the dashboard (package ui/cli/dashboard).
package action

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"electop/model"
	"electop/model/doctor"
	"electop/model/znode"
)

// Kind is what an [Action] does.
type Kind string

const (
	Spawn    Kind = "spawn"    // one more candidate
	Kill     Kind = "kill"     // cut its connection, no goodbye
	Freeze   Kind = "freeze"   // freeze, or thaw: ArgOn, ArgOff
	Resign   Kind = "resign"   // close its session
	Campaign Kind = "campaign" // enter the election or leave it: ArgOn, ArgOff
	Herd     Kind = "herd"     // everybody watches the leader, or not: ArgOn, ArgOff
	Refresh  Kind = "refresh"  // read a candidate's data again: Arg is its znode's path
	Pause    Kind = "pause"    // replays only: stop or continue the playback
	Verify   Kind = "verify"   // ask the servers now who watches what; done once that has begun
	Discover Kind = "discover" // look for elections; done once that has begun: its result comes with a later state
	Open     Kind = "open"     // watch one more election: Target is its path
	Listing  Kind = "listing"  // the list of elections is on the screen, or is not any more: ArgOn, ArgOff

	// Faults, to see what happens. Where Arg is not said to be on or off, it is
	// done once.
	Partition Kind = "partition"  // cut a candidate's network, or heal it: ArgOn, ArgOff
	LoseReply Kind = "lose reply" // it rejoins, and the reply to its create is lost
	NoGuid    Kind = "no guid"    // its next znodes have no guid in their name: ArgOn, ArgOff
	Expire    Kind = "expire"     // its session expires now
	SlowLead  Kind = "slow lead"  // its leader procedure does not end: ArgOn, ArgOff

	// Of the demo as a whole.
	Slow    Kind = "slow"    // how slowly the server speaks: ArgSlower, ArgFaster
	Step    Kind = "step"    // let one protocol step go, and hold the next ones
	Workers Kind = "workers" // leaders have workers that write: ArgOn, ArgGuard, ArgOff
)

// What [Action.Arg] says where a key has two meanings.
const (
	ArgOn     = "on"
	ArgOff    = "off"
	ArgGuard  = "guard" // workers check the leader's znode with each write
	ArgSlower = "slower"
	ArgFaster = "faster"
)

// Action is something the user wants done outside the dashboard.
type Action struct {
	Kind Kind
	// Election is the path of the election that was on the screen.
	Election string
	// Target is the ID of one of our own members, else the full path of a
	// znode, or "" where the kind needs none.
	Target string
	Arg    string
}

// Did is the error of an action that went well and has something to say about it.
type Did string

// Error implements error.
func (d Did) Error() string { return string(d) }

// Unless is what a key does that turns something on, or off if it is on.
func Unless(on bool) string {
	if on {
		return ArgOff
	}
	return ArgOn
}

// A Def is one action in one place: its key and where that works, what it is
// called, what is said when it is done. Footer, help, the list of faults and the
// status line read it.
type Def struct {
	Kind Kind
	Arg  string // fixed for a kind with several keys, or with words of its own for it

	Key   string // "" for an action without a key of its own
	Where Where
	Label string // in the footer
	Foot  int    // place in the footer, from the left; 0: not there
	Drop  int    // the higher, the sooner it leaves a narrow footer
	Shown string // its keys in the footer, with the opposite's; "": Key
	Help  string

	Changes bool // it changes something besides this program's own view
	Harms   bool // it does to a candidate what nobody would want in earnest
	Demo    bool // only the demo has it
	// Matters reports whether it changes what the screen shows now: then it stays in the
	// narrowest footer. Nil: it does not.
	Matters func(*doctor.State) bool
	// OfCandidate says that it is done to the selected candidate.
	OfCandidate bool
	// Next is the argument that the key would have now, for one that has a choice.
	// m is the selected candidate's member, an empty one if it is none of ours; nil for
	// an action that is not OfCandidate.
	Next func(s *doctor.State, m *model.Member) string

	Words
	Undo Words // for the opposite, where the argument is ArgOff
}

// Where says in front of what the key works.
type Where uint8

const (
	OnMain Where = 1 << iota
	OnFaults
	OnElections
)

// Words are what an action is called. {name} stands for its candidate.
type Words struct {
	Verb  string // its name; "": the kind
	Cant  string // after "Can't"; "": the verb
	Is    string // what it does to a candidate, for the list of faults
	Shows string // and what that shows
	Begun string // what is said when it is begun, of one whose result comes with a later state
	Done  string // what is said when it was done; "" for what says so itself
}

// Faults are those of the list, from the most natural end to what goes wrong
// least often.
func Faults() []Kind {
	return []Kind{Resign, Kill, Freeze, Partition, Expire, LoseReply, NoGuid, SlowLead}
}

// Of returns what is known of an action of that kind.
func Of(kind Kind) *Def {
	for i := range Table {
		if d := &Table[i]; d.Kind == kind {
			return d
		}
	}
	return &Def{Kind: kind}
}

// Changes tells whether actions of that kind change anything but this
// program's own view.
func (k Kind) Changes() bool { return Of(k).Changes }

// find returns the value for an action, whose argument may tell it from another
// of its kind.
func find(a Action) *Def {
	for i := range Table {
		if d := &Table[i]; d.Kind == a.Kind && d.Arg == a.Arg {
			return d
		}
	}
	return Of(a.Kind)
}

// WordsFor returns the words for an action on the candidate of that name.
func WordsFor(a Action, name string) Words {
	d := find(a)
	w := d.Words
	if a.Arg == ArgOff {
		w = d.Undo
	}
	w.Verb = cmp.Or(w.Verb, string(a.Kind))
	w.Cant = cmp.Or(w.Cant, w.Verb)
	w.Done = strings.ReplaceAll(w.Done, "{name}", name)
	return w
}

// NoneSelected is why nothing can be done to the selected candidate if there is none.
const NoneSelected = "no candidate is selected. j and k select one"

// Situation is what decides at a moment what a key would do, and whether it can be done.
type Situation struct {
	State    *doctor.State
	ReadOnly bool   // the keys that change something are disabled
	Held     string // why nothing can be done to the election while its picture is held, "": it is not
	Ended    bool   // there will be no newer state
	// By is who does it, and can say why not; nil: nobody.
	By interface{ Why(Action) string }
}

// Offer returns what a key of that kind means for the candidate in r, and the reason why
// it cannot be done, if it cannot. arg is "" where the kind decides.
func (x Situation) Offer(kind Kind, arg string, r model.Row) (a Action, why string) {
	s, def := x.State, Of(kind)
	a = Action{Kind: kind, Election: s.Path, Arg: arg}
	var m *model.Member
	if def.OfCandidate {
		switch {
		case r.Member != nil:
			a.Target, m = r.Member.ID, r.Member
		case r.Candidate != nil:
			a.Target = znode.Join(s.Path, r.Candidate.Name)
		default:
			return a, NoneSelected
		}
		if kind == Refresh && r.Candidate != nil {
			a.Arg = znode.Join(s.Path, r.Candidate.Name)
		}
	}
	if def.Next != nil {
		if m == nil && def.OfCandidate {
			m = new(model.Member)
		}
		a.Arg = def.Next(s, m)
	}
	return a, x.Refuses(a)
}

// Refuses returns why a cannot be done now, "" if it can.
func (x Situation) Refuses(a Action) string {
	switch {
	case x.ReadOnly && a.Kind.Changes():
		return "read-only. Start without --observe-only to act"
	case x.Held != "" && a.Kind != Open && a.Kind != Discover:
		return x.Held
	case x.Ended:
		return "the source has ended. Start electop again"
	case x.By == nil:
		return "read-only"
	}
	why := x.By.Why(a)
	if why == "" && a.Kind == Step && !slowed(x.State) {
		// Else a stray key would stop everything.
		why = "nothing is held at full speed. [ slows the server down"
	}
	return znode.Safe(why, 0)
}

// Acts are what a dashboard can do. Live, demo and replay each provide a table.
type Acts struct {
	Of    map[Kind]Act
	Other string // why all other kinds cannot be done
}

// Act does the actions of one kind.
type Act struct {
	// Why returns why an action cannot be done now, and what to do instead; "" if it can.
	// Nil: it always can. It is called for each key of each frame.
	Why func(Action) string
	Do  func(Action) error
}

// If returns a Why with one reason, which holds while is returns true.
func If(is func() bool, why string) func(Action) string {
	return func(Action) string {
		if is() {
			return why
		}
		return ""
	}
}

// Why returns why a cannot be done now, "" if it can.
func (t Acts) Why(a Action) string {
	act, ok := t.Of[a.Kind]
	switch {
	case !ok:
		return t.Other
	case act.Why != nil:
		return act.Why(a)
	}
	return ""
}

// Do does a, unless Why returns a reason.
func (t Acts) Do(_ context.Context, a Action) error {
	if why := t.Why(a); why != "" {
		return errors.New(why)
	}
	return t.Of[a.Kind].Do(a)
}
