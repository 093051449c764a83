package lessons

import (
	"strconv"

	"electop/model/znode"
	"electop/ui/input"
	"electop/ui/term"
)

// DrawMenu draws the menu of lessons in front of the panels.
func (c *Course) DrawMenu(f *term.Frame) {
	g := &f.Theme.Glyph
	const wide = 100
	inside := min(f.W-4, wide) - 4
	note := term.Wrap("Each lesson starts a new election. This discards the current candidates and their history.", inside)
	about := 1 // lines for what the selected one is about
	for _, e := range c.menu {
		about = max(about, len(term.Wrap(prose(e.About), inside)))
	}
	below := 1 + about + 1 + len(note)
	r := term.InFront(f.W, f.H, wide, c.rows()+below)
	f.Blank(r)
	done := 0
	for _, e := range c.menu {
		if e.Done {
			done++
		}
	}
	if r.H-2-below < 3 {
		below = len(note) // the list matters more
	}
	c.menuPage = max(1, r.H-2-below)
	tail := term.Span{Style: term.Muted, Text: strconv.Itoa(done) + " of " + strconv.Itoa(len(c.menu)) + " done"}
	if c.rows() > c.menuPage {
		tail.Text += ", j k scroll"
	}
	a := f.Box(r, "Lessons", true, tail)
	at := c.Row()
	if at < 0 {
		c.MoveMenu(input.CmdTop)
		at = max(0, c.Row())
	}
	c.menuTop = term.Window(c.menuTop, at, c.menuPage, c.rows())
	for y := range min(c.menuPage, c.rows()-c.menuTop) {
		i := c.menuTop + y
		p := a.Pen(y)
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
	if below > len(note) {
		y := a.Height() - below + 1
		text := "The candidates and their history stay."
		if at < len(c.menu) {
			text = prose(c.menu[at].About)
		}
		for i, line := range term.Wrap(text, inside) {
			a.Pen(y+i).Gap(1).Text(term.Text, line)
		}
	}
	for i, line := range note {
		a.Pen(a.Height()-len(note)+i).Gap(1).Text(term.Muted, line)
	}
}
