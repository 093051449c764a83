package wording

import (
	"fmt"
	"strconv"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/term"
)

func slowed(s *doctor.State) string {
	switch p := s.Pace; {
	case p == nil:
		return ""
	case p.Steps:
		return "step by step"
	case p.Delay > 0:
		return "slow " + units.Exact(p.Delay)
	}
	return ""
}

func heldMessages(s *doctor.State) (n int, next string) {
	p := s.Pace
	if p == nil {
		return 0, ""
	}
	if len(p.Held) > 0 {
		next = Addressed(s, &p.Held[0])
	}
	return max(p.Waiting, len(p.Held)), next
}

// Addressed describes a message of the server and its receiver: "the reply to birch, getChildren".
func Addressed(s *doctor.State, m *model.Message) string {
	to := " to " + ownerOf(s, m.Session) + ", "
	if Notifies(m) {
		return "the notification" + to + News(s, m)
	}
	text := "the reply" + to + znode.Safe(m.Op, 24)
	if m.Path != "" && m.Path != s.Path {
		text += " " + nodeOf(s, m)
	}
	if m.Err != "" {
		text += ": " + znode.Safe(m.Err, 40)
	}
	return text
}

// News returns the content of a notification: "n_12 deleted".
func News(s *doctor.State, m *model.Message) string {
	switch {
	case m.Path == "":
		return "its connection changed"
	case m.Event == "children":
		return "the children of " + nodeOf(s, m) + " changed"
	}
	return nodeOf(s, m) + " " + znode.Safe(m.Event, 12)
}

func nodeOf(s *doctor.State, m *model.Message) string {
	name := znode.Base(m.Path)
	if _, ok := znode.Sequence(name); ok && m.Path != s.Path {
		return ShortZnode(name) // shortens the whole name, because the number is at its end
	}
	return znode.Safe(name, 24)
}

// Notifies reports whether a message is a notification, not a reply.
func Notifies(m *model.Message) bool { return m.Op == model.Notification }

// PaceSpans returns the pace and the number of held messages, for a panel's title.
func PaceSpans(s *doctor.State) []term.Span {
	words := slowed(s)
	if words == "" {
		return nil
	}
	n, _ := heldMessages(s)
	if n == 0 {
		return []term.Span{{Style: term.You, Text: words + "   ", Keep: 9}}
	}
	return []term.Span{{Style: term.You, Text: words, Keep: 9}, {Style: term.You, Text: ", " + strconv.Itoa(n) + " held   ", Keep: 8}}
}

// PaceLine describes the held messages, "" if the server does not go step by step.
func PaceLine(s *doctor.State) string {
	if s.Pace == nil || !s.Pace.Steps {
		return ""
	}
	silent := func(c *dialect.Candidate) bool { m := s.Member(c); return m != nil && m.Fault != model.NoFault }
	switch n, next := heldMessages(s); {
	case n > 0 && next == "":
		return strconv.Itoa(n) + " held"
	case n > 0:
		return strconv.Itoa(n) + " held: next (.) is " + next
	case s.Queue.Index(silent) >= 0:
		return "No message is held: press . to skip the wait"
	}
	return "No message is held"
}

// OnTheWay counts the known held notifications of node's deletion, except those to node's own session.
func OnTheWay(s *doctor.State, node *dialect.Candidate) int {
	n := 0
	if s.Pace != nil {
		for i := range s.Pace.Held {
			if m := &s.Pace.Held[i]; Notifies(m) && m.Event == "deleted" && znode.Base(m.Path) == node.Name && m.Session != node.Session {
				n++
			}
		}
	}
	return n
}

// Share formats part of a whole in percent, "" for an empty whole. It is 100 only if nothing is missing.
func Share(part, whole time.Duration) string {
	if whole <= 0 {
		return ""
	}
	if part >= whole {
		return "100 %"
	}
	return fmt.Sprintf("%.1f %%", float64(int64(float64(part)/float64(whole)*1000))/10)
}

// ShortSession returns a session id in at most seven cells: 0xa1, 1…00a1. It keeps the last digits and
// the high byte, which is the id of the server that created the session.
func ShortSession(id uint64) string {
	var room [16]byte
	return string(AppendShortSession(room[:0], id))
}

// AppendShortSession appends the text of [ShortSession].
func AppendShortSession(to []byte, id uint64) []byte {
	switch {
	case id == 0:
		return append(to, '-')
	case id < 1<<20:
		return znode.AppendHex(to, id)
	}
	to = append(strconv.AppendUint(to, id>>56, 16), "…"...)
	for digit := 12; digit >= 0; digit -= 4 {
		to = append(to, "0123456789abcdef"[id>>digit&0xf])
	}
	return to
}

// BytesOf formats a size: 310 B, 1.9 kB, 12.3 MB.
func BytesOf(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(max(0, n), 10) + " B"
	case n < 1e6:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
