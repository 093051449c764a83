package handoffs

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"electop/model"
	"electop/model/phrase"
	"electop/ui/rows"
	"electop/ui/term"
	"electop/ui/wording"
)

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
