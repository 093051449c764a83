package candidates

import (
	"strconv"

	"electop/model/phrase"
	"electop/ui/term"
)

// line is one of the candidates panel: a row, or what was deleted.
type line struct {
	row      int
	deletion *deletion // nil for a row
}

// lines are the rows from top on with what was deleted among them, at most n.
func (v *Panel) lines(gone []deletion, n int) []line {
	out := make([]line, 0, max(0, n))
	for i := v.top; len(out) < n && i <= v.Rows.Queued(); i++ {
		for k := len(gone) - 1; k >= 0; k-- {
			if x := &gone[k]; x.At == i && !x.Stands && len(out) < n {
				out = append(out, line{row: -1, deletion: x})
			}
		}
		if i == v.Rows.Queued() || len(out) == n {
			break
		}
		l := line{row: i}
		for k := range gone {
			if x := &gone[k]; x.At == i && x.Stands {
				l.deletion = x
			}
		}
		out = append(out, l)
	}
	return out
}

// deletedWord stands in the row of what was deleted.
const deletedWord = "deleted"

// drawDeleted draws the row of a znode that is no more: faded and struck.
func (v *Panel) drawDeleted(f *term.Frame, p *term.Pen, c columns, x *deletion, selected bool) {
	if selected {
		p.OnChosen()
	}
	number := "-"
	if x.Candidate.HasSequence {
		number = strconv.FormatInt(x.Candidate.Sequence, 10)
	}
	p.Text(term.Text, " ").Text(term.Alarm, f.Theme.Glyph.Killed)
	p.Text(term.Faint, term.Blanks(gutter-2+c.seq-term.Width(number))+number+"  "+term.Fitted(x.Candidate.Label(), c.name))
	p.Text(term.Faint, term.Blanks(c.start()-c.before()-c.name)).Text(term.Trouble, deletedWord)
	p.Text(term.Faint, term.Blanks(p.Room()-1))
}

// drawNotifications draws, over the rows, the deleted znodes, and the
// notifications of them on their way along the edges to who watched them. The
// first of lines is at y0.
func (v *Panel) drawNotifications(f *term.Frame, a term.Area, c columns, y0 int, gone []deletion, lines []line) {
	for k := range gone {
		x := &gone[k]
		start := c.start()
		number := f.Theme.Glyph.Up + " " + phrase.Numbered(x.Candidate)
		e := edges{
			top: y0, end: y0 + len(lines),
			from: start + term.Width(deletedWord) + 1, to: start + term.Width(number) + 1,
			bus: min(a.Width()-2, start+min(c.watches, edgeMost)-2) - 2*k,
		}
		first, last, shift := v.top, v.top, 0
		e.at = y0 + x.At - v.top
		for i, l := range lines {
			if l.row >= 0 {
				first, last, shift = min(first, l.row), l.row, i-(l.row-v.top)
			}
			if l.deletion == x {
				e.at, e.seen = y0+i, true
				v.drawDeleted(f, a.Pen(y0+i), c, x, l.row == v.Index)
			}
		}
		if x.At > last && !e.seen {
			e.at += shift
		}
		room := e.bus-2 > max(e.from, e.to)  // else a long number is in a narrow column
		row := make(map[int]int, len(lines)) // the lines of the rows
		for i, l := range lines {
			if l.row >= 0 {
				row[l.row] = y0 + i
			}
		}
		for i, q := range v.State.Queue.All() {
			at, ok := x.wayTo(q.Session)
			if !ok || q.Session == 0 || q.ID() == x.Candidate.ID() {
				continue
			}
			y, seen := row[i]
			switch {
			case seen:
				p := a.Pen(y)
				if i == v.Index {
					p.OnChosen()
				}
				p.Gap(start).Text(term.Watch, number)
				p.Text(term.Text, term.Blanks(p.Room()-1))
			case i < first:
				y = y0 - (first - i)
			default:
				y = y0 + i - v.top + shift
			}
			e.add(y, at)
		}
		if room {
			e.draw(f, a)
		}
	}
}
