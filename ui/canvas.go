package ui

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// A canvas is the screen as cells. Whatever is drawn is clipped to it and to
// the area it is drawn in, so no view can be taller or wider than the
// terminal, and an overlay simply draws on top. It is reused between frames.
//
// It is also the last guard: control characters do not get into a cell, so
// the escape sequences in a frame are the theme's only.
type canvas struct {
	w, h  int
	cells []cell
}

// cell holds one grapheme cluster. The cells to the right of a wide one hold
// covered.
type cell struct {
	text  string
	style style
}

const covered = "\x00"

// resize clears the canvas and gives it a size.
func (c *canvas) resize(w, h int) {
	c.w, c.h = w, h
	if n := w * h; cap(c.cells) < n {
		c.cells = make([]cell, n)
	} else {
		c.cells = c.cells[:n]
		clear(c.cells)
	}
}

// put draws s at (x, y) up to the column end, and returns the column after it.
func (c *canvas) put(x, y, end int, st style, s string) int {
	if y < 0 || y >= c.h || x < 0 {
		return x
	}
	end = min(end, c.w)
	row := c.cells[y*c.w : (y+1)*c.w]
	for len(s) > 0 && x < end {
		if b := s[0]; b < 0x80 && (len(s) == 1 || s[1] < 0x80) {
			if b < 0x20 || b == 0x7f {
				s = s[1:]
				continue
			}
			setCell(row, x, s[:1], st)
			x, s = x+1, s[1:]
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

// lineGlyph is the length in bytes of the line, corner or block that s begins
// with, 0 if that is something else or what follows may belong to it. They are
// most of what is drawn, and take a cell each.
func lineGlyph(s string) int {
	const n = 3
	is := func(s string) bool {
		return len(s) >= n && s[0] == 0xe2 && s[1] >= 0x94 && s[1] <= 0x96 && s[2]&0xc0 == 0x80
	}
	if is(s) && (len(s) == n || s[n] < 0x80 || is(s[n:])) {
		return n
	}
	return 0
}

// setCell replaces a cell. What it leaves of a wide character is blanked.
func setCell(row []cell, x int, text string, st style) {
	if row[x].text == covered && text != covered {
		for i := x - 1; i >= 0; i-- {
			wide := row[i].text
			row[i].text = " "
			if wide != covered {
				break
			}
		}
	}
	for i := x + 1; i < len(row) && row[i].text == covered; i++ {
		row[i].text = " "
	}
	row[x] = cell{text, st}
}

func hasControl(g string) bool { return strings.ContainsFunc(g, unicode.IsControl) }

// cell returns what is at (x, y), if that is on the canvas.
func (c *canvas) cell(x, y int) (cell, bool) {
	if x < 0 || x >= c.w || y < 0 || y >= c.h {
		return cell{}, false
	}
	return c.cells[y*c.w+x], true
}

// restyle changes the style of every cell in r.
func (c *canvas) restyle(r rect, f func(style) style) {
	for y := max(0, r.y); y < min(c.h, r.y+r.h); y++ {
		for x := max(0, r.x); x < min(c.w, r.x+r.w); x++ {
			p := &c.cells[y*c.w+x]
			p.style = f(p.style)
		}
	}
}

// blank clears r.
func (c *canvas) blank(r rect) {
	for y := max(0, r.y); y < min(c.h, r.y+r.h); y++ {
		for x := max(0, r.x); x < min(c.w, r.x+r.w); x++ {
			setCell(c.cells[y*c.w:(y+1)*c.w], x, " ", styleText)
		}
	}
}

// render returns the canvas as lines of text with the theme's escapes.
// Equal cells give equal bytes, so that unchanged lines are not sent again.
func (c *canvas) render(th *theme) string {
	var b strings.Builder
	b.Grow(c.w*c.h + c.w*c.h/2)
	for y := range c.h {
		if y > 0 {
			b.WriteByte('\n')
		}
		row := c.cells[y*c.w : (y+1)*c.w]
		n := len(row)
		for n > 0 && (row[n-1].text == "" || row[n-1].text == " ") && !th.shows(row[n-1].style) {
			n--
		}
		on := ""
		for _, p := range row[:n] {
			if p.text == covered {
				continue
			}
			if sgr := th.sgr[p.style]; sgr != on {
				if on != "" {
					b.WriteString(th.reset)
				}
				b.WriteString(sgr)
				on = sgr
			}
			if p.text == "" {
				b.WriteByte(' ')
			} else {
				b.WriteString(p.text)
			}
		}
		if on != "" {
			b.WriteString(th.reset)
		}
	}
	return b.String()
}

// area is a part of a canvas with its own coordinates.
type area struct {
	c    *canvas
	rect rect
}

func (a area) width() int  { return a.rect.w }
func (a area) height() int { return a.rect.h }

// pen returns a pen at the start of line y of the area; one that draws nothing
// if there is no such line.
func (a area) pen(y int) *pen {
	p := &pen{c: a.c, x: a.rect.x, y: a.rect.y + y, end: a.rect.x + a.rect.w}
	if y < 0 || y >= a.rect.h {
		p.end = p.x
	}
	return p
}

// pen writes a line from left to right.
type pen struct {
	c      *canvas
	x, y   int
	end    int
	chosen style // styleSelected on the selected row, else 0
}

// text writes all of s that there is room for.
func (p *pen) text(st style, s string) *pen {
	p.x = p.c.put(p.x, p.y, p.end, st|p.chosen, s)
	return p
}

// spans writes all of them that there is room for.
func (p *pen) spans(all []span) *pen {
	for _, s := range all {
		p.text(s.style, s.text)
	}
	return p
}

// choose gives the rest of the line the background of the selected row.
func (p *pen) choose() {
	p.chosen = styleSelected
	p.c.restyle(rect{p.x, p.y, p.end - p.x, 1}, func(st style) style { return st | styleSelected })
}

// fit writes s into exactly w cells, cut with an ellipsis or filled up.
func (p *pen) fit(w int, st style, s string) *pen {
	end := min(p.end, p.x+max(0, w))
	p.c.put(p.x, p.y, end, st|p.chosen, cut(s, end-p.x))
	p.x = end
	return p
}

// right writes s into w cells, at their right end.
func (p *pen) right(w int, st style, s string) *pen {
	s = cut(s, w)
	return p.gap(w-width(s)).text(st, s)
}

// gap leaves n cells as they are.
func (p *pen) gap(n int) *pen {
	p.x = min(p.end, p.x+max(0, n))
	return p
}

// room is how many cells are left.
func (p *pen) room() int { return p.end - p.x }

// cut shortens s to w cells, the last of them an ellipsis.
func cut(s string, w int) string {
	if w <= 0 {
		return ""
	}
	if len(s) <= w { // no cell takes less than a byte
		return s
	}
	return ansi.Truncate(s, w, "…")
}

// wrap breaks s into lines of at most w cells: at blanks, but for words that
// are longer than a line. A hyphen breaks nothing: names and flags stay whole.
func wrap(s string, w int) []string {
	if w <= 0 || s == "" {
		return nil
	}
	const whole = "\ue000"       // stands for a hyphen, and is in no safe text
	s = strings.TrimLeft(s, " ") // ansi.Wrap does not count it before a long word
	s = ansi.Wrap(strings.ReplaceAll(s, "-", whole), w, "")
	return strings.Split(strings.ReplaceAll(s, whole, "-"), "\n")
}

func orBlank(lines []string) []string {
	if len(lines) == 0 {
		return []string{""}
	}
	return lines
}

// width is how many cells s takes.
func width(s string) int {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return ansi.StringWidth(s)
		}
	}
	return len(s)
}
