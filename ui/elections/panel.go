package elections

import (
	"strconv"

	"electop/model/units"
	"electop/model/znode"
	"electop/ui/rows"
	"electop/ui/term"
)

// Panel is the screen of elections. It keeps where the user is in them.
type Panel struct {
	list
	Shown
	place term.Rect
	shape
	top int // first line in view
}

// Shown is what the screen shows.
type Shown struct {
	Watched []Watched
	Walk    *Walk
	Why     string // why none can be looked for, "" if they can
	Running bool   // the clocks of the elections run: the picture is not held
}

// shape is how the screen is divided. Its lines are the rows of the elections
// watched, what the search says, and the rows of those that it found.
type shape struct {
	watched int         // rows above what the search says
	search  []term.Span // a line each, after a blank one
	page    int         // rows in view
}

// Settle takes what to show and where, and brings the selection into view.
func (v *Panel) Settle(x Shown, r term.Rect) {
	v.Shown, v.place = x, r
	v.update(x.Watched, x.Walk)
	in := r.Inner()
	v.shape = shape{search: v.searchLines(in.W - gutter - 2)}
	for v.watched < len(v.Rows) && v.Rows[v.watched].Watched != nil {
		v.watched++
	}
	avail := in.H - 1
	v.page = max(1, avail-v.between())
	at := v.line(v.Index)
	v.top = max(min(v.top, at), at-avail+1)
	if v.Index == v.watched && v.top > v.watched {
		v.top = max(v.watched, at-avail+1) // with what the search says above it
	}
	v.top = max(0, min(v.top, v.lines()-avail))
}

// between is how many lines are between the two parts.
func (x *shape) between() int { return len(x.search) + 1 }

// lines is how many lines there are.
func (v *Panel) lines() int { return len(v.Rows) + v.between() }

// line is the line of row i.
func (x *shape) line(i int) int {
	if i >= x.watched {
		return i + x.between()
	}
	return i
}

// Draw draws the screen of elections in place of the panels.
func (v Panel) Draw(f *term.Frame) {
	f.Blank(v.place)
	a := f.Box(v.place, "Elections", true, v.tail()...)
	c := columnsFor(a.Width())
	p := a.Pen(0).Gap(gutter).Fit(c.path, term.Muted, "path")
	if c.system > 0 {
		p.Gap(2).Fit(c.system, term.Muted, "system")
	}
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
		p := a.Pen(1 + y)
		switch i := v.top + y; {
		case i < v.watched:
			a.Spot(1+y, Path(v.Rows[i].Path))
			v.Rows[i].draw(f, p, c, i == v.Index, v.Running)
		case i == v.watched:
		case i < v.watched+v.between():
			s := v.search[i-v.watched-1]
			p.Gap(gutter).Text(s.Style, s.Text)
		default:
			a.Spot(1+y, Path(v.Rows[i-v.between()].Path))
			v.Rows[i-v.between()].draw(f, p, c, i-v.between() == v.Index, v.Running)
		}
	}
}

func (v *Panel) tail() []term.Span {
	var out []term.Span
	if v.Filter != "" {
		out = append(out, term.Span{Style: term.You, Text: "/" + znode.Safe(v.Filter, rows.FilterMax) + "  ", Keep: 7})
	}
	if by := orders[v.order].name; by != "" {
		out = append(out, term.Span{Style: term.You, Text: "sorted by " + by + "   ", Keep: 9})
	}
	text := strconv.Itoa(len(v.Watched)) + " watched"
	if v.Walk != nil {
		text += ", " + strconv.Itoa(v.Walk.ElectionCount()) + " found"
	}
	return append(out, term.Span{Style: term.Muted, Text: text, Keep: 8})
}

// searchLines says how the search goes or went, and what could come of another.
func (v *Panel) searchLines(w int) []term.Span {
	var out []term.Span
	say := func(st term.Style, text string) {
		for _, line := range term.Wrap(text, w) {
			out = append(out, term.Span{Style: st, Text: line})
		}
	}
	k := v.Walk
	why := v.Why
	if k == nil {
		text := "No search for other elections yet: r starts one."
		if why != "" {
			text = "Can't search for other elections: " + why
		}
		say(term.Muted, text)
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
		say(term.Text, "searching below "+root+"   "+read)
	case k.Err != "":
		say(term.Trouble, "the search below "+root+" failed: "+znode.Safe(k.Err, 0)+"   "+read)
	case k.ElectionCount() == 0:
		say(term.Muted, "no election below "+root+"   "+read+next(k))
	default:
		say(term.Muted, "found below "+root+"   "+read+next(k))
	}
	if k.Stopped != "" {
		say(term.Trouble, "The search stopped early: "+znode.Safe(k.Stopped, 0)+". There may be more.")
	}
	return out
}

// next says when the list is searched again.
func next(k *Walk) string {
	if k.Next.IsZero() {
		return ""
	}
	return "   next search at " + k.Next.Local().Format(term.ClockFormat)
}
