// Package action defines what the user can do to an election. [Table] has each action with its key
// and its texts. A [Situation] decides whether an action can be done now. The [Acts] of a dashboard
// execute the action.
//
// A new action needs a [Kind], a [Def] in the table, and an [Act] in each dashboard that can do it:
// live and demo (package ui/cli/dashboard), replay (package ui/cli).
package action

import (
	"cmp"
	"context"
	"errors"

	"electop/model"
	"electop/model/doctor"
	"electop/model/znode"
)

// Kind names what an [Action] does.
type Kind string

const (
	Spawn    Kind = "spawn"    // add a candidate
	Kill     Kind = "kill"     // cut the candidate's connection without closing its session
	Freeze   Kind = "freeze"   // freeze the candidate, or thaw it: ArgOn, ArgOff
	Resign   Kind = "resign"   // close the candidate's session
	Campaign Kind = "campaign" // this program joins the election, or leaves it: ArgOn, ArgOff
	Herd     Kind = "herd"     // electop's candidates watch the leader, or their predecessors: ArgOn, ArgOff
	Refresh  Kind = "refresh"  // read a candidate's data again: Arg is its znode's path, "" without a znode
	Pause    Kind = "pause"    // replays only: stop or continue the playback
	Verify   Kind = "verify"   // request the servers' tables of watches; the answers come with a later state
	Discover Kind = "discover" // start a search for elections; the result comes with a later state
	Open     Kind = "open"     // watch one more election: Target is its path
	Listing  Kind = "listing"  // the list of elections was opened, or closed: ArgOn, ArgOff

	// Faults without a key.
	Partition Kind = "partition"  // cut a candidate's network, or heal it: ArgOn, ArgOff
	LoseReply Kind = "lose reply" // the candidate rejoins, and the reply to its create is lost
	NoGuid    Kind = "no guid"    // the candidate's next znodes have no guid in their name: ArgOn, ArgOff
	Expire    Kind = "expire"     // the candidate's session expires now
	SlowLead  Kind = "slow lead"  // the candidate's leader procedure does not end: ArgOn, ArgOff

	// The demo has these kinds. Of these, replays have only Slow.
	Slow    Kind = "slow"    // change the delay of the demo's server, or a replay's speed: ArgSlower, ArgFaster
	Step    Kind = "step"    // release the next message, or skip a wait
	Workers Kind = "workers" // leaders have workers that write: ArgOn, ArgGuard, ArgOff
)

// Values of [Action.Arg].
const (
	ArgOn     = "on"
	ArgOff    = "off"
	ArgGuard  = "guard" // workers check the leader's znode with each write
	ArgSlower = "slower"
	ArgFaster = "faster"
)

// Action is what the user wants to be done.
type Action struct {
	Kind     Kind
	Election string // path of the election on the screen
	Target   string // ID of one of electop's candidates, or path of a znode; "" if the kind needs no target
	Arg      string
}

// Success is the error of an action that succeeded with a message of its own.
type Success string

func (s Success) Error() string { return string(s) }

// Toggle returns ArgOff for something that is on, otherwise ArgOn.
func Toggle(on bool) string {
	if on {
		return ArgOff
	}
	return ArgOn
}

// Def defines one action.
type Def struct {
	Kind Kind
	Arg  string // set if this value of Action.Arg has its own key or words

	Key   string // "": no key
	Where Where
	Label string // label in the footer
	Foot  int    // place in the footer, from the left; 0: not in the footer
	Drop  int    // a narrow footer leaves out the highest Drop first; 0: never, unless the key is refused
	Shown string // keys in the footer, such as "[ ]"; "": Key
	Help  string

	Changes bool // --observe-only disables it
	Harms   bool // it harms a candidate
	Demo    bool // only the demo's footer has it
	// Matters reports whether the action matters in this state. Then its Drop is 0. Nil: false.
	Matters     func(*doctor.State) bool
	OfCandidate bool
	// Next, if not nil, returns the Arg that an action of this kind has now.
	// m is empty for a third-party candidate, and nil without OfCandidate.
	Next func(s *doctor.State, m *model.Member) string

	Words
	Undo Words // words of the opposite action, with ArgOff
}

// Where is a set of places in which a key works.
type Where uint8

const (
	OnMain Where = 1 << iota
	OnFaults
	OnElections
)

// Words are the names and messages of an action.
type Words struct {
	Verb  string // its name; "": the kind
	Cant  string // after "Can't"; "": the verb
	Is    string // text in a list: what happens to the candidate
	Shows string // text in the list of faults: what the user learns from the action
	Begun string // message at the start, if the result comes with a later state
	Done  string // message after success, with {name} for the candidate; "": none
}

// Faults returns the faults in the order of the list of faults.
func Faults() []Kind {
	return []Kind{Resign, Kill, Freeze, Partition, Expire, LoseReply, NoGuid, SlowLead}
}

// Of returns the first definition of kind in [Table], and if there is none, one with only the kind.
func Of(kind Kind) *Def {
	for i := range Table {
		if d := &Table[i]; d.Kind == kind {
			return d
		}
	}
	return &Def{Kind: kind}
}

// Changes reports whether --observe-only disables the kind.
func (k Kind) Changes() bool { return Of(k).Changes }

// WordsFor returns the words of action a, with Verb and Cant set.
func WordsFor(a Action) Words {
	d := Of(a.Kind)
	for i := range Table {
		if Table[i].Kind == a.Kind && Table[i].Arg == a.Arg {
			d = &Table[i]
			break
		}
	}
	w := d.Words
	if a.Arg == ArgOff {
		w = d.Undo
	}
	w.Verb = cmp.Or(w.Verb, string(a.Kind))
	w.Cant = cmp.Or(w.Cant, w.Verb)
	return w
}

// NoneSelected is the reason to refuse an action without a selected candidate.
const NoneSelected = "no candidate is selected. j and k select one"

// noMember is never written. In Def.Next it stands for the missing member of a third-party candidate.
var noMember model.Member

// Situation decides whether an action can be done now.
type Situation struct {
	State       *doctor.State
	ObserveOnly bool                            // refuse actions with Def.Changes
	WhyPaused   string                          // reason to refuse actions in a pause or in time travel, otherwise ""
	Ended       bool                            // there will be no newer state
	Actions     interface{ Why(Action) string } // nil: nothing can be done
}

// Offer returns an action of a kind, and the reason to refuse the action, "" for none.
func (x Situation) Offer(kind Kind, arg string, r model.Row) (a Action, why string) {
	s, def := x.State, Of(kind)
	a = Action{Kind: kind, Election: s.Path, Arg: arg}
	var m *model.Member
	if def.OfCandidate {
		switch {
		case r.Member != nil:
			a.Target, m = r.Member.ID, r.Member
		case r.Candidate != nil:
			a.Target, m = znode.Join(s.Path, r.Candidate.Name), &noMember
		default:
			return a, NoneSelected
		}
		if kind == Refresh && r.Candidate != nil {
			a.Arg = znode.Join(s.Path, r.Candidate.Name)
		}
	}
	if def.Next != nil {
		a.Arg = def.Next(s, m)
	}
	return a, x.Refuses(a)
}

// Refuses returns why action a cannot be done now, "" if it can.
func (x Situation) Refuses(a Action) string {
	switch {
	case x.ObserveOnly && a.Kind.Changes():
		return "read-only. Start without --observe-only to act"
	case x.WhyPaused != "" && a.Kind != Open && a.Kind != Discover:
		return x.WhyPaused
	case x.Ended:
		return "observation has ended. Start electop again"
	case x.Actions == nil:
		return "read-only"
	}
	why := x.Actions.Why(a)
	if why == "" && a.Kind == Step && !slowed(x.State) {
		// At full speed, Step would only begin to hold all messages.
		why = "no message is held at full speed. [ slows the server down"
	}
	return znode.Safe(why, 0)
}

// Acts implements the actions of a dashboard.
type Acts struct {
	Of    map[Kind]Act
	Other string // reason to refuse all other kinds, never ""
}

// Act implements the actions of one kind.
type Act struct {
	// Why returns the reason for a refusal, "" for none. Each frame may call it several times.
	// Nil: never refused.
	Why func(Action) string
	Do  func(Action) error
}

// If returns a function for [Act.Why].
func If(refused func() bool, why string) func(Action) string {
	return func(Action) string {
		if refused() {
			return why
		}
		return ""
	}
}

// Why returns why action a cannot be done now, "" if it can.
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

// Do executes action a, or returns the result of Why as an error. The context is not used.
func (t Acts) Do(_ context.Context, a Action) error {
	if why := t.Why(a); why != "" {
		return errors.New(why)
	}
	return t.Of[a.Kind].Do(a)
}
