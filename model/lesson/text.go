package lesson

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"electop/model"
	"electop/model/units"
	"electop/model/znode"
)

// Placeholders are written in braces: {leader} is a role's name, {seq of leader} the
// number of its znode. All others are in values; most of these are known only in
// [Part.After] and in verdicts.
const seqOf = "seq of "

const unknown = "unknown"

var values = map[string]func(*Run) string{
	"count":   func(r *Run) string { return strconv.Itoa(r.cast.count) }, // contenders
	"waiting": func(r *Run) string { return strconv.Itoa(max(0, r.cast.count-1)) },
	"next seq": func(r *Run) string { // that the next volunteer gets
		if r.cast.next < 0 {
			return unknown
		}
		return strconv.FormatInt(r.cast.next, 10)
	},
	"timeout": timeout,

	"winner":       winner,
	"silent":       silent,
	"takeover":     takeover,
	"notified":     ofWake(func(w *model.Woken) string { return units.Count(len(w.Notified), "candidate", "candidates") }),
	"requests":     ofWake(func(w *model.Woken) string { return units.Count(w.Requests, "request", "requests") }),
	"bytes":        ofWake(func(w *model.Woken) string { return units.Count(w.BytesIn+w.BytesOut, "byte", "bytes") }),
	"stale writes": func(r *Run) string { return units.Count(r.seen.stale, "stale write", "stale writes") },
}

var braces = regexp.MustCompile(`\{[^}]*\}`)

// replace puts f's values in the place of placeholders.
func replace(text string, f func(name string) string) string {
	return braces.ReplaceAllStringFunc(text, func(x string) string { return f(x[1 : len(x)-1]) })
}

// roleOf returns the role that a placeholder is about, "" for none.
func roleOf(name string) (role Role, seq bool) {
	rest, seq := strings.CutPrefix(name, seqOf)
	if role = Role(rest); role != Newcomer && !slices.Contains(roles, role) {
		role = ""
	}
	return role, seq
}

// fill returns a text with the values of its placeholders.
func (r *Run) fill(text string) string { return replace(text, r.value) }

// value returns what a placeholder stands for.
func (r *Run) value(name string) string {
	role, seq := roleOf(name)
	if role == "" {
		return values[name](r)
	}
	switch a := r.cast.found[role]; {
	case a.label == "":
		return "nobody"
	case seq:
		return a.seq
	default:
		return a.label
	}
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
	if l := r.seen.end.Leader(); l != nil {
		return znode.Safe(l.Label(), nameMax)
	}
	return "nobody"
}

func silent(r *Run) string {
	if h := r.seen.handoff; h != nil && h.Silent != nil {
		return units.Took(*h.Silent)
	}
	return unknownTime
}

func takeover(r *Run) string {
	switch h, s := r.seen.handoff, r.seen.end; {
	case h == nil:
		return unknownTime
	case h.Takeover != nil:
		return units.Took(*h.Takeover)
	case h.To != nil && s.Acknowledged() && s.Leader().ID() == h.To.ID(): // later than the journal waited for it
		return "more than " + units.Exact(model.AckWait)
	}
	return unknownTime
}

const unknownTime = "an unknown time"

func ofWake(value func(*model.Woken) string) func(*Run) string {
	return func(r *Run) string {
		if r.seen.wake == nil {
			return unknown
		}
		return value(r.seen.wake)
	}
}
