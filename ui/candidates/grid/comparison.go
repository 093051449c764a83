package grid

import (
	"strconv"
	"strings"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/term"
	"electop/ui/wording"
)

// Below the grid, where a server of our own counts: the last wave, and what a handoff
// costs by each rule.

// comparisonLines is how many lines that takes.
const comparisonLines = 3

// compares reports whether that is known, or will be.
func (v *Shown) compares() bool {
	s := v.State
	return (s.Pace != nil || len(s.Wakes) > 0) && wording.Foreign(s) == nil
}

// drawComparison draws it from line y on.
func (v *Shown) drawComparison(f *term.Frame, a term.Area, y int, w *wave, costs *model.Costs) {
	if w.Wave == nil {
		p := a.Pen(y).Gap(1)
		p.Fit(p.Room()-1, term.Muted, "A handoff shows here who is notified, re-reads, is done.")
	} else {
		v.drawWave(f, a.Pen(y).Gap(1), w)
	}
	s := v.State
	rules := [2]rule{
		{name: "chain", style: term.Watch, costs: costs.Chain, would: dialect.Election().Notified(s.Queue, 0)},
		{name: "herd", style: term.Trouble, costs: costs.Herd, would: dialect.Herd().Notified(s.Queue, 0), on: wording.FansIn(s)},
	}
	rules[0].on = !rules[1].on
	most := 1
	for i := range rules {
		if rules[i].n = rules[i].would; len(rules[i].costs) > 0 {
			rules[i].n = rules[i].costs[0].Others()
		}
		most = max(most, rules[i].n)
	}
	for i := range rules {
		v.drawRule(f, a.Pen(y+1+i).Gap(1), &rules[i], most, w)
	}
}

// rule is what a handoff costs by one of the rules.
type rule struct {
	name  string
	style term.Style
	on    bool // it is followed now
	costs []*model.Woken
	n     int // notified
	would int // by the rule
}

// Widths of the columns of a rule: its name, the numbers, and when that was.
const (
	ruleName    = 6
	ruleNumbers = 13 + 14 + 10
	ruleWhen    = 31
	barMost     = 72
)

// drawRule draws a rule as a bar and numbers. While its last handoff is shown, the bar has
// a piece for each phase.
func (v *Shown) drawRule(f *term.Frame, p *term.Pen, r *rule, most int, w *wave) {
	st := term.Muted
	if r.on {
		st = term.Text
	}
	when := 0
	if p.Room() > ruleName+ruleNumbers+ruleWhen+24 {
		when = ruleWhen
	}
	p.Fit(ruleName, st, r.name)
	room := min(barMost, p.Room()-1-ruleNumbers-when)
	cells := func(n int) int { return (n*min(room, most) + most - 1) / most }
	g := &f.Theme.Glyph
	if len(r.costs) == 0 {
		p.Fit(room, r.style, strings.Repeat(g.Vacant, cells(r.n))).Right(ruleNumbers, term.Muted, "would notify "+strconv.Itoa(r.would))
		return
	}
	last := r.costs[0]
	requests, bytes, plus := last.Requests, last.BytesIn+last.BytesOut, ""
	left := p.Room() - room
	if shows := w.Wave != nil && !w.over && w.Zxid == last.Zxid && w.Znode == last.Znode; shows {
		c, _ := w.numbers()
		requests, bytes, plus = c.Requests, c.Bytes, "+"
		n := &w.n
		p.Text(term.Good, strings.Repeat(g.Block, cells(n[done])))
		p.Text(term.Past, strings.Repeat(g.Block, cells(n[done]+n[reading])-cells(n[done])))
		p.Text(term.Alarm, strings.Repeat(g.Block, max(0, cells(r.n)-cells(n[done]+n[reading]))))
	} else {
		if !last.Settled {
			plus = "+"
		}
		p.Text(r.style, strings.Repeat(g.Block, cells(r.n)))
	}
	if plus != "" {
		st = term.Strong
	}
	p.Gap(p.Room() - left)
	p.Right(13, st, strconv.Itoa(r.n)+" notified").Right(14, st, units.Count(requests, "request", "requests")+plus).Right(10, st, wording.BytesOf(bytes)+plus)
	if when > 0 {
		p.Gap(2).Text(term.Muted, f.Clock(last.Deleted)+" of "+units.Count(last.Contenders, "candidate", "candidates"))
	}
}

// drawWave says in a line how far the wave is, or how long it took.
func (v *Shown) drawWave(f *term.Frame, p *term.Pen, w *wave) {
	g := &f.Theme.Glyph
	name := wording.ShortZnode(znode.Safe(w.Znode, 48)) + " deleted"
	at := "  " + f.Clock(w.Deleted)
	if w.over {
		p.Text(term.Muted, name)
		n, read, last := 0, time.Duration(0), time.Duration(0)
		for i := range w.Reactions {
			r := &w.Reactions[i]
			if r.Done > 0 {
				n++
			}
			read, last = max(read, r.Read), max(last, r.Done)
		}
		words := []term.Span{{Style: term.Muted, Text: at, Keep: 1}, {Style: term.Muted, Text: "  " + strconv.Itoa(w.Notified()) + " notified", Keep: 5}}
		if n > 0 {
			words = append(words,
				term.Span{Style: term.Muted, Text: ", list read again within " + units.Took(read), Keep: 2},
				term.Span{Style: term.Muted, Text: ", " + strconv.Itoa(n) + " done within " + units.Took(last), Keep: 3})
		}
		p.Spans(term.FitSpans(words, p.Room()-1))
		return
	}
	n := &w.n
	slow := ""
	if !w.exact {
		slow = "  in slow motion"
	}
	more := ""
	if c, ok := w.numbers(); ok {
		more = "  " + units.Count(c.Requests, "request", "requests") + "  " + wording.BytesOf(c.Bytes)
	}
	p.Spans(term.FitSpans([]term.Span{
		{Style: term.Trouble, Text: name, Keep: 4},
		{Style: term.Alarm, Text: "  " + g.Notice + " " + strconv.Itoa(w.Notified()) + " notified", Keep: 9},
		{Style: term.Past, Text: "  " + g.Step + " " + strconv.Itoa(n[reading]) + " re-reading", Keep: 8},
		{Style: term.Good, Text: "  " + g.Yes + " " + strconv.Itoa(n[done]) + " done", Keep: 7},
		{Style: term.Text, Text: more, Keep: 2},
		{Style: term.Muted, Text: slow, Keep: 3},
	}, p.Room()-1))
}
