// Package leadership has three panels about how leadership passes from one candidate to the
// next: according to which recipe, when, and who believes that it leads.
//
// [Recipe] and [Belief] draw a state. [Handoffs] also keeps the scroll position and the scale of
// its time axis: [Handoffs.Settle] takes the state and the size and computes the layout.
//
//	recipe.go    the recipe as pseudo code, the cost of a handoff, and the situation
//	steps.go     the lines of the recipe that run now, and for which candidates
//	handoffs.go  the layout of the panel of handoffs, and its list
//	lanes.go     a lane for each candidate over a time axis
//	axis.go      the time axis
//	belief.go    the beliefs, who leads, the workers' writes, safety and liveness
package leadership

import (
	"strconv"
	"strings"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/input"
	"electop/ui/term"
	"electop/ui/wording"
)

const (
	handoffShown = 1500 * time.Millisecond // time for which a new handoff is highlighted
	shortCause   = len("resigned")         // width of the column for short names of causes

	legendWidth = 90 // below this width, only a zoomed panel has legendLines
	legendLines = 3  // with a blank line below the legend
)

// Handoffs is the panel of handoffs.
type Handoffs struct {
	HandoffsShown
	place  term.Rect
	scroll int // number of lanes, and then of the newest handoffs, scrolled out of view
	most   int // the largest scroll
	page   int // lines of the list

	axis          axis
	step          time.Duration // duration of a cell, chosen by the user; 0: automatic
	lanes         lanes
	plan          plan
	scrolledLanes int
	cut           bool // the lanes show State, because the lanes of Whole begin after Head
}

type plan struct {
	lanes  int
	pitch  int // lines from one lane to the next
	thick  int // lines of a lane
	axis   int // with a blank line below it in a high panel
	legend int
	note   int // above the list, about the leader or the lanes
}

// TimeSpot is a clickable column of the lanes and of their axis: the last instant that the column covers.
type TimeSpot time.Time

// HandoffsShown holds what the panel shows.
type HandoffsShown struct {
	State      *doctor.State
	Focused    bool
	Properties []term.Span // safety and liveness, nil if they are unknown
	Came       time.Time   // when the newest handoff came; zero for none, in a pause and during time travel

	Now      time.Time // the time on the screen; during time travel in a live election, the latest known time
	Zoomed   bool
	Selected model.Ref

	Head        time.Time     // the playhead, which is the time on the screen; zero: none
	Whole       *doctor.State // the latest state, with what came after Head; nil if the lanes show State instead
	First, Last time.Time     // the beginning and the end of a recording, zero for none
	Playing     string        // the sign of the playback, "" if nothing is played
}

func (v *Handoffs) timeline() *doctor.State {
	if v.Whole == nil {
		return v.State
	}
	return v.Whole
}

// Move scrolls the lanes, and then the list.
func (v *Handoffs) Move(do input.Command) {
	v.scroll = input.Moved(do, v.scroll, v.most, v.page)
}

// Draw draws the lanes of the candidates over time, and the list of handoffs.
func (v Handoffs) Draw(f *term.Frame) {
	s := v.State
	a := f.Box(v.place, map[bool]string{false: "Handoffs", true: "Came and went"}[s.Roleless()], v.Focused, v.tail(f)...)
	a = a.Inset(1)
	if v.plan.lanes > 0 {
		v.drawLanes(f, a)
	}
	y := v.upper()
	if st, words := v.note(); v.plan.note > 0 {
		p := a.Pen(y - 1).Gap(1 + len(term.StampFormat) + 2)
		p.Text(st, term.Cut(words, p.Room()-1))
	}
	if len(s.Handoffs) == 0 {
		text := "no handoff seen yet: each one appears here as it happens"
		switch {
		case s.Roleless() && v.plan.lanes > 0:
			if v.plan.legend == 0 {
				v.drawLegend(&f.Theme.Glyph, a.From(y))
			}
			return
		case s.Roleless():
			text = phrase.NoLeader(s).Sentence
		case s.Phase != model.Live:
			text = "nothing seen yet"
		}
		a.Paragraph(y, 1, a.Width()-1, term.Muted, text)
		return
	}
	v.drawHandoffList(f, a.From(y))
}

func (v *Handoffs) tail(f *term.Frame) []term.Span {
	s := v.State
	t := s.Totals
	// The totals end at the last observation.
	if more := f.Calm().Sub(s.At); more > 0 && !f.Held && s.Phase == model.Live && s.Link.Link == model.Connected {
		switch why := s.NoLeader(); {
		case why == "":
			t.Led += more
		case !why.Unknown():
			t.Vacant += more
		}
	}
	count := map[bool]string{false: strconv.Itoa(t.Handoffs)}[s.Roleless()]
	out := append(make([]term.Span, 0, 8), term.Span{Style: term.Muted, Text: count, Keep: 9})
	if properties := v.Properties; properties != nil {
		out = append(out, properties...)
	} else if led := wording.Share(t.Led, t.Led+t.Vacant); led != "" && s.Dialect.Elects() && !phrase.Unclear(s) {
		out = append(out, term.Span{Style: term.Muted, Text: s.Words("   leader "), Keep: 5}, term.Span{Style: term.Text, Text: led, Keep: 5}, term.Span{Style: term.Muted, Text: " of the time", Keep: 4})
	}
	missed, st := t.MissedCreates+t.MissedDeletes, term.Muted
	text := "   missed " + strconv.Itoa(missed)
	if missed > 0 || t.Unknown > 0 {
		st = term.Alarm
	}
	if t.Unknown > 0 {
		text += " + unknown"
	}
	return append(out, term.Span{Style: st, Text: text, Keep: 8})
}

// listColumns holds the column widths of the list of handoffs, 0 for a hidden column.
type listColumns struct {
	from, to, cause int
	measures        [3]int
	token           int
}

func (v *Handoffs) drawHandoffList(f *term.Frame, a term.Area) {
	s, g := v.State, &f.Theme.Glyph
	top := max(0, v.scroll-v.scrolledLanes)
	visible := make([]*model.Handoff, 0, a.Height())
	for i := len(s.Handoffs) - 1 - top; i >= 0 && len(visible) < a.Height(); i-- {
		visible = append(visible, s.Handoffs[i])
	}
	c := listColumnsFor(visible, a.Width())
	spare := a.Height() - len(visible) // for evidence that has no room in its line
	y := 0
	for i, h := range visible {
		p, mark := a.Pen(y), " "
		y++
		if top == 0 && i == 0 && v.isNew(f) {
			mark = g.New
			p.Choose()
		}
		from, to, st := g.Nobody, "nobody", term.Trouble
		if h.From != nil {
			from = h.From.Label()
		}
		if h.To != nil {
			to, st = phrase.To(h, phrase.Label), term.Text
			if i == 0 && top == 0 && s.Leader() != nil {
				st = term.Lead
			}
		}
		was := term.Text
		if h.From == nil {
			was = term.Muted
		}
		p.Text(term.Lead, mark).Text(term.Muted, f.Stamp(h.At)).Gap(2).Fit(c.from, was, from)
		p.Text(term.Muted, " ").Text(term.Muted, g.Arrow).Text(term.Muted, " ").Fit(c.to, st, to)
		e := phrase.CauseOf(h)
		if c.cause == shortCause {
			e.Row = e.Cell
		}
		p.Column(c.cause, wording.Style(e.Severity), e.Row)
		measures := h.Measures()
		for i, w := range c.measures {
			drawMeasure(p, w, measures[i])
		}
		if c.token > 0 && h.To != nil {
			var token [24]byte
			p.Gap(2).Text(term.Muted, "token ").Text(term.Muted, f.Ink(znode.AppendHex(token[:0], uint64(h.Fence))))
		}
		why := znode.Safe(h.Evidence, 0)
		if h.Silent != nil && h.Timeout > 0 {
			why = strings.TrimSuffix("session timeout "+units.Exact(h.Timeout)+", "+why, ", ")
		}
		switch {
		case why == "":
		case p.Room() >= term.Width(why)+3:
			p.Gap(2).Text(term.Muted, why)
		case spare > 0:
			p := a.Pen(y).Gap(1 + len(term.StampFormat) + 2)
			p.Fit(p.Room()-1, term.Muted, why)
			y, spare = y+1, spare-1
		}
	}
}

func drawMeasure(p *term.Pen, w int, m model.Measure) {
	switch {
	case w == 0:
	case m.Took == nil:
		p.Gap(2 + w)
	default:
		left := max(0, p.Room()-2-w)
		p.Gap(2).Text(term.Muted, m.Name+" ").Text(term.Text, wording.TookAbout(m))
		p.Gap(p.Room() - left)
	}
}

// listColumnsFor divides w cells among the columns, the most important first.
func listColumnsFor(hs []*model.Handoff, w int) (c listColumns) {
	var want listColumns
	var token [24]byte
	c.to = len("nobody")
	for _, h := range hs {
		c.from, c.to = max(c.from, term.Width(phrase.Label(h.From))), max(c.to, term.Width(phrase.To(h, phrase.Label)))
		measures := h.Measures()
		for i, m := range measures[:3] {
			if m.Took != nil { // some spare width, so that a new digit does not move a column
				want.measures[i] = max(want.measures[i], len(m.Name)+1+max(7, len(wording.TookAbout(m))))
			}
		}
		want.token = max(want.token, len("token ")+len(znode.AppendHex(token[:0], uint64(h.Fence))))
	}
	most := max(7, min(28, (w-13-2-3-17)/2))
	c.from, c.to = min(max(5, c.from), most), min(c.to, most)
	room := w - 13 - 2 - c.from - 3 - c.to
	take := func(to *int, want int) {
		if want > 0 && room >= want+2 {
			*to = want
			room -= want + 2
		}
	}
	want.cause = len("session expired")
	if silent := want.measures[0]; silent > 0 && room < want.cause+2+silent+2 {
		want.cause = shortCause
	}
	take(&c.cause, want.cause)
	for i := range c.measures {
		take(&c.measures[i], want.measures[i])
	}
	take(&c.token, want.token)
	return c
}

func (v *Handoffs) isNew(f *term.Frame) bool {
	end := v.Came.Add(handoffShown)
	if v.Came.IsZero() || !f.Now.Before(end) {
		return false
	}
	f.At(end)
	return true
}

// Settle stores what to show and where, and computes the layout.
func (v *Handoffs) Settle(x HandoffsShown, r term.Rect) {
	v.HandoffsShown, v.place = x, r
	in := r.Inner()
	v.lanes.make(v.timeline(), max(in.H, 8))
	v.cut = v.Whole != nil && v.lanes.whole.From.After(v.Head)
	if v.cut {
		v.Whole = nil
		v.lanes.make(v.timeline(), max(in.H, 8))
	}
	v.lanes.names = max(namesMin, min(v.lanes.wide, namesMax, in.W/5))
	v.lanes.writes = len(v.lanes.whole.Writes) > 0
	v.settleAxis(in.W - 2)
	room := v.planned(in.H)
	most := 0
	if room > 0 {
		most = v.lanes.choose(v.axis, v.head(), v.Selected, room, v.scroll)
	}
	v.scrolledLanes = min(v.scroll, most)
	if v.plan.lanes = min(room, len(v.lanes.rows)); room > 0 && v.plan.lanes == 0 {
		v.plan.lanes = 1
	}
	need := len(x.State.Handoffs)
	if need == 0 && in.W < legendWidth {
		need = 2 // the text in place of an empty list
	}
	room = min(room, in.H-v.upper()-min(need, in.H/2)) // upper counts no lanes here: their pitch is still 0
	v.plan.pitch = max(1, min(4, room/max(1, v.plan.lanes)))
	v.plan.thick = max(1, v.plan.pitch-1)
	if free := room - v.plan.lanes*v.plan.pitch; v.plan.legend == 0 && free >= legendLines && in.W >= legendWidth {
		v.plan.legend = legendLines
	}
	v.page = max(1, in.H-v.upper())
	if v.plan.lanes == 0 {
		most, v.scrolledLanes = 0, 0
	}
	v.most = most + max(0, len(x.State.Handoffs)-v.page)
	v.scroll = min(v.scroll, v.most)
}

func (v *Handoffs) head() time.Time {
	if v.Head.IsZero() {
		return v.Now
	}
	return v.Head
}

func (v *Handoffs) planned(h int) (room int) {
	v.plan = plan{}
	if kind := v.State.Kind(); len(v.lanes.whole.All) == 0 || kind == dialect.KindQueue || kind == dialect.KindBarrier { // items have no lanes; at a barrier nobody has a znode
		return 0
	}
	v.plan.axis = 1
	if h >= 12 {
		v.plan.axis = 2
	}
	if v.Zoomed && h >= 17 {
		v.plan.legend = legendLines
	}
	if _, words := v.note(); words != "" {
		v.plan.note = 1
	}
	list := max(min(2, h-3), h/4)
	room = h - v.plan.axis - v.plan.legend - min(list, max(1, len(v.State.Handoffs))+v.plan.note)
	if v.lanes.writes {
		room--
	}
	return max(1, room)
}

func (v *Handoffs) upper() int {
	if v.plan.lanes == 0 {
		return 0
	}
	n := v.plan.lanes*v.plan.pitch + v.plan.axis + v.plan.legend + v.plan.note
	if v.lanes.writes {
		n++
	}
	return n
}

func (v *Handoffs) settleAxis(w int) {
	if len(v.lanes.whole.All) > 0 {
		w -= v.lanes.names + 1
	}
	first, last := v.span()
	reigns := v.timeline().Reigns
	if len(reigns) == 0 {
		reigns = []model.Reign{{From: first}}
	}
	step := v.step
	switch {
	case w <= 0:
		v.axis = axis{}
		return
	case v.Head.IsZero() && step == 0:
		v.axis = newAxis(reigns, v.Now, w)
		return
	case v.Head.IsZero():
		quarter := time.Duration(max(1, w/4)) * step
		v.axis = axisOf(v.axis, step, first, v.Now.Add(quarter), v.Now, w)
		return
	case step == 0 && !v.Last.IsZero():
		step = fitting(first, last, w)
	case step == 0 && v.axis.step != 0:
		step = v.axis.step
	case step == 0:
		step = newAxis(reigns, v.Now, w).step
	}
	v.axis = axisOf(v.axis, step, first, last, v.Head, w)
}

func (v *Handoffs) span() (first, last time.Time) {
	if !v.Last.IsZero() {
		return v.First, v.Last
	}
	first = v.head()
	for _, l := range v.lanes.whole.All {
		for _, st := range l.Stretches[:min(2, len(l.Stretches))] {
			if !st.From.IsZero() && st.From.Before(first) {
				first = st.From
			}
		}
	}
	if r := v.timeline().Reigns; len(r) > 0 && beganAt(r[0]).Before(first) {
		first = beganAt(r[0])
	}
	return first, v.Now
}

// Scale makes the time axis finer or coarser, within limits.
func (v *Handoffs) Scale(finer bool) {
	if v.axis.step == 0 {
		return
	}
	first, last := v.span()
	v.step = scaled(v.axis.step, finer, fitting(first, last, max(1, v.axis.w)))
}
