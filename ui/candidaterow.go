package ui

import (
	"strconv"
	"strings"

	"electop/model"
	"electop/model/units"
	"electop/model/znode"
)

// columns are the widths of the candidates table. Each column but the first
// has two blanks before it.
type columns struct {
	seq, name, session, client, age, watches int
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
	return x
}

func (d *dashboard) columnsFor(w int) columns {
	s := d.shown()
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
	if c.client = d.clientColumn(w); c.client > 0 && w < 110 {
		c.session = 0
	}
	rest := w - c.before() - 2 - c.age - 2 - 1
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

func (d *dashboard) drawColumnHeads(a area, c columns) {
	p := a.pen(0).gap(gutter).right(c.seq, styleMuted, "seq").gap(2).fit(c.name, styleMuted, "candidate")
	if c.session > 0 {
		p.gap(2).fit(c.session, styleMuted, "session")
	}
	if c.client > 0 {
		p.gap(2).fit(c.client, styleMuted, "client")
	}
	p.gap(2).right(c.age, styleMuted, "age").gap(2).fit(c.watches, styleMuted, "watches")
}

// drawRow draws contender i of the rows shown.
func (d *dashboard) drawRow(f *frame, p *pen, c columns, i int, herd bool) {
	s, g := d.shown(), &f.th.glyph
	r := d.rows.at(i)
	if r.candidate == nil {
		return
	}
	if i == d.index {
		p.choose()
	}
	leads := r.position < holders(s)
	t, troubled := troubleOf(s, r)
	ghost, sure := d.ghostOf(r)

	// The gutter: who watches whom.
	mark := " "
	if i == d.index {
		mark = g.Selected
	}
	p.text(d.pointed(f, r, mark))
	switch {
	case leads && (troubled || ghost != ""):
		p.text(styleAlarm, g.LeaderLost)
	case leads:
		p.text(styleLead, g.Leader)
	case !herd && r.position >= holders(s) && wrongEdge(s.Edge(r.position)):
		p.text(styleTrouble, g.WatchWrong)
	case !herd:
		p.text(styleWatch, g.Watch)
	default:
		p.text(styleTrouble, " ")
	}
	if herd && len(s.Queue) > 1 {
		switch {
		case r.position == 0:
			p.text(styleTrouble, g.HerdHead+g.TR)
		case r.position == len(s.Queue)-1:
			p.text(styleTrouble, g.HerdFrom+g.HerdLast)
		default:
			p.text(styleTrouble, g.HerdFrom+g.HerdMore)
		}
	} else {
		p.gap(2)
	}
	p.gap(1)

	seq := "-"
	if r.candidate.HasSequence {
		seq = strconv.FormatInt(r.candidate.Sequence, 10)
	}
	p.right(c.seq, styleMuted, seq).gap(2)
	st := styleText
	switch {
	case troubled:
		st = styleAlarm
	case ghost != "":
		st = styleFaint
	case leads:
		st = styleLead
	}
	d.drawName(f, p, c.name, st, r)
	if c.session > 0 {
		id := shortSession(r.candidate.Session)
		if c.session >= 18 && r.candidate.Session != 0 {
			id = znode.Hex(r.candidate.Session)
		}
		p.gap(2).fit(c.session, styleMuted, id)
	}
	if c.client > 0 {
		p.gap(2).fit(c.client, styleMuted, d.clientOf(r, c.client))
	}
	old, exact := r.candidate.Age(f.calm())
	words := units.Age(old)
	if !exact {
		words = g.Inferred + words
	}
	p.gap(2).right(c.age, styleMuted, words).gap(2)
	p.end = min(p.end, p.x+c.watches)
	if ghost != "" {
		d.drawGhost(f, p, ghost, sure, leads)
		return
	}
	d.drawWatches(f, p, r, leads, t, troubled)
	d.drawHeld(p, r.candidate.Session)
}

// drawGhost draws, in place of whom it watches, that nobody answers for a
// znode.
func (d *dashboard) drawGhost(f *frame, p *pen, of string, sure, leads bool) {
	words := "ghost of " + of
	more := ": it watches nobody"
	if leads {
		more = ": nobody leads"
	}
	switch {
	case !sure && width(words)+2 <= p.room():
		words += " " + f.th.glyph.Inferred
	case sure && width(words)+width(more) <= p.room():
		words += more
	}
	p.text(styleAlarm, cut(words, p.room()))
}

// drawName draws a label with what is to be known of its owner.
func (d *dashboard) drawName(f *frame, p *pen, w int, st style, r row) {
	var tags []span
	if r.member != nil && r.member.You {
		tags = append(tags, span{styleYou, " you", 0})
	}
	tags = append(tags, f.faultTags(r.member)...)
	end := p.x + w
	name := cut(r.name(), max(1, w-spansWidth(tags)))
	p.text(st, name).spans(tags)
	p.gap(end - p.x)
}

// drawWatches draws what the candidate waits for, or that it waits for
// nothing.
func (d *dashboard) drawWatches(f *frame, p *pen, r row, leads bool, t trouble, troubled bool) {
	s := d.shown()
	if leads {
		d.drawLeads(f, p, r, t, troubled)
		return
	}
	d.drawTarget(f, p, r)
	if troubled {
		words := t.words(f.busy(), p.room()-2)
		if width(words)+2 > p.room() {
			words = strings.TrimPrefix(words, "expires ")
		}
		p.gap(2).text(styleTrouble, words)
		return
	}
	if r.member != nil && r.member.Ending != model.NoEnding {
		p.gap(2).text(styleMuted, string(r.member.Ending))
		return
	}
	if r.member != nil && r.member.Belief == model.Suspended {
		p.gap(2).text(styleTrouble, "no connection")
		return
	}
	if words := toldWrong(r.member); words != "" && width(words)+2 <= p.room() {
		p.gap(2).text(styleTrouble, words)
		return
	}
	if r.position == holders(s) {
		st, words := styleMuted, f.th.glyph.Next
		if l := s.Leader(); l != nil {
			if _, falls := troubleOf(s, row{l, s.Member(l), 0}); falls && holders(s) == 1 {
				st = styleLead
				if p.room() >= len(takesOver)+2 {
					words = takesOver
				}
			}
		}
		p.gap(2).text(st, words)
	}
}

// takesOver marks who leads next while the leader falls.
const takesOver = "next: takes over"

// drawLeads draws how the leader leads, or how it is about to stop.
func (d *dashboard) drawLeads(f *frame, p *pen, r row, t trouble, troubled bool) {
	s, g := d.shown(), &f.th.glyph
	switch {
	case troubled:
		p.text(styleAlarm, t.words(f.busy(), p.room()))
		return
	case r.member != nil && r.member.Ending != model.NoEnding:
		p.text(styleTrouble, string(r.member.Ending))
		return
	case r.member != nil && r.member.Belief == model.Suspended:
		words := "suspended: " + znode.Safe(r.member.Obstacle, 0)
		if r.member.Obstacle == "" || width(words) > p.room() {
			words = "suspended"
		}
		p.text(styleTrouble, words)
		return
	case r.position > 0 || locks(s):
		p.text(styleLead, wordsOf(s).has)
		if n := holders(s); n > 1 {
			p.text(styleMuted, "  one of "+strconv.Itoa(n))
		}
	case s.Acknowledged():
		p.text(styleLead, "leads").text(styleGood, "  ack "+g.Yes)
	case s.Ack.Path == "":
		p.text(styleLead, "leads")
	case s.Ack.Presence == model.Denied:
		p.text(styleLead, "leads").text(styleMuted, "  ack unreadable")
	case r.member != nil && r.member.SlowLead && r.member.Belief == model.Elected:
		words := "elected, procedure goes on"
		if p.room() < len(words) {
			words = "elected, not yet"
		}
		p.text(styleTrouble, words)
	case p.room() < 25:
		p.text(styleTrouble, "elected, no ack")
	default:
		p.text(styleTrouble, "elected, not acknowledged")
	}
}
