package ui

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sketch draws an arrangement at a tenth of its width and half its height,
// with a letter for each part.
func sketch(w, h int, focus panel) string {
	a := arrange(w, h, focus)
	parts := []struct {
		r    rect
		name byte
	}{{a.header, 't'}, {a.panel[panelCandidates], 'C'}, {a.panel[panelRecipe], 'R'}, {a.panel[panelHandoffs], 'H'}, {a.status, 's'}, {a.keys, 'k'}}
	var b strings.Builder
	for y := 0; y < h; y++ {
		if y > 0 && y < h-2 && y%4 != 2 {
			continue
		}
		for x := 5; x < w; x += 10 {
			c := byte('.')
			for _, p := range parts {
				if x >= p.r.x && x < p.r.x+p.r.w && y >= p.r.y && y < p.r.y+p.r.h {
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
		name  string
		w, h  int
		focus panel
		want  string
	}{
		{"smallest", 60, 20, panelCandidates, `
tttttt
CCCCCC
CCCCCC
CCCCCC
HHHHHH
ssssss
kkkkkk
`},
		{"handoffs in focus", 80, 24, panelHandoffs, `
tttttttt
CCCCCCCC
CCCCCCCC
CCCCCCCC
HHHHHHHH
HHHHHHHH
ssssssss
kkkkkkkk
`},
		{"recipe in focus", 80, 24, panelRecipe, `
tttttttt
RRRRRRRR
RRRRRRRR
RRRRRRRR
RRRRRRRR
RRRRRRRR
ssssssss
kkkkkkkk
`},
		{"wide", 120, 36, panelHandoffs, `
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
		{"too small", 59, 20, panelCandidates, `
......
......
......
......
......
......
......
`},
	} {
		if diff := cmp.Diff(strings.TrimPrefix(c.want, "\n"), sketch(c.w, c.h, c.focus)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// The parts fill the screen: every cell belongs to exactly one.
func TestArrangeFills(t *testing.T) {
	for h := minHeight; h <= 100; h++ {
		for w := minWidth; w <= 300; w += 7 {
			for focus := range panels {
				a := arrange(w, h, focus)
				cells := 0
				for _, r := range append(a.panel[:], a.header, a.status, a.keys) {
					if r.x < 0 || r.y < 0 || r.x+r.w > w || r.y+r.h > h {
						t.Fatalf("%dx%d: %+v is outside", w, h, r)
					}
					cells += r.w * r.h
				}
				if cells != w*h {
					t.Fatalf("%dx%d: %d cells of %d are used", w, h, cells, w*h)
				}
				if strings.Contains(sketch(w, h, focus), "!") {
					t.Fatalf("%dx%d: parts overlap", w, h)
				}
			}
		}
	}
}
