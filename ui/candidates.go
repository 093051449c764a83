package ui

import (
	"fmt"
	"strconv"
	"strings"

	"electop/model"
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
	if troubled {
		below += 2
	}
	homeless := 0
	if n := len(d.rows.homeless); n > 0 {
		homeless = 1 + min(n, max(1, (avail-below)/3))
		below += homeless
	}
	n := d.rows.queued()
	d.page = max(1, min(n, avail-below))
	d.scrollTo()
	herd := fansIn(s)
	for i := range d.page {
		d.drawRow(f, a.pen(1+i), c, d.top+i, herd)
	}
	if n == 0 {
		a.pen(1).gap(c.before()).text(styleMuted, "no candidate matches the filter; esc clears it")
	}

	y, spare := 1+d.page, avail-below-d.page
	if single(s) {
		for i, line := range wrap("There is no queue here: "+model.Safe(s.Path, 0)+" is the leader's own znode. Whoever creates it leads; who else wants to cannot be seen, nor who would be next.", min(a.width()-c.before()-2, 76)) {
			if i == 0 {
				y, spare = y+1, spare-1
			}
			if spare > 0 {
				a.pen(y).gap(c.before()).text(styleMuted, line)
				y, spare = y+1, spare-1
			}
		}
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
			names = append(names, model.Safe(c.Name, nameMax))
		}
		p := a.pen(y).gap(c.before()).text(styleMuted, plural(n, "child", "children")+" ignored: ")
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
	if d.filter != "" {
		out = append(out, span{styleYou, "/" + model.Safe(d.filter, filterMax), 7},
			span{styleMuted, fmt.Sprintf("  %d of %d", d.rows.queued(), len(s.Queue)), 8})
		return out
	}
	if n := len(s.Ignored); n > 0 {
		out = append(out, span{styleMuted, plural(n, "child", "children") + " ignored   ", 2})
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

// scrollTo keeps the selected contender in view.
func (d *dashboard) scrollTo() {
	n := d.rows.queued()
	if i := d.index; i < n {
		d.top = max(min(d.top, i), i-d.page+1)
	}
	d.top = max(0, min(d.top, n-d.page))
}

// fansIn reports whether all contenders watch the same one: the herd.
func fansIn(s *model.State) bool {
	if len(s.Queue) < 3 {
		return s.Recipe.Name() == model.Herd().Name()
	}
	t, ok := s.Recipe.Watches(s.Queue, 2)
	return ok && t == 0
}
