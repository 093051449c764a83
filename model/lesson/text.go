package lesson

import (
	"fmt"
	"strconv"
	"strings"

	"electop/model"
	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
)

// Placeholders are written in braces: {leader} is a role's name, {seq of leader} the
// number of its znode. A literal brace is written twice: {{. The other
// placeholders are those of plain, which are always known, and those of
// happened, which are known in [Part.After] and in verdicts.
const (
	seqOf = "seq of "

	phCount    = "count"    // contenders
	phWaiting  = "waiting"  // all but the leader
	phNextSeq  = "next seq" // what the next volunteer gets
	phTimeout  = "timeout"  // of the candidates' sessions
	phWinner   = "winner"   // who leads
	phSilent   = "silent"   // of the handoff
	phTakeover = "takeover"
	phNotified = "notified" // of the wake: "1 candidate", "3 requests", "840 bytes"
	phRequests = "requests"
	phBytes    = "bytes"
	phStale    = "stale writes"
	phTotal    = "watches" // of the servers' table: "9", of which on znodes, and on lists
	phData     = "data watches"
	phLists    = "list watches"
)

var (
	plain    = []string{phCount, phWaiting, phNextSeq, phTimeout}
	happened = []string{phWinner, phSilent, phTakeover, phNotified, phRequests, phBytes, phStale, phTotal, phData, phLists}
)

// placeholders returns what stands in braces.
func placeholders(text string) (found []string, err error) {
	_, err = replace(text, func(name string) (string, bool) {
		found = append(found, name)
		return "", true
	})
	return found, err
}

// replace puts f's values in the place of placeholders.
func replace(text string, f func(name string) (value string, ok bool)) (string, error) {
	var out strings.Builder
	for {
		i := strings.IndexByte(text, '{')
		if i < 0 {
			out.WriteString(text)
			return out.String(), nil
		}
		out.WriteString(text[:i])
		text = text[i+1:]
		if strings.HasPrefix(text, "{") {
			out.WriteByte('{')
			text = text[1:]
			continue
		}
		name, rest, closed := strings.Cut(text, "}")
		if !closed {
			return "", fmt.Errorf("missing } before %q", text)
		}
		value, ok := f(name)
		if !ok {
			return "", fmt.Errorf("unknown placeholder {%s}", name)
		}
		out.WriteString(value)
		text = rest
	}
}

// roleOf returns the role that a placeholder is about.
func roleOf(name string) (role Role, seq, ok bool) {
	rest, seq := strings.CutPrefix(name, seqOf)
	role = Role(rest)
	return role, seq, lacking[role] != ""
}

// words are the values of placeholders.
type words struct{ r *Run }

func (r *Run) words() words { return words{r} }

// fill returns a text that [Lesson.Check] found good, with its values.
func (w words) fill(text string) string {
	if !strings.Contains(text, "{") {
		return text
	}
	out, err := replace(text, func(name string) (string, bool) { return w.value(name), true })
	if err != nil {
		return text
	}
	return out
}

// value returns what a placeholder stands for.
func (w words) value(name string) string {
	c, s := w.r.cast, w.r.state
	const unknown = "unknown"
	if role, seq, ok := roleOf(name); ok {
		a := c.found[role]
		if role == Newcomer {
			a = w.r.seen.newcomer
		}
		switch {
		case a.label == "":
			return "nobody"
		case seq:
			return a.seq
		}
		return a.label
	}
	switch name {
	case phCount:
		return strconv.Itoa(c.count)
	case phWaiting:
		return strconv.Itoa(max(0, c.count-1))
	case phNextSeq:
		if c.next >= 0 {
			return strconv.FormatInt(c.next, 10)
		}
	case phTimeout:
		for _, m := range s.Members {
			if m.Timeout > 0 {
				return units.Exact(m.Timeout)
			}
		}
	case phWinner:
		if l := s.Leader(); l != nil {
			return znode.Safe(l.Label(), nameMax)
		}
		return "nobody"
	case phSilent, phTakeover:
		if h := w.r.seen.handoff; h != nil {
			return handoffWord(s, h, name)
		}
	case phNotified, phRequests, phBytes:
		if x := w.r.seen.wake; x != nil {
			return wakeWord(x, name)
		}
	case phStale:
		return units.Count(w.r.seen.stale, "stale write", "stale writes")
	case phTotal, phData, phLists:
		if total, data, ok := watchCounts(s.Table); ok {
			return strconv.Itoa(map[string]int{phTotal: total, phData: data, phLists: total - data}[name])
		}
	}
	return unknown
}

func handoffWord(s *doctor.State, h *model.Handoff, name string) string {
	switch {
	case name == phTakeover && h.Takeover != nil:
		return units.Took(*h.Takeover)
	case name == phTakeover && h.To != nil && s.Acknowledged() && s.Leader().ID() == h.To.ID(): // later than the journal waited for it
		return "more than " + units.Exact(model.AckWait)
	case name == phSilent && h.Silent != nil:
		return units.Took(*h.Silent)
	}
	return "an unknown time"
}

func wakeWord(w *model.Woken, name string) string {
	switch name {
	case phNotified:
		return units.Count(len(w.Notified), "candidate", "candidates")
	case phRequests:
		return units.Count(w.Requests, "request", "requests")
	}
	return units.Count(w.BytesIn+w.BytesOut, "byte", "bytes")
}
