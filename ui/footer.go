package ui

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"electop/model"
	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
)

// drawStatus draws the line above the keys: what was just done, what is being
// typed or asked, or else who leads.
func (d *dashboard) drawStatus(f *frame, r rect) {
	p := area{f.canvas, r}.pen(0).gap(1)
	switch {
	case d.mode == modeFilter:
		d.drawInput(f, p)
	case d.question != nil:
		p.text(styleAlarm, cut(d.question.text+" y n", p.room()-1))
	case d.status.until.After(f.now):
		f.at(d.status.until)
		p.text(d.status.style, cut(d.status.text, p.room()-1))
	case d.front() == modeElections && len(d.wall.rows) > 0:
		r := &d.wall.rows[d.wall.index]
		text := znode.Safe(r.path, 0)
		if r.view == nil {
			text += "   " + znode.Safe(r.found.System, 80)
		} else if whose := system(r.view.shown()); whose != "" {
			text += "   " + whose
		}
		p.text(styleMuted, cut(text, p.room()-1))
	case d.past.on && d.front() == modePast:
		st, text := d.momentWords(f)
		p.text(st, cut(text, p.room()-1))
	default:
		st, text := d.headline(f)
		if todo := d.lessonStatus(); todo != "" && st != styleAlarm {
			st, text = styleLead, todo
		}
		p.text(st, cut(text, p.room()-1))
	}
}

// footKey is a key as the footer shows it.
type footKey struct {
	binding
	key   string
	label string
	off   bool
	style style // of both; styleText: as the others
}

// footKey returns how a binding is shown in a footer of w cells, false if it
// means nothing now.
func (d *dashboard) footKey(f *frame, w int, b binding) (footKey, bool) {
	m := d.mode
	if m == modeNormal && d.learning() {
		m |= modeTeach
	}
	if b.modes&m == 0 || b.foot == 0 && b.do != cmdJoin && b.do != cmdZoom && b.do != cmdPanel {
		return footKey{}, false
	}
	k := footKey{binding: b, key: b.Help().Key, label: b.Help().Desc}
	if b.kind != "" {
		a, why := d.action(b.kind)
		k.off = why != ""
		if b.kind.changes() {
			k.label, k.drop = verb(a), 1
			if b.kind == Campaign {
				k.drop = 2
			}
		}
		if k.off {
			k.drop = 4 // but for the theme, the first to give way
		}
	}
	if d.learning() && m&modeTeach != 0 {
		switch {
		case b.modes&modeTeach != 0:
			return d.lessonKey(k)
		case slices.ContainsFunc(b.Keys(), func(key string) bool { return slices.Contains(d.course.view.Keys, key) }) && d.todo():
			k.style, k.foot, k.drop = styleLead, -4, 0 // it is to be pressed
		case b.do == cmdLessons:
			k.foot, k.drop = -1, 1
		case b.kind.changes():
			k.drop = max(k.drop, 2)
		}
	}
	switch b.do {
	case cmdSlower, cmdWorkers, cmdStep, cmdFence:
		return d.stageKey(k)
	case cmdPause:
		switch {
		case d.paused != nil:
			k.label, k.drop = "live", 0
		case d.o.Past != nil:
			k.label, k.drop = "past", 2
		}
	case cmdLive:
		if d.reel() != nil {
			k.label = "play on"
		}
	case cmdEarlier, cmdStepBack, cmdHandBack, cmdEarliest:
		return k, false // they are shown with their opposites
	case cmdLater:
		k.key, k.label = "← →", "event"
	case cmdStepOn:
		k.key, k.label = ", .", "step"
	case cmdHandOn:
		k.key, k.label = "pgup pgdn", "handoff"
	case cmdLatest:
		k.key, k.label = "home end", "ends"
	case cmdFaults:
		_, kill := d.action(Kill)
		_, freeze := d.action(Freeze)
		if k.off = kill != "" && freeze != ""; k.off {
			k.drop = 4
		}
	case cmdDoFault:
		_, why := d.action(faultKinds()[d.faults.index])
		k.off = why != ""
	case cmdInspect:
		k.off = d.rows.at(d.index).ref() == ref{}
	case cmdOpen:
		k.off = len(d.wall.rows) == 0
	case cmdLearn:
		if d.course.selected == noLesson {
			k.label = "leave the lesson"
		}
	case cmdLessons:
		k.off, k.drop = d.o.Tutor == nil, 0 // who is new here is to find them
		if k.off {
			k.drop = 4
		}
		if d.learning() {
			k.label, k.drop = "menu", 1
		}
	case cmdPanel:
		// Where not all panels are in view, it says what it brings.
		k.label, k.foot, k.drop = d.nextPanel(), 5, 1
		if d.o.Mode != ModeDemo || d.mode == modePast {
			k.foot, k.drop = 9, 4
		}
		return k, w < wideFrom && !d.zoomed
	case cmdZoom:
		k.label, k.foot, k.drop = "zoom out", 15, 0
		return k, d.zoomed
	case cmdJoin:
		k.foot, k.drop = 12, 3
		return k, len(d.o.Invitations) > 0
	case cmdNext:
		k.key, k.label = "( )", "election"
		return k, len(d.views) > 1
	case cmdDoctor:
		if n := len(d.shown().Findings); n > 0 {
			// What is wrong stays in view, on the narrowest screen too.
			k.label, k.drop = findingsBadge(d.shown()), 0
			if w < wideFrom {
				k.label = units.Count(n, "finding", "findings")
			}
			k.style, _, _ = f.severity(doctor.Worst(d.shown().Findings))
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

// lessonKey is footKey for the keys of a lesson: only what it takes now.
func (d *dashboard) lessonKey(k footKey) (footKey, bool) {
	v := &d.course.view
	switch k.do {
	case cmdContinue:
		if v.Done {
			k.label = "next lesson"
		}
		return k, v.CanNext || v.Done
	case cmdAnswer:
		k.key = "1-" + strconv.Itoa(len(v.Options))
		return k, v.Question != "" && v.Chosen < 0 && len(v.Options) > 0
	case cmdHint:
		return k, v.Hints > 0
	case cmdSkip:
		return k, !v.Done && !v.CanNext
	case cmdReread:
		return k, v.Part > 1 || v.Chosen >= 0 || v.Happened != "" || v.Stuck != ""
	}
	return k, true
}

// drawKeys draws the keys that mean something now; those that cannot act are
// dim.
func (d *dashboard) drawKeys(f *frame, r rect) {
	var keys []footKey
	for _, b := range d.table {
		if k, ok := d.footKey(f, r.w, b); ok {
			keys = append(keys, k)
		}
	}
	slices.SortStableFunc(keys, func(a, b footKey) int { return cmp.Compare(a.foot, b.foot) })

	gap := 3
	need := func() int {
		n := 0
		for _, k := range keys {
			n += width(k.key) + 1 + width(k.label) + gap
		}
		return n - gap
	}
	room := r.w - 2
	for len(keys) > 0 && need() > room {
		if gap > 2 {
			gap = 2
			continue
		}
		most := 0
		for i, k := range keys {
			if k.drop >= keys[most].drop {
				most = i
			}
		}
		if keys[most].drop == 0 {
			break
		}
		keys = slices.Delete(keys, most, most+1)
	}
	p := area{f.canvas, r}.pen(0).gap(1)
	for i, k := range keys {
		if i > 0 {
			p.gap(gap)
		}
		key, label := styleKey, styleMuted
		if k.style != styleText {
			key, label = k.style, k.style
		}
		if k.off {
			key, label = styleFaint, styleFaint
		}
		p.text(key, k.key).gap(1).text(label, k.label)
	}
}

// headline says in a line who leads, since when, and who is next.
func (d *dashboard) headline(f *frame) (style, string) {
	s := d.shown()
	l := s.Leader()
	switch {
	case d.stale():
		words := "as of " + f.clock(f.picture) + " " + label(l) + map[bool]string{false: " led", true: " held the lock"}[locks(s)]
		words += "; what happened since is not known"
		if why := znode.Safe(s.Link.Err, 0); why != "" && !d.ended {
			words += ": " + why
		}
		return styleTrouble, words
	case s.Phase != model.Live:
		return styleMuted, ""
	case l == nil:
		return styleTrouble, "nobody " + wordsOf(s).has
	}
	var b strings.Builder
	t, troubled := troubleOf(s, row{l, s.Member(l), 0})
	switch {
	case !troubled:
		b.WriteString(roleHolders(s))
	case t.faulty():
		b.WriteString(l.Label() + " is in trouble, " + wordsOf(s).holder)
	default:
		b.WriteString(l.Label() + " is at risk: " + t.expires(f.busy(), false))
		if next := t.said.Next; next != nil && holders(s) == 1 {
			b.WriteString(". " + next.Label() + " would take over")
		} else if next == nil {
			b.WriteString(". Nobody is next")
		}
		return styleAlarm, b.String()
	}
	if n := len(s.Reigns); n > 0 && s.Reigns[n-1].To.IsZero() {
		about := "since "
		if !s.Reigns[n-1].FromKnown {
			about = "since about "
		}
		b.WriteString(" " + about + f.clock(s.Reigns[n-1].From) + ", for " + units.Age(f.calm().Sub(s.Reigns[n-1].From)))
	}
	n := holders(s)
	switch {
	case single(s):
		b.WriteString(". There is no queue")
	case n == len(s.Queue):
		b.WriteString(". Nobody is next")
	default:
		b.WriteString(". " + s.Queue[n].Label() + " is next")
	}
	if troubled {
		return styleTrouble, b.String()
	}
	return styleMuted, b.String()
}

// stageKey is a key that directs the demo as a whole: of no use elsewhere, and
// of more where what it is about is on.
func (d *dashboard) stageKey(k footKey) (footKey, bool) {
	if d.o.Mode != ModeDemo {
		return k, false
	}
	slow := paced(d.shown())
	if k.drop > 0 {
		k.drop = 3
	}
	switch k.do {
	case cmdSlower:
		k.key, k.label = "[ ]", "slower"
		if slow {
			k.label, k.drop, k.off = "pace", 0, false
		}
	case cmdStep:
		k.drop, k.label = 0, "step"
		return k, slow
	case cmdFence:
		k.drop = 0
		return k, d.shown().Work.Rules.Workers
	}
	return k, true
}

// paced reports whether the server speaks slowly.
func paced(s *doctor.State) bool { return s.Pace != nil && (s.Pace.Steps || s.Pace.Delay > 0) }
