package grid

import (
	"strconv"

	"electop/model"
	"electop/model/units"
	"electop/ui/rows"
	"electop/ui/term"
	"electop/ui/wording"
)

// drawLegend draws what the signs of the cells mean.
func (v *Shown) drawLegend(f *term.Frame, p *term.Pen, w *wave) {
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
func (v *Shown) drawChosen(f *term.Frame, p *term.Pen, w *wave) {
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
		words += ", waits at position " + strconv.Itoa(r.Position+1) + " of " + strconv.Itoa(s.Queue.Len())
	}
	switch w.phaseIn(r.Candidate.Session) {
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
