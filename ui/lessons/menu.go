package lessons

import (
	"slices"
	"strconv"

	"electop/model/lesson"
	"electop/model/znode"
	"electop/ui/input"
	"electop/ui/term"
)

// Menu is the list of lessons. It keeps which is selected.
type Menu struct {
	Selected string // the ID of a lesson; None for the last row

	all     []lesson.Entry // and, while a lesson is on, the row that ends it
	current string         // the ID of the lesson that is on, "" for none

	place term.Rect
	page  int      // rows in view
	top   int      // the first of them
	below []string // lines below the rows: what the selected lesson is about, if there is room, and the note
	note  int      // of these, lines of the note
}

// None is the row of the menu that ends the lesson.
const None = "\x00"

// MenuRow is what the mouse finds where a row of the menu is.
type MenuRow string

// OpenMenu takes the menu as it is now, and selects the lesson that is on, otherwise the
// first that was not done.
func (c *Course) OpenMenu() {
	c.Update(true)
	m := &c.Menu
	m.Selected = m.current
	if !c.On && len(m.all) > 0 {
		m.Selected = m.all[max(0, slices.IndexFunc(m.all, func(e lesson.Entry) bool { return !e.Done }))].ID
	}
}

// row is the selected row, -1 if it is gone.
func (m *Menu) row() int {
	return slices.IndexFunc(m.all, func(e lesson.Entry) bool { return e.ID == m.Selected })
}

// Move moves the selection.
func (m *Menu) Move(do input.Command) {
	if n := len(m.all); n > 0 {
		m.Selected = m.all[input.Moved(do, max(0, m.row()), n-1, m.page)].ID
	}
}

// Click selects what is at a spot, and reports whether it was selected already.
func (m *Menu) Click(spot any) (again bool) {
	row, ok := spot.(MenuRow)
	if again = ok && m.Selected == string(row); ok {
		m.Selected = string(row)
	}
	return again
}

// Settle gives the menu its place on a screen of w by h cells, and brings
// the selection into view.
func (m *Menu) Settle(w, h int) {
	const wide = 100
	if m.row() < 0 {
		m.Move(input.CmdTop)
	}
	at, inside := max(0, m.row()), term.TextWidth(w, wide)
	note := term.Wrap("Each lesson starts a new election. This discards the current candidates and their history.", inside)
	about := ""
	if at < len(m.all) {
		about = prose(m.all[at].About)
	}
	lines := append(term.Wrap(about, inside), "", "")[:2] // so that the place does not depend on the selection
	m.below, m.note = append(append([]string{""}, append(lines, "")...), note...), len(note)
	m.place = term.InFront(w, h, wide, len(m.all)+len(m.below))
	if m.place.H-2-len(m.below) < 3 {
		m.below = note // the list matters more
	}
	m.page = max(1, m.place.H-2-len(m.below))
	m.top = term.Window(m.top, at, m.page, len(m.all))
}

// Draw draws the menu of lessons in front of the panels.
func (m Menu) Draw(f *term.Frame) {
	f.Blank(m.place)
	done, lessons := 0, 0
	for _, e := range m.all {
		if e.ID != None {
			lessons++
		}
		if e.Done {
			done++
		}
	}
	tail := term.Span{Style: term.Muted, Text: strconv.Itoa(done) + " of " + strconv.Itoa(lessons) + " done"}
	if len(m.all) > m.page {
		tail.Text += ", j k scroll"
	}
	a := f.Box(m.place, "Lessons", true, tail)
	for y := range min(m.page, len(m.all)-m.top) {
		i := m.top + y
		e, p := m.all[i], a.Pen(y)
		a.Spot(y, MenuRow(e.ID))
		mark, number, yes, st, on := " ", strconv.Itoa(i+1), " ", term.Text, ""
		if i == max(0, m.row()) {
			mark = f.Theme.Glyph.Selected
			p.Choose()
		}
		switch e.ID {
		case None:
			number = ""
		case m.current:
			st, on = term.Lead, "  on now"
		}
		if e.Done {
			yes = f.Theme.Glyph.Yes
		}
		p.Text(term.Strong, mark).Right(4, term.Muted, number).Gap(2).Text(term.Good, yes).Gap(1)
		p.Text(st, term.Cut(znode.Safe(e.Title, 80), max(8, p.Room()-term.Width(on)-1))).Text(term.Lead, on)
	}
	for i, line := range m.below {
		st := term.Text
		if i >= len(m.below)-m.note {
			st = term.Muted
		}
		a.Pen(a.Height()-len(m.below)+i).Gap(1).Text(st, line)
	}
}
