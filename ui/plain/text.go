package plain

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"electop/model"
)

// Line returns an event as one line of text for people, times in loc.
func Line(e model.Event, loc *time.Location) string {
	at := e.At.In(loc).Format("15:04:05.000")
	line := func(kind, format string, args ...any) string {
		return fmt.Sprintf("%s  %-10s  %s", at, kind, fmt.Sprintf(format, args...))
	}
	switch b := e.Body.(type) {
	case model.Snapshot:
		s := b.State
		switch {
		case s.Phase == model.NoParent:
			return line("state", "%s does not exist (yet)", model.Safe(s.Path, 0))
		case s.Leader() == nil:
			return line("state", "nobody stands in %s", model.Safe(s.Path, 0))
		}
		return line("state", "%s leads, %d waiting", Who(s.Leader()), len(s.Queue)-1)
	case model.Joined:
		return line("joined", "%s", child(b.Candidate, b.Ignored))
	case model.Left:
		return line("left", "%s", child(b.Candidate, b.Ignored))
	case model.Handoff:
		return line("handoff", "%s -> %s%s", Who(b.From), Who(b.To), handoffNotes(b))
	case model.Missed:
		if !b.Known {
			return line("missed", "an unknown number of changes")
		}
		return line("missed", "%d creates, %d deletes", b.Creates, b.Deletes)
	case model.LinkChanged:
		s := string(b.Link)
		if b.Server != "" {
			s += "  " + model.Safe(b.Server, 0)
		}
		if b.Session != 0 {
			s += "  session " + model.Hex(b.Session)
		}
		return line("connection", "%s", s)
	}
	panic("plain: unknown event") // the sum is closed
}

func handoffNotes(h model.Handoff) string {
	var b strings.Builder
	if h.From != nil {
		b.WriteString("  " + CauseText(h.Cause))
	}
	for _, d := range []struct {
		name  string
		value *time.Duration
	}{{"silent", h.Silent}, {"takeover", h.Takeover}, {"vacant", h.Vacant}} {
		if d.value != nil {
			fmt.Fprintf(&b, "  %s %s", d.name, Span(*d.value))
		}
	}
	if h.Fence != 0 {
		b.WriteString("  fence " + model.Zxid(h.Fence))
	}
	return b.String()
}

// CauseText says why a leader's znode went.
func CauseText(c model.Cause) string {
	switch c {
	case model.CauseExpired:
		return "session expired"
	case model.CauseClosed:
		return "session closed"
	case model.CauseResigned:
		return "resigned"
	}
	return "cause unknown"
}

// Who names a candidate in a line of text: its label and its sequence.
func Who(c *model.Candidate) string {
	if c == nil {
		return "nobody"
	}
	label := c.Label()
	if label == c.Name || !c.HasSequence {
		return label
	}
	return fmt.Sprintf("%s (%d)", label, c.Sequence)
}

// Span formats a duration with the digits that matter.
func Span(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.2f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// child is Who for a child that may be no candidate: what that holds says
// nothing of who it is.
func child(c *model.Candidate, ignored bool) string {
	if ignored {
		return model.Safe(c.Name, 0) + "  (no candidate)"
	}
	return Who(c)
}

// StatusText writes a state for people, with one Write.
func StatusText(w io.Writer, s *model.State) error {
	var b bytes.Buffer
	if l := s.Leader(); l != nil {
		fmt.Fprintf(&b, "%s: %s leads, %d waiting\n\n", model.Safe(s.Path, 0), Who(l), len(s.Queue)-1)
	} else {
		fmt.Fprintf(&b, "%s: nobody stands\n\n", model.Safe(s.Path, 0))
	}
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	if len(s.Queue) > 0 {
		fmt.Fprintln(t, "SEQ\tCANDIDATE\tSESSION\tAGE\tWATCHES (inferred)")
	}
	for i, c := range s.Queue {
		watches := "-"
		if n, ok := s.Recipe.Watches(s.Queue, i); ok {
			watches = fmt.Sprint(s.Queue[n].Sequence)
		}
		session := "-"
		if c.Session != 0 {
			session = model.Hex(c.Session)
		}
		age, exact := c.Age(s.At)
		about := "~"
		if exact {
			about = ""
		}
		fmt.Fprintf(t, "%d\t%s\t%s\t%s%s\t%s\n", c.Sequence, c.Label(), session, about, age.Round(time.Second), watches)
	}
	t.Flush() // into memory
	if s.NextSequenceKnown {
		fmt.Fprintf(&b, "\nThe next volunteer gets %d.\n", s.NextSequence)
	}
	switch n := len(s.Ignored); {
	case n == 1:
		fmt.Fprintln(&b, "Another child is no candidate.")
	case n > 1:
		fmt.Fprintf(&b, "%d other children are no candidates.\n", n)
	}
	_, err := w.Write(b.Bytes())
	return err
}
