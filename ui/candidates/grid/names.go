package grid

import (
	"slices"
	"strings"

	"electop/model/dialect"
	"electop/ui/term"
)

// cells are the names of the cells in view, and what they were made from: a state of the
// same candidates has the same.
type cells struct {
	names   []string // nil: there is no room to tell them apart
	grid    grid
	first   int
	queued  []*dialect.Candidate
	without []string // names of members without a znode
}

// nameCells makes the names of the cells in view, unless it has them.
func (v *Grid) nameCells() {
	g := v.grid
	w := g.nameRoom()
	if w < leastName {
		v.cells = cells{}
		return
	}
	x := cells{grid: g, first: v.left * g.rows}
	last := min(v.Rows.Len(), x.first+g.columns*g.rows)
	queued := min(last, v.Rows.Queued())
	x.queued = v.cells.queued[:0] // they are compared before they are replaced
	same := v.cells.grid == g && v.cells.first == x.first && len(v.cells.queued) == max(0, queued-x.first)
	for i := x.first; i < queued; i++ {
		c := v.candidate(i)
		same = same && v.cells.queued[i-x.first] == c
		x.queued = append(x.queued, c)
	}
	for i := max(x.first, queued); i < last; i++ {
		x.without = append(x.without, v.Rows.At(i).Name())
	}
	if same && slices.Equal(x.without, v.cells.without) {
		return
	}
	all := make([]string, 0, last-x.first)
	for _, c := range x.queued {
		all = append(all, c.Label())
	}
	x.names = shortNames(append(all, x.without...), w)
	v.cells = x
}

// candidate is the contender of row i.
func (v *Grid) candidate(i int) *dialect.Candidate {
	return v.Rows.Contenders().At(i)
}

// shortNames shortens names to w cells each, so that different ones still differ; nil
// if that cannot be. The number at the end of a name is what tells it from others, and
// the start of the name stands before it: student-12 is st12.
func shortNames(names []string, w int) []string {
	if out := shortened(names, w, ""); out != nil {
		return out
	}
	// They differ in the middle, as hosts with the same port do.
	if end := commonEnd(names); end != "" {
		return shortened(names, w, end)
	}
	return nil
}

// shortened shortens those names that do not fit into w cells, without the end that
// they have in common; nil if two different ones are then the same.
func shortened(names []string, w int, end string) []string {
	digits := 0 // of the longest number: what is before it is as long in all
	for _, name := range names {
		if term.Width(name) > w {
			_, number := numbered(strings.TrimSuffix(name, end))
			digits = max(digits, len(number))
		}
	}
	if digits >= w {
		return nil
	}
	out := make([]string, len(names))
	of := make(map[string]string, len(names))
	for i, name := range names {
		short := name
		if term.Width(name) > w {
			stem, number := numbered(strings.TrimSuffix(name, end))
			if number == "" {
				short = term.Head(stem, w)
			} else {
				short = term.Head(stem, w-digits) + number
			}
		}
		if other, ok := of[short]; ok && other != name {
			return nil
		}
		of[short], out[i] = name, short
	}
	return out
}

// numbered splits a name into what is before the number at its end, and that.
func numbered(name string) (stem, number string) {
	i := len(name)
	for i > 0 && '0' <= name[i-1] && name[i-1] <= '9' {
		i--
	}
	return strings.TrimRight(name[:i], "-_.: "), name[i:]
}

// commonEnd is what all names end with, from a sign between words on.
func commonEnd(names []string) string {
	if len(names) < 2 {
		return ""
	}
	end := names[0]
	for _, name := range names[1:] {
		n := 0
		for n < len(end) && n < len(name) && end[len(end)-1-n] == name[len(name)-1-n] {
			n++
		}
		end = end[len(end)-n:]
	}
	i := strings.IndexAny(end, "-_.: ")
	if i < 0 {
		return ""
	}
	return end[i:]
}
