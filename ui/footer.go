package ui

import (
	"slices"

	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/action"
	"electop/ui/input"
	"electop/ui/lessons"
	"electop/ui/rows"
	"electop/ui/term"
	"electop/ui/travel"
	"electop/ui/wording"
)

// drawStatus draws the line above the keys: what was just done, what is being
// typed or asked, or else who leads.
func (d *dashboard) drawStatus(f *term.Frame, r term.Rect) {
	p := f.Area(r).Pen(0).Gap(1)
	switch {
	case d.mode == input.ModeFilter:
		d.drawInput(f, p)
	case d.question != nil:
		p.Text(term.Alarm, term.Cut(d.question.text+" y n", p.Room()-1))
	case d.status.until.After(f.Now):
		f.At(d.status.until)
		p.Text(d.status.style, term.Cut(d.status.text, p.Room()-1))
	case d.front() == input.ModeElections && len(d.elections.Rows) > 0:
		r := &d.elections.Rows[d.elections.Index]
		text := znode.Safe(r.Path, 0)
		if r.Watched == nil {
			text += "   " + znode.Safe(r.Found.System, 80)
		} else if whose := wording.System(r.Watched.State); whose != "" {
			text += "   " + whose
		}
		p.Text(term.Muted, term.Cut(text, p.Room()-1))
	case d.past.on && d.front() == input.ModePast:
		st, text := term.Muted, "searching for the last moment"
		if d.past.known {
			st, text = travel.Words(f, d.past.Found)
		}
		p.Text(st, term.Cut(text, p.Room()-1))
	default:
		st, text := wording.Headline(f, d.shown(), d.stale(), d.ended)
		todo := ""
		if d.learning() && d.front() == input.ModeNormal {
			todo = d.course.Status()
		}
		if todo != "" && st != term.Alarm {
			st, text = term.Lead, todo
		}
		p.Text(st, term.Cut(text, p.Room()-1))
	}
}

// footKey returns how a binding is shown in a footer of w cells, false if it
// means nothing now.
func (d *dashboard) footKey(f *term.Frame, w int, b input.Binding) (input.FootKey, bool) {
	m := d.mode
	if m == input.ModeNormal && d.learning() {
		m |= input.ModeTeach
	}
	if b.Modes&m == 0 || b.Foot == 0 && b.Do != input.CmdJoin && b.Do != input.CmdZoom && b.Do != input.CmdPanel {
		return input.FootKey{}, false
	}
	k := input.FootKey{Binding: b, Key: b.Help().Key, Label: b.Help().Desc}
	if b.Kind != "" {
		a, why := d.action(b.Kind, b.Arg)
		k.Off = why != ""
		if b.Kind.Changes() {
			k.Label, k.Drop = action.WordsFor(a, "").Verb, 1
			if b.Kind == Campaign {
				k.Drop = 2
			}
		}
		if k.Off {
			k.Drop = 4 // but for the theme, the first to give way
		}
	}
	if d.learning() && m&input.ModeTeach != 0 {
		switch {
		case b.Modes&input.ModeTeach != 0:
			return d.course.FootKey(k)
		case slices.ContainsFunc(b.Keys(), func(key string) bool { return slices.Contains(d.course.View.Keys, key) }) && d.todo():
			k.Style, k.Foot, k.Drop = term.Lead, -4, 0 // it is to be pressed
		case b.Do == input.CmdLessons:
			k.Foot, k.Drop = -1, 1
		case b.Kind.Changes():
			k.Drop = max(k.Drop, 2)
		}
	}
	switch b.Kind {
	case Slow, Workers, Step, Fence:
		return d.stageKey(k)
	}
	switch b.Do {
	case input.CmdPause:
		switch {
		case d.paused != nil:
			k.Label, k.Drop = "live", 0
		case d.o.Past != nil:
			k.Label, k.Drop = "past", 2
		}
	case input.CmdLive:
		if d.reel() != nil {
			k.Label = "play on"
		}
	case input.CmdEarlier, input.CmdStepBack, input.CmdHandBack, input.CmdEarliest:
		return k, false // they are shown with their opposites
	case input.CmdLater:
		k.Key, k.Label = "← →", "event"
	case input.CmdStepOn:
		k.Key, k.Label = ", .", "step"
	case input.CmdHandOn:
		k.Key, k.Label = "pgup pgdn", "handoff"
	case input.CmdLatest:
		k.Key, k.Label = "home end", "ends"
	case input.CmdFaults:
		_, kill := d.action(Kill, "")
		_, freeze := d.action(Freeze, "")
		if k.Off = kill != "" && freeze != ""; k.Off {
			k.Drop = 4
		}
	case input.CmdDoFault:
		_, why := d.action(action.Faults()[d.faults.Index], "")
		k.Off = why != ""
	case input.CmdInspect:
		k.Off = d.Rows.At(d.Index).Ref() == rows.Ref{}
	case input.CmdOpen:
		k.Off = len(d.elections.Rows) == 0
	case input.CmdLearn:
		if d.course.Selected == lessons.None {
			k.Label = "leave the lesson"
		}
	case input.CmdLessons:
		k.Off, k.Drop = d.o.Tutor == nil, 0 // who is new here is to find them
		if k.Off {
			k.Drop = 4
		}
		if d.learning() {
			k.Label, k.Drop = "menu", 1
		}
	case input.CmdPanel:
		// Where not all panels are in view, it says what it brings.
		k.Label, k.Foot, k.Drop = d.nextPanel(), 5, 1
		if d.o.Mode != ModeDemo || d.mode == input.ModePast {
			k.Foot, k.Drop = 9, 4
		}
		return k, w < wideFrom && !d.zoomed
	case input.CmdZoom:
		k.Label, k.Foot, k.Drop = "zoom out", 15, 0
		return k, d.zoomed
	case input.CmdJoin:
		k.Foot, k.Drop = 12, 3
		return k, len(d.o.Invitations) > 0
	case input.CmdNext:
		k.Key, k.Label = "( )", "election"
		return k, len(d.views) > 1
	case input.CmdDoctor:
		if n := len(d.shown().Findings); n > 0 {
			// What is wrong stays in view, on the narrowest screen too.
			k.Label, k.Drop = wording.FindingsBadge(d.shown()), 0
			if w < wideFrom {
				k.Label = units.Count(n, "finding", "findings")
			}
			k.Style, _, _ = wording.Severity(&f.Theme.Glyph, doctor.Worst(d.shown().Findings))
		}
	}
	return k, true
}

// nextPanel is what comes next in the place of the panel with the focus.
func (d *dashboard) nextPanel() string {
	switch {
	case d.focus == panelCandidates && d.shown().Work.Rules.Workers:
		return "belief"
	case d.focus == panelCandidates:
		return "recipe"
	case d.focus == panelHandoffs:
		return "candidates"
	case d.learning():
		return "lesson"
	}
	return "handoffs"
}

// drawKeys draws the keys that mean something now; those that cannot act are
// dim.
func (d *dashboard) drawKeys(f *term.Frame, r term.Rect) {
	var keys []input.FootKey
	for _, b := range d.table {
		if k, ok := d.footKey(f, r.W, b); ok {
			keys = append(keys, k)
		}
	}
	input.DrawFooter(f, r, keys)
}

// stageKey is a key that directs the demo as a whole: of no use elsewhere, and
// of more where what it is about is on.
func (d *dashboard) stageKey(k input.FootKey) (input.FootKey, bool) {
	if d.o.Mode != ModeDemo {
		return k, false
	}
	slow := paced(d.shown())
	if k.Drop > 0 {
		k.Drop = 3
	}
	switch k.Kind {
	case Slow:
		k.Key, k.Label = "[ ]", "slower"
		if slow {
			k.Label, k.Drop, k.Off = "pace", 0, false
		}
	case Step:
		k.Drop, k.Label = 0, "step"
		return k, slow
	case Fence:
		k.Drop = 0
		return k, d.shown().Work.Rules.Workers
	}
	return k, true
}

// paced reports whether the server speaks slowly.
func paced(s *doctor.State) bool { return s.Pace != nil && (s.Pace.Steps || s.Pace.Delay > 0) }
