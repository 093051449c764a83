package footer

import (
	"cmp"
	"slices"

	"electop/model/doctor"
	"electop/model/units"
	"electop/ui/action"
	"electop/ui/input"
	"electop/ui/lessons"
	"electop/ui/term"
	"electop/ui/wording"
)

// Line is what the labels of the keys depend on.
type Line struct {
	State  *doctor.State
	Mode   input.Mode
	Course *lessons.Course // the lesson on the screen, nil for none
	// Action is what a key of that kind would do now, and why it cannot.
	Action func(kind action.Kind, arg string) (a action.Action, why string)

	Narrow    bool        // not all panels are in view
	Zoomed    bool        // one of them fills the screen
	NextPanel string      // what tab brings
	Selected  bool        // a candidate is selected
	Inspected bool        // all about it has the focus
	Elections int         // rows of the screen of elections
	Fault     action.Kind // the one selected in the list of faults
	Refused   bool        // what is selected in the list of actions cannot be done
	Leaving   bool        // the row selected in the menu of lessons leaves the lesson

	Demo, Lessons, Invited bool // what there is
	Paused, Past, Reel     bool // the picture is held; it could show the past; it is a recording
	Playing                bool // time passes in it
}

// Keys are the keys that mean something now, in the order of the table.
func (l *Line) Keys(g *term.Glyphs, table []input.Binding) []input.FootKey {
	keys := make([]input.FootKey, 0, 24)
	for _, b := range table {
		if k, ok := l.key(g, b); ok {
			keys = append(keys, k)
		}
	}
	return keys
}

// key is how a binding is shown, false if it means nothing now.
func (l *Line) key(g *term.Glyphs, b input.Binding) (input.FootKey, bool) {
	m, shown := l.Mode, true
	if m == input.ModeNormal && l.Course != nil {
		m |= input.ModeTeach
	}
	b.Shown, b.Label = cmp.Or(b.Shown, b.Help().Key), cmp.Or(b.Label, b.Help().Desc)
	k := input.FootKey{Binding: b}
	switch {
	case b.Modes&m == 0 || b.Foot == 0:
		return k, false
	case b.Modes&m&input.ModeTeach != 0:
		return l.Course.FootKey(k)
	}
	switch b.Do {
	case input.CmdAct:
		shown = l.act(&k)
	case input.CmdPause:
		switch {
		case l.Paused:
			k.Label, k.Drop = "live", 0
		case l.Past:
			k.Label, k.Drop = "past", 2
		}
	case input.CmdPlay:
		shown = l.Reel || l.Paused
		if l.Playing {
			k.Label = "pause"
		}
	case input.CmdLive:
		shown = !l.Reel // space does that
	case input.CmdFaults:
		k.Off = l.refuses(action.Kill) && l.refuses(action.Freeze)
	case input.CmdDoFault:
		k.Off = l.refuses(l.Fault)
	case input.CmdRun:
		k.Off = l.Refused
	case input.CmdInspect:
		if k.Off = !l.Selected; l.Inspected {
			k.Label, k.Off = "close", false
		}
	case input.CmdOpen:
		k.Off = l.Elections == 0
	case input.CmdLearn:
		if l.Leaving {
			k.Label = "leave the lesson"
		}
	case input.CmdLessons:
		if k.Off = !l.Lessons; l.Course != nil {
			k.Label, k.Foot, k.Drop = "menu", -1, 1
		}
	case input.CmdPanel:
		// Where not all panels are in view, it says what it brings.
		k.Label, shown = l.NextPanel, l.Narrow && !l.Zoomed
		if !l.Demo || l.Mode == input.ModePast {
			k.Foot, k.Drop = 9, 4
		}
	case input.CmdZoom:
		shown = l.Zoomed
	case input.CmdJoin:
		shown = l.Invited
	case input.CmdDoctor:
		if n := len(l.State.Findings); n > 0 {
			// What is wrong stays in view, on the narrowest screen too.
			k.Label, k.Drop = wording.FindingsBadge(l.State), 0
			if l.Narrow {
				k.Label = units.Count(n, "finding", "findings")
			}
			k.Style, _, _ = wording.Severity(g, doctor.Worst(l.State.Findings))
		}
	}
	if k.Off && b.Do != input.CmdInspect {
		k.Drop = 4 // but for the theme, the first to give way
		if !l.Demo && k.Foot > 0 {
			k.Foot += 20 // after the keys that can be used
		}
	}
	if l.Course != nil && m&input.ModeTeach != 0 {
		asked := func(key string) bool { return slices.Contains(l.Course.View.Keys, key) }
		if slices.ContainsFunc(b.Keys(), asked) && l.Course.Todo() {
			k.Style, k.Foot, k.Drop = term.Lead, -4, 0 // it is to be pressed
		} else if b.Kind.Changes() && k.Drop > 0 {
			k.Drop = max(k.Drop, 2)
		}
	}
	return k, shown
}

// act settles the key of an action, and reports whether it is shown.
func (l *Line) act(k *input.FootKey) bool {
	def := action.Of(k.Kind)
	matters := def.Matters != nil && def.Matters(l.State)
	if matters {
		k.Drop = 0
	}
	a, why := l.Action(k.Kind, k.Arg)
	if k.Off = why != ""; a.Arg != k.Arg {
		k.Label = action.WordsFor(a, "").Verb
	}
	if k.Kind == action.Slow && matters {
		k.Label, k.Off = "pace", false // it can be faster, if not slower
	}
	return !def.Demo || l.Demo && (matters || k.Kind != action.Step)
}

func (l *Line) refuses(kind action.Kind) bool {
	_, why := l.Action(kind, "")
	return why != ""
}
