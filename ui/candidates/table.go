package candidates

import (
	"cmp"
	"strconv"
	"strings"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/term"
	"electop/ui/wording"
)

// columns holds the column widths of the table, 0 for a hidden column.
type columns struct {
	seq, mode, name, session, client, age, watches int
}

const gutter = 5 // width before the first column: the mark, the sign, the edges and a blank

func (c columns) nameStart() int { return gutter + c.seq + c.mode + 2 }

func (c columns) watchesStart() int {
	x := c.nameStart() + c.name + 2 + c.age + 2
	for _, w := range [...]int{c.session, c.client} {
		if w > 0 {
			x += 2 + w
		}
	}
	return x
}

func (v *Panel) columnsFor(w int) columns {
	q, elects := v.State.Queue, v.State.Dialect.Elects()
	c := columns{seq: 3, age: 7, client: v.clientWidth(w)}
	if v.State.Kind() == dialect.KindShared {
		c.mode = 4
	}
	if n := q.Len(); n > 0 {
		var room [20]byte
		for _, i := range [2]int{0, n - 1} {
			c.seq = max(c.seq, len(strconv.AppendInt(room[:0], q.At(i).Sequence, 10)))
		}
	}
	switch {
	case v.State.Kind() == dialect.KindQueue: // its items have no owner
	case w >= 110:
		c.session = 18
	case w >= 64 && (c.client == 0 || !elects):
		c.session = 7
	}
	rest := w - c.watchesStart() - 1
	c.name = min(max(10, rest*map[bool]int{true: 4, false: 5}[elects]/10), 40)
	c.watches = rest - c.name
	return c
}

func (v *Panel) drawRow(f *term.Frame, p *term.Pen, c columns, i int, herd bool, l link) {
	s, g := v.State, &f.Theme.Glyph
	r := v.Rows.At(i)
	if r.Candidate == nil {
		return
	}
	leads := r.Position < s.Holders()
	t, troubled := wording.ExpiryOf(s, r)
	ghost, sure := wording.GhostOf(s, r)
	v.drawMark(f, p, i, r)
	switch {
	case leads || r.Position == 0 && ghost != "":
		p.Text(wording.LeaderSign(g, s, r, troubled || ghost != ""))
	case !s.Dialect.Elects():
		p.Text(term.Muted, g.Elsewhere)
	case herd:
		p.Text(term.Trouble, " ")
	case wording.WrongEdge(s.Edge(r.Position)):
		p.Text(term.Trouble, g.WatchWrong)
	default:
		p.Text(term.Watch, g.Watch)
	}
	drawLink(p, g, l)
	seq := "-"
	if r.Candidate.HasSequence {
		seq = f.Int(r.Candidate.Sequence)
	}
	p.Gap(1).Right(c.seq, term.Muted, seq).Fit(c.mode, term.Muted, v.modeOf(g, r)).Gap(2)
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
	var room [24]byte
	id := wording.AppendShortSession(room[:0], r.Candidate.Session)
	if c.session >= 18 && r.Candidate.Session != 0 {
		id = znode.AppendHex(room[:0], r.Candidate.Session)
	}
	p.Column(c.session, term.Muted, f.Ink(id))
	if c.client > 0 {
		p.Column(c.client, term.Muted, v.clientOf(r, c.client))
	}
	old, exact := r.Candidate.Age(f.Calm())
	words, about := f.Ink(units.AppendAge(room[:0], old)), ""
	if !exact {
		about = g.Inferred
	}
	if s.Kind() == dialect.KindQueue && r.Candidate.Ctime.IsZero() {
		words, about = "-", ""
	}
	p.Gap(2+c.age-term.Width(about)-term.Width(words)).Text(term.Muted, about).Text(term.Muted, words).Gap(2).Limit(c.watches)
	switch {
	case ghost != "":
		v.drawGhost(f, p, ghost, sure, r.Position == 0)
		return
	case leads:
		v.drawLeads(f, p, r, t, troubled)
	default:
		v.drawWatches(f, p, r, t, troubled)
	}
	v.drawHeld(p, r.Candidate.Session)
}

// modeOf joins readers that wait for the same writer with a bracket.
func (v *Panel) modeOf(g *term.Glyphs, r model.Row) string {
	q, i := v.State.Queue, r.Position
	waits := func(i int) bool { return i >= v.State.Holders() && i < q.Len() && q.At(i).Reads() }
	switch {
	case !r.Candidate.Reads():
		return " W"
	case !waits(i):
		return " R"
	}
	return " R" + map[[2]bool]string{{false, true}: g.TR, {true, true}: g.HerdMore, {true, false}: g.BR}[[2]bool{waits(i - 1), waits(i + 1)}]
}

func (v *Panel) drawMark(f *term.Frame, p *term.Pen, i int, r model.Row) {
	mark := " "
	if i == v.Index {
		mark = f.Theme.Glyph.Selected
		p.Choose()
	}
	p.Text(wording.Pointed(&f.Theme.Glyph, r, v.PointedAt, mark))
}

func (v *Panel) drawGhost(f *term.Frame, p *term.Pen, of string, sure, first bool) {
	words, more := "ghost of "+of, ": it watches nobody"
	if first {
		more = v.State.Words(": nobody leads")
	}
	switch {
	case !sure && term.Width(words)+2 <= p.Room():
		words += " " + f.Theme.Glyph.Inferred
	case sure && term.Width(words)+term.Width(more) <= p.Room():
		words += more
	}
	p.Text(term.Alarm, term.Cut(words, p.Room()))
}

func (v *Panel) drawName(f *term.Frame, p *term.Pen, w int, st term.Style, r model.Row) {
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

func (v *Panel) drawWatches(f *term.Frame, p *term.Pen, r model.Row, t wording.Expiry, troubled bool) {
	s, m := v.State, r.Member
	if e := phrase.Standing(s, r.Position); e.Row != "" {
		p.Text(wording.Style(e.Severity), term.Cut(e.Row, p.Room()))
		return
	}
	v.drawTarget(f, p, r)
	misbehaves := wording.Misbehaviour(m)
	switch {
	case troubled:
		words := t.Brief(f.Busy(), p.Room()-2)
		if term.Width(words)+2 > p.Room() {
			words = strings.TrimPrefix(words, "expires ")
		}
		p.Gap(2).Text(term.Trouble, words)
	case m != nil && m.Ending != model.NoEnding:
		p.Gap(2).Text(term.Muted, string(m.Ending))
	case m != nil && m.Belief == model.Suspended:
		p.Gap(2).Text(term.Trouble, "no connection")
	case misbehaves != "" && term.Width(misbehaves)+2 <= p.Room():
		p.Gap(2).Text(term.Trouble, misbehaves)
	case r.Position < s.Holders()+v.next && s.Leader() != nil:
		st, words := term.Muted, f.Theme.Glyph.Next
		if _, falls := wording.ExpiryOf(s, s.LeaderRow()); falls && s.Holders() == 1 {
			const takesOver = "next: takes over"
			if st = term.Lead; p.Room() >= len(takesOver)+2 {
				words = takesOver
			}
		}
		p.Gap(2).Text(st, words)
	}
}

func (v *Panel) drawLeads(f *term.Frame, p *term.Pen, r model.Row, t wording.Expiry, troubled bool) {
	s, g, m := v.State, &f.Theme.Glyph, r.Member
	another := r.Position > 0 // not the first of several leaders
	switch e, lead := phrase.Lead(s), s.Lead(); {
	case another && troubled, !another && (lead == doctor.Faulty || lead == doctor.AtRisk):
		p.Text(term.Alarm, t.Brief(f.Busy(), p.Room()))
	case another && m != nil && m.Ending != model.NoEnding:
		p.Text(term.Trouble, string(m.Ending))
	case another && m != nil && m.Belief == model.Suspended:
		p.Text(term.Trouble, "suspended")
	case another, lead == doctor.Leads:
		if words := phrase.Release(s, r.Candidate); words != "" {
			p.Text(term.Trouble, term.Cut(words, p.Room()))
			return
		}
		p.Text(term.Lead, phrase.RoleOf(s).Has)
		if n := s.Holders(); n > 1 {
			p.Text(term.Muted, "  one of "+strconv.Itoa(n))
		}
		switch {
		case another || s.Dialect.Locks() || s.Ack.Path == "":
		case s.Acknowledged():
			p.Text(term.Good, "  ack "+g.Yes)
		case s.Ack.Presence == model.Denied:
			p.Text(term.Muted, "  ack unreadable")
		}
	default:
		if term.Width(e.Row) > p.Room() {
			e.Row = e.Cell
		}
		p.Text(wording.Style(e.Severity), term.Cut(e.Row, p.Room()))
	}
}

func (v *Panel) drawTarget(f *term.Frame, p *term.Pen, r model.Row) {
	s, g := v.State, &f.Theme.Glyph
	to, e := wording.Target(s, r.Position), s.Edge(r.Position)
	if !s.Dialect.Elects() {
		if len(e.Watched) > 0 {
			p.Text(term.Watch, g.Up+" "+znode.Safe(e.Watched[0], 20)+" ").Text(term.Good, g.Yes)
		}
		p.Text(term.Text, map[bool]string{true: cmp.Or(znode.Safe(r.Candidate.Vote(), 12), "no vote yet")}[s.Kind() == dialect.KindCommit])
		return
	}
	if s.Dialect != nil && s.Dialect.ChildWatch {
		p.Text(term.Trouble, g.Up+" the list").Text(term.Muted, " "+g.Inferred)
		return
	}
	if to == nil {
		p.Text(term.Muted, "-")
		return
	}
	st := term.Watch
	if wording.IsHerd(s) {
		st = term.Trouble
	}
	switch e.State {
	case doctor.WrongWatch, doctor.OtherWatch:
		words := wording.WatchedNumbers(e) + ", not " + phrase.NumberOrName(to)
		if long := "watches " + words; term.Width(long)+2 <= p.Room() {
			words = long
		}
		p.Text(term.Alarm, g.Wrong+" ").Text(term.Trouble, words)
		return
	case doctor.MissingWatch:
		p.Text(term.Alarm, g.Wrong+" ").Text(term.Trouble, "no watch")
		if words := " on " + phrase.NumberOrName(to); term.Width(words) < p.Room() {
			p.Text(term.Trouble, words)
		}
		return
	}
	p.Text(st, g.Up).Text(st, " ")
	if to.HasSequence {
		p.Text(st, f.Int(to.Sequence))
	} else {
		p.Text(st, phrase.NumberOrName(to))
	}
	switch {
	case e.State == doctor.Verified:
		p.Text(term.Good, " ").Text(term.Good, g.Yes)
	case r.Member != nil && r.Member.Watches == to.Name:
		p.Gap(2) // the member reports this watch
	default:
		p.Text(term.Muted, " ").Text(term.Muted, g.Inferred)
	}
	if p.Room() >= 36 {
		p.Gap(1).Fit(min(16, p.Room()-28), term.Muted, to.Label())
	}
}

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

func (v *Panel) drawWithout(f *term.Frame, a term.Area, y, h int) {
	s, c := v.State, v.columnsFor(a.Width())
	a.Pen(y).Gap(gutter).Text(term.Muted, "electop's "+s.Words("candidates")+" without a znode")
	n := v.Rows.Queued()
	first := 0
	if v.Index >= n {
		first = max(0, v.Index-n-(h-2))
	}
	for i := range min(h-1, len(v.Rows.NoZnode)-first) {
		at := n + first + i
		r := v.Rows.At(at)
		p := a.Pen(y + 1 + i)
		a.Spot(y+1+i, r.Ref())
		v.drawMark(f, p, at, r)
		p.Gap(gutter-1).Right(c.seq, term.Muted, "-").Gap(2)
		fate := wording.FateOf(v.State, r.Member)
		name := term.Text
		if fate.Style == term.Trouble {
			name = term.Alarm
		}
		v.drawName(f, p, c.name, name, r)
		p.Gap(2)
		words := fate.Within(p.Room())
		if m := r.Member; s.Roleless() && m.Fault == model.NoFault && m.Step != model.StepNone {
			words = strings.TrimPrefix(words+": "+v.StepLine(s, m.Step, m.StepOn), "active: ")
		}
		p.Fit(p.Room()-1, fate.Style, words)
	}
}

func (v *Panel) clientWidth(w int) int {
	if !v.Rows.Addresses {
		return 0
	}
	switch {
	case w >= 130:
		return 21
	case w >= 64:
		return 15
	}
	return 0
}

func (v *Panel) clientOf(r model.Row, w int) string {
	if r.Member != nil {
		return ""
	}
	x, listed := v.State.Client(r.Candidate)
	if x.Conn == nil {
		return ""
	}
	addr := znode.Safe(strings.TrimPrefix(x.Conn.Addr, "/"), 64)
	was := ""
	if !listed {
		was = "was "
	}
	if i := strings.LastIndexByte(addr, ':'); i > 0 && term.Width(was+addr) > w {
		addr = addr[:i] // the host is more useful than the port
	}
	return term.Cut(was+addr, w)
}

// link is the part of the edges in one row: a line at the left of the table, with an arrow into
// each watched row.
type link struct {
	from, to     bool       // the row watches another row; another row watches this row
	up, down     bool       // the line continues above and below
	above, below term.Style // styles of the line above and below
}

// links includes the edge of row last+1, because that row may watch a row in view.
func (v *Panel) links(top, last int) []link {
	if v.Rows.filtered {
		return nil
	}
	links := make([]link, last-top+1)
	for i := max(1, top); i <= min(last+1, v.State.Queue.Len()-1); i++ {
		to, st, ok := v.edgeOf(i)
		if !ok {
			continue
		}
		for k := max(to, top); k <= min(i, last); k++ {
			l := &links[k-top]
			l.from, l.to = l.from || k == i, l.to || k == to
			l.up, l.down = l.up || k > to, l.down || k < i
			if k < i {
				l.below = st
			}
			if k > to {
				l.above = st
			}
		}
	}
	return links
}

func (v *Panel) edgeOf(i int) (to int, st term.Style, ok bool) {
	s := v.State
	if s.Dialect != nil && s.Dialect.ChildWatch || !s.Dialect.Elects() {
		return 0, 0, false
	}
	r := v.Rows.At(i)
	if to, ok = s.Recipe.Watches(s.Queue, i); !ok || to < 0 || to >= i || r.Candidate == nil {
		return 0, 0, false
	}
	if ghost, _ := wording.GhostOf(s, r); ghost != "" || r.Member != nil && r.Member.Belief == model.Volunteering {
		return 0, 0, false
	}
	switch e := s.Edge(i); {
	case wording.WrongEdge(e):
		return 0, 0, false
	case wording.IsHerd(s):
		return to, term.Trouble, true
	case e.State == doctor.Verified, r.Member != nil && r.Member.Watches == s.Queue.At(to).Name:
		return to, term.Watch, true
	}
	return to, term.Muted, true
}

func drawLink(p *term.Pen, g *term.Glyphs, l link) {
	switch {
	case l.to:
		p.Text(l.below, g.HerdHead)
	case l.from:
		p.Text(l.above, g.HerdFrom)
	default:
		p.Gap(1)
	}
	st := l.above
	if !l.up {
		st = l.below
	}
	switch {
	case l.up && l.down && (l.from || l.to):
		p.Text(st, g.HerdMore)
	case l.up && l.down:
		p.Text(st, g.V)
	case l.up:
		p.Text(st, g.HerdLast)
	case l.down:
		p.Text(st, g.TR)
	default:
		p.Gap(1)
	}
}
