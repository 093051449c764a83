package recipe

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"electop/model"
	"electop/model/dialect"
	"electop/ui/term"
	"electop/ui/wording"
)

// drawHerdBars compares how many candidates a handoff notifies with each rule: as
// counted by the server, else as predicted by the recipe. It takes three lines, and
// up to more for earlier handoffs.
func (v *Panel) drawHerdBars(f *term.Frame, a term.Area, y int, herd bool, c model.Costs, more int) int {
	s := v.State
	if c.Chain == nil && c.Herd == nil {
		return v.drawPredicted(f, a, y, herd)
	}
	const numbers = 8 + 5 + 9 // notified, requests, bytes
	cells := max(4, min(24, a.Width()-2-6-numbers))
	p := a.Pen(y).Gap(1)
	p.Fit(6+cells, term.Muted, "per handoff").Right(8, term.Muted, "notified").Right(5, term.Muted, "req").Right(9, term.Muted, "bytes")
	y++
	chain, all := dialect.Election().Notified(s.Queue, 0), dialect.Herd().Notified(s.Queue, 0)
	if len(c.Chain) > 0 {
		chain = c.Chain[0].Others()
	}
	if len(c.Herd) > 0 {
		all = c.Herd[0].Others()
	}
	most := max(chain, all, 1)
	for _, b := range []struct {
		name     string
		st       term.Style
		on       bool
		n        int
		handoffs []*model.Woken
	}{{"chain", term.Watch, !herd, chain, c.Chain}, {"herd", term.Trouble, herd, all, c.Herd}} {
		st, fill, glyph := term.Muted, b.n, f.Theme.Glyph.Block
		if b.on {
			st = term.Text
		}
		if most > cells {
			fill = (b.n*cells + most - 1) / most
		}
		if len(b.handoffs) == 0 {
			glyph = f.Theme.Glyph.Vacant
		}
		p := a.Pen(y).Gap(1).Fit(6, st, b.name).Fit(cells, b.st, strings.Repeat(glyph, fill))
		if len(b.handoffs) == 0 {
			p.Right(numbers, term.Muted, "would notify "+strconv.Itoa(b.n))
		} else {
			drawCount(p, st, b.handoffs[0])
		}
		y++
	}
	return v.drawOlder(f, a, y, cells, more, c)
}

// drawOlder draws the effects of earlier handoffs, newest first: a line each, or
// without room only how many each notified.
func (v *Panel) drawOlder(f *term.Frame, a term.Area, y, cells, more int, c model.Costs) int {
	var older []*model.Woken
	for _, list := range [][]*model.Woken{c.Chain, c.Herd} {
		older = append(older, list[min(1, len(list)):]...)
	}
	if len(older) == 0 || more == 0 {
		return y
	}
	slices.SortStableFunc(older, func(a, b *model.Woken) int { return cmp.Compare(b.Zxid, a.Zxid) })
	if more == 1 {
		p := a.Pen(y).Gap(1).Text(term.Muted, "before")
		for _, w := range older {
			name, st := ruleOf(w)
			text := "  " + name + " " + strconv.Itoa(w.Others())
			if term.Width(text) >= p.Room() {
				break
			}
			p.Text(st, text)
		}
		return y + 1
	}
	a.Pen(y).Gap(1).Text(term.Muted, "before")
	y++
	for _, w := range older[:min(len(older), more-1, olderShown)] {
		name, _ := ruleOf(w)
		drawCount(a.Pen(y).Gap(1).Fit(6, term.Muted, name).Fit(cells, term.Muted, f.Clock(w.Deleted)), term.Muted, w)
		y++
	}
	return y
}

// ruleOf is the name of the rule that was followed, and its style.
func ruleOf(w *model.Woken) (string, term.Style) {
	if w.Herd() {
		return "herd", term.Trouble
	}
	return "chain", term.Watch
}

// olderShown is how many earlier handoffs are listed.
const olderShown = 5

// drawCount draws the effects of a deletion. A plus means that there may be more.
func drawCount(p *term.Pen, st term.Style, w *model.Woken) {
	plus := ""
	if !w.Settled {
		plus, st = "+", term.Strong
	}
	p.Right(8, st, strconv.Itoa(w.Others())).
		Right(5, st, strconv.Itoa(w.Requests)+plus).
		Right(9, st, wording.BytesOf(w.BytesIn+w.BytesOut)+plus)
}

// drawPredicted is the comparison without a server that counts.
func (v *Panel) drawPredicted(f *term.Frame, a term.Area, y int, herd bool) int {
	s := v.State
	chain := dialect.Election().Notified(s.Queue, 0)
	all := dialect.Herd().Notified(s.Queue, 0)
	a.Pen(y).Gap(1).Text(term.Muted, "per handoff  ").
		Text(term.Text, strconv.Itoa(s.Recipe.Notified(s.Queue, 0))+" notified")
	y++
	room := max(4, min(20, a.Width()-26))
	for _, bar := range []struct {
		name string
		n    int
		st   term.Style
		on   bool
	}{{"chain", chain, term.Watch, !herd}, {"herd ", all, term.Trouble, herd}} {
		cells := bar.n
		if all > room {
			cells = max(1, bar.n*room/all)
		}
		st := term.Muted
		if bar.on {
			st = term.Text
		}
		p := a.Pen(y).Gap(1).Text(st, bar.name+" ").Fit(1+min(all, room), bar.st, strings.Repeat(f.Theme.Glyph.Block, min(cells, room)))
		p.Gap(1).Text(st, strconv.Itoa(bar.n))
		if !bar.on {
			remark := "  by the rule"
			if !herd {
				remark = "  if all watched the leader"
			}
			if term.Width(remark) < p.Room() {
				p.Text(term.Muted, remark)
			}
		}
		y++
	}
	return y
}
