package ui

import (
	"time"

	"electop/model"
	"electop/model/dialect"
)

// drawReigns draws the strip and its axis, and at their right who leads.
func (d *dashboard) drawReigns(f *frame, a area) {
	s, g := d.shown(), &f.th.glyph
	last := s.Reigns[len(s.Reigns)-1]
	var danger time.Time
	alarm := ""
	l := s.Leader()
	if t, ok := troubleOf(s, row{l, s.Member(l), 0}); l != nil && ok {
		switch {
		case !t.faulty():
			danger = t.said.Since
			alarm = "the servers do not hear from the leader"
		case t.row.member.Fault == model.Frozen:
			danger = t.row.member.FaultAt
			alarm = "the leader is frozen, and nobody knows yet"
		case t.row.member.Fault == model.Partitioned && t.row.member.Belief == model.Leading:
			danger = t.row.member.FaultAt
			alarm = "the leader is cut off, and has to stop in time"
		case t.row.member.Fault == model.Partitioned:
			danger = t.row.member.FaultAt
			alarm = "the leader is cut off and has stopped"
		default:
			danger = t.row.member.FaultAt
			alarm = "nobody is leading, and nobody knows yet"
		}
	}
	if l == nil {
		alarm = "nobody leads"
	}

	words := ""
	if l != nil && alarm == "" {
		about := ""
		if !last.FromKnown {
			about = g.Inferred
		}
		words = "since " + about + f.clock(last.From)
	}
	side := max(width(alarm), width(words)+1+min(24, width(label(l))))
	if a.width()-side-2 < 48 {
		side = 0
	}
	w := a.width() - side
	if side > 0 {
		w -= 2
	}
	silent := make(map[time.Time]time.Duration)
	for _, h := range s.Handoffs {
		if h.Silent != nil {
			silent[h.At] = *h.Silent
		}
	}
	st := newStrip(s.Reigns, func(r model.Reign) time.Time {
		if r.To.IsZero() {
			return danger
		}
		if d, ok := silent[r.To]; ok {
			return r.To.Add(-d)
		}
		return time.Time{}
	}, f.calm(), w)
	p := a.pen(0)
	for i, c := range st.cells {
		switch c.kind {
		case stripPast:
			p.text(stylePast, g.Block)
		case stripNow:
			p.text(styleGold, g.Block)
		case stripDanger:
			p.text(styleTrouble, g.Danger)
		case stripVacant:
			p.text(styleTrouble, g.Vacant)
		case stripEnded:
			p.text(styleMuted, g.Ended)
		case stripExpired:
			p.text(styleAlarm, g.Expired)
		default:
			p.gap(1)
		}
		if c.kind != stripPast && c.kind != stripNow || i > 0 && st.cells[i-1] == c {
			continue
		}
		if _, end := st.run(i); end-i >= 5 {
			on := styleOnPast
			if c.kind == stripNow {
				on = styleOnLead
			}
			name := cut(s.Reigns[c.reign].Leader.Label(), end-i-2)
			defer f.put(a.rect.x+i+1, a.rect.y, a.rect.x+end-1, on, name)
		}
	}
	if r := s.Reigns; len(st.cells) > 0 && st.cells[0].kind != stripNothing && r[st.cells[0].reign].From.Before(st.start) {
		a.pen(0).text(styleMuted, g.Older)
	}
	at, text := st.labels(f.now.Location())
	for i := range at {
		a.pen(1).gap(at[i]).text(styleMuted, text[i])
	}
	if side == 0 {
		if alarm != "" {
			p := a.pen(1)
			p.gap(p.room()-width(alarm)-1).text(styleAlarm, " "+alarm)
		}
		return
	}
	p = a.pen(0).gap(w + 2)
	if alarm != "" {
		p.text(styleAlarm, alarm)
		return
	}
	p.text(styleLead, cut(label(l), side-width(words)-1)).gap(1).text(styleMuted, words)
}

// label is what to call a candidate, or nobody.
func label(c *dialect.Candidate) string {
	if c == nil {
		return "nobody"
	}
	return c.Label()
}
