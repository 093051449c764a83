package ui

import (
	"cmp"
	"slices"
	"strings"

	"electop/model"
)

// drawStatus draws the line above the keys: what was just done, what is being
// typed or asked, or else who leads.
func (d *dashboard) drawStatus(f *frame, r rect) {
	p := area{f.canvas, r}.pen(0).gap(1)
	switch {
	case d.mode == modeFilter:
		p.text(styleKey, "/").text(styleYou, model.Safe(*d.typed(), filterMax)).text(styleYou, f.th.glyph.Cursor)
		what := "name, znode or session contains"
		if d.below() == modeElections {
			what = "path, system or leader contains"
		}
		p.gap(2).text(styleMuted, what)
	case d.question != nil:
		p.text(styleAlarm, cut(d.question.text+" y n", p.room()-1))
	case d.status.until.After(f.now):
		f.at(d.status.until)
		p.text(d.status.style, cut(d.status.text, p.room()-1))
	case d.front() == modeElections && len(d.wall.rows) > 0:
		r := &d.wall.rows[d.wall.index]
		text := model.Safe(r.path, 0)
		if r.view == nil {
			text += "   " + model.Safe(r.found.System, 80)
		} else if whose := system(r.view.shown()); whose != "" {
			text += "   " + whose
		}
		p.text(styleMuted, cut(text, p.room()-1))
	default:
		st, text := d.headline(f)
		p.text(st, cut(text, p.room()-1))
	}
}

// drawKeys draws the keys that mean something now; those that cannot act are
// dim.
func (d *dashboard) drawKeys(f *frame, r rect) {
	type shown struct {
		binding
		key   string
		label string
		off   bool
		style style // of the label; styleText: as the others
	}
	var keys []shown
	for _, b := range d.table {
		if b.modes&d.mode == 0 || b.foot == 0 {
			continue
		}
		k := shown{binding: b, key: b.Help().Key, label: b.Help().Desc}
		if b.kind != "" {
			a, why := d.action(b.kind)
			k.off = why != ""
			if b.kind.changes() {
				k.label = verb(a)
			}
			if b.kind.changes() {
				k.drop = 1
			}
			if k.off {
				k.drop = 4 // but for the theme, the first to give way
			}
		}
		switch {
		case b.do == cmdPause && d.paused != nil:
			k.label = "live"
		case b.do == cmdInspect:
			k.off = d.rows.at(d.index).ref() == ref{}
		case b.do == cmdOpen:
			k.off = len(d.wall.rows) == 0
		case b.do == cmdNext && len(d.views) < 2:
			continue
		case b.do == cmdNext:
			k.key, k.label = "( )", "election"
		case b.do == cmdDoctor && len(d.shown().Findings) > 0:
			// What is wrong stays in view, on the narrowest screen too.
			k.label, k.drop = findingsBadge(d.shown()), 0
			if r.w < wideFrom {
				k.label = plural(len(d.shown().Findings), "finding", "findings")
			}
			k.style, _, _ = f.severity(model.Worst(d.shown().Findings))
		}
		keys = append(keys, k)
	}
	slices.SortStableFunc(keys, func(a, b shown) int { return cmp.Compare(a.foot, b.foot) })

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
		if why := model.Safe(s.Link.Err, 0); why != "" && !d.ended {
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
		b.WriteString(" " + about + f.clock(s.Reigns[n-1].From) + ", for " + age(f.calm().Sub(s.Reigns[n-1].From)))
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
