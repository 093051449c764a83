package elections

import (
	"cmp"
	"slices"
	"strings"

	"electop/ui/input"
	"electop/ui/plain"
	"electop/ui/wording"
)

// list is the elections watched and those that a search found, and where the
// user is among them. The selection is a path, as everywhere an identity.
type list struct {
	Filter   string
	Selected string
	Rows     []Row
	Index    int // of the selected row

	order int // in orders

	of    *Walk // that found is of
	found []plain.Found
}

// update brings the rows up to date and finds the selected one again.
func (l *list) update(watched []Watched, walk *Walk) {
	if l.of != walk {
		l.of, l.found = walk, nil
		if walk != nil {
			l.found = slices.Clone(walk.Elections)
			slices.SortStableFunc(l.found, func(a, b plain.Found) int { return cmp.Compare(a.State.Path, b.State.Path) })
		}
	}
	want := strings.ToLower(l.Filter)
	add := func(r Row) {
		if want == "" || slices.ContainsFunc(r.words(), func(t string) bool { return strings.Contains(strings.ToLower(t), want) }) {
			l.Rows = append(l.Rows, r)
		}
	}
	l.Rows = l.Rows[:0]
	seen := make(map[string]bool, len(watched))
	for i := range watched {
		v := &watched[i]
		seen[v.Path] = true
		add(Row{Path: v.Path, Watched: v, number: i + 1})
	}
	for i := range l.found {
		if e := &l.found[i]; !seen[e.State.Path] && !wording.Registry(e.State) { // a list of members is no election
			add(Row{Path: e.State.Path, Found: e})
		}
	}
	l.sort()
	if i := slices.IndexFunc(l.Rows, func(r Row) bool { return r.Path == l.Selected }); i >= 0 {
		l.Index = i
		return
	}
	l.selectRow(l.Index)
}

// Path is what the mouse finds where an election is.
type Path string

// Click selects the election at a spot, if it is shown, and reports whether it was
// selected already.
func (l *list) Click(spot any) (again bool) {
	path, ok := spot.(Path)
	if !ok {
		return false
	}
	again = l.Row() != nil && l.Row().Path == string(path)
	if i := slices.IndexFunc(l.Rows, func(r Row) bool { return r.Path == string(path) }); i >= 0 {
		l.selectRow(i)
	}
	return again
}

func (l *list) selectRow(i int) {
	l.Index = max(0, min(i, len(l.Rows)-1))
	if len(l.Rows) > 0 {
		l.Selected = l.Rows[l.Index].Path
	}
}

// Row is the selected election, nil if there is none.
func (l *list) Row() *Row {
	if len(l.Rows) == 0 {
		return nil
	}
	return &l.Rows[l.Index]
}

// Move moves the selection.
func (v *Panel) Move(do input.Command) {
	v.selectRow(input.Moved(do, v.Index, len(v.Rows)-1, v.page))
}
