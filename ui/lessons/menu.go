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

	all     []lesson.Entry
	on      bool   // a lesson is
	current string // its ID

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

// OpenMenu takes the menu as it is now, and selects the lesson that is on, else the first
// that was not done.
func (c *Course) OpenMenu() {
	c.Update(true)
	m := &c.Menu
	m.Selected = m.current
	if !m.on {
		i := slices.IndexFunc(m.all, func(e lesson.Entry) bool { return !e.Done })
		m.Selected = m.id(max(0, i))
	}
}

// rows is how many rows the menu has.
func (m *Menu) rows() int {
	if m.on {
		return len(m.all) + 1
	}
	return len(m.all)
}

// id is the ID of the lesson in a row, None behind them.
func (m *Menu) id(row int) string {
	if row < len(m.all) {
		return m.all[row].ID
	}
	return None
}

// row is the selected row, -1 if it is gone.
func (m *Menu) row() int {
	if m.Selected == None && m.on {
		return len(m.all)
	}
	return slices.IndexFunc(m.all, func(e lesson.Entry) bool { return e.ID == m.Selected })
}

// Move moves the selection.
func (m *Menu) Move(do input.Command) {
	if n := m.rows(); n > 0 {
		m.Selected = m.id(input.Moved(do, max(0, m.row()), n-1, m.page))
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
	about := "The candidates and their history stay."
	if at < len(m.all) {
		about = prose(m.all[at].About)
	}
	lines := append(term.Wrap(about, inside), "", "")[:2] // so that the place does not depend on the selection
	m.below, m.note = append(append([]string{""}, append(lines, "")...), note...), len(note)
	m.place = term.InFront(w, h, wide, m.rows()+len(m.below))
	if m.place.H-2-len(m.below) < 3 {
		m.below = note // the list matters more
	}
	m.page = max(1, m.place.H-2-len(m.below))
	m.top = term.Window(m.top, at, m.page, m.rows())
}

// Draw draws the menu of lessons in front of the panels.
func (m Menu) Draw(f *term.Frame) {
	f.Blank(m.place)
	done := 0
	for _, e := range m.all {
		if e.Done {
			done++
		}
	}
	tail := term.Span{Style: term.Muted, Text: strconv.Itoa(done) + " of " + strconv.Itoa(len(m.all)) + " done"}
	if m.rows() > m.page {
		tail.Text += ", j k scroll"
	}
	a := f.Box(m.place, "Lessons", true, tail)
	for y := range min(m.page, m.rows()-m.top) {
		i := m.top + y
		p := a.Pen(y)
		a.Spot(y, MenuRow(m.id(i)))
		mark := " "
		if i == max(0, m.row()) {
			mark = f.Theme.Glyph.Selected
			p.Choose()
		}
		p.Text(term.Strong, mark)
		if i == len(m.all) {
			p.Gap(8).Text(term.Text, "no lesson: leave the current one")
			continue
		}
		e := m.all[i]
		yes, st, on := " ", term.Text, ""
		if e.Done {
			yes = f.Theme.Glyph.Yes
		}
		if m.on && e.ID == m.current {
			st, on = term.Lead, "  on now"
		}
		p.Right(4, term.Muted, strconv.Itoa(i+1)).Gap(2).Text(term.Good, yes).Gap(1)
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
