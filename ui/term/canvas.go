// Package term draws text into the cells of a terminal.
//
// A [Canvas] is the screen as cells. All drawing is clipped to the canvas, so no frame is larger
// than the terminal. An [Area] is a part of the canvas. A [Pen] writes one line of an area from left
// to right. A [Span] is text in one style.
//
// A [Style] names a meaning, such as trouble. A [Theme] has the escape sequence of each style, for a
// terminal with many colours, few or none. Only this package defines the dashboard's colours.
//
// A [Frame] holds what drawing one picture needs: the canvas, the theme and two times. While
// drawing, each part reports when it changes next, with [Frame.At] or a method that calls it. The
// earliest of these times is the next tick.
package term

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// Canvas is the screen as cells. It is reused between frames. Put leaves out control characters.
type Canvas struct {
	W, H  int
	cells []cell
	spots []spot
	ink
	rendered []byte // buffer of Render
}

// cell holds one grapheme cluster or nothing. The other cells of a wide cluster hold covered.
type cell struct {
	Text  string
	Style Style
}

const covered = "\x00"

// Resize clears the canvas and gives it a size.
func (c *Canvas) Resize(w, h int) {
	c.W, c.H = w, h
	c.spots = c.spots[:0]
	c.cells = slices.Grow(c.cells[:0], w*h)[:w*h]
	clear(c.cells)
}

// Put draws s from (x, y) to the column before end. It returns the column for the next text.
func (c *Canvas) Put(x, y, end int, st Style, s string) int {
	if y < 0 || y >= c.H || x < 0 {
		return x
	}
	end = min(end, c.W)
	row := c.cells[y*c.W : (y+1)*c.W]
	for len(s) > 0 && x < end {
		if b := s[0]; b < 0x80 && (len(s) == 1 || s[1] < 0x80) {
			if b >= 0x20 && b != 0x7f {
				setCell(row, x, s[:1], st)
				x++
			}
			s = s[1:]
			continue
		}
		if n := lineGlyph(s); n > 0 {
			setCell(row, x, s[:n], st)
			x, s = x+1, s[n:]
			continue
		}
		g, w := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		s = s[len(g):]
		if w <= 0 || hasControl(g) {
			continue
		}
		if x+w > end {
			return end
		}
		setCell(row, x, g, st)
		for i := 1; i < w; i++ {
			setCell(row, x+i, covered, st)
		}
		x += w
	}
	return x
}

// lineGlyph returns the number of bytes of the line, block or shape at the start of s. It returns 0 if
// there is none, or if the next character may combine with it.
func lineGlyph(s string) int {
	const n = 3
	is := func(s string) bool {
		return len(s) >= n && s[0] == 0xe2 && s[2]&0xc0 == 0x80 &&
			(s[1] >= 0x94 && s[1] <= 0x96 || s[1] == 0x97 && s[2] < 0xbb) // U+25FB and later may be wide
	}
	if is(s) && (len(s) == n || s[n] < 0x80 || is(s[n:])) {
		return n
	}
	return 0
}

// setCell sets a cell. A wide character that loses a cell becomes blank.
func setCell(row []cell, x int, text string, st Style) {
	if row[x].Text == covered && text != covered {
		for i := x - 1; i >= 0; i-- {
			wide := row[i].Text
			row[i].Text = " "
			if wide != covered {
				break
			}
		}
	}
	for i := x + 1; i < len(row) && row[i].Text == covered; i++ {
		row[i].Text = " "
	}
	row[x] = cell{text, st}
}

func hasControl(g string) bool { return strings.ContainsFunc(g, unicode.IsControl) }

// Cell returns the cell at (x, y), false for a place outside the canvas.
func (c *Canvas) Cell(x, y int) (cell, bool) {
	if x < 0 || x >= c.W || y < 0 || y >= c.H {
		return cell{}, false
	}
	return c.cells[y*c.W+x], true
}

// Restyle changes the style of every cell in r.
func (c *Canvas) Restyle(r Rect, f func(Style) Style) {
	for y := max(0, r.Y); y < min(c.H, r.Y+r.H); y++ {
		for x := max(0, r.X); x < min(c.W, r.X+r.W); x++ {
			p := &c.cells[y*c.W+x]
			p.Style = f(p.Style)
		}
	}
}

// Blank clears r, and the rest of each phrase that r cuts. The spots in r have no effect any more.
func (c *Canvas) Blank(r Rect) {
	c.Spot(r, nil)
	for y := max(0, r.Y); y < min(c.H, r.Y+r.H); y++ {
		row := c.cells[y*c.W : (y+1)*c.W]
		left, right := max(0, r.X), min(c.W, r.X+r.W)
		for left > 0 && left < c.W && inPhrase(row, left) && inPhrase(row, left-1) {
			left--
		}
		for right > 0 && right < c.W && inPhrase(row, right) && inPhrase(row, right-1) {
			right++
		}
		for x := left; x < right; x++ {
			setCell(row, x, " ", Text)
		}
	}
}

// inPhrase reports whether cell x is in a phrase: words with one blank between them, no lines, blocks or shapes.
func inPhrase(row []cell, x int) bool {
	blank := func(x int) bool { return row[x].Text == "" || row[x].Text == " " }
	word := func(x int) bool { return x >= 0 && x < len(row) && !blank(x) && lineGlyph(row[x].Text) == 0 }
	return word(x) || blank(x) && word(x-1) && word(x+1)
}

// Render returns the canvas as lines of text with the theme's escape sequences.
// Equal cells give equal bytes, so Bubbletea does not send unchanged lines again.
func (c *Canvas) Render(th *Theme) string {
	b := c.rendered[:0]
	for y := range c.H {
		if y > 0 {
			b = append(b, '\n')
		}
		row := c.cells[y*c.W : (y+1)*c.W]
		n := len(row)
		for n > 0 && (row[n-1].Text == "" || row[n-1].Text == " ") && !th.shows[row[n-1].Style] {
			n--
		}
		on, last := "", Text
		for i := range row[:n] {
			p := &row[i]
			if p.Text == covered {
				continue
			}
			if p.Style != last || i == 0 {
				if sgr := th.codes[p.Style]; sgr != on {
					if on != "" {
						b = append(b, th.reset...)
					}
					b = append(b, sgr...)
					on = sgr
				}
				last = p.Style
			}
			if p.Text == "" {
				b = append(b, ' ')
			} else {
				b = append(b, p.Text...)
			}
		}
		if on != "" {
			b = append(b, th.reset...)
		}
	}
	c.rendered = b
	return string(b)
}

type spot struct {
	rect Rect
	what any
	at   func(x, y int) any // if not nil, SpotAt calls at and ignores the field what
}

// Spot notes what was drawn in r, for the mouse. Later spots are in front of earlier ones.
func (c *Canvas) Spot(r Rect, what any) { c.spots = append(c.spots, spot{rect: r, what: what}) }

// Spots notes many spots. The function at returns what was drawn at (x, y), nil for nothing.
// SpotAt can call this function until the next Resize.
func (c *Canvas) Spots(r Rect, at func(x, y int) any) {
	c.spots = append(c.spots, spot{rect: r, at: at})
}

// SpotAt returns what was drawn in the front spot at (x, y), nil for nothing.
func (c *Canvas) SpotAt(x, y int) any {
	for _, s := range slices.Backward(c.spots) {
		switch {
		case !s.rect.Has(x, y):
		case s.at == nil:
			return s.what
		default:
			if what := s.at(x, y); what != nil {
				return what
			}
		}
	}
	return nil
}

// Spot notes what was drawn in line y of the area.
func (a Area) Spot(y int, what any) {
	if y >= 0 && y < a.Rect.H {
		a.c.Spot(Rect{X: a.Rect.X, Y: a.Rect.Y + y, W: a.Rect.W, H: 1}, what)
	}
}

// Spot notes what the pen draws in the next w cells.
func (p *Pen) Spot(w int, what any) {
	if w = min(w, p.end-p.x); w > 0 {
		p.c.Spot(Rect{X: p.x, Y: p.y, W: w, H: 1}, what)
	}
}

// ink stores short texts without an allocation for each.
type ink struct{ text strings.Builder }

const inkSize = 4096

// Ink returns a copy of b as a string to draw.
func (k *ink) Ink(b []byte) string {
	if k.text.Cap()-k.text.Len() < len(b) {
		k.text.Reset() // the old texts keep the old buffer
		k.text.Grow(max(inkSize, len(b)))
	}
	from := k.text.Len()
	k.text.Write(b)
	return k.text.String()[from:]
}

func (k *ink) Int(n int64) string {
	var room [20]byte
	return k.Ink(strconv.AppendInt(room[:0], n, 10))
}
