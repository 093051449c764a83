package ui

import (
	"strconv"

	"electop/model/znode"
)

// drawLessons draws the menu of lessons in front of the panels.
func (d *dashboard) drawLessons(f *frame) {
	c, g := &d.course, &f.th.glyph
	const wide = 100
	inside := min(d.w-4, wide) - 4
	note := wrap("Each lesson begins with a demo of its own: the candidates there are now, and their history, go.", inside)
	about := 1 // lines for what the selected one is about
	for _, e := range c.menu {
		about = max(about, len(wrap(prose(e.About), inside)))
	}
	below := 1 + about + 1 + len(note)
	r := overlay(d.w, d.h, wide, c.rows()+below)
	f.blank(r)
	done := 0
	for _, e := range c.menu {
		if e.Done {
			done++
		}
	}
	if r.h-2-below < 3 {
		below = len(note) // the list matters more
	}
	c.menuPage = max(1, r.h-2-below)
	tail := span{styleMuted, strconv.Itoa(done) + " of " + strconv.Itoa(len(c.menu)) + " done", 0}
	if c.rows() > c.menuPage {
		tail.text += ", j k scroll"
	}
	a := f.box(r, "Lessons", true, tail)
	at := c.row()
	if at < 0 {
		c.moveMenu(cmdTop)
		at = max(0, c.row())
	}
	c.menuTop = window(c.menuTop, at, c.menuPage, c.rows())
	for y := range min(c.menuPage, c.rows()-c.menuTop) {
		i := c.menuTop + y
		p := a.pen(y)
		mark := " "
		if i == at {
			mark = g.Selected
			p.choose()
		}
		p.text(styleStrong, mark)
		if i == len(c.menu) {
			p.gap(8).text(styleText, "no lesson: leave the one that is on")
			continue
		}
		e := c.menu[i]
		yes := " "
		if e.Done {
			yes = g.Yes
		}
		p.right(4, styleMuted, strconv.Itoa(i+1)).gap(2).text(styleGood, yes).gap(1)
		st, on := styleText, ""
		if c.on && e.ID == c.view.ID {
			st, on = styleLead, "  on now"
		}
		p.text(st, cut(znode.Safe(e.Title, 80), max(8, p.room()-width(on)-1))).text(styleLead, on)
	}
	if below > len(note) {
		y := a.height() - below + 1
		text := "The candidates stay, and what happened too."
		if at < len(c.menu) {
			text = prose(c.menu[at].About)
		}
		for i, line := range wrap(text, inside) {
			a.pen(y+i).gap(1).text(styleText, line)
		}
	}
	for i, line := range note {
		a.pen(a.height()-len(note)+i).gap(1).text(styleMuted, line)
	}
}
