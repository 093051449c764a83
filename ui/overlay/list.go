package overlay

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"electop/ui/action"
	"electop/ui/input"
	"electop/ui/term"
)

// Entry is an action, a command or a lesson in a list.
type Entry struct {
	Name  string
	Key   string // text of the key column: the entry's keys, or the lesson's number
	About string // what the entry does
	More  string // text below the list; "": About if Why is "", otherwise none
	Why   string // why the entry cannot be done now, "" if it can
	Do    input.Command
	Kind  action.Kind // kind of the action, "" for a command or a lesson
	Arg   string      // Arg of the action, the cluster's name, or the lesson's ID
	In    input.Mode  // mode to open before the action; 0: none

	Required bool // the lesson waits for this entry
	On       bool // the entry's lesson is running, or its action is on
}

func (e Entry) same(o Entry) bool { return e.Do == o.Do && e.Kind == o.Kind && e.Arg == o.Arg }

// List is a list of entries. One entry is selected.
type List struct {
	Shown
	selected Entry
	chosen   bool    // false: Settle selects the first entry
	found    []Entry // entries that match the typed words
	index    int     // index of the selected entry in found
	top      int     // index of the first entry in view
	page     int     // number of lines for entries
	below    []term.Span
	place    term.Rect
}

// Shown is the contents of a list.
type Shown struct {
	Title              string
	Tail               string // text at the right of the title, if there is no Search
	All                []Entry
	Search             *Typed      // filters the entries; nil: nothing can be typed
	Note               []term.Span // replaces the selected entry's description below the list
	Foot               string      // below the description, "" for none
	Width, Keys, Names int         // width on a large screen, and widths of the columns
}

// aboutMost is the usual number of lines of a description. A list with Search cuts longer ones.
const aboutMost = 2

// Open resets the list, so that the first entry is selected.
func (v *List) Open() { *v = List{} }

// Select selects the entry that does the same as e.
func (v *List) Select(e Entry) { v.selected, v.chosen = e, true }

// Narrow makes the next Settle select the first match.
func (v *List) Narrow() { v.chosen = false }

// Settle gives the list its contents, and its place on a screen of w by h cells.
func (v *List) Settle(w, h int, x Shown) {
	v.Shown, v.found, v.index = x, x.All, 0
	if x.Search != nil {
		v.found = match(x.All, x.Search.Text())
	}
	if v.chosen {
		v.index = max(0, slices.IndexFunc(v.found, v.selected.same))
	}
	if e, ok := v.Selected(); ok {
		v.selected = e
	}
	v.below = v.about(term.TextWidth(w, x.Width))
	above, below := 0, len(v.below)
	if x.Search != nil {
		above, below = 2, aboutMost
		v.below = v.below[:min(len(v.below), aboutMost)]
	}
	v.place = term.InFront(w, h, x.Width, above+len(x.All)+1+below)
	v.page = max(1, v.place.H-2-above-1-below)
	v.top = term.Window(v.top, v.index, v.page, len(v.found))
}

func (v *List) about(width int) (lines []term.Span) {
	add := func(st term.Style, text string) {
		for _, line := range term.Wrap(text, width) {
			lines = append(lines, term.Span{Style: st, Text: line})
		}
	}
	e, ok := v.Selected()
	switch {
	case v.Note != nil:
		for _, s := range v.Note {
			add(s.Style, s.Text)
		}
	case ok && e.Why != "":
		add(term.Trouble, "Not now: "+e.Why)
		add(term.Text, e.More)
	case ok:
		add(term.Text, cmp.Or(e.More, e.About))
	}
	if v.Foot != "" {
		lines = append(lines, make([]term.Span, max(1, aboutMost+1-len(lines)))...)
		add(term.Muted, v.Foot)
	}
	return lines
}

// Selected returns the selected entry, false if there is none.
func (v *List) Selected() (Entry, bool) {
	if v.index >= len(v.found) {
		return Entry{}, false
	}
	return v.found[v.index], true
}

// Refused reports whether the selected entry cannot be done. It returns true for an empty list.
func (v *List) Refused() bool {
	e, ok := v.Selected()
	return !ok || e.Why != ""
}

// Click selects an entry, and reports whether it was selected already.
func (v *List) Click(spot any) (again bool) {
	e, ok := spot.(Entry)
	if !ok {
		return false
	}
	was, ok := v.Selected()
	if i := slices.IndexFunc(v.found, e.same); i >= 0 {
		v.choose(i)
	}
	return ok && was == e
}

// Move moves the selection.
func (v *List) Move(do input.Command) {
	if len(v.found) > 0 {
		v.choose(input.Moved(do, v.index, len(v.found)-1, v.page))
	}
}

func (v *List) choose(i int) { v.index, v.selected, v.chosen = i, v.found[i], true }

// Draw draws the list.
func (v *List) Draw(f *term.Frame) {
	g := &f.Theme.Glyph
	f.Blank(v.place)
	above, about := 0, term.Text
	tail := term.Span{Style: term.Muted, Text: v.Tail}
	if v.Search != nil {
		above, about = 2, term.Muted
		tail.Text = strconv.Itoa(len(v.found)) + " of " + strconv.Itoa(len(v.All))
	}
	a := f.Box(v.place, v.Title, true, tail)
	if v.Search != nil {
		v.Search.Draw(f, a.Pen(0), ":")
		if len(v.found) == 0 {
			a.Pen(2).Gap(1).Text(term.Muted, "no entry contains this; backspace erases a letter")
		}
	}
	for y := range min(v.page, len(v.found)-v.top) {
		e, p := v.found[v.top+y], a.Pen(above+y)
		a.Spot(above+y, e)
		mark, pointing := " ", term.Strong
		switch {
		case v.top+y == v.index:
			mark = g.Selected
			p.Choose()
		case e.Required:
			mark, pointing = g.Pointed, term.Lead
		}
		key, name, words, text := term.Key, term.Strong, about, e.About
		switch {
		case e.Why != "":
			key, name, words = term.Faint, term.Faint, term.Faint
			if e.Why != v.selected.Why {
				text = e.Why // the selected entry's reason is below the list
			}
		case e.Required || e.On:
			name = term.Lead
		}
		p.Text(pointing, mark).Gap(1).Fit(v.Keys, key, e.Key).Fit(v.Names, name, e.Name).Gap(1).Fit(p.Room()-1, words, text)
	}
	first := a.Height() - len(v.below)
	if v.Search != nil {
		first = a.Height() - aboutMost
	}
	for i, line := range v.below {
		a.Pen(first+i).Gap(1).Text(line.Style, line.Text)
	}
}

func match(all []Entry, typed string) []Entry {
	words := strings.Fields(strings.ToLower(typed))
	if len(words) == 0 {
		return all
	}
	rank := func(e Entry) int {
		switch name, joined := strings.ToLower(e.Name), strings.Join(words, " "); {
		case name == joined || e.Key == strings.TrimSpace(typed):
			return 0
		case strings.HasPrefix(name, joined):
			return 1
		case strings.Contains(name, words[0]):
			return 2
		}
		return 3
	}
	found := slices.DeleteFunc(slices.Clone(all), func(e Entry) bool {
		text := strings.ToLower(e.Name + "\n" + e.About)
		return slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
	})
	slices.SortStableFunc(found, func(a, b Entry) int { return rank(a) - rank(b) })
	return found
}
