package candidates

import (
	"strconv"
	"strings"

	"electop/model"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/znode"
	"electop/ui/rows"
	"electop/ui/term"
	"electop/ui/wording"
)

// drawWatches draws what the candidate waits for, or that it waits for
// nothing.
func (v *Panel) drawWatches(f *term.Frame, p *term.Pen, r rows.Row, e doctor.Edge, leads bool, t wording.Expiry, troubled bool) {
	s := v.State
	if leads {
		v.drawLeads(f, p, r, t, troubled)
		return
	}
	if e := phrase.Standing(s, r.Position); e.Row != "" {
		p.Text(wording.Style(e.Severity), term.Cut(e.Row, p.Room()))
		return
	}
	v.drawTarget(f, p, r, e)
	if troubled {
		words := t.Brief(f.Busy(), p.Room()-2)
		if term.Width(words)+2 > p.Room() {
			words = strings.TrimPrefix(words, "expires ")
		}
		p.Gap(2).Text(term.Trouble, words)
		return
	}
	if r.Member != nil && r.Member.Ending != model.NoEnding {
		p.Gap(2).Text(term.Muted, string(r.Member.Ending))
		return
	}
	if r.Member != nil && r.Member.Belief == model.Suspended {
		p.Gap(2).Text(term.Trouble, "no connection")
		return
	}
	if words := wording.Misbehaviour(r.Member); words != "" && term.Width(words)+2 <= p.Room() {
		p.Gap(2).Text(term.Trouble, words)
		return
	}
	if r.Position == wording.Holders(s) && s.Leader() != nil {
		st, words := term.Muted, f.Theme.Glyph.Next
		if l := s.Leader(); l != nil {
			if _, falls := wording.ExpiryOf(s, rows.Leader(s)); falls && wording.Holders(s) == 1 {
				st = term.Lead
				if p.Room() >= len(takesOver)+2 {
					words = takesOver
				}
			}
		}
		p.Gap(2).Text(st, words)
	}
}

// takesOver marks who leads next while the leader falls.
const takesOver = "next: takes over"

// drawLeads draws how the leader leads, or how it is about to stop.
func (v *Panel) drawLeads(f *term.Frame, p *term.Pen, r rows.Row, t wording.Expiry, troubled bool) {
	s, g := v.State, &f.Theme.Glyph
	if r.Position > 0 { // one of several
		switch {
		case troubled:
			p.Text(term.Alarm, t.Brief(f.Busy(), p.Room()))
		case r.Member != nil && r.Member.Ending != model.NoEnding:
			p.Text(term.Trouble, string(r.Member.Ending))
		case r.Member != nil && r.Member.Belief == model.Suspended:
			p.Text(term.Trouble, "suspended")
		default:
			v.drawHolds(p)
		}
		return
	}
	switch s.Lead() {
	case doctor.Faulty, doctor.AtRisk:
		p.Text(term.Alarm, t.Brief(f.Busy(), p.Room()))
	case doctor.Leads:
		v.drawHolds(p)
		switch {
		case wording.Locks(s) || s.Ack.Path == "":
		case s.Acknowledged():
			p.Text(term.Good, "  ack "+g.Yes)
		case s.Ack.Presence == model.Denied:
			p.Text(term.Muted, "  ack unreadable")
		}
	default:
		e := phrase.Lead(s)
		if term.Width(e.Row) > p.Room() {
			e.Row = e.Cell
		}
		p.Text(wording.Style(e.Severity), term.Cut(e.Row, p.Room()))
	}
}

// drawHolds draws that it has the role, of several perhaps.
func (v *Panel) drawHolds(p *term.Pen) {
	p.Text(term.Lead, phrase.RoleOf(v.State).Has)
	if n := wording.Holders(v.State); n > 1 {
		p.Text(term.Muted, "  one of "+strconv.Itoa(n))
	}
}

// drawTarget draws whom r watches, and how that is known.
func (v *Panel) drawTarget(f *term.Frame, p *term.Pen, r rows.Row, e doctor.Edge) {
	s, g := v.State, &f.Theme.Glyph
	to := wording.Target(s, r.Position)
	if s.Dialect != nil && s.Dialect.ChildWatch {
		p.Text(term.Trouble, g.Up+" the list").Text(term.Muted, " "+g.Inferred)
		return
	}
	if to == nil {
		p.Text(term.Muted, "-")
		return
	}
	st := term.Watch
	if wording.FansIn(s) {
		st = term.Trouble
	}
	switch e.State {
	case doctor.WrongWatch, doctor.OtherWatch:
		words := "watches " + wording.WatchedNumbers(e) + ", not " + phrase.Numbered(to)
		if term.Width(words)+2 > p.Room() {
			words = wording.WatchedNumbers(e) + ", not " + phrase.Numbered(to)
		}
		p.Text(term.Alarm, g.Wrong+" ").Text(term.Trouble, words)
		return
	case doctor.MissingWatch:
		p.Text(term.Alarm, g.Wrong+" ").Text(term.Trouble, "no watch")
		if words := " on " + phrase.Numbered(to); term.Width(words) < p.Room() {
			p.Text(term.Trouble, words)
		}
		return
	default:
		p.Text(st, g.Up).Text(st, " ")
		if to.HasSequence {
			p.Text(st, f.Int(to.Sequence))
		} else {
			p.Text(st, phrase.Numbered(to))
		}
		if e.State == doctor.Verified {
			p.Text(term.Good, " ").Text(term.Good, g.Yes)
		} else if r.Member != nil && r.Member.Watches == to.Name {
			p.Gap(2) // it says so itself
		} else {
			p.Text(term.Muted, " ").Text(term.Muted, g.Inferred)
		}
	}
	if p.Room() >= 36 {
		p.Gap(1).Fit(min(16, p.Room()-28), term.Muted, to.Label())
	}
}

// drawHeld says in its row which message a candidate waits for.
func (v *Panel) drawHeld(p *term.Pen, session uint64) {
	m := v.Rows.Held[session]
	if m == nil || session == 0 {
		return
	}
	st, words := term.Muted, "held: "+znode.Safe(m.Op, 24)
	if wording.Notifies(m) {
		words = "held: " + wording.News(v.State, m)
	}
	if p := v.State.Pace; p.Steps && m == &p.Held[0] {
		st = term.You
	}
	if term.Width(words)+3 <= p.Room() {
		p.Gap(2).Text(st, words)
	}
}
