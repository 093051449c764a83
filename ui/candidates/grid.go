package candidates

import (
	"strconv"

	"electop/model"
	"electop/model/units"
	"electop/ui/rows"
	"electop/ui/term"
	"electop/ui/wording"
)

// The grid is the candidates of a crowd, each a cell: the zoomed panel where
// they are too many for rows. Cells go down the columns, so that the next in
// the queue is below, and one that waits for another stands under it.

// gridNames is the least of a name that is worth its cells.
const gridNames = 3

// gridMost is the widest cell: more of a name makes nothing clearer.
const gridMost = 32

// grid is how the cells lie.
type grid struct {
	rows, columns int  // in view
	cell          int  // width of a cell, with its marker
	seq           int  // digits of a number, 0: cells have no numbers
	unexplained   bool // there is no line for what the signs mean
}

// gridFor lays out n cells on an area. Where they do not all fit with names, as
// many as possible do without.
func gridFor(n, w, h, seq int) grid {
	g := grid{rows: max(1, h), seq: seq}
	least := 2 + seq + 1 + gridNames
	need := g.of(n)
	if w/least < need {
		least = 2 + seq
	}
	g.columns = max(1, min(need, w/least))
	g.cell = min(w/g.columns, gridMost)
	return g
}

// asGrid reports whether the zoomed candidates are drawn as a grid in h lines.
func (v *Panel) asGrid(h int) bool {
	s := v.State
	return v.Zoomed && v.Rows.Len() > h-1 && s.Phase == model.Live && len(s.Queue) > 0
}

// gridIn lays out the candidates in r, of which the last lines say more.
func (v *Panel) gridIn(r term.Rect) grid {
	seq := 3
	for _, i := range [2]int{0, len(v.State.Queue) - 1} {
		seq = max(seq, len(strconv.FormatInt(v.State.Queue[i].Sequence, 10)))
	}
	n, below := v.Rows.Len(), 2
	if v.compares() {
		below += comparisonLines
	}
	g := gridFor(n, r.W, r.H-below, seq)
	if !v.compares() || n > signsMost || g.of(n) <= g.columns {
		return g
	}
	// A wave is to be seen whole: cells with a sign only. The line about the wave explains
	// the signs too.
	for _, below := range [...]int{below, below - 1} {
		signs := grid{rows: max(1, r.H-below), unexplained: below < 2+comparisonLines}
		if signs.columns = signs.of(n); signs.columns <= r.W/signCell {
			signs.cell = min(r.W/signs.columns, 2+seq)
			return signs
		}
	}
	return g
}

// signCell is the least width of a cell with a sign only, signsMost how many candidates
// are shown like that: a class. A frame with more of them would be expensive.
const (
	signCell  = 2
	signsMost = 600
)

// nameRoom is how much of a cell is for the name: besides it there are the marker, the
// sign, the number, and how often it was notified.
func (g grid) nameRoom() int {
	if g.seq == 0 {
		return 0
	}
	return g.cell - 2 - g.seq - 1
}

// of is how many columns n cells take.
func (g grid) of(n int) int { return (n + g.rows - 1) / g.rows }

// drawGrid draws the candidates as cells, what a handoff does to them and what it costs,
// and in the last line what the selected one is.
func (v *Panel) drawGrid(f *term.Frame) {
	a := f.Box(v.place, "Candidates", true, v.tail()...)
	n, g, first := v.Rows.Len(), v.grid, v.gridLeft
	var w wave
	if v.compares() {
		w = v.shownWave(f)
	}
	for x := range g.columns {
		for y := range g.rows {
			i := (first+x)*g.rows + y
			if i >= n {
				break
			}
			p := a.Pen(y).Gap(x * g.cell)
			p.Limit(g.cell)
			v.drawCell(f, p, i, &w)
		}
	}
	if v.compares() {
		v.drawComparison(f, a, g.rows, &w)
	}
	v.drawChosen(f, a.Pen(a.Height()-1).Gap(1), &w)
	if g.unexplained {
		return
	}
	p := a.Pen(a.Height() - 2).Gap(1)
	if last := min(n, (first+g.columns)*g.rows); first > 0 || last < n {
		words := strconv.Itoa(first*g.rows+1) + "-" + strconv.Itoa(last) + " of " + strconv.Itoa(n) + "   "
		p.Text(term.You, words)
	}
	v.drawLegend(f, p, &w)
}

// drawLegend draws what the signs of the cells mean.
func (v *Panel) drawLegend(f *term.Frame, p *term.Pen, w *wave) {
	g := &f.Theme.Glyph
	type sign struct {
		style term.Style
		sign  string
		words string
	}
	var all []sign
	if w.Wave != nil && !w.over {
		all = []sign{{term.Hot, g.Notice, "notified"}, {term.Warm, g.Step, "reads the list again, sets its watch"}, {term.Good, g.Yes, "done"}}
	} else if w.Wave != nil {
		all = []sign{{term.Heat1, g.Times[1], "notified once"}, {term.Heat2, g.Times[2], "twice"}, {term.Heat3, g.Times[3], "more often"}}
	}
	for _, x := range append(all, []sign{
		{term.Lead, g.Leader, wording.RoleOf(v.State).Has}, {term.Watch, g.Watch, "waits"}, {term.Muted, g.Elsewhere, "from elsewhere"},
		{term.Alarm, g.Frozen, "frozen"}, {term.Alarm, g.Killed, "killed"}, {term.Alarm, g.Wrong, "at risk"}, {term.Trouble, g.WatchWrong, "wrong watch"},
	}...) {
		if x.sign == g.Elsewhere && len(v.State.Members) == 0 || p.Room() < term.Width(x.words)+3 {
			continue
		}
		p.Text(x.style, x.sign).Text(term.Muted, " "+x.words).Gap(2)
	}
}

// drawChosen says in a line who is selected.
func (v *Panel) drawChosen(f *term.Frame, p *term.Pen, w *wave) {
	s := v.State
	r := v.Rows.At(v.Index)
	if r.Ref() == (rows.Ref{}) {
		return
	}
	p.Text(term.Strong, term.Cut(r.Name(), p.Room()-1))
	if r.Candidate == nil {
		fate := wording.FateOf(s, r.Member)
		p.Text(term.Muted, "  "+fate.Text()+fate.Truth)
		return
	}
	words := "  " + wording.Brief(r.Candidate)
	if _, standing := wording.Standing(s, r.Position); r.Position > 0 && r.Position < wording.Holders(s) {
		words += ", " + wording.RoleOf(s).Has
	} else if r.Position < wording.Holders(s) {
		words += ": " + wording.RoleHolders(s)
	} else if standing != "" {
		words += ", " + standing
	} else {
		words += ", waits at position " + strconv.Itoa(r.Position+1) + " of " + strconv.Itoa(len(s.Queue))
	}
	switch v.phaseIn(w, r.Candidate.Session) {
	case notified:
		words += ", notified"
	case reading:
		words += ", reads the list again"
	case done:
		words += ", done"
	default:
		if n := s.Notified(r.Candidate.Session); n > 0 {
			words += ", notified " + timesOf(n)
		}
	}
	if to := wording.Target(s, r.Position); to != nil {
		words += ", behind " + to.Label()
	}
	if r.Member != nil && r.Member.Fault != model.NoFault {
		words += ", " + string(r.Member.Fault)
	}
	old, exact := r.Candidate.Age(f.Calm())
	if !exact {
		words += ", " + f.Theme.Glyph.Inferred + units.Age(old)
	} else {
		words += ", " + units.Age(old)
	}
	p.Fit(p.Room()-1, term.Muted, words)
}
