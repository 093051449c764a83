package palette

import (
	"cmp"

	"electop/ui/action"
	"electop/ui/input"
)

// Keys are what the list is made from.
type Keys struct {
	Table    []input.Binding
	Below    input.Mode // the mode behind the list
	Lesson   bool       // one is on the screen
	ReadOnly bool       // the keys that change something are disabled
	Clusters []string   // to turn to
	// Action is what a key of that kind would do now, and why it cannot.
	Action func(kind action.Kind, arg string) (a action.Action, why string)
}

// Entries are what can be done on the main screen: the actions, then what only changes the
// view, each in the order of the table of keys. Moving is for the keys alone.
func (k *Keys) Entries() []Entry {
	var actions, views []Entry
	modes := input.ModeNormal | k.Below // actions say at another moment why they can't
	if k.Lesson {
		modes |= input.ModeTeach
	}
	listed := map[action.Kind]bool{}
	for _, b := range k.Table {
		in := input.Mode(0)
		switch {
		case b.Kind != "" && b.Modes&input.ModeElections != 0:
			in = input.ModeElections
		case b.Modes&modes == 0 || !b.Do.Named() || b.Kind == "" && b.Modes&(k.Below|input.ModeTeach) == 0:
			continue
		}
		e := Entry{Name: b.Help().Desc, Key: b.Help().Key, About: b.Long, Do: b.Do, Kind: b.Kind, Arg: b.Arg, In: in}
		if in != 0 {
			e.Key = "e " + e.Key
		}
		if b.Kind == "" {
			views = append(views, k.entry(e))
			continue
		}
		listed[b.Kind] = true
		actions = append(actions, k.entry(e))
	}
	for _, name := range k.Clusters {
		views = append(views, Entry{Name: "cluster " + name, About: "leave these elections for those of cluster " + name, Do: input.CmdCluster, Arg: name})
	}
	if k.ReadOnly {
		return append(actions, views...)
	}
	for _, kind := range action.Faults() {
		if !listed[kind] {
			actions = append(actions, k.entry(Entry{Key: "X", Do: input.CmdAct, Kind: kind}))
		}
	}
	return append(actions, views...)
}

// entry completes an entry with what its action would do now.
func (k *Keys) entry(e Entry) Entry {
	if e.Kind != "" {
		var a action.Action
		a, e.Why = k.Action(e.Kind, e.Arg)
		words := action.WordsFor(a, "")
		e.Name, e.About = words.Verb, cmp.Or(e.About, words.Is)
	}
	e.About = cmp.Or(e.About, e.Name)
	return e
}
