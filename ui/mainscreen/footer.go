package mainscreen

import (
	"cmp"
	"slices"

	"electop/model"
	"electop/model/doctor"
	"electop/model/units"
	"electop/ui/action"
	"electop/ui/input"
	"electop/ui/term"
	"electop/ui/wording"
)

// Footer is the last line of the screen: the keys of the current mode.
type Footer struct {
	*Screen
	Mode input.Mode // during a lesson, ModeNormal comes with ModeLesson
	// Action returns the action of a kind; why is "" if the action is possible now.
	Action func(kind action.Kind, arg string) (a action.Action, why string)

	Elections int  // number of rows in the list of elections
	Refused   bool // the selected entry of a list cannot be executed
	Leaving   bool // the selected row of the menu of lessons ends the lesson

	Lessons, Invited, Past bool // whether there are lessons, invitations to join, and a past
}

// Draw draws the keys.
func (l *Footer) Draw(f *term.Frame, table []input.Binding) {
	r, keys, gap := l.At.Keys, l.keys(&f.Theme.Glyph, table), 3
	width := func(k *input.FootKey) int { return term.Width(k.Shown) + 1 + term.Width(k.Label) }
	need := func() int {
		n := -gap
		for i := range keys {
			n += width(&keys[i]) + gap
		}
		return n
	}
	for len(keys) > 0 && need() > r.W-2 {
		if gap > 2 {
			gap = 2
			continue
		}
		most := 0
		for i, k := range keys {
			if k.Drop >= keys[most].Drop {
				most = i
			}
		}
		if keys[most].Drop == 0 {
			break
		}
		keys = slices.Delete(keys, most, most+1)
	}
	p := f.Area(r).Pen(0).Gap(1)
	for i := range keys {
		if i > 0 {
			p.Gap(gap)
		}
		k := &keys[i]
		key, label := term.Key, term.Muted
		if k.Style != term.Text {
			key, label = k.Style, k.Style
		}
		if k.Off {
			key, label = term.Faint, term.Faint
		}
		p.Spot(width(k), k)
		p.Text(key, k.Shown).Gap(1).Text(label, k.Label)
	}
}

func (l *Footer) keys(g *term.Glyphs, table []input.Binding) []input.FootKey {
	keys := l.footKeys[:0]
	for _, b := range table {
		if k, ok := l.key(g, b); ok {
			keys = append(keys, k)
		}
	}
	l.footKeys = keys
	slices.SortStableFunc(keys, func(a, b input.FootKey) int { return cmp.Compare(a.Foot, b.Foot) })
	return keys
}

func (l *Footer) key(g *term.Glyphs, b input.Binding) (k input.FootKey, shown bool) {
	k = input.FootKey{Binding: b}
	switch {
	case b.Modes&l.Mode == 0 || b.Foot == 0:
		return k, false
	case b.Modes&l.Mode&input.ModeLesson != 0:
		return l.Lesson.FootKey(k)
	}
	shown = true
	switch b.Do {
	case input.CmdAct:
		shown = l.act(&k)
	case input.CmdPause:
		switch {
		case l.TimeShown != Live:
			k.Label, k.Drop = "live", 0
		case l.Past:
			k.Label, k.Drop = "past", 2
		}
	case input.CmdPlay:
		shown = l.Playing != nil || l.TimeShown != Live
		if l.Journey.Plays() || l.Playing != nil && l.TimeShown == Live {
			k.Label = "pause"
		}
	case input.CmdLive:
		shown = l.Playing == nil // in a recording, space does the same
	case input.CmdFaults:
		k.Off = l.refuses(action.Kill) && l.refuses(action.Freeze)
	case input.CmdRun:
		k.Off = l.Refused
	case input.CmdInspect:
		if k.Off = l.Candidates.Row().Ref() == (model.Ref{}); l.Focus == Selected {
			k.Label, k.Off = "close", false
		}
	case input.CmdOpen:
		k.Off = l.Elections == 0
	case input.CmdLearn:
		if l.Leaving {
			k.Label = "leave the lesson"
		}
	case input.CmdLessons:
		if k.Off = !l.Lessons; l.Lesson != nil {
			k.Label, k.Foot, k.Drop = "menu", -1, 1
		}
	case input.CmdPanel:
		k.Label, shown = l.Next().Name(l.State.Work.Rules.Workers), !l.wide() && !l.Zoomed
		if l.Badge != Demo || l.Mode == input.ModePast {
			k.Foot, k.Drop = 9, 4
		}
	case input.CmdZoom:
		shown = l.Zoomed
	case input.CmdJoin:
		shown = l.Invited
	case input.CmdDoctor:
		if n := len(l.State.Findings); n > 0 {
			k.Label, k.Drop = wording.FindingsBadge(l.State), 0
			if !l.wide() {
				k.Label = units.Count(n, "finding", "findings")
			}
			k.Style, _, _ = wording.Severity(g, doctor.Worst(l.State.Findings))
		}
	}
	if k.Off && b.Do != input.CmdInspect {
		k.Drop = 4
		if l.Badge != Demo && k.Foot > 0 {
			k.Foot += 20 // to the right of the keys that can be used
		}
	}
	if l.Mode&input.ModeLesson != 0 {
		required := func(key string) bool { return slices.Contains(l.Lesson.View.Keys, key) }
		if slices.ContainsFunc(b.Keys(), required) && l.Lesson.Todo() {
			k.Style, k.Foot, k.Drop = term.Lead, -4, 0
		} else if b.Kind.Changes() && k.Drop > 0 {
			k.Drop = max(k.Drop, 2)
		}
	}
	return k, shown
}

func (l *Footer) act(k *input.FootKey) bool {
	def := action.Of(k.Kind)
	matters := def.Matters != nil && def.Matters(l.State)
	if matters {
		k.Drop = 0
	}
	a, why := l.Action(k.Kind, k.Arg)
	if k.Off = why != ""; a.Arg != k.Arg {
		k.Label = action.WordsFor(a).Verb
	}
	if k.Kind == action.Slow && matters {
		// At the slowest pace, only the opposite key can be used.
		_, faster := l.Action(action.Slow, action.ArgFaster)
		k.Label, k.Off = "pace", k.Off && faster != ""
	}
	return !def.Demo || l.Badge == Demo && (matters || k.Kind != action.Step)
}

func (l *Footer) refuses(kind action.Kind) bool {
	_, why := l.Action(kind, "")
	return why != ""
}
