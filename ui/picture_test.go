package ui

import (
	"cmp"
	"flag"
	"fmt"
	"html"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"electop/ui/term"
)

const readmePicture = "../.github/screen.svg"

func TestPicture(t *testing.T) {
	sm := samples()["killed"]()
	sm.o.Renderer = profileRenderer(termenv.TrueColor)
	got := drawSVG(show(sm, 120, 30, term.Dark).View())
	if update := flag.Lookup("update"); update != nil && update.Value.String() == "true" {
		if err := os.WriteFile(readmePicture, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(readmePicture)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is outdated: run go test ./ui -run TestPicture -update", readmePicture)
	}
}

const (
	cellWide, cellHigh = 8, 17
	pictureMargin      = 12
	pictureText        = "#d5d9e0"
	pictureBack        = "#14171c"
)

type svgLook struct {
	fg, bg               string
	bold, faint, reverse bool
}

// drawSVG draws box-drawing and block characters as shapes, and fits words to cells, because the viewer's font is unknown.
func drawSVG(frame string) string {
	lines := strings.Split(frame, "\n")
	wide := 0
	for _, line := range lines {
		wide = max(wide, ansi.StringWidth(line))
	}
	w, h := wide*cellWide+2*pictureMargin, len(lines)*cellHigh+2*pictureMargin
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" `, w, h)
	out.WriteString(`font-family="ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="13">` + "\n")
	fmt.Fprintf(&out, `<rect width="%d" height="%d" rx="8" fill="%s"/>`+"\n", w, h, pictureBack)
	for i, line := range lines {
		drawSVGLine(&out, pictureMargin+i*cellHigh, line)
	}
	out.WriteString("</svg>\n")
	return out.String()
}

func drawSVGLine(out *strings.Builder, y int, line string) {
	x, look := pictureMargin, svgLook{}
	for line != "" {
		if strings.HasPrefix(line, "\x1b[") {
			codes, rest, _ := strings.Cut(line[2:], "m")
			look, line = lookOf(codes), rest
			continue
		}
		run, _, _ := strings.Cut(line, "\x1b")
		line = line[len(run):]
		wide := ansi.StringWidth(run) * cellWide
		if _, bg := look.colours(); bg != "" {
			fmt.Fprintf(out, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n", x, y, wide, cellHigh, bg)
		}
		drawSVGRun(out, x, y, look, run)
		x += wide
	}
}

func drawSVGRun(out *strings.Builder, x, y int, look svgLook, run string) {
	words, start, signs := "", x, strings.Builder{}
	flush := func() {
		if text := strings.TrimRight(words, " "); text != "" {
			fmt.Fprintf(out, `<text x="%d" y="%d" textLength="%d"%s>%s</text>`+"\n",
				start, y+13, len(text)*cellWide, look.attributes(), html.EscapeString(text))
		}
		words = ""
	}
	for run != "" {
		g, w := ansi.FirstGraphemeCluster(run, ansi.GraphemeWidth)
		run = run[len(g):]
		shape := svgShapes[g]
		switch {
		case shape != "":
			flush()
			fmt.Fprintf(&signs, shape, x, y, x+cellWide/2, y+cellHigh/2, y+cellHigh)
		case len(g) > 1:
			flush()
			fmt.Fprintf(out, `<text x="%d" y="%d" text-anchor="middle"%s>%s</text>`+"\n", x+w*cellWide/2, y+13, look.attributes(), g)
		case g == " " && (words == "" || strings.HasSuffix(words, " ")):
			flush()
		default:
			if words == "" {
				start = x
			}
			words += g
		}
		x += w * cellWide
	}
	flush()
	if fg, _ := look.colours(); signs.Len() > 0 {
		fmt.Fprintf(out, `<g%s stroke="%s">%s</g>`+"\n", look.attributes(), fg, signs.String())
	}
}

// svgShapes holds formats of a cell's left, top, centre x, centre y and bottom.
var svgShapes = map[string]string{
	"─": `<path d="M%[1]d %[4]dh8" fill="none"/>`,
	"│": `<path d="M%[3]d %[2]dv17" fill="none"/>`,
	"╭": `<path d="M%[3]d %[5]dv-5q0-4 4-4" fill="none"/>`,
	"╮": `<path d="M%[1]d %[4]dq4 0 4 4v5" fill="none"/>`,
	"╰": `<path d="M%[3]d %[2]dv4q0 4 4 4" fill="none"/>`,
	"╯": `<path d="M%[1]d %[4]dq4 0 4-4v-4" fill="none"/>`,
	"█": `<rect x="%[1]d" y="%[2]d" width="8" height="17" opacity="1" stroke="none"/>`,
	"▒": `<rect x="%[1]d" y="%[2]d" width="8" height="17" opacity=".5" stroke="none"/>`,
	"░": `<rect x="%[1]d" y="%[2]d" width="8" height="17" opacity=".25" stroke="none"/>`,
}

func lookOf(codes string) svgLook {
	var l svgLook
	all := strings.Split(codes, ";")
	for i := 0; i < len(all); i++ {
		switch all[i] {
		case "1":
			l.bold = true
		case "2":
			l.faint = true
		case "7":
			l.reverse = true
		case "38", "48":
			colour := &l.fg
			if all[i] == "48" {
				colour = &l.bg
			}
			*colour = "#"
			for _, part := range all[i+2 : i+5] {
				n, _ := strconv.Atoi(part)
				*colour += fmt.Sprintf("%02x", n)
			}
			i += 4
		}
	}
	return l
}

func (l svgLook) colours() (fg, bg string) {
	if fg, bg = cmp.Or(l.fg, pictureText), l.bg; l.reverse {
		fg, bg = cmp.Or(bg, pictureBack), fg
	}
	return fg, bg
}

func (l svgLook) attributes() string {
	fg, _ := l.colours()
	s := fmt.Sprintf(` fill="%s"`, fg)
	if l.bold {
		s += ` font-weight="bold"`
	}
	if l.faint {
		s += ` opacity=".6"`
	}
	return s
}
