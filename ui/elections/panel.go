// Package elections draws the list of the watched elections, and of the elections that a search
// found on the cluster. [Panel.Settle] stores their states, and [Panel.Draw] draws them.
package elections

import (
	"strconv"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/plain"
	"electop/ui/term"
	"electop/ui/wording"
)

// Panel is the list of elections.
type Panel struct {
	list
	Shown
	place term.Rect
	shape
	top int // first line in view
}

// Shown holds what the panel shows.
type Shown struct {
	Watched []Watched
	Search  *Search // nil: no search yet
	Why     string  // why no search is possible, "" if a search is possible
	Running bool    // the times in the rows advance
}

type shape struct {
	watched int         // rows of watched elections
	status  []term.Span // lines about the search, below a blank line
	page    int         // number of rows that fit if the status is in view
}

// Settle stores what to show and where, and brings the selection into view.
func (v *Panel) Settle(x Shown, r term.Rect) {
	v.Shown, v.place = x, r
	v.update(x.Watched, x.Search)
	in := r.Inner()
	v.shape = shape{status: v.searchStatus(in.W - gutter - 2)}
	for v.watched < len(v.Rows) && v.Rows[v.watched].Watched != nil {
		v.watched++
	}
	avail := in.H - 1
	v.page = max(1, avail-v.between())
	at := v.line(v.Index)
	v.top = max(min(v.top, at), at-avail+1)
	if v.Index == v.watched && v.top > v.watched {
		v.top = max(v.watched, at-avail+1) // shows the search's status too
	}
	v.top = max(0, min(v.top, v.lines()-avail))
}

func (x *shape) between() int { return len(x.status) + 1 }

func (v *Panel) lines() int { return len(v.Rows) + v.between() }

func (x *shape) line(i int) int {
	if i >= x.watched {
		return i + x.between()
	}
	return i
}

// Draw draws the list of elections.
func (v Panel) Draw(f *term.Frame) {
	f.Blank(v.place)
	a := f.Box(v.place, "Elections", true, v.tail()...)
	c := columnsFor(a.Width())
	p := a.Pen(0).Gap(gutter).Fit(c.path, term.Muted, "path").Column(c.system, term.Muted, "system")
	waiting := "waiting"
	if c.waiting < len(waiting) {
		waiting = "wait"
	}
	p.Gap(2).Fit(c.leader, term.Muted, "  leader").Gap(2).Right(c.waiting, term.Muted, waiting).Gap(2)
	if c.reign > 0 {
		p.Right(c.reign, term.Muted, "reign").Gap(2)
	}
	p.Text(term.Muted, "state")

	for y := range min(a.Height()-1, v.lines()-v.top) {
		p, i := a.Pen(1+y), v.top+y
		if found := i - v.watched; found >= v.between() {
			i -= v.between()
		} else if found > 0 {
			p.Gap(gutter).Text(v.status[found-1].Style, v.status[found-1].Text)
			continue
		} else if found == 0 {
			continue
		}
		a.Spot(1+y, Path(v.Rows[i].Path))
		v.Rows[i].draw(f, p, c, i == v.Index, v.Running)
	}
}

func (v *Panel) tail() []term.Span {
	var out []term.Span
	if v.Filter != "" {
		out = append(out, term.Span{Style: term.You, Text: "/" + znode.Safe(v.Filter, znode.NameMax) + "  ", Keep: 7})
	}
	if by := orders[v.order].name; by != "" {
		out = append(out, term.Span{Style: term.You, Text: "sorted by " + by + "   ", Keep: 9})
	}
	text := strconv.Itoa(len(v.Watched)) + " watched"
	if v.Search != nil {
		text += ", " + strconv.Itoa(v.Search.ElectionCount()) + " found"
	}
	return append(out, term.Span{Style: term.Muted, Text: text, Keep: 8})
}

func (v *Panel) searchStatus(w int) []term.Span {
	var out []term.Span
	add := func(st term.Style, text string) {
		for _, line := range term.Wrap(text, w) {
			out = append(out, term.Span{Style: st, Text: line})
		}
	}
	k := v.Search
	if k == nil {
		if v.Why != "" {
			add(term.Muted, "Can't search for other elections: "+v.Why)
		} else {
			add(term.Muted, "No search for other elections yet: r starts one.")
		}
		return out
	}
	root := znode.Safe(k.Root, 0)
	read := units.Count(k.Visited, "znode", "znodes") + " read"
	if k.Denied > 0 {
		read += ", " + strconv.Itoa(k.Denied) + " denied"
	}
	if k.Skipped > 0 {
		read += ", " + strconv.Itoa(k.Skipped) + " skipped"
	}
	switch {
	case k.Running:
		add(term.Text, "searching below "+root+"   "+read)
	case k.Err != "":
		add(term.Trouble, "the search below "+root+" failed: "+znode.Safe(k.Err, 0)+"   "+read)
	case k.ElectionCount() == 0:
		add(term.Muted, "no election below "+root+"   "+read+next(k))
	default:
		add(term.Muted, "found below "+root+"   "+read+next(k))
	}
	kinds, other := map[dialect.Kind]int{}, ""
	for _, e := range v.found {
		kinds[e.State.Kind()]++
	}
	for _, kind := range dialect.Kinds {
		if n := kinds[kind]; n > 0 && !kind.Elects() && kind != dialect.KindUnknown {
			other += ", " + units.Count(n, kind.String(), kind.String()+"s")
		}
	}
	if other != "" {
		add(term.Muted, "other recipes: "+other[2:])
	}
	if k.Stopped != "" {
		add(term.Trouble, "The search stopped early: "+k.WhyStopped()+". There may be more.")
	}
	return out
}

func next(k *Search) string {
	if k.Next.IsZero() {
		return ""
	}
	return "   next search at " + k.Next.Local().Format(term.ClockFormat)
}

// Watched is a watched election.
type Watched struct {
	Path  string
	State *doctor.State
	Front bool // the main screen shows this election
}

// A Row is an election in the list: a watched one, with its number, or a found one.
type Row struct {
	Path    string
	Watched *Watched
	number  int
	Found   *plain.Found
}

// columns holds the widths of the columns, 0 for a hidden one. Two blanks separate the columns.
type columns struct {
	path, system, leader, waiting, reign, state int
}

const gutter = 6 // width before the path: the mark, the number and the sign

func columnsFor(w int) columns {
	c := columns{leader: 12, waiting: 4, reign: 7, state: 8}
	switch {
	case w >= 110:
		c.system, c.leader, c.waiting, c.state = 22, 18, 7, 14
	case w >= 90:
		c.system, c.leader, c.waiting, c.state = 16, 14, 7, 11
	case w < 66:
		c.reign = 0
	}
	c.path = w - gutter - 1
	for _, n := range []int{c.system, c.leader, c.waiting, c.reign, c.state} {
		if n > 0 {
			c.path -= n + 2
		}
	}
	return c
}

func (r *Row) draw(f *term.Frame, p *term.Pen, c columns, selected, running bool) {
	mark := " "
	if selected {
		mark = f.Theme.Glyph.Selected
		p.Choose()
	}
	p.Text(term.Strong, mark)
	number, name := "", term.Text
	if r.Watched != nil {
		number = strconv.Itoa(r.number)
		if r.Watched.Front {
			name = term.Strong
		}
	}
	p.Right(2, term.Muted, number).Gap(1)
	sign := " "
	if severity := phrase.Trouble(r.State()); severity != "" {
		name, sign, _ = wording.Severity(&f.Theme.Glyph, severity)
	}
	p.Text(name, sign).Gap(1)
	p.Fit(c.path, name, term.MiddleOf(znode.Safe(r.Path, 0), c.path))
	count := "?"
	if n := waiting(*r); n >= 0 {
		count = strconv.Itoa(n)
	}
	drawState(f, p, c, r.State(), count, running)
}

func drawState(f *term.Frame, p *term.Pen, c columns, s *doctor.State, waiting string, running bool) {
	g := &f.Theme.Glyph
	now := f.Picture
	down := stale(s)
	if down {
		now = s.DownSince
	} else if running {
		now = f.Now
	}
	f.Ticks(term.TickCalm)
	calm := now.Truncate(term.TickCalm)

	p.Column(c.system, term.Muted, s.System()).Gap(2)
	l := s.Leader()
	var t wording.Expiry
	troubled := false
	reign := "-"
	if l == nil {
		words := map[model.Phase]string{model.Unseen: "not read yet", model.NoParent: "absent", model.Forbidden: "READ denied"}[s.Phase]
		st := term.Muted
		if words == "" {
			e := phrase.NoLeader(s)
			st, words = wording.Style(e.Severity), e.Cell
		}
		p.Fit(c.leader, st, "  "+words)
	} else {
		t, troubled = wording.ExpiryOf(s, s.LeaderRow())
		sign, st := g.Leader, term.Lead
		switch {
		case troubled:
			sign, st = g.LeaderLost, term.Alarm
		case s.Lead() != doctor.Leads:
			sign = g.LeaderLost
		case down:
			st = term.Faint
		}
		p.Text(st, sign+" ").Fit(c.leader-2, st, l.Label())
		if r, ok := s.Reign(); ok {
			reign = phrase.LedCell(r, calm, "≤")
		}
	}
	if s.Roleless() && !down {
		p.Gap(2).Text(term.Muted, term.Cut(phrase.Content(s), p.Room()-1))
		return
	}
	p.Gap(2).Right(c.waiting, term.Text, waiting).Gap(2)
	if c.reign > 0 {
		p.Right(c.reign, term.Muted, reign).Gap(2)
	}
	switch {
	case down:
		words := "stale " + units.Age(f.Now.Truncate(term.TickCalm).Sub(s.DownSince))
		if c.state < term.Width(words) {
			words = "stale"
		}
		p.Text(term.Alarm, words)
		return
	case troubled:
		f.Ticks(term.TickBusy)
		p.Text(term.Alarm, t.AtRisk(now.Truncate(term.TickBusy), c.state < 11))
		p.Gap(2)
		if p.Room() < 9 {
			return
		}
	case len(s.Risks) > 0:
		p.Text(term.Trouble, strconv.Itoa(len(s.Risks))+" at risk").Gap(2)
	}
	drawFindings(g, p, s)
}

func drawFindings(g *term.Glyphs, p *term.Pen, s *doctor.State) {
	n := len(s.Findings)
	if n == 0 {
		return
	}
	worst := doctor.Worst(s.Findings)
	st, sign, word := wording.Severity(g, worst)
	text := units.Count(n, "finding", "findings")
	p.Text(st, sign+" ")
	switch {
	case p.Room() < term.Width(text)+term.Width(word)+2:
		text = strconv.Itoa(n)
	case worst == doctor.Critical:
		text += ", " + word
	}
	p.Text(st, text)
}
