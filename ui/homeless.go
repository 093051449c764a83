package ui

import (
	"strings"

	"electop/model"
	"electop/model/doctor"
	"electop/model/znode"
)

// drawHomeless draws our members without a znode: a heading and h-1 rows.
func (d *dashboard) drawHomeless(f *frame, a area, y, h int) {
	c := d.columnsFor(a.width())
	a.pen(y).gap(gutter).text(styleMuted, "ours without a znode")
	n := d.rows.queued()
	first := 0
	if d.index >= n {
		first = max(0, d.index-n-(h-2))
	}
	for i := range min(h-1, len(d.rows.homeless)-first) {
		at := n + first + i
		r := d.rows.at(at)
		p := a.pen(y + 1 + i)
		mark := " "
		if at == d.index {
			p.choose()
			mark = f.th.glyph.Selected
		}
		p.text(d.pointed(f, r, mark)).gap(gutter-1).right(c.seq, styleMuted, "-").gap(2)
		st, words, truth := fate(d.shown(), r.member)
		name := styleText
		if st == styleTrouble {
			name = styleAlarm
		}
		d.drawName(f, p, c.name, name, r)
		p.gap(2)
		if width(words)+width(truth) < p.room() {
			words += truth
		} else if width(words) >= p.room() {
			words = strings.TrimPrefix(words, "session lost, ") // what it believes tells more
		}
		p.fit(p.room()-1, st, words)
	}
}

// fate says what a member without a znode believes, and what is true instead,
// to be added where there is room.
func fate(s *doctor.State, m *model.Member) (st style, words, truth string) {
	truth = "; in truth nobody leads"
	if l := s.Leader(); l != nil {
		truth = "; in truth " + l.Label() + " leads"
	}
	switch {
	case m.Fault == model.Frozen && (m.Belief == model.Leading || m.Belief == model.Elected):
		return styleTrouble, "session lost, still believes it leads", truth
	case m.Fault == model.Partitioned && (m.Belief == model.Leading || m.Belief == model.Elected):
		return styleTrouble, "session lost, cut off, still believes it leads", truth
	case m.Fault == model.Partitioned:
		return styleTrouble, "session lost, cut off, believes: " + znode.Safe(string(m.Belief), nameMax), ""
	case m.Belief == model.Leading || m.Belief == model.Elected:
		return styleTrouble, "believes it leads", truth
	case m.Fault == model.Frozen && m.Session != 0:
		return styleTrouble, "session lost, frozen, believes: " + znode.Safe(string(m.Belief), nameMax), ""
	case m.Fault == model.Frozen:
		return styleTrouble, "frozen before it had a znode", ""
	case m.Fault == model.Killed:
		return styleMuted, "killed; its session is gone", ""
	case m.Belief == model.Lost:
		return styleTrouble, "session lost; this candidacy is over", ""
	case m.Belief == model.Resigned:
		return styleMuted, "resigned", ""
	case m.Belief == model.Suspended:
		return styleTrouble, "no connection", ""
	case m.Belief == model.Waiting:
		return styleTrouble, "believes it waits, but its znode is gone", ""
	}
	if words := toldWrong(m); words != "" {
		return styleTrouble, znode.Safe(string(m.Belief), nameMax) + ", " + words, ""
	}
	return styleMuted, znode.Safe(string(m.Belief), nameMax), ""
}
