package mainscreen

import (
	"time"

	"electop/ui/term"
)

const (
	TroubleShown = 15 * time.Second // time for a message in the style term.Trouble
	usualShown   = 5 * time.Second  // time for a message in any other style
)

// Message is the last message of the status line. It is shown for some seconds.
type Message struct {
	style term.Style
	text  string
	until time.Time // zero: there is no message
}

// NewMessage returns a message. The time for which it is shown begins at now.
func NewMessage(st term.Style, text string, now time.Time) Message {
	keep := usualShown
	if st == term.Trouble {
		keep = TroubleShown
	}
	return Message{st, text, now.Add(keep)}
}

// Text returns the text to draw; ok is false if there is nothing to draw.
func (l *Message) Text(f *term.Frame) (st term.Style, text string, ok bool) {
	if !l.until.After(f.Now) {
		return 0, "", false
	}
	f.At(l.until)
	return l.style, l.text, true
}

// DrawStatus draws the status line.
func DrawStatus(f *term.Frame, r term.Rect, st term.Style, text string) {
	p := f.Area(r).Pen(0).Gap(1)
	p.Text(st, term.Cut(text, p.Room()-1))
}
