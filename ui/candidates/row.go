package candidates

import (
	"strconv"

	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/rows"
	"electop/ui/term"
	"electop/ui/wording"
)

// columns are the widths of the candidates table. Each column but the first
// has two blanks before it.
type columns struct {
	seq, name, session, client, age, fuse, watches int
}

// gutter is the marker, the sign and the herd's bus.
const gutter = 5

// before is where the names start.
func (c columns) before() int { return gutter + c.seq + 2 }

// start is where the watches start.
func (c columns) start() int {
	x := c.before() + c.name + 2 + c.age + 2
	if c.session > 0 {
		x += 2 + c.session
	}
	if c.client > 0 {
		x += 2 + c.client
	}
	if c.fuse > 0 {
		x += 2 + c.fuse
	}
	return x
}

func (v *Panel) columnsFor(w int) columns {
	s := v.State
	c := columns{seq: 3, age: 7}
	if n := len(s.Queue); n > 0 {
		for _, i := range [2]int{0, n - 1} {
			c.seq = max(c.seq, len(strconv.FormatInt(s.Queue[i].Sequence, 10)))
		}
	}
	switch {
	case w >= 110:
		c.session = 18
	case w >= 64:
		c.session = 7
	}
	if c.client = v.clientColumn(w); c.client > 0 && w < 110 {
		c.session = 0
	}
	switch exact := len(s.Dues) > 0; {
	case w >= 80 && s.Fuses():
		c.fuse = fuseCells
	case w >= 60 && exact:
		c.fuse, c.session = fuseCells, 0 // the inspector has it
	}
	rest := w - c.before() - 2 - c.age - 2 - 1
	if c.fuse > 0 {
		rest -= c.fuse + 2
	}
	if c.session > 0 {
		rest -= c.session + 2
	}
	if c.client > 0 {
		rest -= c.client + 2
	}
	c.name = min(max(10, rest*2/5), 40)
	c.watches = rest - c.name
	return c
}

func (v *Panel) drawColumnHeads(a term.Area, c columns) {
	who := "candidate"
	if wording.Registry(v.State) {
		who = "member"
	}
	p := a.Pen(0).Gap(gutter).Right(c.seq, term.Muted, "seq").Gap(2).Fit(c.name, term.Muted, who)
	if c.session > 0 {
		p.Gap(2).Fit(c.session, term.Muted, "session")
	}
	if c.client > 0 {
		p.Gap(2).Fit(c.client, term.Muted, "client")
	}
	p.Gap(2).Right(c.age, term.Muted, "age").Gap(2).Text(term.Muted, fuseHead(c)).Fit(c.watches, term.Muted, "watches")
}

// fuseHead is the head of the fuses, with the gap after it.
func fuseHead(c columns) string {
	if c.fuse == 0 {
		return ""
	}
	return term.Fitted("timeout", c.fuse) + "  "
}

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

	// The gutter: who watches whom.
	mark := " "
	if i == v.Index {
		mark = g.Selected
	}
	p.Text(v.pointed(f, r, mark))
	switch {
	case leads || r.Position == 0 && ghost != "":
		p.Text(v.leaderSign(f, r, troubled || ghost != ""))
	case !herd && r.Position >= wording.Holders(s) && wording.WrongEdge(s.Edge(r.Position)):
		p.Text(term.Trouble, g.WatchWrong)
	case !herd && v.Order() != "":
		p.Gap(1) // the one that it watches need not be above it
	case !herd:
		p.Text(term.Watch, g.Watch)
	default:
		p.Text(term.Trouble, " ")
	}
	if herd && len(s.Queue) > 1 {
		switch {
		case v.Order() != "" && r.Position == 0:
			p.Text(term.Trouble, g.HerdHead+g.HerdMore)
		case v.Order() != "":
			p.Text(term.Trouble, g.HerdFrom+g.HerdMore)
		case r.Position == 0:
			p.Text(term.Trouble, g.HerdHead+g.TR)
		case r.Position == len(s.Queue)-1:
			p.Text(term.Trouble, g.HerdFrom+g.HerdLast)
		default:
			p.Text(term.Trouble, g.HerdFrom+g.HerdMore)
		}
	} else {
		drawLink(p, g, l)
	}
	p.Gap(1)

	seq := "-"
	if r.Candidate.HasSequence {
		seq = strconv.FormatInt(r.Candidate.Sequence, 10)
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
		id := wording.ShortSession(r.Candidate.Session)
		if c.session >= 18 && r.Candidate.Session != 0 {
			id = znode.Hex(r.Candidate.Session)
		}
		p.Gap(2).Fit(c.session, term.Muted, id)
	}
	if c.client > 0 {
		p.Gap(2).Fit(c.client, term.Muted, v.clientOf(r, c.client))
	}
	old, exact := r.Candidate.Age(f.Calm())
	words := units.Age(old)
	if !exact {
		words = g.Inferred + words
	}
	p.Gap(2).Right(c.age, term.Muted, words).Gap(2)
	if c.fuse > 0 {
		v.drawFuse(f, p, r)
		p.Gap(2)
	}
	p.Limit(c.watches)
	if ghost != "" {
		v.drawGhost(f, p, ghost, sure, r.Position == 0)
		return
	}
	v.drawWatches(f, p, r, leads, t, troubled)
	v.drawHeld(p, r.Candidate.Session)
}

// leaderSign is the sign of a contender at the head of the queue: hollow unless it
// leads.
func (v *Panel) leaderSign(f *term.Frame, r rows.Row, alarm bool) (term.Style, string) {
	g := &f.Theme.Glyph
	switch {
	case alarm:
		return term.Alarm, g.LeaderLost
	case r.Position == 0 && v.State.Lead() != doctor.Leads:
		return term.Lead, g.LeaderLost
	}
	return term.Lead, g.Leader
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
