package ui

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
)

// counted are the handoffs of which the server counted what they caused,
// newest first: under the predecessor rule, and in the herd.
type counted struct{ chain, herd []*model.Woken }

// countedMax is how many of each are looked at.
const countedMax = olderShown + 1

func countedIn(s *doctor.State) (c counted) {
	for i := len(s.Wakes) - 1; i >= 0; i-- {
		w := s.Wakes[i]
		switch {
		case !w.Leader || w.Stood < 2: // nobody waited who could be told
		case w.Stood == 2 && len(s.Queue) > 2:
			// With one who waits the two rules are the same: it says nothing of
			// those who stand now.
		case others(w) == 0, w.Stood > 2 && (others(w) > 1) != (w.Recipe == dialect.Herd().Name()):
			// The rule had just been changed: they still watched by the old one,
			// or did not watch yet.
		case w.Recipe == dialect.Herd().Name() && len(c.herd) < countedMax:
			c.herd = append(c.herd, w)
		case w.Recipe == dialect.Election().Name() && len(c.chain) < countedMax:
			c.chain = append(c.chain, w)
		}
	}
	return c
}

// moreCounted reports whether there are handoffs before the last of each rule.
func moreCounted(s *doctor.State) bool {
	c := countedIn(s)
	return len(c.chain) > 1 || len(c.herd) > 1
}

// drawHerdBars compares how many a handoff wakes by the rule, and if all
// watched the leader: as the server counted it, else as the recipe predicts.
// It takes three lines, and up to more for the handoffs before.
func (d *dashboard) drawHerdBars(f *frame, a area, y int, herd bool, more int) int {
	s := d.shown()
	c := countedIn(s)
	if c.chain == nil && c.herd == nil {
		return d.drawPredicted(f, a, y, herd)
	}
	const numbers = 8 + 5 + 9 // notified, requests, bytes
	cells := max(4, min(24, a.width()-2-6-numbers))
	p := a.pen(y).gap(1)
	p.fit(6+cells, styleMuted, "per handoff").right(8, styleMuted, "notified").right(5, styleMuted, "req").right(9, styleMuted, "bytes")
	y++
	type bar struct {
		name  string
		st    style
		on    bool
		said  []*model.Woken
		would int
	}
	bars := [2]bar{
		{"chain", styleWatch, !herd, c.chain, dialect.Election().Notified(s.Queue, 0)},
		{"herd", styleTrouble, herd, c.herd, dialect.Herd().Notified(s.Queue, 0)},
	}
	count := func(b bar) int {
		if len(b.said) > 0 {
			return others(b.said[0])
		}
		return b.would
	}
	most := max(count(bars[0]), count(bars[1]), 1)
	for _, b := range bars {
		st := styleMuted
		if b.on {
			st = styleText
		}
		n := count(b)
		fill := n
		if most > cells {
			fill = (n*cells + most - 1) / most
		}
		glyph := f.th.glyph.Block
		if len(b.said) == 0 {
			glyph = f.th.glyph.Vacant
		}
		p := a.pen(y).gap(1).fit(6, st, b.name)
		end := p.x + cells
		p.text(b.st, strings.Repeat(glyph, min(fill, cells))).gap(end - p.x)
		if len(b.said) == 0 {
			words := "would notify " + strconv.Itoa(n)
			p.right(numbers, styleMuted, words)
		} else {
			drawCount(p, st, b.said[0])
		}
		y++
	}
	return d.drawOlder(f, a, y, cells, more, c)
}

// drawOlder draws what the handoffs before caused: a line each, the newest
// first, or where there is no room how many each notified.
func (d *dashboard) drawOlder(f *frame, a area, y, cells, more int, c counted) int {
	var older []*model.Woken
	for _, list := range [][]*model.Woken{c.chain, c.herd} {
		older = append(older, list[min(1, len(list)):]...)
	}
	if len(older) == 0 || more == 0 {
		return y
	}
	slices.SortStableFunc(older, func(a, b *model.Woken) int { return cmp.Compare(b.Zxid, a.Zxid) })
	if more == 1 {
		p := a.pen(y).gap(1).text(styleMuted, "before")
		for _, w := range older {
			name, st := ruleOf(w)
			text := "  " + name + " " + strconv.Itoa(others(w))
			if width(text) >= p.room() {
				break
			}
			p.text(st, text)
		}
		return y + 1
	}
	a.pen(y).gap(1).text(styleMuted, "before")
	y++
	for _, w := range older[:min(len(older), more-1, olderShown)] {
		name, _ := ruleOf(w)
		drawCount(a.pen(y).gap(1).fit(6, styleMuted, name).fit(cells, styleMuted, f.clock(w.Deleted)), styleMuted, w)
		y++
	}
	return y
}

// ruleOf is what the rule is called that was followed, and its style.
func ruleOf(w *model.Woken) (string, style) {
	if w.Recipe == dialect.Herd().Name() {
		return "herd", styleTrouble
	}
	return "chain", styleWatch
}

// olderShown is how many handoffs before are listed.
const olderShown = 5

// others is how many were notified besides the owner of what was deleted: a
// leader watches its own znode, to see it go, and hears of it when it resigns.
func others(w *model.Woken) int {
	n := len(w.Notified)
	if w.Candidate != nil && w.Candidate.Session != 0 && slices.Contains(w.Notified, w.Candidate.Session) {
		n--
	}
	return n
}

// drawCount draws what a deletion caused. A plus says that it goes on.
func drawCount(p *pen, st style, w *model.Woken) {
	plus := ""
	if !w.Settled {
		plus, st = "+", styleStrong
	}
	p.right(8, st, strconv.Itoa(others(w))).
		right(5, st, strconv.Itoa(w.Requests)+plus).
		right(9, st, bytesOf(w.BytesIn+w.BytesOut)+plus)
}

// drawPredicted is the comparison where no server counts.
func (d *dashboard) drawPredicted(f *frame, a area, y int, herd bool) int {
	s := d.shown()
	chain := dialect.Election().Notified(s.Queue, 0)
	all := dialect.Herd().Notified(s.Queue, 0)
	a.pen(y).gap(1).text(styleMuted, "per handoff  ").
		text(styleText, strconv.Itoa(s.Recipe.Notified(s.Queue, 0))+" notified")
	y++
	room := max(4, min(20, a.width()-26))
	for _, bar := range []struct {
		name string
		n    int
		st   style
		on   bool
	}{{"chain", chain, styleWatch, !herd}, {"herd ", all, styleTrouble, herd}} {
		cells := bar.n
		if all > room {
			cells = max(1, bar.n*room/all)
		}
		p := a.pen(y).gap(1)
		st := styleMuted
		if bar.on {
			st = styleText
		}
		start := p.x
		p.text(st, bar.name+" ").text(bar.st, strings.Repeat(f.th.glyph.Block, min(cells, room)))
		p.gap(start+7+min(all, room)-p.x).gap(1).text(st, strconv.Itoa(bar.n))
		if !bar.on {
			remark := "  by the rule"
			if !herd {
				remark = "  if all watched the leader"
			}
			if width(remark) < p.room() {
				p.text(styleMuted, remark)
			}
		}
		y++
	}
	return y
}
