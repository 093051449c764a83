package handoffs

import (
	"cmp"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/ui/rows"
	"electop/ui/term"
	"electop/ui/wording"
)

// troubleOf says since when the leader is in trouble, zero for not at all, and in words.
func (v *Panel) troubleOf() (danger time.Time, alarm string) {
	s := v.State
	l := s.Leader()
	if t, ok := wording.ExpiryOf(s, rows.Leader(s)); l != nil && ok {
		if alarm = phrase.Lead(s).Row; t.Faulty() {
			danger = t.Row.Member.FaultAt
		} else {
			danger = t.Found.Since
		}
	}
	if l == nil {
		e := phrase.NoLeader(s)
		alarm = cmp.Or(e.Row, e.Sentence)
	}
	return danger, alarm
}

// drawReigns draws the strip and its axis, and at their right what is wrong with the leader.
func (v *Panel) drawReigns(f *term.Frame, a term.Area) {
	s, g := v.State, &f.Theme.Glyph
	reigns := v.band().Reigns
	danger, alarm := v.troubleOf()
	l := s.Leader()
	silent := make(map[time.Time]time.Duration)
	for _, h := range v.band().Handoffs {
		if h.Silent != nil {
			silent[h.At] = *h.Silent
		}
	}
	st := newStrip(v.axis, reigns, func(r model.Reign) time.Time {
		if r.To.IsZero() {
			if v.Whole != nil {
				return time.Time{}
			}
			return danger
		}
		if d, ok := silent[r.To]; ok {
			return r.To.Add(-d)
		}
		return time.Time{}
	}, v.now(f))
	v.unledParts(&st, v.now(f))
	for i := range st.cells {
		c := &st.cells[i]
		if c.kind != stripNow && c.kind != stripPast {
			continue
		}
		r := reigns[c.reign]
		c.kind = stripPast
		if l != nil && !v.head().Before(r.From) && (r.To.IsZero() || v.head().Before(r.To)) { // not gold if it is first, and not said to lead
			c.kind = stripNow
		}
	}
	p := a.Pen(0)
	var names []func()
	for i, c := range st.cells {
		if c.kind != stripNothing {
			at := Moment(st.until(i))
			a.Pen(0).Gap(i).Spot(1, at)
			a.Pen(1).Gap(i).Spot(1, at)
		}
		switch c.kind {
		case stripPast:
			p.Text(term.Past, g.Block)
		case stripNow:
			p.Text(term.Gold, g.Block)
		case stripElected:
			p.Text(term.Past, g.Elected)
		case stripDanger:
			p.Text(term.Trouble, g.Danger)
		case stripVacant:
			p.Text(term.Trouble, g.Vacant)
		case stripEnded:
			p.Text(term.Muted, g.Ended)
		case stripExpired:
			p.Text(term.Alarm, g.Expired)
		default:
			p.Gap(1)
		}
		if c.kind != stripPast && c.kind != stripNow || i > 0 && st.cells[i-1] == c {
			continue
		}
		if _, end := st.run(i); end-i >= 5 {
			on := term.OnPast
			if c.kind == stripNow {
				on = term.OnLead
			}
			name := term.Cut(reigns[c.reign].Leader.Label(), end-i-2)
			names = append(names, func() { a.Pen(0).Gap(i+1).Text(on, name) })
		}
	}
	for _, draw := range names {
		draw()
	}
	if r := reigns; len(st.cells) > 0 && st.cells[0].kind != stripNothing && r[st.cells[0].reign].From.Before(st.start) {
		a.Pen(0).Text(term.Muted, g.Older)
	}
	head := playhead{v.Head, v.Playing}
	head.drawLabels(f, a, st.axis, 0, 1)
	head.draw(f, a, st.axis, 0, 1)
	if alarm != "" {
		p := a.Pen(1)
		p.Gap(p.Room()-term.Width(alarm)-1).Text(term.Alarm, " "+alarm)
	}
}

// unledParts marks where the first candidate did not lead: until it acknowledged, and
// now, if it does not.
func (v *Panel) unledParts(st *strip, now time.Time) {
	s := v.band()
	took := make(map[time.Time]time.Duration)
	for _, h := range s.Handoffs {
		if h.Takeover != nil {
			took[h.At] = *h.Takeover
		}
	}
	for i := range s.Reigns {
		r := &s.Reigns[i]
		if d := took[r.From]; d >= st.step {
			st.unled(i, r.From, r.From.Add(d-st.step))
		}
	}
	last := len(s.Reigns) - 1
	if last < 0 || !s.Reigns[last].To.IsZero() {
		return
	}
	r := &s.Reigns[last]
	switch s.Lead() {
	case doctor.Elected, doctor.Unaware:
		st.unled(last, r.From, now)
	case doctor.Suspended, doctor.Stopped, doctor.Deleted:
		if since := s.Properties.VacantSince; since.After(r.From) {
			st.unled(last, since, now)
		}
	}
}
