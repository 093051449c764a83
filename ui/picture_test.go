package ui

import (
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

const pictureFile = "../.github/screen.svg"

// The README's picture is the screen. go test ./ui -run TestPicture -update
// draws it again.
func TestPicture(t *testing.T) {
	sc := scenes()["killed"]()
	sc.o.Renderer = profileRenderer(termenv.TrueColor)
	got := drawSVG(stage(sc, 120, 30, term.Dark).View())
	if update := flag.Lookup("update"); update != nil && update.Value.String() == "true" {
		if err := os.WriteFile(pictureFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(pictureFile)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is not the screen any more: go test ./ui -run TestPicture -update", pictureFile)
	}
}

const (
	cellWide, cellHigh = 8, 17
	pictureMargin      = 12
	pictureText        = "#d5d9e0"
	pictureBack        = "#14171c"
)

// look of a run of cells, as its escape sequence says.
type svgLook struct {
	fg, bg               string
	bold, faint, reverse bool
}

// drawSVG draws a frame with its escape sequences as SVG. Fonts differ in the
// width and height of their cells: lines and blocks are drawn as shapes, and
// text is stretched to its cells.
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
		cells := ansi.StringWidth(run) * cellWide
		if bg := look.background(); bg != "" {
			fmt.Fprintf(out, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n", x, y, cells, cellHigh, bg)
		}
		drawSVGRun(out, x, y, look, run)
		x += cells
	}
}

// drawSVGRun draws text of one look: words in one element each, signs alone.
func drawSVGRun(out *strings.Builder, x, y int, look svgLook, run string) {
	word, start, signs := "", x, strings.Builder{}
	flush := func() {
		if text := strings.TrimRight(word, " "); text != "" {
			fmt.Fprintf(out, `<text x="%d" y="%d" textLength="%d"%s>%s</text>`+"\n",
				start, y+13, len(text)*cellWide, look.attributes(), html.EscapeString(text))
		}
		word = ""
	}
	for run != "" {
		g, w := ansi.FirstGraphemeCluster(run, ansi.GraphemeWidth)
		run = run[len(g):]
		path := svgShape(g, x, y)
		switch {
		case path != "":
			flush()
			signs.WriteString(path)
		case len(g) > 1:
			flush()
			fmt.Fprintf(out, `<text x="%d" y="%d" text-anchor="middle"%s>%s</text>`+"\n", x+w*cellWide/2, y+13, look.attributes(), g)
		case g == " " && (word == "" || strings.HasSuffix(word, " ")):
			flush()
		default:
			if word == "" {
				start = x
			}
			word += g
		}
		x += w * cellWide
	}
	flush()
	if signs.Len() > 0 {
		fmt.Fprintf(out, `<g%s stroke="%s">%s</g>`+"\n", look.attributes(), look.foreground(), signs.String())
	}
}

// svgShape draws the lines and blocks of the screen, whole cells that have to
// touch; "" is for a character of text.
func svgShape(g string, x, y int) string {
	const w, h, r = cellWide, cellHigh, cellWide / 2
	mx, my := x+w/2, y+h/2
	path := func(d string) string { return fmt.Sprintf(`<path d="%s" fill="none"/>`, d) }
	block := func(opacity string) string {
		return fmt.Sprintf(`<rect x="%d" y="%d" width="%d" height="%d" opacity="%s" stroke="none"/>`, x, y, w, h, opacity)
	}
	switch g {
	case "─":
		return path(fmt.Sprintf("M%d %dh%d", x, my, w))
	case "│":
		return path(fmt.Sprintf("M%d %dv%d", mx, y, h))
	case "╭":
		return path(fmt.Sprintf("M%d %dv%dq0-%d %d-%[4]d", mx, y+h, my-y-h+r, r, w-w/2))
	case "╮":
		return path(fmt.Sprintf("M%d %dq%d 0 %[3]d %[3]dv%d", x, my, r, y+h-my-r))
	case "╰":
		return path(fmt.Sprintf("M%d %dv%dq0 %d %[4]d %[4]d", mx, y, my-y-r, r))
	case "╯":
		return path(fmt.Sprintf("M%d %dq%d 0 %[3]d-%[3]dv%d", x, my, r, y+r-my))
	case "█":
		return block("1")
	case "▒":
		return block(".5")
	case "░":
		return block(".25")
	}
	return ""
}

// lookOf reads the codes that the theme writes.
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
			if len(all) < i+5 {
				return l
			}
			colour := "#"
			for _, part := range all[i+2 : i+5] {
				n, _ := strconv.Atoi(part)
				colour += fmt.Sprintf("%02x", n)
			}
			if all[i] == "38" {
				l.fg = colour
			} else {
				l.bg = colour
			}
			i += 4
		}
	}
	return l
}

func (l svgLook) foreground() string {
	fg, bg := l.fg, l.bg
	if fg == "" {
		fg = pictureText
	}
	if l.reverse {
		if bg == "" {
			return pictureBack
		}
		return bg
	}
	return fg
}

// background is "" for the picture's own.
func (l svgLook) background() string {
	if !l.reverse {
		return l.bg
	}
	if l.fg == "" {
		return pictureText
	}
	return l.fg
}

func (l svgLook) attributes() string {
	s := fmt.Sprintf(` fill="%s"`, l.foreground())
	if l.bold {
		s += ` font-weight="bold"`
	}
	if l.faint {
		s += ` opacity=".6"`
	}
	return s
}
