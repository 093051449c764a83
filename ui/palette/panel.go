package palette

import (
	"slices"
	"strconv"

	"electop/ui/action"
	"electop/ui/input"
	"electop/ui/term"
)

// Entry is something that can be done.
type Entry struct {
	Name  string
	Key   string // that does it without the palette
	About string // what it does
	Why   string // it cannot be done now, "" if it can
	Do    input.Command
	Kind  action.Kind // of an action, "" for a command
	Arg   string      // of the action
	In    input.Mode  // where the key is, to be opened first; 0: on the main screen
}

// same reports whether two entries do the same: one stays selected while its name and
// whether it can be done change.
func (e Entry) same(o Entry) bool { return e.Do == o.Do && e.Kind == o.Kind && e.Arg == o.Arg }

// Panel is the list. It keeps what is selected.
type Panel struct {
	Shown
	selected Entry
	chosen   bool // the user moved to it; else it is the first
	found    []Entry
	index    int
	top      int
	page     int
	about    []string
	place    term.Rect
}

// Shown is what the list shows.
type Shown struct {
	All   []Entry
	Typed string
	At    int // of the cursor, in runes
}

const (
	wide  = 92
	keys  = 7 // width of the keys
	names = 21
	below = 3 // lines below the list
)

// Open opens the list with nothing selected.
func (v *Panel) Open() { *v = Panel{} }

// Narrow says that something else was typed: the first match is selected again.
func (v *Panel) Narrow() { v.chosen = false }

// Settle gives the list its place on a screen of w by h cells. The place does not depend
// on what is typed.
func (v *Panel) Settle(w, h int, x Shown) {
	v.Shown = x
	v.place = term.InFront(w, h, wide, 2+len(x.All)+below)
	v.page = max(1, v.place.H-2-2-below)
	v.found = match(x.All, x.Typed)
	v.index = 0
	if v.chosen {
		v.index = max(0, slices.IndexFunc(v.found, v.selected.same))
	}
	v.about = nil
	if e, ok := v.Selected(); ok {
		v.selected = e
		text := e.About
		if e.Why != "" {
			text = "Not now: " + e.Why
		}
		v.about = term.Wrap(text, v.place.W-4)
		v.about = v.about[:min(len(v.about), below-1)]
	}
	v.top = term.Window(v.top, v.index, v.page, len(v.found))
}

// Selected is the selected entry, false if there is none.
func (v *Panel) Selected() (Entry, bool) {
	if v.index >= len(v.found) {
		return Entry{}, false
	}
	return v.found[v.index], true
}

// Refused reports whether what is selected cannot be done.
func (v *Panel) Refused() bool {
	e, ok := v.Selected()
	return !ok || e.Why != ""
}

// Click selects the entry at a spot, if it is shown, and reports whether it was selected
// already.
func (v *Panel) Click(spot any) (again bool) {
	e, ok := spot.(Entry)
	if !ok {
		return false
	}
	was, ok := v.Selected()
	if i := slices.IndexFunc(v.found, e.same); i >= 0 {
		v.index, v.selected, v.chosen = i, v.found[i], true
	}
	return ok && was == e
}

// Move moves the selection.
func (v *Panel) Move(do input.Command) {
	if len(v.found) == 0 {
		return
	}
	v.index = input.Moved(do, v.index, len(v.found)-1, v.page)
	v.selected, v.chosen = v.found[v.index], true
}

// Draw draws the list.
func (v Panel) Draw(f *term.Frame) {
	g := &f.Theme.Glyph
	f.Blank(v.place)
	tail := strconv.Itoa(len(v.found)) + " of " + strconv.Itoa(len(v.All))
	a := f.Box(v.place, "Actions", true, term.Span{Style: term.Muted, Text: tail})
	p := a.Pen(0).Gap(1).Text(term.Key, ":")
	typed := []rune(v.Typed)
	at := min(v.At, len(typed))
	p.Text(term.You, string(typed[:at])).Text(term.You, g.Cursor).Text(term.You, string(typed[at:]))
	if len(v.found) == 0 {
		a.Pen(2).Gap(1).Text(term.Muted, "nothing is called so; backspace erases a letter")
	}
	for y := range min(v.page, len(v.found)-v.top) {
		e, p := v.found[v.top+y], a.Pen(2+y)
		a.Spot(2+y, e)
		mark := " "
		if v.top+y == v.index {
			mark = g.Selected
			p.Choose()
		}
		key, name, about, text := term.Key, term.Strong, term.Muted, e.About
		if e.Why != "" {
			key, name, about, text = term.Faint, term.Faint, term.Faint, e.Why
		}
		p.Text(term.Strong, mark).Gap(1).Fit(keys, key, e.Key).Fit(names, name, e.Name).Gap(1).Fit(p.Room()-1, about, text)
	}
	st := term.Text
	if v.selected.Why != "" {
		st = term.Trouble
	}
	for i, line := range v.about {
		a.Pen(a.Height()-below+1+i).Gap(1).Text(st, line)
	}
}
