// Package overlay has texts and lists, in front of the panels or as a panel.
//
// Settle gives a text or list its contents and its place. Keys scroll or select within this place.
// Draw does not change the text or list. A [Pager] is a text that may be longer than its place. A
// [Panel] is a pager in a box. A [List] has actions, commands or lessons.
package overlay

import (
	"fmt"

	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"electop/model/units"
	"electop/model/znode"
	"electop/ui/input"
	"electop/ui/term"
)

// Pager shows a part of a text.
type Pager struct {
	lines       [][]term.Span
	top, height int
}

// Settle gives the pager its text and height. The first line in view stays if possible.
func (p *Pager) Settle(lines [][]term.Span, height int) {
	p.lines, p.height = lines, max(1, height)
	p.From(p.top)
}

// From scrolls to a line, counted from 0, but not beyond the end of the text.
func (p *Pager) From(line int) { p.top = max(0, min(line, len(p.lines)-p.height)) }

// Move scrolls the text.
func (p *Pager) Move(do input.Command) { p.From(input.Moved(do, p.top, len(p.lines), p.height)) }

// Long reports whether the text is longer than its place.
func (p *Pager) Long() bool { return len(p.lines) > p.height }

// AtBottom reports whether the end of the text is in view.
func (p *Pager) AtBottom() bool { return p.top+p.height >= len(p.lines) }

// InView returns the first and last line in view, counted from 1, and the number of lines.
func (p *Pager) InView() (first, last, of int) {
	return p.top + 1, min(p.top+p.height, len(p.lines)), len(p.lines)
}

// Draw draws the lines in view.
func (p *Pager) Draw(a term.Area) {
	for y, l := range p.lines[p.top:min(p.top+p.height, len(p.lines))] {
		a.Pen(y).Gap(1).Spans(l)
	}
}

// Text is the contents of a panel.
type Text struct {
	Title string
	Key   string // key that shows the whole text; "": the panel has the focus, and can be scrolled
	Lines [][]term.Span
}

// Panel is a text in a box.
type Panel struct {
	Pager
	title, key string
	place      term.Rect
}

// Settle gives the panel its place and its text.
func (t *Panel) Settle(place term.Rect, x Text) {
	t.title, t.key, t.place = x.Title, x.Key, place
	t.Pager.Settle(x.Lines, place.H-2)
}

// Click does nothing, because a text has no selection.
func (t *Panel) Click(any) (again bool) { return false }

// Draw draws the panel.
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

// Invitation is a command line with which another program joins the election.
type Invitation struct {
	Program string // "electop", "kazoo (Python)"
	Line    string // command line to type or paste
}

// Join returns the text on how other programs join. If open is true, other machines reach the address.
func Join(width int, all []Invitation, open bool, joined []string, cannot string) Text {
	const indent, lineMax = 2, 2000 // of an invitation's line
	text := Text{Title: "Join this election"}
	add := func(st term.Style, indent int, s string) {
		for _, part := range term.Wrap(s, width-indent) {
			text.Lines = append(text.Lines, []term.Span{{Text: term.Blanks(indent)}, {Style: st, Text: part}})
		}
	}
	if cannot != "" {
		add(term.Text, 0, cannot)
		return text
	}
	broken := false
	for i, x := range all {
		if i > 0 {
			text.Lines = append(text.Lines, nil)
		}
		line := znode.Safe(x.Line, lineMax)
		broken = broken || term.Width(line) > width-indent
		add(term.Heading, 0, znode.Safe(x.Program, znode.NameMax))
		add(term.Strong, indent, line)
	}
	text.Lines = append(text.Lines, nil)
	if broken {
		add(term.Muted, 0, "A line may be wrapped here: enter it as one line. A wider screen shows it whole.")
	}
	if open {
		add(term.Trouble, 0, "The address is open to the network: anybody who reaches this machine can join and write to its ZooKeeper.")
	} else {
		add(term.Muted, 0, "Only programs on this machine reach the address. electop demo --listen 0.0.0.0:2181 opens it to others.")
	}
	add(term.Muted, 0, "Enter the lines unchanged: only then kazoo and Curator queue behind all candidates.")
	add(term.Muted, 0, "Third-party candidates appear with their address. You can watch them but not kill them.")
	if len(joined) > 0 {
		text.Lines = append(text.Lines, nil)
		add(term.Heading, 0, units.Count(len(joined), "third-party candidate", "third-party candidates")+" now")
		for _, line := range joined {
			add(term.Text, indent, line)
		}
	}
	return text
}

// Typed is a line of text that the user types.
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

// Edit applies a key. Edit ignores textinput's commands, which blink the cursor or read the clipboard.
func (l *Typed) Edit(msg tea.KeyMsg) {
	if msg.Alt {
		return // a key with alt is not text; alt-d on the last letter makes textinput panic
	}
	msg.Runes = []rune(znode.Safe(string(msg.Runes), znode.NameMax))
	l.in, _ = l.in.Update(msg)
}

// Text returns the typed text.
func (l *Typed) Text() string { return l.in.Value() }

// Draw draws the text with its cursor after a prompt.
func (l *Typed) Draw(f *term.Frame, p *term.Pen, prompt string) {
	text, at := []rune(l.Text()), l.in.Position()
	p.Gap(1).Text(term.Key, prompt).Text(term.You, znode.Safe(string(text[:at]), znode.NameMax)).
		Text(term.You, f.Theme.Glyph.Cursor).Text(term.You, znode.Safe(string(text[at:]), znode.NameMax))
}
