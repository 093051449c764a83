package plain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"electop/model/doctor"
	"electop/model/session"
	"electop/model/znode"
)

// Unchecked is something that only servers know and did not report.
type Unchecked struct {
	What    string   `json:"what"`
	Servers []string `json:"servers"` // which did not report it; empty: all
	Why     string   `json:"why"`
	Setting *string  `json:"setting"` // what would allow it
}

// NotChecked lists what the servers did not report about an election, and the
// settings that would let them. Without it watches are only inferred, and a
// candidate that lost its connection is not seen to be at risk.
func NotChecked(s *doctor.State) []Unchecked {
	out := []Unchecked{}
	t := s.Answers
	if t == nil {
		return append(out, Unchecked{
			What: "watches, connections and sessions", Servers: []string{},
			Why: "the servers were not asked", Setting: text("--admin auto"),
		})
	}
	if !t.Whole {
		out = append(out, Unchecked{What: "whether a watch or a connection is missing", Servers: []string{}, Why: Unwhole(t)})
	}
	out = append(out, Unreported(t.Servers)...)
	asked := func(sv session.Server) bool { return sv.Watches.State != session.NotAsked }
	if !slices.ContainsFunc(t.Servers, asked) && len(t.Servers) > 0 && len(out) == 0 && inferred(s) {
		out = append(out, Unchecked{What: "watches", Servers: []string{}, Why: "the servers were not asked for them"})
	}
	return out
}

// Unwhole says why t may not be the whole ensemble.
func Unwhole(t *session.Table) string {
	return cmp.Or(t.Unwhole, "not every member of the ensemble is known to have been asked")
}

// Unreported lists what servers were asked for and did not report.
func Unreported(servers []session.Server) (out []Unchecked) {
	add := func(what, server string, a session.Answer) {
		if a.State == session.Answered || a.State == session.NotAsked {
			return
		}
		if i := slices.IndexFunc(out, func(u Unchecked) bool { return u.What == what && u.Why == a.Why }); i >= 0 {
			out[i].Servers = append(out[i].Servers, server)
			return
		}
		out = append(out, Unchecked{What: what, Servers: []string{server}, Why: a.Why, Setting: text(a.Hint)})
	}
	for _, sv := range servers {
		if sv.Basic.State == session.Failed && sv.Connections.State != session.Answered && sv.Watches.State != session.Answered {
			add("anything", sv.Addr, sv.Basic)
			continue
		}
		add("mode and counts", sv.Addr, sv.Basic)
		add("connections", sv.Addr, sv.Connections)
		add("session deadlines", sv.Addr, sv.Sessions)
		add("watches", sv.Addr, sv.Watches)
		if sv.Leftover {
			add("all of it", sv.Addr, session.Answer{State: session.TooLarge, Why: "there is more of it than electop keeps"})
		}
	}
	return out
}

// inferred reports whether the watch of a waiting candidate is only inferred.
func inferred(s *doctor.State) bool {
	for i := range s.Queue.Len() {
		if _, waits := s.Recipe.Watches(s.Queue, i); waits && s.Edge(i).State == doctor.Unverified {
			return true
		}
	}
	return false
}

// Brief says in a line what was not checked, and the settings that would allow it.
// Suspicions that were not observed for long enough are one thing.
func Brief(us []Unchecked) string {
	var whats, settings []string
	add := func(to *[]string, s string) {
		if !slices.Contains(*to, s) {
			*to = append(*to, s)
		}
	}
	for _, u := range us {
		switch {
		case u.Setting == nil:
			add(&whats, u.What)
		case strings.HasPrefix(*u.Setting, "--for "):
			add(&whats, "what takes longer to see")
			add(&settings, "a longer --for")
		default:
			add(&whats, u.What)
			add(&settings, *u.Setting)
		}
	}
	line := strings.Join(whats, ", ")
	if len(settings) > 0 {
		line += " (" + strings.Join(settings, ", ") + " would allow it)"
	}
	return znode.Safe(line, 1000)
}

// String says what was not checked, where, and why.
func (u Unchecked) String() string {
	line := u.What
	if len(u.Servers) > 0 {
		line += " on " + safeList(u.Servers)
	}
	if u.Why != "" {
		line += ": " + u.Why
	}
	if u.Setting != nil {
		line += " (" + *u.Setting + " would allow it)"
	}
	return znode.Safe(line, 1000)
}

// paragraph writes a text, wrapped and indented.
func paragraph(b *strings.Builder, text string, indent int) {
	for i, l := range Wrap(text, 96) {
		fmt.Fprintf(b, "%s%s\n", strings.Repeat(" ", indent+2*min(i, 1)), l)
	}
}

// uncheckedText lists what was not checked, for people.
func uncheckedText(b *strings.Builder, us []Unchecked) {
	for i, u := range us {
		if i == 0 {
			fmt.Fprint(b, "\nNot checked, in detail:\n")
		}
		paragraph(b, u.String(), 2)
	}
}
