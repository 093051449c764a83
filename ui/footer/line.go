package footer

import (
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
	keys := make([]input.FootKey, 0, 16)
	for _, b := range table {
		if k, ok := l.key(g, b); ok {
			keys = append(keys, k)
		}
	}
	return keys
}

// key is how a binding is shown, false if it means nothing now.
func (l *Line) key(g *term.Glyphs, b input.Binding) (input.FootKey, bool) {
	m := l.Mode
	if m == input.ModeNormal && l.Course != nil {
		m |= input.ModeTeach
	}
	if b.Modes&m == 0 || b.Foot == 0 && b.Do != input.CmdJoin && b.Do != input.CmdZoom && b.Do != input.CmdPanel {
		return input.FootKey{}, false
	}
	k := input.FootKey{Binding: b, Key: b.Help().Key, Label: b.Help().Desc}
	if b.Kind != "" {
		a, why := l.Action(b.Kind, b.Arg)
		k.Off = why != ""
		if b.Kind.Changes() {
			k.Label, k.Drop = action.WordsFor(a, "").Verb, 1
			if b.Kind == action.Campaign {
				k.Drop = 2
			}
		}
		if k.Off {
			k.Drop = 4 // but for the theme, the first to give way
		}
	}
	if l.Course != nil && m&input.ModeTeach != 0 {
		switch {
		case b.Modes&input.ModeTeach != 0:
			return l.Course.FootKey(k)
		case slices.ContainsFunc(b.Keys(), func(key string) bool { return slices.Contains(l.Course.View.Keys, key) }) && l.Course.Todo():
			k.Style, k.Foot, k.Drop = term.Lead, -4, 0 // it is to be pressed
		case b.Do == input.CmdLessons:
			k.Foot, k.Drop = -1, 1
		case b.Kind.Changes():
			k.Drop = max(k.Drop, 2)
		}
	}
	switch b.Kind {
	case action.Slow, action.Workers, action.Step:
		return l.stageKey(k)
	}
	switch b.Do {
	case input.CmdPause:
		switch {
		case l.Paused:
			k.Label, k.Drop = "live", 0
		case l.Past:
			k.Label, k.Drop = "past", 2
		}
	case input.CmdPlay:
		k.Foot = 8
		if l.Playing {
			k.Label = "pause"
		}
		return k, l.Reel || l.Paused
	case input.CmdLive:
		if l.Reel {
			return k, false // space does that
		}
	case input.CmdEarlier, input.CmdHandBack, input.CmdEarliest:
		return k, false // they are shown with their opposites
	case input.CmdLater:
		k.Key, k.Label = "← →", "event"
	case input.CmdStepOn:
		k.Label = "step"
	case input.CmdHandOn:
		k.Key, k.Label = "pgup pgdn", "handoff"
	case input.CmdLatest:
		k.Key, k.Label = "home end", "ends"
	case input.CmdFaults:
		_, kill := l.Action(action.Kill, "")
		_, freeze := l.Action(action.Freeze, "")
		if k.Off = kill != "" && freeze != ""; k.Off {
			k.Drop = 4
		}
	case input.CmdDoFault:
		_, why := l.Action(l.Fault, "")
		k.Off = why != ""
	case input.CmdRun:
		k.Off = l.Refused
	case input.CmdInspect:
		k.Off = !l.Selected
	case input.CmdOpen:
		k.Off = l.Elections == 0
	case input.CmdLearn:
		if l.Leaving {
			k.Label = "leave the lesson"
		}
	case input.CmdLessons:
		k.Off, k.Drop = !l.Lessons, 0 // who is new here is to find them
		if k.Off {
			k.Drop = 4
		}
		if l.Course != nil {
			k.Label, k.Drop = "menu", 1
		}
	case input.CmdPanel:
		// Where not all panels are in view, it says what it brings.
		k.Label, k.Foot, k.Drop = l.NextPanel, 5, 1
		if !l.Demo || l.Mode == input.ModePast {
			k.Foot, k.Drop = 9, 4
		}
		return k, l.Narrow && !l.Zoomed
	case input.CmdZoom:
		k.Label, k.Foot, k.Drop = "zoom out", 15, 0
		return k, l.Zoomed
	case input.CmdJoin:
		k.Foot, k.Drop = 12, 3
		return k, l.Invited
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
	return k, true
}

// stageKey is a key that directs the demo as a whole: of no use elsewhere, and
// of more where what it is about is on.
func (l *Line) stageKey(k input.FootKey) (input.FootKey, bool) {
	if !l.Demo {
		return k, false
	}
	pace := l.State.Pace
	slow := pace != nil && (pace.Steps || pace.Delay > 0)
	if k.Drop > 0 {
		k.Drop = 3
	}
	switch k.Kind {
	case action.Slow:
		k.Key, k.Label = "[ ]", "slower"
		if slow {
			k.Label, k.Drop, k.Off = "pace", 0, false
		}
	case action.Step:
		k.Drop, k.Label = 0, "step"
		return k, slow
	case action.Workers:
		if l.State.Work.Rules.Workers { // they are what is looked at
			k.Foot, k.Drop = 7, 0
		}
	}
	return k, true
}
