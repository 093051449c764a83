package candidates

import (
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/rows"
	"electop/ui/term"
	"electop/ui/wording"
)

// drawRow draws contender i of the rows shown, with its part of the edges.
func (v *Panel) drawRow(f *term.Frame, p *term.Pen, c columns, i int, herd bool, l link) {
	s, g := v.State, &f.Theme.Glyph
	r := v.Rows.At(i)
	if r.Candidate == nil {
		return
	}
	if i == v.Index {
		p.Choose()
	}
	leads := r.Position < wording.Holders(s)
	t, troubled := wording.ExpiryOf(s, r)
	ghost, sure := wording.GhostOf(s, r)
	edge := s.Edge(r.Position)

	// The gutter: who watches whom.
	mark := " "
	if i == v.Index {
		mark = g.Selected
	}
	p.Text(wording.Pointed(&f.Theme.Glyph, r, v.PointedAt, mark))
	switch {
	case leads || r.Position == 0 && ghost != "":
		p.Text(wording.LeaderSign(g, s, r, troubled || ghost != ""))
	case !herd && r.Position >= wording.Holders(s) && wording.WrongEdge(edge):
		p.Text(term.Trouble, g.WatchWrong)
	case !herd:
		p.Text(term.Watch, g.Watch)
	default:
		p.Text(term.Trouble, " ")
	}
	if herd && s.Queue.Len() > 1 {
		switch {
		case r.Position == 0:
			p.Text(term.Trouble, g.HerdHead+g.TR)
		case r.Position == s.Queue.Len()-1:
			p.Text(term.Trouble, g.HerdFrom+g.HerdLast)
		default:
			p.Text(term.Trouble, g.HerdFrom+g.HerdMore)
		}
	} else {
		drawLink(p, g, l)
	}
	p.Gap(1)

	var room [24]byte // for what is written in the row
	seq := "-"
	if r.Candidate.HasSequence {
		seq = f.Int(r.Candidate.Sequence)
	}
	p.Right(c.seq, term.Muted, seq).Gap(2)
	st := term.Text
	switch {
	case troubled:
		st = term.Alarm
	case ghost != "":
		st = term.Faint
	case leads:
		st = term.Lead
	}
	v.drawName(f, p, c.name, st, r)
	if c.session > 0 {
		id := wording.AppendShortSession(room[:0], r.Candidate.Session)
		if c.session >= 18 && r.Candidate.Session != 0 {
			id = znode.AppendHex(room[:0], r.Candidate.Session)
		}
		p.Gap(2).Fit(c.session, term.Muted, f.Ink(id))
	}
	if c.client > 0 {
		p.Gap(2).Fit(c.client, term.Muted, v.clientOf(r, c.client))
	}
	old, exact := r.Candidate.Age(f.Calm())
	words, about := f.Ink(units.AppendAge(room[:0], old)), ""
	if !exact {
		about = g.Inferred
	}
	p.Gap(2+c.age-term.Width(about)-term.Width(words)).Text(term.Muted, about)
	p.Text(term.Muted, words).Gap(2)
	p.Limit(c.watches)
	if ghost != "" {
		v.drawGhost(f, p, ghost, sure, r.Position == 0)
		return
	}
	v.drawWatches(f, p, r, edge, leads, t, troubled)
	v.drawHeld(p, r.Candidate.Session)
}

// drawGhost draws, in place of the watch, that no program manages a znode.
func (v *Panel) drawGhost(f *term.Frame, p *term.Pen, of string, sure, first bool) {
	words := "ghost of " + of
	more := ": it watches nobody"
	if first {
		more = ": nobody leads"
	}
	switch {
	case !sure && term.Width(words)+2 <= p.Room():
		words += " " + f.Theme.Glyph.Inferred
	case sure && term.Width(words)+term.Width(more) <= p.Room():
		words += more
	}
	p.Text(term.Alarm, term.Cut(words, p.Room()))
}

// drawName draws a label with what is to be known of its owner.
func (v *Panel) drawName(f *term.Frame, p *term.Pen, w int, st term.Style, r rows.Row) {
	var tags []term.Span
	if r.Member != nil && r.Member.You {
		tags = append(tags, term.Span{Style: term.You, Text: " you"})
	}
	tags = append(tags, wording.FaultTags(&f.Theme.Glyph, r.Member)...)
	left := p.Room() - w
	name := term.Cut(r.Name(), max(1, w-term.SpansWidth(tags)))
	p.Text(st, name).Spans(tags)
	p.Gap(p.Room() - left)
}
