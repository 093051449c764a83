package lesson

import (
	"fmt"
	"strconv"
	"strings"

	"electop/model"
	"electop/model/units"
	"electop/model/znode"
)

// Placeholders are written in braces: {leader} is a role's name, {seq of leader} the
// number of its znode. A literal brace is written twice: {{. All others are in
// values; most of these are known only in [Part.After] and in verdicts.
const seqOf = "seq of "

const unknown = "unknown"

var values = map[string]func(*Run) string{
	"count":    func(r *Run) string { return strconv.Itoa(r.cast.count) }, // contenders
	"waiting":  func(r *Run) string { return strconv.Itoa(max(0, r.cast.count-1)) },
	"next seq": nextSeq,
	"timeout":  timeout,

	"winner":       winner,
	"silent":       silent,
	"takeover":     takeover,
	"notified":     ofWake(func(w *model.Woken) string { return units.Count(len(w.Notified), "candidate", "candidates") }),
	"requests":     ofWake(func(w *model.Woken) string { return units.Count(w.Requests, "request", "requests") }),
	"bytes":        ofWake(func(w *model.Woken) string { return units.Count(w.BytesIn+w.BytesOut, "byte", "bytes") }),
	"stale writes": func(r *Run) string { return units.Count(r.seen.stale, "stale write", "stale writes") },
	"watches":      ofTable(func(total, data int) int { return total }), // of the servers' table
	"data watches": ofTable(func(total, data int) int { return data }),
	"list watches": ofTable(func(total, data int) int { return total - data }),
}

// placeholders returns the names in braces.
func placeholders(text string) (found []string, err error) {
	_, err = replace(text, func(name string) string {
		found = append(found, name)
		return ""
	})
	return found, err
}

// replace puts f's values in the place of placeholders.
func replace(text string, f func(name string) string) (string, error) {
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
		out.WriteString(f(name))
		text = rest
	}
}

// roleOf returns the role that a placeholder is about.
func roleOf(name string) (role Role, seq, ok bool) {
	rest, seq := strings.CutPrefix(name, seqOf)
	role = Role(rest)
	return role, seq, lacking[role] != ""
}

// fill returns a text with the values of its placeholders.
func (r *Run) fill(text string) string {
	out, err := replace(text, r.value)
	if err != nil {
		return text
	}
	return out
}

// value returns what a placeholder stands for.
func (r *Run) value(name string) string {
	role, seq, ok := roleOf(name)
	if !ok {
		return values[name](r)
	}
	a := r.cast.found[role]
	if role == Newcomer {
		a = r.seen.newcomer
	}
	switch {
	case a.label == "":
		return "nobody"
	case seq:
		return a.seq
	}
	return a.label
}

// nextSeq is the number that the next volunteer gets.
func nextSeq(r *Run) string {
	if r.cast.next < 0 {
		return unknown
	}
	return strconv.FormatInt(r.cast.next, 10)
}

// timeout is that of the candidates' sessions.
func timeout(r *Run) string {
	for _, m := range r.state.Members {
		if m.Timeout > 0 {
			return units.Exact(m.Timeout)
		}
	}
	return unknown
}

func winner(r *Run) string {
	if l := r.state.Leader(); l != nil {
		return znode.Safe(l.Label(), nameMax)
	}
	return "nobody"
}

const unknownTime = "an unknown time"

func silent(r *Run) string {
	switch h := r.seen.handoff; {
	case h == nil:
		return unknown
	case h.Silent == nil:
		return unknownTime
	default:
		return units.Took(*h.Silent)
	}
}

func takeover(r *Run) string {
	switch h, s := r.seen.handoff, r.state; {
	case h == nil:
		return unknown
	case h.Takeover != nil:
		return units.Took(*h.Takeover)
	case h.To != nil && s.Acknowledged() && s.Leader().ID() == h.To.ID(): // later than the journal waited for it
		return "more than " + units.Exact(model.AckWait)
	}
	return unknownTime
}

func ofWake(value func(*model.Woken) string) func(*Run) string {
	return func(r *Run) string {
		if r.seen.wake == nil {
			return unknown
		}
		return value(r.seen.wake)
	}
}

func ofTable(value func(total, data int) int) func(*Run) string {
	return func(r *Run) string {
		total, data, ok := watchCounts(r.state.Table)
		if !ok {
			return unknown
		}
		return strconv.Itoa(value(total, data))
	}
}
