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
		p.text(styleKey, "/").text(styleYou, model.Safe(d.filter, filterMax)).text(styleYou, f.th.glyph.Cursor)
		p.gap(2).text(styleMuted, "name, znode or session contains")
	case d.question != nil:
		p.text(styleAlarm, cut(d.question.text+" y n", p.room()-1))
	case d.status.until.After(f.now):
		f.at(d.status.until)
		p.text(d.status.style, cut(d.status.text, p.room()-1))
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
		label string
		off   bool
	}
	var keys []shown
	for _, b := range d.table {
		if b.modes&d.mode == 0 || b.foot == 0 {
			continue
		}
		k := shown{binding: b, label: b.Help().Desc}
		if b.kind != "" {
			a, why := d.action(b.kind)
			k.label, k.off = verb(a), why != ""
			k.drop = 1
			if k.off {
				k.drop = 4 // but for the theme, the first to give way
			}
		}
		if b.do == cmdPause && d.paused != nil {
			k.label = "live"
		}
		if b.do == cmdInspect {
			k.off = d.rows.at(d.index).ref() == ref{}
		}
		keys = append(keys, k)
	}
	slices.SortStableFunc(keys, func(a, b shown) int { return cmp.Compare(a.foot, b.foot) })

	gap := 3
	need := func() int {
		n := 0
		for _, k := range keys {
			n += width(k.Help().Key) + 1 + width(k.label) + gap
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
		if k.off {
			key, label = styleFaint, styleFaint
		}
		p.text(key, k.Help().Key).gap(1).text(label, k.label)
	}
}

// headline says in a line who leads, since when, and who is next.
func (d *dashboard) headline(f *frame) (style, string) {
	s := d.shown()
	l := s.Leader()
	switch {
	case d.stale():
		words := "as of " + f.clock(f.picture) + " " + label(l) + " led"
		if l == nil {
			words = "as of " + f.clock(f.picture) + " nobody led"
		}
		words += "; what happened since is not known"
		if why := model.Safe(s.Link.Err, 0); why != "" && !d.ended {
			words += ": " + why
		}
		return styleTrouble, words
	case s.Phase != model.Live:
		return styleMuted, ""
	case l == nil:
		return styleTrouble, "nobody leads"
	}
	var b strings.Builder
	b.WriteString(l.Label() + " leads")
	if n := len(s.Reigns); n > 0 && s.Reigns[n-1].To.IsZero() {
		about := "since "
		if !s.Reigns[n-1].FromKnown {
			about = "since about "
		}
		b.WriteString(" " + about + f.clock(s.Reigns[n-1].From) + ", for " + age(f.calm().Sub(s.Reigns[n-1].From)))
	}
	if n := s.Recipe.Holders(s.Queue); n < len(s.Queue) {
		b.WriteString(". " + s.Queue[n].Label() + " is next")
	} else {
		b.WriteString(". Nobody is next")
	}
	if _, ok := troubleOf(row{l, s.Member(l), 0}); ok {
		return styleTrouble, strings.Replace(b.String(), " leads", " is in trouble, leader", 1)
	}
	return styleMuted, b.String()
}
