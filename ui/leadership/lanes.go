package leadership

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/znode"
	"electop/ui/term"
	"electop/ui/wording"
)

type lanes struct {
	of    *doctor.State
	most  int
	whole *model.Lanes
	wide  int // width of the longest name

	rows   []*model.Lane // in view, in the order of [model.Lanes.All]
	hidden int           // lanes without room, and contenders without a lane
	names  int           // width of the column of names
	writes bool          // a line below the lanes shows what workers wrote
}

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

// choose stores the lanes in view in rows, and returns the largest scroll position.
func (l *lanes) choose(x axis, head time.Time, selected model.Ref, room, scroll int) (most int) {
	on := make([]*model.Lane, 0, len(l.whole.All))
	end := x.until(x.w - 1)
	for _, lane := range l.whole.All {
		n := len(lane.Stretches)
		if n == 0 || lane.Over() && lane.Stretches[n-1].From.Before(x.start) || lane.Stretches[0].From.After(end) {
			continue
		}
		on = append(on, lane)
	}
	most = max(0, len(on)-room)
	l.hidden = most + l.whole.More
	if most > 0 {
		ranks := make(map[*model.Lane]int, len(on))
		for _, lane := range on {
			ranks[lane] = rank(lane, x, head, selected)
		}
		ranked := slices.Clone(on)
		slices.SortStableFunc(ranked, func(a, b *model.Lane) int { return cmp.Compare(ranks[a], ranks[b]) })
		scroll = min(scroll, most)
		shown := ranked[scroll : scroll+room]
		on = slices.DeleteFunc(on, func(lane *model.Lane) bool { return !slices.Contains(shown, lane) })
	}
	l.rows = on
	return most
}

// rank is lower for a lane that matters more.
func rank(lane *model.Lane, x axis, head time.Time, selected model.Ref) int {
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
	case now.Place == model.Holds || lane.Wrong(head):
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

func nameOf(l *model.Lane) string {
	if l.Member != "" {
		return znode.Safe(cmp.Or(l.Name, l.Member), znode.NameMax)
	}
	return l.Znodes[len(l.Znodes)-1].Label()
}

const namesMin, namesMax = 6, 16 // widths of the column of names

// laneKind is the kind of a cell. If several kinds share a cell, the last of this list is shown.
type laneKind uint8

const (
	laneNothing laneKind = iota
	laneNowhere          // a member without a znode, not killed
	laneWaits
	laneUnaware // first in the queue, but not known to lead
	laneSuspended
	laneLed
	laneLeads
	laneSilent // has a znode, and is killed, frozen or partitioned
	laneElected
	laneBelieves
	laneBefore // unknown, for example before electop saw the candidate
	laneUnseen // unknown: electop did not observe the election
	laneCreated
	laneDeleted
	laneFault
	laneNotice
	laneExpired
)

func kindOf(s model.Standing, wrong bool) laneKind {
	there := s.Place != model.NoZnode
	switch {
	case wrong:
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

type laneCell struct {
	kind  laneKind
	fault model.Fault
}

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
		kind := kindOf(st.Standing, l.Wrong(to.Add(-1)))
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
			break // members report their state even if electop has no connection
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
		} else if l.Member == "" && !z.Ctime.IsZero() { // the znode existed before electop saw it
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

func (l *lanes) rowOf(index int) int {
	if index < 0 {
		return -1
	}
	return slices.Index(l.rows, l.whole.All[index])
}

// now returns the end of intervals that have not ended.
func (v *Handoffs) now() time.Time {
	switch {
	case v.Head.IsZero() && (v.Whole == nil || v.Last.IsZero()):
		return v.Now
	case v.Whole == nil:
		return v.Head
	case v.Last.IsZero():
		return v.Now
	}
	return v.Last
}

func (v *Handoffs) drawLanes(f *term.Frame, a term.Area) {
	x, until, signs := v.axis, v.now(), laneSigns(&f.Theme.Glyph)
	left := v.lanes.names + 1
	shown := v.lanes.rows[:min(len(v.lanes.rows), v.plan.lanes)]
	grid, all := make([][]laneCell, len(shown)), make([]laneCell, len(shown)*x.w)
	for i, l := range shown {
		grid[i] = cells(all[i*x.w:(i+1)*x.w], l, v.lanes.whole.Gaps, x, v.head(), until)
	}
	v.demote(shown, grid)
	middle := (v.plan.thick - 1) / 2
	for i, l := range shown {
		st, _ := l.At(v.head())
		style := term.Text
		switch {
		case v.contested(l) == laneLed:
		case l.Wrong(v.head()), v.contested(l) == laneBelieves:
			style = term.Alarm
		case st.Place == model.Holds && st.Fault != model.NoFault:
			style = term.Trouble
		case st.Place == model.Holds && v.State.Leader() != nil:
			style = term.Lead
		case st.Place == model.NoZnode:
			style = term.Muted
		}
		for k := range v.plan.thick {
			p := a.Pen(i*v.plan.pitch + k)
			if k == middle {
				p.Fit(v.lanes.names, style, nameOf(l)).Gap(1)
			} else {
				p.Gap(left)
			}
			for _, c := range grid[i] {
				sign := signs[c.kind]
				switch solid := laneLed <= c.kind && c.kind <= laneElected; {
				case k != middle && !solid:
					sign.Text = " "
				case c.kind == laneFault:
					sign.Text = wording.FaultGlyph(&f.Theme.Glyph, &model.Member{Fault: c.fault})
				}
				p.Text(sign.Style, sign.Text)
			}
		}
	}
	v.drawNotices(&f.Theme.Glyph, a.From(middle), left, grid)
	y := v.plan.lanes * v.plan.pitch
	if v.lanes.writes {
		v.drawWrites(f, a.Pen(y).Fit(v.lanes.names, term.Muted, "writes").Gap(1))
		y++
	}
	v.drawAxis(f, a, left, y)
	first := a.Rect.X + left
	f.Spots(term.Rect{X: first, Y: a.Rect.Y, W: x.w, H: min(y+1, a.Height())}, func(at, _ int) any { return TimeSpot(x.until(at - first)) })
	if v.plan.legend > 0 {
		v.drawLegend(&f.Theme.Glyph, a.From(y+v.plan.axis))
	}
}

func (v *Handoffs) demote(shown []*model.Lane, grid [][]laneCell) {
	s := v.State
	if s.Leader() != nil {
		return
	}
	from := 0
	if h := wording.Newest(s); h != nil {
		from = v.axis.cell(h.At)
	}
	for i, l := range shown {
		contested := v.contested(l)
		unknown := s.NoLeader() == model.UnknownKind || s.NoLeader().Unknown() && l.Member == "" && l.Znodes[len(l.Znodes)-1].ID() == s.First().ID()
		for k := range grid[i] {
			switch kind := &grid[i][k].kind; {
			case contested != laneNothing && k >= from && (*kind == laneWaits || *kind == laneBelieves || *kind == laneLeads):
				*kind = contested
			case *kind == laneLeads:
				*kind = laneUnaware
			case *kind == laneWaits && unknown && k >= from:
				*kind = laneBefore
			}
		}
	}
}

func (v *Handoffs) contested(l *model.Lane) laneKind {
	s, n := v.State, len(l.Znodes)
	if s.NoLeader() != model.MixedClients || n == 0 {
		return laneNothing
	}
	of := l.Znodes[n-1]
	switch rival, _, proven := s.Rival(); {
	case of.ID() == s.First().ID():
		return laneLed
	case proven && of.ID() == rival.ID():
		return laneBelieves
	case s.IsRival(of.Candidate):
		return laneBefore
	}
	return laneNothing
}

func (v *Handoffs) drawNotices(g *term.Glyphs, a term.Area, left int, grid [][]laneCell) {
	pitch := v.plan.pitch
	for _, signs := range [...]bool{false, true} {
		for _, n := range v.lanes.whole.Notices {
			at, from, to := v.axis.cell(n.At), v.lanes.rowOf(n.From), v.lanes.rowOf(n.To)
			if signs {
				at = v.axis.cell(n.Arrived)
			}
			if at < 0 || at >= v.axis.w || from >= len(grid) || to < 0 || to >= len(grid) {
				continue
			}
			if signs {
				if grid[to][at].kind < laneNotice {
					a.Pen(to*pitch).Gap(left+at).Text(term.Lead, g.Notice)
				}
				continue
			}
			for y := min(from, to)*pitch + 1; from >= 0 && y < max(from, to)*pitch; y++ {
				kind, sign := laneNothing, g.Down
				if y%pitch == 0 {
					kind = grid[y/pitch][at].kind
				}
				if kind == laneWaits || kind == laneUnaware {
					sign = g.Crossed
				}
				if kind < laneLed {
					a.Pen(y).Gap(left+at).Text(term.Gold, sign)
				}
			}
		}
	}
}

func laneSigns(g *term.Glyphs) [laneExpired + 1]term.Span {
	return [...]term.Span{
		laneNothing:   {Style: term.Text, Text: " "},
		laneNowhere:   {Style: term.Muted, Text: g.Nowhere},
		laneWaits:     {Style: term.Watch, Text: g.Waits},
		laneUnaware:   {Style: term.Gold, Text: g.Waits},
		laneSuspended: {Style: term.Trouble, Text: g.Suspended},
		laneLed:       {Style: term.Past, Text: g.Block},
		laneLeads:     {Style: term.Gold, Text: g.Block},
		laneSilent:    {Style: term.Trouble, Text: g.Danger},
		laneElected:   {Style: term.Gold, Text: g.Elected},
		laneBelieves:  {Style: term.Alarm, Text: g.Believes},
		laneBefore:    {Style: term.Faint, Text: g.Unseen},
		laneUnseen:    {Style: term.Trouble, Text: g.Unseen},
		laneCreated:   {Style: term.Watch, Text: g.Created},
		laneDeleted:   {Style: term.Muted, Text: g.Deleted},
		laneFault:     {Style: term.Alarm},
		laneNotice:    {Style: term.Lead, Text: g.Notice},
		laneExpired:   {Style: term.Alarm, Text: g.Expired},
	}
}

func (v *Handoffs) drawWrites(f *term.Frame, p *term.Pen) {
	g := &f.Theme.Glyph
	signs := [...]term.Span{{Style: term.Text, Text: " "}, {Style: term.Muted, Text: g.Written}, {Style: term.Good, Text: g.Refused}, {Style: term.Alarm, Text: g.Stale}}
	row := make([]int, v.axis.w)
	for _, w := range v.lanes.whole.Writes {
		kind := 1
		switch {
		case w.Refused:
			kind = 2
		case w.Stale:
			kind = 3
		}
		if i := v.axis.cell(w.At); i >= 0 && i < len(row) {
			row[i] = max(row[i], kind)
		}
	}
	for _, kind := range row {
		p.Text(signs[kind].Style, signs[kind].Text)
	}
}

func (v *Handoffs) drawAxis(f *term.Frame, a term.Area, left, y int) {
	headAt, head := v.playhead(f, a, left)
	v.axis.labels(f.Now.Location(), func(at int, format string, t time.Time) {
		if at += left; head == "" || at+len(format)+1 < headAt || at > headAt+term.Width(head) {
			a.Pen(y).Gap(at).Text(term.Border, f.Theme.Glyph.Tick).Text(term.Muted, f.TimeIn(format, t))
		}
	})
	if v.lanes.hidden > 0 {
		var room [32]byte
		words := strconv.AppendInt(append(room[:0], '+'), int64(v.lanes.hidden), 10)
		if long := append(words, " more"...); len(long) <= v.lanes.names {
			words = long
		}
		a.Pen(y).Fit(v.lanes.names, term.Muted, f.Ink(words))
	}
	if head != "" {
		i := v.axis.cell(v.Head)
		f.Restyle(term.Rect{X: a.Rect.X + left + i + 1, Y: a.Rect.Y, W: v.axis.w - i - 1, H: min(y, a.Height())}, func(st term.Style) term.Style {
			if st == term.Alarm {
				st = term.Trouble
			}
			return term.Fade(st) // the cell is later than the playhead
		})
		a.Pen(y).Gap(headAt).Text(term.You, head)
	}
}

func (v *Handoffs) playhead(f *term.Frame, a term.Area, left int) (at int, words string) {
	i := v.axis.cell(v.Head)
	if v.Head.IsZero() || i < 0 || i >= v.axis.w {
		return 0, ""
	}
	words = f.Stamp(v.Head)[:len(term.ClockFormat)+2]
	if v.Playing != "" {
		words += " " + v.Playing
	}
	if left+i+1+term.Width(words) < a.Width() {
		return left + i, f.Theme.Glyph.Playhead + words
	}
	return max(0, left+i-term.Width(words)), words + f.Theme.Glyph.Playhead
}

func (v *Handoffs) note() (st term.Style, words string) {
	s := v.State
	switch _, expires := wording.ExpiryOf(s, s.LeaderRow()); {
	case s.Leader() == nil && phrase.NoLeader(s).Severity != "":
		e := phrase.NoLeader(s)
		return term.Alarm, cmp.Or(e.Row, e.Sentence)
	case expires:
		return term.Alarm, phrase.Lead(s).Row
	case v.cut:
		return term.Muted, "later changes are not drawn: there are too many"
	}
	return term.Muted, ""
}

func (v *Handoffs) drawLegend(g *term.Glyphs, a term.Area) {
	has := phrase.RoleOf(v.State).Has
	signs := []string{
		g.Waits + " waits", g.Notice + " notified", g.Elected + " elected", g.Block + " " + has, g.Danger + " silent, znode still there",
		g.Expired + " expired", g.Deleted + " znode deleted", g.Believes + " believes it " + has, g.Suspended + " suspended",
	}
	if !slices.ContainsFunc(v.lanes.whole.All, func(l *model.Lane) bool { return l.Member != "" }) {
		signs = []string{g.Waits + " waits", g.Block + " has the role according to the queue; its belief is not visible", g.Deleted + " znode deleted", g.Expired + " session expired"}
	}
	if v.State.Roleless() {
		signs = []string{g.Created + " came", g.Waits + " is there", g.Danger + " silent, znode still there", g.Deleted + " znode deleted", g.Expired + " session expired"}
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
			if y++; y >= v.plan.legend-1 {
				return
			}
			p = a.Pen(y)
		}
		p.Text(term.Muted, sign).Gap(3)
	}
}
