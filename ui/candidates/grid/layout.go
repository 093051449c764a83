package grid

import (
	"strconv"

	"electop/ui/term"
)

// leastName is the least of a name that is worth its cells.
const leastName = 3

// widestCell is the widest cell: more of a name makes nothing clearer.
const widestCell = 32

// grid is how the cells lie.
type grid struct {
	rows, columns int  // in view
	cell          int  // width of a cell, with its marker
	seq           int  // digits of a number, 0: cells have no numbers
	unexplained   bool // there is no line for what the signs mean
}

// gridFor lays out n cells on an area. Where they do not all fit with names, as
// many as possible do without.
func gridFor(n, w, h, seq int) grid {
	g := grid{rows: max(1, h), seq: seq}
	least := 2 + seq + 1 + leastName
	need := g.of(n)
	if w/least < need {
		least = 2 + seq
	}
	g.columns = max(1, min(need, w/least))
	g.cell = min(w/g.columns, widestCell)
	return g
}

// layout lays out the candidates in r, of which the last lines say more.
func (v *Shown) layout(r term.Rect) grid {
	seq := 3
	for _, i := range [2]int{0, v.State.Queue.Len() - 1} {
		seq = max(seq, len(strconv.FormatInt(v.State.Queue.At(i).Sequence, 10)))
	}
	n, below := v.Rows.Len(), 2
	if v.compares() {
		below += comparisonLines
	}
	g := gridFor(n, r.W, r.H-below, seq)
	if !v.compares() || n > signsMost || g.of(n) <= g.columns {
		return g
	}
	// A wave is to be seen whole: cells with a sign only. The line about the wave explains
	// the signs too.
	for _, below := range [...]int{below, below - 1} {
		signs := grid{rows: max(1, r.H-below), unexplained: below < 2+comparisonLines}
		if signs.columns = signs.of(n); signs.columns <= r.W/signCell {
			signs.cell = min(r.W/signs.columns, 2+seq)
			return signs
		}
	}
	return g
}

// signCell is the least width of a cell with a sign only, signsMost how many candidates
// are shown like that: a class. A frame with more of them would be expensive.
const (
	signCell  = 2
	signsMost = 600
)

// nameRoom is how much of a cell is for the name: besides it there are the marker, the
// sign, the number, and how often it was notified.
func (g grid) nameRoom() int {
	if g.seq == 0 {
		return 0
	}
	return g.cell - 2 - g.seq - 1
}

// of is how many columns n cells take.
func (g grid) of(n int) int { return (n + g.rows - 1) / g.rows }
