package ui

import (
	"fmt"
	"strconv"
	"strings"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
)

// drawCandidates draws the queue: who leads, and who waits behind whom.
func (d *dashboard) drawCandidates(f *frame, r rect) {
	s := d.shown()
	a := f.box(r, "Candidates", d.focus == panelCandidates, d.candidatesTail(f)...)
	inside := rect{a.rect.x + 1, a.rect.y, max(0, a.rect.w-2), a.rect.h}
	if words := d.explain(f); words != nil {
		y := f.prose(area{f.canvas, inside}, 1, words)
		if s.Phase == model.Live && len(d.rows.homeless) > 0 {
			d.drawHomeless(f, a, y+1, a.height()-y-1)
		}
		return
	}

	c := d.columnsFor(a.width())
	d.drawColumnHeads(a, c)
	avail := a.height() - 1
	t, troubled := d.worst()
	below := 0
	pace := ""
	if !d.besideRecipe() {
		pace = d.paceLine()
	}
	if pace != "" {
		below++
	}
	if troubled {
		below += 2
	}
	homeless := 0
	if n := len(d.rows.homeless); n > 0 {
		homeless = 1 + min(n, max(1, (avail-below)/3))
		below += homeless
	}
	n := d.rows.queued()
	falls := d.falls(f)
	gone := 0 // rows that are shown though their znodes are not there any more
	for i := range falls {
		if !falls[i].stands {
			gone++
		}
	}
	d.page = max(1, min(n, avail-below-gone))
	d.scrollTo()
	herd := fansIn(s)
	lines := d.lines(falls, min(d.page+gone, avail-below))
	for i, l := range lines {
		if l.row >= 0 {
			d.drawRow(f, a.pen(1+i), c, l.row, herd)
		}
	}
	d.drawTravelling(f, a, c, 1, falls, lines)
	if n == 0 {
		a.pen(1).gap(c.before()).text(styleMuted, "no candidate matches the filter; esc clears it")
	}

	shown := max(len(lines), d.page)
	y, spare := 1+shown, avail-below-shown
	if single(s) {
		for i, line := range wrap("There is no queue here: "+znode.Safe(s.Path, 0)+" is the leader's own znode. Whoever creates it leads; who else wants to cannot be seen, nor who would be next.", min(a.width()-c.before()-2, 76)) {
			if i == 0 {
				y, spare = y+1, spare-1
			}
			if spare > 0 {
				a.pen(y).gap(c.before()).text(styleMuted, line)
				y, spare = y+1, spare-1
			}
		}
	}
	if pace != "" {
		p := a.pen(y).gap(4)
		p.fit(p.room()-1, styleYou, pace)
		y++
	}
	blank := func() {
		if spare > 0 {
			y, spare = y+1, spare-1
		}
	}
	if homeless > 0 {
		blank()
		d.drawHomeless(f, a, y, homeless)
		y += homeless
	}
	if troubled {
		blank()
		f.drawTrouble(a, y, t)
		y += 2
	}
	if spare >= 2 && s.NextSequenceKnown {
		blank()
		a.pen(y).gap(c.before()).text(styleMuted, "next volunteer gets ").text(styleText, strconv.FormatUint(uint64(s.NextSequence), 10))
		y, spare = y+1, spare-1
	}
	if n := len(s.Ignored); n > 0 && spare >= 1 {
		names := make([]string, 0, 3)
		for _, c := range s.Ignored[:min(n, 3)] {
			names = append(names, znode.Safe(c.Name, nameMax))
		}
		p := a.pen(y).gap(c.before()).text(styleMuted, units.Count(n, "child", "children")+" ignored: ")
		p.fit(p.room()-1, styleMuted, strings.Join(names, ", "))
	}
}

// candidatesTail is what stands at the right of the panel's title.
func (d *dashboard) candidatesTail(f *frame) []span {
	s := d.shown()
	var out []span
	if old := d.asOf(f); old != "" {
		out = append(out, span{styleAlarm, old + "   ", 9})
	}
	if !d.besideRecipe() {
		out = append(out, d.paceSpans()...)
	}
	if d.filter != "" {
		out = append(out, span{styleYou, "/" + znode.Safe(d.filter, filterMax), 7},
			span{styleMuted, fmt.Sprintf("  %d of %d", d.rows.queued(), len(s.Queue)), 8})
		return out
	}
	if n := len(s.Ignored); n > 0 {
		out = append(out, span{styleMuted, units.Count(n, "child", "children") + " ignored   ", 2})
	}
	if n := len(s.Queue); n > 0 {
		at := strconv.Itoa(n)
		if d.index < n {
			at = strconv.Itoa(d.index+1) + "/" + at
		}
		out = append(out, span{styleMuted, at, 8})
	}
	return out
}

// besideRecipe reports whether the recipe's panel is on the screen as well,
// and says how slowly the server speaks.
func (d *dashboard) besideRecipe() bool {
	return d.w >= wideFrom && !d.zoomed && !d.shown().Work.Rules.Workers && foreign(d.shown()) == nil
}

// scrollTo keeps the selected contender in view.
func (d *dashboard) scrollTo() {
	n := d.rows.queued()
	at := d.index
	if at >= n {
		at = d.top // a member without a znode is selected
	}
	d.top = window(d.top, at, d.page, n)
}

// fansIn reports whether all contenders watch the same one: the herd.
func fansIn(s *doctor.State) bool {
	if len(s.Queue) < 3 {
		return s.Recipe.Name() == dialect.Herd().Name()
	}
	t, ok := s.Recipe.Watches(s.Queue, 2)
	return ok && t == 0
}
