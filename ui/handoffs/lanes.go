package handoffs

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/znode"
	"electop/ui/rows"
	"electop/ui/term"
	"electop/ui/wording"
)

// lanes are those that the panel shows, from the state of the moment and from what
// came after it.
type lanes struct {
	of    *doctor.State // they were made from it
	most  int
	whole *model.Lanes
	wide  int // the widest of their names

	rows   []*model.Lane // in view, in the order of their znodes
	hidden int           // how many more there are
	names  int           // width of the names
	writes bool          // there is a line for what workers wrote
}

// make takes the lanes of a state; they are made once a state.
func (l *lanes) make(s *doctor.State, most int) {
	if l.of != s || l.most < most {
		l.of, l.most = s, most
		l.whole = s.Lanes(most)
		l.wide = 0
		for _, lane := range l.whole.All {
			l.wide = max(l.wide, term.Width(nameOf(lane)))
		}
	}
}

// choose takes the lanes into view: all that are on the axis in the order of their
// znodes, or of too many those that matter most at the time head. It returns how far
// they can be scrolled.
func (l *lanes) choose(x axis, head time.Time, selected rows.Ref, room, scroll int) (most int) {
	on := make([]*model.Lane, 0, len(l.whole.All))
	end := x.until(x.w - 1)
	for _, lane := range l.whole.All {
		n := len(lane.Stretches)
		if n == 0 || lane.Over() && lane.Stretches[n-1].From.Before(x.start) || lane.Stretches[0].From.After(end) {
			continue
		}
		on = append(on, lane)
	}
	l.hidden = max(0, len(on)-room) + l.whole.More
	most = max(0, len(on)-room)
	if most > 0 {
		type ranked struct{ rank, at int }
		all := make([]ranked, len(on))
		for i, lane := range on {
			all[i] = ranked{l.rank(lane, x, head, selected), i}
		}
		slices.SortFunc(all, func(a, b ranked) int { return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.at, b.at)) })
		scroll = min(scroll, most)
		all = all[scroll : scroll+room]
		slices.SortFunc(all, func(a, b ranked) int { return cmp.Compare(a.at, b.at) })
		shown := make([]*model.Lane, 0, room)
		for _, r := range all {
			shown = append(shown, on[r.at])
		}
		on = shown
	}
	l.rows = on
	return most
}

// rank is lower for what matters more.
func (l *lanes) rank(lane *model.Lane, x axis, head time.Time, selected rows.Ref) int {
	now, _ := lane.At(head)
	led := time.Time{}
	for i, st := range lane.Stretches {
		if st.Place == model.Holds {
			led = head
			if i+1 < len(lane.Stretches) {
				led = lane.Stretches[i+1].From
			}
		}
	}
	switch {
	case now.Place == model.Holds || believes(now):
		return 0
	case slices.ContainsFunc(lane.Znodes, func(z model.LaneZnode) bool { return z.ID() == selected.Znode }):
		return 1
	case !led.Before(x.start) && !led.IsZero():
		return 2
	case now.Fault != model.NoFault:
		return 3
	case now.Place == model.Queued || lane.Member != "" && !now.Departed:
		return 4
	}
	return 5
}

// believes reports whether a member believes that it leads, and does not.
func believes(s model.Standing) bool {
	return s.Belief == model.Leading && s.Place != model.Holds && s.Fault != model.Killed && !s.Departed
}

// nameOf is what to call a lane.
func nameOf(l *model.Lane) string {
	if l.Member != "" {
		return znode.Safe(cmp.Or(l.Name, l.Member), rows.NameMax)
	}
	return l.Znodes[len(l.Znodes)-1].Label()
}

// Widths of the column of names.
const namesMin, namesMax = 6, 16

// widths gives the names their column: as wide as the widest, also of lanes that are not
// in view now, so that it stays.
func (l *lanes) widths(w int) {
	l.names = max(namesMin, min(l.wide, namesMax, w/5))
}

// laneKind is what a cell of a lane shows. The later wins where several share a cell.
type laneKind uint8

const (
	laneNothing laneKind = iota
	laneNowhere          // no znode, and alive
	laneWaits
	laneUnaware // first in the queue, and does not know yet
	laneSuspended
	laneLed
	laneLeads
	laneSilent // has a znode, and is killed, frozen or cut off
	laneElected
	laneBelieves
	laneBefore // not known: as before electop saw it
	laneUnseen // nobody observed it
	laneCreated
	laneDeleted
	laneFault
	laneNotice
	laneExpired
)

// kindOf is what a standing looks like.
func kindOf(s model.Standing) laneKind {
	there := s.Place != model.NoZnode
	switch {
	case believes(s):
		return laneBelieves
	case there && s.Fault != model.NoFault:
		return laneSilent
	case !there && (s.Belief == "" || s.Departed || s.Fault == model.Killed):
		return laneNothing
	case !there:
		return laneNowhere
	case s.Belief == model.Suspended:
		return laneSuspended
	case s.Place != model.Holds:
		return laneWaits
	case s.Belief == model.Elected:
		return laneElected
	case s.Belief == model.Leading || s.Belief == "" || s.Departed:
		return laneLeads
	}
	return laneUnaware
}

// laneCell is a cell of a lane; fault is the one that begins there.
type laneCell struct {
	kind  laneKind
	fault model.Fault
}

// cells lays a lane out over the axis, up to the time until. head is the time at which who
// leads is gold; those who led before or will are not. Of third-party clients nothing is
// known in the gaps. The cells of the lane are out.
func cells(out []laneCell, l *model.Lane, gaps []model.Gap, x axis, head, until time.Time) []laneCell {
	put := func(i int, c laneCell) {
		if i >= 0 && i < len(out) && c.kind > out[i].kind {
			out[i] = c
		}
	}
	was := model.Standing{}
	for i, st := range l.Stretches {
		to, open := until, true
		if i+1 < len(l.Stretches) {
			to, open = l.Stretches[i+1].From, false
		}
		kind := kindOf(st.Standing)
		if kind == laneLeads && (head.Before(st.From) || !open && !head.Before(to)) {
			kind = laneLed
		}
		if !to.Before(x.start) {
			first, last := x.cell(st.From), x.cell(to.Add(-1))
			for k := max(0, first); k <= min(max(first, last), x.w-1); k++ {
				put(k, laneCell{kind: kind})
			}
			if st.Fault != was.Fault && st.Fault != model.NoFault && (kind == laneSilent || kind == laneBelieves) {
				put(first, laneCell{laneFault, st.Fault})
			}
		}
		was = st.Standing
	}
	for _, gap := range gaps {
		if l.Member != "" {
			break // it says itself what it does
		}
		from, to := x.cell(gap.From), x.cell(until)
		if !gap.To.IsZero() {
			to = x.cell(gap.To.Add(-1))
		}
		for k := max(0, from); k <= min(to, x.w-1); k++ {
			if out[k].kind != laneNothing {
				put(k, laneCell{kind: laneUnseen})
			}
		}
	}
	for _, z := range l.Znodes {
		if z.Joined {
			put(x.cell(z.SeenAt), laneCell{kind: laneCreated})
		} else if l.Member == "" && !z.Ctime.IsZero() { // it existed before electop saw it
			for k := max(0, x.cell(z.Ctime)); k <= min(x.cell(z.SeenAt.Add(-1)), x.w-1); k++ {
				put(k, laneCell{kind: laneBefore})
			}
		}
		switch {
		case z.End.IsZero():
		case z.Cause == model.CauseExpired:
			put(x.cell(z.End), laneCell{kind: laneExpired})
		default:
			put(x.cell(z.End), laneCell{kind: laneDeleted})
		}
	}
	return out
}

// rowOf is the line of a lane among those in view, -1 for none.
func (l *lanes) rowOf(index int) int {
	if index < 0 {
		return -1
	}
	return slices.Index(l.rows, l.whole.All[index])
}

// now is up to when what has not ended is drawn.
func (v *Panel) now(f *term.Frame) time.Time {
	switch {
	case !v.Last.IsZero() && v.Whole != nil:
		return v.Last
	case !v.Head.IsZero() && v.Whole == nil:
		return v.Head
	case !v.Head.IsZero():
		return v.Now
	}
	return f.Calm()
}

// drawLanes draws a lane for each candidate in view, the notifications between them, what
// workers wrote, and the axis.
func (v *Panel) drawLanes(f *term.Frame, a term.Area) {
	x, until := v.axis, v.now(f)
	left := v.lanes.names + 1
	shown := v.lanes.rows[:min(len(v.lanes.rows), v.plan.lanes)]
	grid, all := make([][]laneCell, len(shown)), make([]laneCell, len(shown)*x.w)
	for i, l := range shown {
		grid[i] = cells(all[i*x.w:(i+1)*x.w], l, v.lanes.whole.Gaps, x, v.head(), until)
	}
	v.demote(shown, grid)
	lines, between := v.notices(grid)
	for i, l := range shown {
		p := a.Pen(i * v.plan.pitch)
		st, _ := l.At(v.head())
		style := term.Text
		switch {
		case believes(st):
			style = term.Alarm
		case st.Place == model.Holds && st.Fault != model.NoFault:
			style = term.Trouble
		case st.Place == model.Holds && v.State.Leader() != nil:
			style = term.Lead
		case st.Place == model.NoZnode:
			style = term.Muted
		}
		p.Fit(v.lanes.names, style, nameOf(l)).Gap(1)
		v.drawCells(f, p, grid[i], lines[i])
		for y := i*v.plan.pitch + 1; y < (i+1)*v.plan.pitch && i+1 < len(shown); y++ {
			for k, on := range between[i] {
				if on {
					a.Pen(y).Gap(left+k).Text(term.Gold, f.Theme.Glyph.Down)
				}
			}
		}
	}
	y := v.plan.lanes * v.plan.pitch
	if v.lanes.writes {
		p := a.Pen(y)
		p.Fit(v.lanes.names, term.Muted, "writes").Gap(1)
		v.drawWrites(f, p)
		y++
	}
	v.drawAxis(f, a, left, y)
	first := a.Rect.X + left
	f.Spots(term.Rect{X: first, Y: a.Rect.Y, W: x.w, H: min(y+1, a.Height())}, func(at, _ int) any { return Moment(x.until(at - first)) })
	if v.plan.words > 0 {
		v.drawWords(&f.Theme.Glyph, a.From(y+v.plan.axis))
	}
}

// demote takes the gold from a leader of which something shows that it does not lead, as
// the other panels say. If it is not known who leads, it is not known either that the first
// candidate waits, and of children of an unknown kind that any of them does.
func (v *Panel) demote(shown []*model.Lane, grid [][]laneCell) {
	s := v.State
	if s.Leader() != nil {
		return
	}
	from := 0
	if h := wording.Newest(s); h != nil {
		from = v.axis.cell(h.At)
	}
	for i, l := range shown {
		unknown := s.NoLeader() == model.UnknownKind || s.NoLeader().Unknown() && l.Member == "" && l.Znodes[len(l.Znodes)-1].ID() == s.First().ID()
		for k := range grid[i] {
			switch kind := &grid[i][k].kind; {
			case *kind == laneLeads:
				*kind = laneUnaware
			case *kind == laneWaits && unknown && k >= from:
				*kind = laneBefore
			}
		}
	}
}

// notices puts the notifications into the lanes of their watchers, and returns the
// lines from the lanes of the deleted znodes: where they cross each lane, and where they
// go on between it and the next.
func (v *Panel) notices(grid [][]laneCell) (across, between [][]bool) {
	across, between = make([][]bool, len(grid)), make([][]bool, len(grid))
	if len(v.lanes.whole.Notices) == 0 {
		return across, between
	}
	all := make([]bool, 2*len(grid)*v.axis.w)
	for i := range grid {
		across[i], all = all[:v.axis.w], all[v.axis.w:]
		between[i], all = all[:v.axis.w], all[v.axis.w:]
	}
	for _, n := range v.lanes.whole.Notices {
		at := v.axis.cell(n.At)
		if at < 0 || at >= v.axis.w {
			continue
		}
		from, to := v.lanes.rowOf(n.From), v.lanes.rowOf(n.To)
		if from >= len(grid) || to < 0 || to >= len(grid) {
			continue
		}
		if c := &grid[to][at]; c.kind < laneNotice {
			c.kind = laneNotice
		}
		if from < 0 {
			continue
		}
		for y := min(from, to); y < max(from, to); y++ {
			between[y][at] = true
			across[y][at] = y > min(from, to)
		}
	}
	return across, between
}

// look is the sign of a cell and its style.
func (c laneCell) look(g *term.Glyphs) (term.Style, string) {
	switch c.kind {
	case laneNowhere:
		return term.Muted, g.Nowhere
	case laneWaits:
		return term.Watch, g.Waits
	case laneUnaware:
		return term.Gold, g.Waits
	case laneSuspended:
		return term.Trouble, g.Suspended
	case laneLed:
		return term.Past, g.Block
	case laneLeads:
		return term.Gold, g.Block
	case laneSilent:
		return term.Trouble, g.Danger
	case laneElected:
		return term.Gold, g.Elected
	case laneBelieves:
		return term.Alarm, g.Believes
	case laneBefore:
		return term.Faint, g.Unseen
	case laneUnseen:
		return term.Trouble, g.Unseen
	case laneCreated:
		return term.Watch, g.Created
	case laneDeleted:
		return term.Muted, g.Deleted
	case laneFault:
		return term.Alarm, wording.FaultGlyph(g, &model.Member{Fault: c.fault})
	case laneNotice:
		return term.Lead, g.Notice
	case laneExpired:
		return term.Alarm, g.Expired
	}
	return term.Text, " "
}

// drawCells draws a lane.
func (v *Panel) drawCells(f *term.Frame, p *term.Pen, row []laneCell, across []bool) {
	g := &f.Theme.Glyph
	for i, c := range row {
		st, sign := c.look(g)
		if across != nil && across[i] && c.kind < laneLed {
			st, sign = term.Gold, g.Down
			if c.kind == laneWaits || c.kind == laneUnaware {
				sign = g.Crossed
			}
		}
		p.Text(st, sign)
	}
}

// drawWrites draws what workers wrote: of several in a cell the worst.
func (v *Panel) drawWrites(f *term.Frame, p *term.Pen) {
	const accepted, refused, stale = 1, 2, 3
	row := make([]int, v.axis.w)
	for _, w := range v.lanes.whole.Writes {
		i := v.axis.cell(w.At)
		if i < 0 || i >= len(row) {
			continue
		}
		kind := accepted
		switch {
		case w.Refused:
			kind = refused
		case w.Stale:
			kind = stale
		}
		row[i] = max(row[i], kind)
	}
	g := &f.Theme.Glyph
	for _, kind := range row {
		switch kind {
		case accepted:
			p.Text(term.Muted, g.Written)
		case refused:
			p.Text(term.Good, g.Refused)
		case stale:
			p.Text(term.Alarm, g.Stale)
		default:
			p.Gap(1)
		}
	}
}

// drawAxis draws the times in line y, with what is not in view at its ends, the
// playhead, and what is wrong with the leader.
func (v *Panel) drawAxis(f *term.Frame, a term.Area, left, y int) {
	head := playhead{v.Head, v.Playing}
	head.drawLabels(f, a, v.axis, left, y)
	if v.lanes.hidden > 0 {
		var room [32]byte
		words := strconv.AppendInt(append(room[:0], '+'), int64(v.lanes.hidden), 10)
		if long := append(words, " more"...); len(long) <= v.lanes.names {
			words = long
		}
		a.Pen(y).Fit(v.lanes.names, term.Muted, f.Ink(words))
	}
	head.draw(f, a, v.axis, left, y)
	alarm := v.alarm()
	style := term.Alarm
	if alarm == "" && v.cut {
		style, alarm = term.Muted, "what came later is not drawn: too many changes"
	}
	if alarm != "" {
		p := a.Pen(y)
		p.Gap(p.Room()-term.Width(alarm)-1).Text(style, " "+alarm)
	}
}

// alarm says what is wrong with the leader, "" for nothing.
func (v *Panel) alarm() string {
	s := v.State
	if s.Leader() == nil {
		e := phrase.NoLeader(s)
		return cmp.Or(e.Row, e.Sentence)
	}
	if _, ok := wording.ExpiryOf(s, rows.Leader(s)); ok {
		return phrase.Lead(s).Row
	}
	return ""
}

// drawWords explains the signs, as many as there is room for.
func (v *Panel) drawWords(g *term.Glyphs, a term.Area) {
	signs := []string{
		g.Waits + " waits", g.Notice + " notified", g.Elected + " elected", g.Block + " leads", g.Danger + " silent, znode still there",
		g.Expired + " expired", g.Deleted + " znode deleted", g.Believes + " believes it leads", g.Suspended + " suspended",
	}
	if !slices.ContainsFunc(v.lanes.whole.All, func(l *model.Lane) bool { return l.Member != "" }) {
		signs = []string{g.Waits + " waits", g.Block + " has the role, by the queue: what it believes is not visible", g.Deleted + " znode deleted", g.Expired + " session expired"}
	}
	if len(v.lanes.whole.Gaps) > 0 || slices.ContainsFunc(v.State.Reigns, func(r model.Reign) bool { return !r.FromKnown }) {
		signs = append(signs, g.Unseen+" not known")
	}
	if v.lanes.writes {
		signs = append(signs, g.Written+" write", g.Stale+" stale write", g.Refused+" refused")
	}
	y, p := 0, a.Pen(0)
	for _, sign := range signs {
		if p.Room() < term.Width(sign)+1 {
			if y++; y >= v.plan.words-1 {
				return
			}
			p = a.Pen(y)
		}
		p.Text(term.Muted, sign).Gap(3)
	}
}
