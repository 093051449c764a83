// Package overlay is what comes in front of the panels, and the texts that the panels
// are: a text that may be longer than its place, and a list of what can be done.
//
// Both are settled before they are drawn: they take what they show and their place, keys
// move by what is in view then, and drawing changes nothing. A [Panel] is a text with its
// box, a [Pager] a text in a part of a panel. A [List] is the list of actions, narrowed by
// what is typed, the faults of one candidate, or the menu of lessons: what is selected says
// what it does, or why it cannot be done now.
package overlay

import (
	"fmt"

	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"electop/model/znode"
	"electop/ui/input"
	"electop/ui/term"
)

// Pager is a text and the part of it that is in view.
type Pager struct {
	lines       [][]term.Span
	top, height int
}

// Settle takes a text and the height of its place. What was in view stays in
// view as far as possible.
func (p *Pager) Settle(lines [][]term.Span, height int) {
	p.lines, p.height = lines, max(1, height)
	p.From(p.top)
}

// From scrolls such that a line, from 0, is the first in view, or the end of the text
// comes into view.
func (p *Pager) From(line int) { p.top = max(0, min(line, len(p.lines)-p.height)) }

// Move scrolls the text.
func (p *Pager) Move(do input.Command) { p.From(input.Moved(do, p.top, len(p.lines), p.height)) }

// Top scrolls to the beginning of the text.
func (p *Pager) Top() { p.top = 0 }

// Long reports whether the text is longer than its place.
func (p *Pager) Long() bool { return len(p.lines) > p.height }

// AtBottom reports whether the end of the text is in view.
func (p *Pager) AtBottom() bool { return p.top+p.height >= len(p.lines) }

// InView are the numbers, from 1, of the first and the last line in view of a
// long text, and how many there are.
func (p *Pager) InView() (first, last, of int) { return p.top + 1, p.top + p.height, len(p.lines) }

// Draw draws the lines in view.
func (p *Pager) Draw(a term.Area) {
	for y, l := range p.lines[p.top:min(p.top+p.height, len(p.lines))] {
		a.Pen(y).Gap(1).Spans(l)
	}
}

// Text is what a panel shows.
type Text struct {
	Title string
	Key   string // shows all of it; "": the panel has the focus, and is scrolled
	Lines [][]term.Span
}

// Panel is a text in a box.
type Panel struct {
	Pager
	title, key string
	place      term.Rect
}

// Settle gives the text its place.
func (t *Panel) Settle(place term.Rect, x Text) {
	t.title, t.key, t.place = x.Title, x.Key, place
	t.Pager.Settle(x.Lines, place.H-2)
}

// Click selects nothing: a text is only read.
func (t *Panel) Click(any) (again bool) { return false }

// Draw draws the text, as much of it as there is room for.
func (t *Panel) Draw(f *term.Frame) {
	f.Blank(t.place)
	var tail []term.Span
	if t.Long() {
		first, last, of := t.InView()
		words := fmt.Sprintf("%d-%d of %d, j k scroll", first, last, of)
		if t.key != "" {
			words = t.key + " shows all"
		}
		tail = append(tail, term.Span{Style: term.Muted, Text: words})
	}
	t.Pager.Draw(f.Box(t.place, t.title, t.key == "", tail...))
}

// Invitation is one way in which programs from elsewhere join the election.
type Invitation struct {
	Program string // "electop", "kazoo (Python)"
	Line    string // to be typed or pasted
}

// Join is how programs from elsewhere take part, on lines of that width. open says that they
// can do so from other machines, cannot why nobody can join, "" if they can.
func Join(width int, all []Invitation, open bool, cannot string) Text {
	const indent, lineMax = 2, 2000 // of the lines to paste: they are programs, of a line
	text := Text{Title: "Join this election"}
	say := func(st term.Style, indent int, s string) {
		for _, part := range term.Wrap(s, width-indent) {
			text.Lines = append(text.Lines, []term.Span{{Text: term.Blanks(indent)}, {Style: st, Text: part}})
		}
	}
	if cannot != "" {
		say(term.Text, 0, cannot)
		return text
	}
	broken := false
	for i, x := range all {
		if i > 0 {
			text.Lines = append(text.Lines, nil)
		}
		line := znode.Safe(x.Line, lineMax)
		broken = broken || term.Width(line) > width-indent
		say(term.Heading, 0, znode.Safe(x.Program, znode.NameMax))
		say(term.Strong, indent, line)
	}
	text.Lines = append(text.Lines, nil)
	if broken {
		say(term.Muted, 0, "A line that is wrapped here is one line. A wider screen shows it whole.")
	}
	if open {
		say(term.Trouble, 0, "The address is open to the network: anybody who reaches this machine can join and write to its ZooKeeper.")
	} else {
		say(term.Muted, 0, "Only programs on this machine reach the address. electop demo --listen 0.0.0.0:2181 opens it to others.")
	}
	say(term.Muted, 0, "Third-party candidates appear with their address. You can watch them but not kill them.")
	return text
}

// Typed is a line of text as it is typed.
type Typed struct{ in textinput.Model }

// NewTyped returns an empty line.
func NewTyped() Typed {
	in := textinput.New()
	in.CharLimit = znode.NameMax
	in.Focus()
	return Typed{in}
}

// Set replaces the text.
func (l *Typed) Set(text string) {
	l.in.SetValue(text)
	l.in.CursorEnd()
}

// Edit changes the text as a key says. The commands that textinput asks for
// are not run: they blink, or read the clipboard, which the terminal pastes.
func (l *Typed) Edit(msg tea.KeyMsg) {
	if msg.Alt {
		return // a letter with alt is not text; alt-d ends textinput in a panic
	}
	msg.Runes = []rune(znode.Safe(string(msg.Runes), znode.NameMax))
	l.in, _ = l.in.Update(msg)
}

// Text is what was typed.
func (l *Typed) Text() string { return l.in.Value() }

// Draw draws the text with its cursor after a prompt.
func (l *Typed) Draw(f *term.Frame, p *term.Pen, prompt string) {
	text, at := []rune(l.Text()), l.in.Position()
	p.Gap(1).Text(term.Key, prompt).Text(term.You, znode.Safe(string(text[:at]), znode.NameMax)).
		Text(term.You, f.Theme.Glyph.Cursor).Text(term.You, znode.Safe(string(text[at:]), znode.NameMax))
}
