package layout

import (
	"strings"
	"testing"

	"electop/ui/term"

	"github.com/google/go-cmp/cmp"
)

// sketch draws an Arrangement at a tenth of its width and half its height,
// with a letter for each part.
func sketch(w, h int, s Shape) string {
	a := Arrange(w, h, s)
	parts := []struct {
		r    term.Rect
		name byte
	}{{a.Header, 't'}, {a.Panel[Candidates], 'C'}, {a.Panel[Recipe], 'R'}, {a.Panel[Handoffs], 'H'}, {a.Panel[Messages], 'M'}, {a.Panel[Lesson], 'L'}, {a.Panel[Selected], 'A'}, {a.Panel[Doctor], 'D'}, {a.Panel[Servers], 'S'}, {a.Belief, 'B'}, {a.Brief, 'b'}, {a.Status, 's'}, {a.Keys, 'k'}}
	var b strings.Builder
	for y := 0; y < h; y++ {
		if y > 0 && y < h-2 && y%4 != 2 {
			continue
		}
		for x := 5; x < w; x += 10 {
			c := byte('.')
			for _, p := range parts {
				if x >= p.r.X && x < p.r.X+p.r.W && y >= p.r.Y && y < p.r.Y+p.r.H {
					if c != '.' {
						c = '!' // two parts overlap
					} else {
						c = p.name
					}
				}
			}
			b.WriteByte(c)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestArrange(t *testing.T) {
	for _, c := range []struct {
		name string
		w, h int
		s    Shape
		want string
	}{
		{"smallest", 60, 20, Shape{Focus: Candidates}, `
tttttt
CCCCCC
CCCCCC
CCCCCC
HHHHHH
ssssss
kkkkkk
`},
		{"handoffs in focus", 80, 24, Shape{Focus: Handoffs}, `
tttttttt
CCCCCCCC
CCCCCCCC
CCCCCCCC
HHHHHHHH
HHHHHHHH
ssssssss
kkkkkkkk
`},
		{"recipe in focus", 80, 24, Shape{Focus: Recipe}, `
tttttttt
RRRRRRRR
RRRRRRRR
RRRRRRRR
RRRRRRRR
RRRRRRRR
ssssssss
kkkkkkkk
`},
		{"wide", 120, 36, Shape{Focus: Handoffs}, `
tttttttttttt
CCCCCCCCRRRR
CCCCCCCCRRRR
CCCCCCCCRRRR
CCCCCCCCRRRR
CCCCCCCCRRRR
CCCCCCCCRRRR
HHHHHHHHHHHH
HHHHHHHHHHHH
ssssssssssss
kkkkkkkkkkkk
`},
		{"a lesson", 120, 36, Shape{Lesson: true}, `
tttttttttttt
CCCCCCCCRRRR
CCCCCCCCRRRR
CCCCCCCCRRRR
CCCCCCCCRRRR
LLLLLLLLLLLL
LLLLLLLLLLLL
LLLLLLLLLLLL
LLLLLLLLLLLL
ssssssssssss
kkkkkkkkkkkk
`},
		{"a long lesson beside the recipe", 80, 24, Shape{Focus: Recipe, Lesson: true}, `
tttttttt
RRRRRRRR
RRRRRRRR
RRRRRRRR
LLLLLLLL
LLLLLLLL
ssssssss
kkkkkkkk
`},
		{"messages in focus", 120, 36, Shape{Focus: Messages, Messages: true}, `
tttttttttttt
CCCCCCCCMMMM
CCCCCCCCMMMM
CCCCCCCCMMMM
CCCCCCCCMMMM
CCCCCCCCMMMM
CCCCCCCCMMMM
HHHHHHHHHHHH
HHHHHHHHHHHH
ssssssssssss
kkkkkkkkkkkk
`},
		{"a lesson on a tall screen", 120, 50, Shape{Lesson: true}, `
tttttttttttt
CCCCCCCCRRRR
CCCCCCCCRRRR
CCCCCCCCRRRR
CCCCCCCCRRRR
CCCCCCCCRRRR
HHHHHHHHHHHH
HHHHHHHHHHHH
LLLLLLLLLLLL
LLLLLLLLLLLL
LLLLLLLLLLLL
LLLLLLLLLLLL
LLLLLLLLLLLL
ssssssssssss
kkkkkkkkkkkk
`},
		{"very wide", 160, 46, Shape{Messages: true, Rows: 5}, `
tttttttttttttttt
CCCCCCRRRRRMMMMM
CCCCCCRRRRRMMMMM
CCCCCCRRRRRMMMMM
CCCCCCRRRRRMMMMM
CCCCCCRRRRRMMMMM
CCCCCCRRRRRMMMMM
CCCCCCRRRRRMMMMM
HHHHHHHHHHHAAAAA
HHHHHHHHHHHAAAAA
HHHHHHHHHHHAAAAA
HHHHHHHHHHHAAAAA
ssssssssssssssss
kkkkkkkkkkkkkkkk
`},
		{"very wide, of a cluster", 200, 50, Shape{Rows: 5}, `
tttttttttttttttttttt
CCCCCCCCRRRRRAAAAAAA
CCCCCCCCRRRRRAAAAAAA
CCCCCCCCRRRRRAAAAAAA
CCCCCCCCRRRRRAAAAAAA
CCCCCCCCRRRRRAAAAAAA
CCCCCCCCRRRRRAAAAAAA
CCCCCCCCRRRRRDDDDDDD
CCCCCCCCRRRRRDDDDDDD
HHHHHHHHHHHHHDDDDDDD
HHHHHHHHHHHHHDDDDDDD
HHHHHHHHHHHHHDDDDDDD
HHHHHHHHHHHHHDDDDDDD
ssssssssssssssssssss
kkkkkkkkkkkkkkkkkkkk
`},
		{"very wide, with a lesson and workers", 200, 50, Shape{Messages: true, Lesson: true, Workers: true, Rows: 5}, `
tttttttttttttttttttt
CCCCCCCCRRRRRLLLLLLL
CCCCCCCCRRRRRLLLLLLL
CCCCCCCCRRRRRLLLLLLL
CCCCCCCCBBBBBLLLLLLL
CCCCCCCCBBBBBLLLLLLL
CCCCCCCCBBBBBLLLLLLL
CCCCCCCCBBBBBMMMMMMM
CCCCCCCCBBBBBMMMMMMM
HHHHHHHHHHHHHMMMMMMM
HHHHHHHHHHHHHMMMMMMM
HHHHHHHHHHHHHMMMMMMM
HHHHHHHHHHHHHMMMMMMM
ssssssssssssssssssss
kkkkkkkkkkkkkkkkkkkk
`},
		{"widest, with a lesson", 300, 100, Shape{Messages: true, Lesson: true, Rows: 5}, `
tttttttttttttttttttttttttttttt
CCCCCCCCCCRRRRRRMMMMMMMLLLLLLL
CCCCCCCCCCRRRRRRMMMMMMMLLLLLLL
CCCCCCCCCCRRRRRRMMMMMMMLLLLLLL
CCCCCCCCCCRRRRRRMMMMMMMLLLLLLL
CCCCCCCCCCRRRRRRMMMMMMMLLLLLLL
CCCCCCCCCCRRRRRRMMMMMMMLLLLLLL
CCCCCCCCCCRRRRRRMMMMMMMLLLLLLL
CCCCCCCCCCRRRRRRMMMMMMMLLLLLLL
HHHHHHHHHHHHHHHHMMMMMMMLLLLLLL
HHHHHHHHHHHHHHHHMMMMMMMLLLLLLL
HHHHHHHHHHHHHHHHMMMMMMMLLLLLLL
HHHHHHHHHHHHHHHHMMMMMMMLLLLLLL
HHHHHHHHHHHHHHHHMMMMMMMAAAAAAA
HHHHHHHHHHHHHHHHMMMMMMMAAAAAAA
HHHHHHHHHHHHHHHHMMMMMMMAAAAAAA
HHHHHHHHHHHHHHHHMMMMMMMAAAAAAA
HHHHHHHHHHHHHHHHMMMMMMMAAAAAAA
HHHHHHHHHHHHHHHHMMMMMMMAAAAAAA
HHHHHHHHHHHHHHHHMMMMMMMDDDDDDD
HHHHHHHHHHHHHHHHMMMMMMMDDDDDDD
HHHHHHHHHHHHHHHHMMMMMMMDDDDDDD
HHHHHHHHHHHHHHHHMMMMMMMDDDDDDD
HHHHHHHHHHHHHHHHMMMMMMMDDDDDDD
HHHHHHHHHHHHHHHHMMMMMMMDDDDDDD
ssssssssssssssssssssssssssssss
kkkkkkkkkkkkkkkkkkkkkkkkkkkkkk
`},
		{"zoomed", 120, 36, Shape{Focus: Handoffs, Zoomed: true, Lesson: true}, `
tttttttttttt
HHHHHHHHHHHH
HHHHHHHHHHHH
HHHHHHHHHHHH
HHHHHHHHHHHH
HHHHHHHHHHHH
HHHHHHHHHHHH
HHHHHHHHHHHH
HHHHHHHHHHHH
ssssssssssss
kkkkkkkkkkkk
`},
		{"too small", 59, 20, Shape{Focus: Candidates}, `
......
......
......
......
......
......
......
`},
	} {
		if diff := cmp.Diff(strings.TrimPrefix(c.want, "\n"), sketch(c.w, c.h, c.s)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// The parts fill the screen: every cell belongs to exactly one.
func TestArrangeFills(t *testing.T) {
	for h := MinHeight; h <= 100; h += 1 + h/12 {
		for w := MinWidth; w <= 300; w += 7 {
			for _, s := range shapes() {
				a := Arrange(w, h, s)
				cells := 0
				for _, r := range append(a.Panel[:], a.Belief, a.Brief, a.Header, a.Status, a.Keys) {
					if r.X < 0 || r.Y < 0 || r.X+r.W > w || r.Y+r.H > h {
						t.Fatalf("%dx%d %+v: %+v is outside", w, h, s, r)
					}
					cells += r.W * r.H
				}
				if cells != w*h {
					t.Fatalf("%dx%d %+v: %d cells of %d are used", w, h, s, cells, w*h)
				}
				if h%3 == 0 && strings.Contains(sketch(w, h, s), "!") {
					t.Fatalf("%dx%d %+v: parts overlap", w, h, s)
				}
				if l := a.Panel[Lesson]; s.Lesson && !s.Zoomed && w < AsideFrom && 2*l.H > h-3 {
					t.Fatalf("%dx%d %+v: the lesson takes more than half of the screen", w, h, s)
				}
				if s.Zoomed {
					continue
				}
				if w >= AsideFrom && (a.Panel[Handoffs].Empty() || s.Lesson == a.Panel[Lesson].Empty() || s.Messages == a.Panel[Messages].Empty()) {
					t.Fatalf("%dx%d %+v: a panel is hidden on a very wide screen: %+v", w, h, s, a.Panel)
				}
			}
		}
	}
}

// shapes are all that an arrangement can depend on.
func shapes() []Shape {
	var out []Shape
	for focus := range Panels {
		for _, zoomed := range []bool{false, true} {
			for _, lesson := range []bool{false, true} {
				for _, workers := range []bool{false, true} {
					for _, messages := range []bool{false, true} {
						for _, rows := range []int{5, 300} {
							for _, live := range []bool{false, true} {
								s := Shape{focus, zoomed, lesson, workers, messages, rows, live && !lesson, live && rows == 5}
								if focus.shownOn(MinWidth, MinHeight, s) || focus.shownOn(300, 100, s) {
									out = append(out, s)
								}
							}
						}
					}
				}
			}
		}
	}
	return out
}
