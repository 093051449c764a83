package action

import (
	"cmp"
	"strings"

	"electop/model"
	"electop/model/doctor"
)

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

// first has the first value of each kind. It is never written.
var first = func() map[Kind]*Def {
	of := make(map[Kind]*Def, len(Table))
	for i := range Table {
		if d := &Table[i]; of[d.Kind] == nil {
			of[d.Kind] = d
		}
	}
	return of
}()

// Of returns what is known of an action of that kind.
func Of(kind Kind) *Def {
	if d := first[kind]; d != nil {
		return d
	}
	return &Def{Kind: kind}
}

// Changes tells whether actions of that kind change anything but this
// program's own view.
func (k Kind) Changes() bool { return Of(k).Changes }

// Harms tells whether actions of that kind do to a candidate what nobody would
// want in earnest.
func (k Kind) Harms() bool { return Of(k).Harms }

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
