package ui

import (
	"strconv"
	"strings"

	"electop/model"
	"electop/model/units"
	"electop/model/znode"
)

// drawHandoffs draws who led when, and each change of the leader.
func (d *dashboard) drawHandoffs(f *frame, r rect) {
	s := d.shown()
	a := f.box(r, "Handoffs", d.focus == panelHandoffs, d.handoffsTail(f)...)
	a.rect.x, a.rect.w = a.rect.x+1, a.rect.w-2
	y := 0
	if len(s.Reigns) > 0 {
		d.drawReigns(f, a)
		y = 2
		if a.height() >= 7 {
			y = 3
		}
	}
	if len(s.Handoffs) == 0 {
		text := "no handoff seen yet: it appears here at the moment the leader's znode is deleted"
		if s.Phase != model.Live {
			text = "nothing seen yet"
		}
		for i, line := range wrap(text, a.width()-1) {
			a.pen(y+i).gap(1).text(styleMuted, line)
		}
		return
	}
	d.drawHandoffList(f, area{f.canvas, rect{a.rect.x, a.rect.y + y, a.rect.w, a.rect.h - y}})
}

// handoffsTail is what stands at the right of the panel's title.
func (d *dashboard) handoffsTail(f *frame) []span {
	s := d.shown()
	t := s.Totals
	// The totals end with the last observation; what is so now goes on.
	if more := f.calm().Sub(s.At); more > 0 && !f.held && s.Phase == model.Live && s.Link.Link == model.Connected {
		if s.Leader() != nil {
			t.Led += more
		} else {
			t.Vacant += more
		}
	}
	out := []span{{styleMuted, strconv.Itoa(t.Handoffs), 9}}
	if ours := d.propertySpans(f); ours != nil {
		out = append(out, ours...)
	} else if led := share(t.Led, t.Led+t.Vacant); led != "" {
		out = append(out, span{styleMuted, "   leader ", 5}, span{styleText, led, 5}, span{styleMuted, " of the time", 4})
	}
	missed := t.MissedCreates + t.MissedDeletes
	st := styleMuted
	text := "   missed " + strconv.Itoa(missed)
	if missed > 0 || t.Unknown > 0 {
		st = styleAlarm
	}
	if t.Unknown > 0 {
		text += " + unknown"
	}
	return append(out, span{st, text, 8})
}

// handoffColumns are the widths of the list. A zero column is not shown.
type handoffColumns struct {
	from, to, cause, silent, takeover, vacant, fence int
}

// shortCause is the width of the cause where only its last word fits.
const shortCause = len("resigned")

func (d *dashboard) drawHandoffList(f *frame, a area) {
	s, g := d.shown(), &f.th.glyph
	n := len(s.Handoffs)
	top := max(0, min(d.scroll[panelHandoffs], n-a.height()))
	d.scroll[panelHandoffs] = top
	visible := make([]*model.Handoff, 0, a.height())
	for i := n - 1 - top; i >= 0 && len(visible) < a.height(); i-- {
		visible = append(visible, s.Handoffs[i])
	}
	c := d.handoffColumnsFor(visible, a.width())
	spare := a.height() - len(visible) // for evidence that has no room in its line
	y := 0
	for i, h := range visible {
		p := a.pen(y)
		y++
		mark := " "
		if top == 0 && i == 0 && d.isNew(f) {
			mark = g.New
			p.choose()
		}
		p.text(styleLead, mark)
		p.text(styleMuted, f.stamp(h.At)).gap(2)
		if h.From == nil {
			p.fit(c.from, styleMuted, g.Nobody)
		} else {
			p.fit(c.from, styleText, h.From.Label())
		}
		p.text(styleMuted, " "+g.Arrow+" ")
		switch {
		case h.To == nil:
			p.fit(c.to, styleTrouble, "nobody")
		case i == 0 && top == 0 && s.Leader() != nil:
			p.fit(c.to, styleLead, h.To.Label())
		default:
			p.fit(c.to, styleText, h.To.Label())
		}
		if c.cause > 0 {
			st, words := causeOf(h)
			if c.cause == shortCause {
				words = strings.TrimPrefix(strings.TrimPrefix(words, "session "), "cause ")
			}
			p.gap(2).fit(c.cause, st, words)
		}
		for i, m := range h.Measures() {
			measured(p, [...]int{c.silent, c.takeover, c.vacant}[i], m)
		}
		if c.fence > 0 && h.To != nil {
			p.gap(2).text(styleMuted, "fence "+znode.Zxid(h.Fence))
		}
		why := znode.Safe(h.Evidence, 0)
		switch {
		case why == "":
		case p.room() >= width(why)+3:
			p.gap(2).text(styleMuted, why)
		case spare > 0:
			p := a.pen(y).gap(1 + len(stampFormat) + 2)
			p.fit(p.room()-1, styleMuted, why)
			y, spare = y+1, spare-1
		}
	}
}

// measured draws a duration with its name, or leaves its place blank.
func measured(p *pen, w int, m model.Measure) {
	switch {
	case w == 0:
	case m.Took == nil:
		p.gap(2 + w)
	default:
		end := min(p.end, p.x+2+w)
		p.gap(2).text(styleMuted, m.Name+" ").text(styleText, tookAbout(m))
		p.gap(end - p.x)
	}
}

// causeOf is why the leader before went, in words.
func causeOf(h *model.Handoff) (style, string) {
	switch {
	case h.From == nil && h.Vacant != nil:
		return styleMuted, "no leader"
	case h.From == nil:
		return styleMuted, "first"
	case h.Cause == model.CauseExpired:
		return styleTrouble, "session expired"
	case h.Cause == model.CauseResigned:
		return styleText, "resigned"
	case h.Cause == model.CauseClosed:
		return styleText, "closed"
	case h.Cause == model.CauseLeft:
		return styleText, "left alive"
	}
	return styleMuted, "cause unknown"
}

// handoffColumnsFor gives each column its place while there is room, the most
// telling first.
func (d *dashboard) handoffColumnsFor(hs []*model.Handoff, w int) handoffColumns {
	var c handoffColumns
	var silent, takeover, vacant, fence int
	c.to = len("nobody")
	for _, h := range hs {
		c.from, c.to = max(c.from, width(label(h.From))), max(c.to, width(label(h.To)))
		m := h.Measures()
		silent, takeover, vacant = longest(silent, m[0]), longest(takeover, m[1]), longest(vacant, m[2])
		fence = max(fence, len("fence ")+len(znode.Zxid(h.Fence)))
	}
	most := max(7, min(28, (w-13-2-3-17)/2))
	c.from, c.to = min(max(5, c.from), most), min(c.to, most)
	room := w - 13 - 2 - c.from - 3 - c.to
	cause := len("session expired")
	if silent > 0 && room < cause+2+silent+2 {
		cause = shortCause
	}
	for _, col := range []struct {
		want int
		to   *int
	}{{cause, &c.cause}, {silent, &c.silent}, {takeover, &c.takeover}, {vacant, &c.vacant}, {fence, &c.fence}} {
		if col.want > 0 && room >= col.want+2 {
			*col.to = col.want
			room -= col.want + 2
		}
	}
	return c
}

func longest(have int, m model.Measure) int {
	if m.Took == nil {
		return have
	}
	// A little more than needed, so that a new digit does not move a column.
	return max(have, len(m.Name)+1+max(7, len(tookAbout(m))))
}

// tookAbout is a duration, marked where it is but a guess.
func tookAbout(m model.Measure) string {
	if m.Guess() {
		return "~" + units.Took(*m.Took)
	}
	return units.Took(*m.Took)
}

// isNew reports whether the newest handoff has just come.
func (d *dashboard) isNew(f *frame) bool {
	end := d.handoffCame.Add(handoffShown)
	if d.paused != nil || d.handoffCame.IsZero() || !f.now.Before(end) {
		return false
	}
	f.at(end)
	return true
}
