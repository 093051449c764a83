package lessons

import (
	"slices"
	"strconv"

	"electop/model/lesson"
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

// Menu is the list of lessons. It keeps which is selected.
type Menu struct {
	Selected string // the ID of a lesson; None for the last row

	all     []lesson.Entry
	on      bool   // a lesson is
	current string // its ID
	menuShape
	top int // first row in view
}

// None is the row of the menu that ends the lesson.
const None = "\x00"

// open selects the lesson that is on, else the first that was not done.
func (m *Menu) open() {
	m.Selected = m.current
	if !m.on {
		i := slices.IndexFunc(m.all, func(e lesson.Entry) bool { return !e.Done })
		if i = max(0, i); i < len(m.all) {
			m.Selected = m.all[i].ID
		}
	}
}

// rows is how many rows the menu has.
func (m *Menu) rows() int {
	if m.on {
		return len(m.all) + 1
	}
	return len(m.all)
}

// Row is the selected row, -1 if it is gone.
func (m *Menu) Row() int {
	if m.Selected == None && m.on {
		return len(m.all)
	}
	return slices.IndexFunc(m.all, func(e lesson.Entry) bool { return e.ID == m.Selected })
}

// MenuRow is what the mouse finds where a row of the menu is.
type MenuRow string

func (m *Menu) rowAt(i int) MenuRow {
	if i < len(m.all) {
		return MenuRow(m.all[i].ID)
	}
	return None
}

// Move moves the selection.
func (m *Menu) Move(do input.Command) {
	i := input.Moved(do, max(0, m.Row()), m.rows()-1, m.page)
	if i < len(m.all) {
		m.Selected = m.all[i].ID
	} else if m.on {
		m.Selected = None
	}
}

// Click selects what is at a spot, and reports whether it was selected already.
func (m *Menu) Click(spot any) (again bool) {
	row, ok := spot.(MenuRow)
	if !ok {
		return false
	}
	again = m.Selected == string(row)
	m.Selected = string(row)
	return again
}

// Settle gives the menu its place on a screen of w by h cells, and brings
// the selection into view.
func (m *Menu) Settle(w, h int) {
	const wide = 100
	if m.Row() < 0 {
		m.Move(input.CmdTop)
	}
	at := max(0, m.Row())
	inside := term.TextWidth(w, wide)
	x := menuShape{note: term.Wrap("Each lesson starts a new election. This discards the current candidates and their history.", inside)}
	most := 1 // so that the place does not depend on the selection
	for i, e := range m.all {
		about := term.Wrap(prose(e.About), inside)
		most = max(most, len(about))
		if i == at {
			x.about = about
		}
	}
	if at >= len(m.all) {
		x.about = term.Wrap("The candidates and their history stay.", inside)
	}
	x.below = 1 + most + 1 + len(x.note)
	x.place = term.InFront(w, h, wide, m.rows()+x.below)
	if x.place.H-2-x.below < 3 {
		x.below, x.about = len(x.note), nil // the list matters more
	}
	x.page = max(1, x.place.H-2-x.below)
	m.menuShape = x
	m.top = term.Window(m.top, at, x.page, m.rows())
}

// Draw draws the menu of lessons in front of the panels.
func (m Menu) Draw(f *term.Frame) {
	g, x := &f.Theme.Glyph, &m.menuShape
	f.Blank(x.place)
	done := 0
	for _, e := range m.all {
		if e.Done {
			done++
		}
	}
	tail := term.Span{Style: term.Muted, Text: strconv.Itoa(done) + " of " + strconv.Itoa(len(m.all)) + " done"}
	if m.rows() > x.page {
		tail.Text += ", j k scroll"
	}
	a := f.Box(x.place, "Lessons", true, tail)
	at := max(0, m.Row())
	for y := range min(x.page, m.rows()-m.top) {
		i := m.top + y
		p := a.Pen(y)
		a.Spot(y, m.rowAt(i))
		mark := " "
		if i == at {
			mark = g.Selected
			p.Choose()
		}
		p.Text(term.Strong, mark)
		if i == len(m.all) {
			p.Gap(8).Text(term.Text, "no lesson: leave the current one")
			continue
		}
		e := m.all[i]
		yes := " "
		if e.Done {
			yes = g.Yes
		}
		p.Right(4, term.Muted, strconv.Itoa(i+1)).Gap(2).Text(term.Good, yes).Gap(1)
		st, on := term.Text, ""
		if m.on && e.ID == m.current {
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
