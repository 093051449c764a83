package mainscreen

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// sketch returns the arrangement from top to bottom: "22 C76 R44" is 22 lines with 76 cells of Candidates and
// 44 of Recipe. A is Selected, "." is a cell without a part, and ! is a cell of two parts.
func sketch(w, h int, s Shape) string {
	a := Arrange(w, h, s)
	cells := bytes.Repeat([]byte("."), w*h)
	parts := append(a.Panel[:], a.Header, a.Belief, a.Brief, a.Status, a.Keys, a.Help)
	for i, name := range "CRHMLADStBbsk?" {
		for y := parts[i].Y; y < parts[i].Y+parts[i].H; y++ {
			for x := parts[i].X; x < parts[i].X+parts[i].W; x++ {
				if p := &cells[y*w+x]; *p == '.' {
					*p = byte(name)
				} else {
					*p = '!'
				}
			}
		}
	}
	var bands []string
	for n, y := 1, 0; y < h; y++ {
		line := cells[y*w : (y+1)*w]
		if y+1 < h && bytes.Equal(line, cells[(y+1)*w:][:w]) {
			n++
			continue
		}
		band := strconv.Itoa(n)
		for len(line) > 0 {
			rest := bytes.TrimLeft(line, string(line[:1]))
			band += fmt.Sprintf(" %c%d", line[0], len(line)-len(rest))
			line = rest
		}
		bands, n = append(bands, band), 1
	}
	return strings.Join(bands, " / ")
}

func TestArrange(t *testing.T) {
	for _, c := range []struct {
		name string
		w, h int
		s    Shape
		want string
	}{
		{"smallest", 60, 20, Shape{Focus: Candidates}, "1 t60 / 11 C60 / 6 H60 / 1 s60 / 1 k60"},
		{"few candidates", 60, 20, Shape{Rows: 2}, "1 t60 / 6 C60 / 11 H60 / 1 s60 / 1 k60"},
		{"few candidates and a lesson", 80, 24, Shape{Rows: 5, Lesson: true}, "1 t80 / 8 C80 / 13 L80 / 1 s80 / 1 k80"},
		{"few candidates and beliefs", 60, 20, Shape{Rows: 6, Workers: true}, "1 t60 / 9 C60 / 8 b60 / 1 s60 / 1 k60"},
		{"beliefs beside the list", 100, 30, Shape{Rows: 5, Workers: true}, "1 t100 / 21 C56 B44 / 6 H100 / 1 s100 / 1 k100"},
		{"many candidates and a lesson", 80, 24, Shape{Rows: 9, Lesson: true}, "1 t80 / 11 C80 / 10 L80 / 1 s80 / 1 k80"},
		{"handoffs in focus", 80, 24, Shape{Focus: Handoffs}, "1 t80 / 11 C80 / 10 H80 / 1 s80 / 1 k80"},
		{"recipe in focus", 80, 24, Shape{Focus: Recipe}, "1 t80 / 21 R80 / 1 s80 / 1 k80"},
		{"wide", 120, 36, Shape{Focus: Handoffs}, "1 t120 / 22 C76 R44 / 11 H120 / 1 s120 / 1 k120"},
		{"a lesson", 120, 36, Shape{Lesson: true}, "1 t120 / 17 C76 R44 / 16 L120 / 1 s120 / 1 k120"},
		{"recipe in focus, and a lesson", 80, 24, Shape{Focus: Recipe, Lesson: true}, "1 t80 / 11 R80 / 10 L80 / 1 s80 / 1 k80"},
		{"messages in focus", 120, 36, Shape{Focus: Messages, Messages: true}, "1 t120 / 22 C76 M44 / 11 H120 / 1 s120 / 1 k120"},
		{"a lesson on a tall screen", 120, 50, Shape{Lesson: true}, "1 t120 / 18 C76 R44 / 9 H120 / 20 L120 / 1 s120 / 1 k120"},
		{"very wide", 160, 46, Shape{Messages: true, Rows: 5}, "1 t160 / 26 C64 R44 M52 / 3 C64 R44 A52 / 14 H108 A52 / 1 s160 / 1 k160"},
		{"very wide, without messages", 200, 50, Shape{Rows: 5}, "1 t200 / 24 C85 R49 A66 / 6 C85 R49 D66 / 17 H134 D66 / 1 s200 / 1 k200"},
		{"very wide, with a lesson and workers", 200, 50, Shape{Messages: true, Lesson: true, Workers: true, Rows: 5},
			"1 t200 / 13 C85 R49 L66 / 10 C85 B49 L66 / 10 C85 B49 M66 / 14 H134 M66 / 1 s200 / 1 k200"},
		{"widest, with a lesson", 300, 100, Shape{Messages: true, Lesson: true, Rows: 5},
			"1 t300 / 30 C102 R58 M70 L70 / 18 H160 M70 L70 / 12 H160 M70 A70 / 13 ?160 M70 A70 / 24 ?160 M70 D70 / 1 s300 / 1 k300"},
		{"zoomed", 120, 36, Shape{Focus: Handoffs, Zoomed: true, Lesson: true}, "1 t120 / 33 H120 / 1 s120 / 1 k120"},
		{"too small", 59, 20, Shape{Focus: Candidates}, "20 .59"},
	} {
		if got := sketch(c.w, c.h, c.s); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestArrangementFillsTheScreen(t *testing.T) {
	for h := MinHeight; h <= 100; h += 1 + h/12 {
		for w := MinWidth; w <= 300; w += 7 {
			for _, s := range shapes() {
				a := Arrange(w, h, s)
				cells := 0
				for _, r := range append(a.Panel[:], a.Belief, a.Brief, a.Header, a.Status, a.Keys, a.Help) {
					if r.X < 0 || r.Y < 0 || r.X+r.W > w || r.Y+r.H > h {
						t.Fatalf("%dx%d %+v: part %+v is outside the screen", w, h, s, r)
					}
					cells += r.W * r.H
				}
				if cells != w*h {
					t.Fatalf("%dx%d %+v: got %d cells in all parts, want %d", w, h, s, cells, w*h)
				}
				if h%3 == 0 && strings.Contains(sketch(w, h, s), "!") {
					t.Fatalf("%dx%d %+v: parts overlap", w, h, s)
				}
				if l := a.Panel[Lesson]; s.Lesson && !s.Zoomed && w < ThirdColumnFrom && 2*l.H > h-3 && h-3-l.H < s.Rows+3 {
					t.Fatalf("%dx%d %+v: the lesson takes more than half of the screen, and lines that the candidates need", w, h, s)
				}
				if s.Zoomed {
					continue
				}
				if w >= ThirdColumnFrom && (a.Panel[Handoffs].Empty() || s.Lesson == a.Panel[Lesson].Empty() || s.Messages == a.Panel[Messages].Empty() ||
					a.Panel[Doctor].Empty() && !a.Panel[Servers].Empty()) {
					t.Fatalf("%dx%d %+v: a panel is missing or unexpected on a very wide screen: %+v", w, h, s, a.Panel)
				}
			}
		}
	}
}

func shapes() (out []Shape) {
	for i := range int(Panels) << 6 {
		is := func(bit int) bool { return i>>bit&1 != 0 }
		s := Shape{Focus: Panel(i >> 6), Zoomed: is(0), Lesson: is(1), Workers: is(2), Messages: is(3), Rows: 300}
		if is(4) {
			s.Rows = 5
		}
		s.Watching, s.DoctorFirst = is(5) && !s.Lesson, is(5) && is(4)
		if s.Focus.shownOn(MinWidth, MinHeight, s) || s.Focus.shownOn(300, 100, s) {
			out = append(out, s)
		}
	}
	return out
}
