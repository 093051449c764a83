package join

import (
	"electop/model/znode"
	"electop/ui/pager"
	"electop/ui/rows"
	"electop/ui/term"
)

// joinIndent is that of the lines to paste.
const joinIndent = 2

// lineMax bounds them: they are programs, of a line.
const lineMax = 2000

// Invitation is one way in which programs from elsewhere join the election.
type Invitation struct {
	Program string // "electop", "kazoo (Python)"
	Line    string // to be typed or pasted
}

// Panel is how programs from elsewhere take part.
type Panel struct {
	Invitations []Invitation
	Open        bool   // they can do so from other machines
	Cannot      string // why nobody can join, "" if they can
}

// Text is how programs from elsewhere take part, on lines of that width.
func (v *Panel) Text(inside int) pager.Text {
	var lines [][]term.Span
	say := func(st term.Style, indent int, text string) {
		for _, part := range term.Wrap(text, inside-indent) {
			lines = append(lines, []term.Span{{Text: term.Blanks(indent)}, {Style: st, Text: part}})
		}
	}
	if v.Cannot != "" {
		say(term.Text, 0, v.Cannot)
	} else {
		broken := false
		for i, x := range v.Invitations {
			if i > 0 {
				lines = append(lines, nil)
			}
			text := znode.Safe(x.Line, lineMax)
			broken = broken || term.Width(text) > inside-joinIndent
			say(term.Heading, 0, znode.Safe(x.Program, rows.NameMax))
			say(term.Strong, joinIndent, text)
		}
		lines = append(lines, nil)
		if broken {
			say(term.Muted, 0, "A line that is wrapped here is one line. A wider screen shows it whole.")
		}
		if v.Open {
			say(term.Trouble, 0, "The address is open to the network: anybody who reaches this machine can join and write to its ZooKeeper.")
		} else {
			say(term.Muted, 0, "Only programs on this machine reach the address. electop demo --listen 0.0.0.0:2181 opens it to others.")
		}
		say(term.Muted, 0, "Third-party candidates appear with their address. You can watch them but not kill them.")
	}
	return pager.Text{Title: "Join this election", Lines: lines}
}
