package lessons

import (
	"strconv"

	"electop/model/znode"
	"electop/ui/input"
	"electop/ui/term"
)

// menuShape is how the menu is divided.
type menuShape struct {
	place term.Rect
	page  int      // rows in view
	about []string // what the selected lesson is about; nil: no room for it
	below int      // lines below the rows
	note  []string
}

// SettleMenu gives the menu its place on a screen of w by h cells, and brings
// the selection into view.
func (c *Course) SettleMenu(w, h int) {
	const wide = 100
	if c.Row() < 0 {
		c.MoveMenu(input.CmdTop)
	}
	at := max(0, c.Row())
	inside := term.TextWidth(w, wide)
	x := menuShape{note: term.Wrap("Each lesson starts a new election. This discards the current candidates and their history.", inside)}
	most := 1 // so that the place does not depend on the selection
	for i, e := range c.menu {
		about := term.Wrap(prose(e.About), inside)
		most = max(most, len(about))
		if i == at {
			x.about = about
		}
	}
	if at >= len(c.menu) {
		x.about = term.Wrap("The candidates and their history stay.", inside)
	}
	x.below = 1 + most + 1 + len(x.note)
	x.place = term.InFront(w, h, wide, c.rows()+x.below)
	if x.place.H-2-x.below < 3 {
		x.below, x.about = len(x.note), nil // the list matters more
	}
	x.page = max(1, x.place.H-2-x.below)
	c.front = x
	c.menuTop = term.Window(c.menuTop, at, x.page, c.rows())
}

// DrawMenu draws the menu of lessons in front of the panels.
func (c Course) DrawMenu(f *term.Frame) {
	g, x := &f.Theme.Glyph, &c.front
	f.Blank(x.place)
	done := 0
	for _, e := range c.menu {
		if e.Done {
			done++
		}
	}
	tail := term.Span{Style: term.Muted, Text: strconv.Itoa(done) + " of " + strconv.Itoa(len(c.menu)) + " done"}
	if c.rows() > x.page {
		tail.Text += ", j k scroll"
	}
	a := f.Box(x.place, "Lessons", true, tail)
	at := max(0, c.Row())
	for y := range min(x.page, c.rows()-c.menuTop) {
		i := c.menuTop + y
		p := a.Pen(y)
		a.Spot(y, c.rowAt(i))
		mark := " "
		if i == at {
			mark = g.Selected
			p.Choose()
		}
		p.Text(term.Strong, mark)
		if i == len(c.menu) {
			p.Gap(8).Text(term.Text, "no lesson: leave the current one")
			continue
		}
		e := c.menu[i]
		yes := " "
		if e.Done {
			yes = g.Yes
		}
		p.Right(4, term.Muted, strconv.Itoa(i+1)).Gap(2).Text(term.Good, yes).Gap(1)
		st, on := term.Text, ""
		if c.On && e.ID == c.View.ID {
			st, on = term.Lead, "  on now"
		}
		p.Text(st, term.Cut(znode.Safe(e.Title, 80), max(8, p.Room()-term.Width(on)-1))).Text(term.Lead, on)
	}
	for i, line := range x.about {
		a.Pen(a.Height()-x.below+1+i).Gap(1).Text(term.Text, line)
	}
	for i, line := range x.note {
		a.Pen(a.Height()-len(x.note)+i).Gap(1).Text(term.Muted, line)
	}
}
