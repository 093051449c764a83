package plain

import (
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
		why := t.Unwhole
		if why == "" {
			why = "not every member of the ensemble is known to have been asked"
		}
		out = append(out, Unchecked{What: "whether a watch or a connection is missing", Servers: []string{}, Why: why})
	}
	add := func(what, server string, a session.Answer) {
		if a.State == session.Answered || a.State == session.NotAsked {
			return
		}
		for i := range out {
			if u := &out[i]; u.What == what && u.Why == a.Why && len(u.Servers) > 0 {
				u.Servers = append(u.Servers, server)
				return
			}
		}
		out = append(out, Unchecked{What: what, Servers: []string{server}, Why: a.Why, Setting: text(a.Hint)})
	}
	watches := false
	for _, sv := range t.Servers {
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
		watches = watches || sv.Watches.State != session.NotAsked
	}
	if !watches && len(t.Servers) > 0 && len(out) == 0 && inferred(s) {
		out = append(out, Unchecked{What: "watches", Servers: []string{}, Why: "the servers were not asked for them"})
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

// uncheckedBrief says in the first lines what was not checked: a line for each
// setting that would allow it, and one for what no setting would. Suspicions that
// were not observed for long enough are one thing.
func uncheckedBrief(b *strings.Builder, us []Unchecked) {
	const longer = "--for "
	whats := make(map[string][]string)
	var settings []string
	for _, u := range us {
		setting, what := "", u.What
		switch {
		case u.Setting != nil:
			setting = *u.Setting
		case len(u.Servers) > 0:
			what += " on " + safeList(u.Servers)
		}
		if strings.HasPrefix(setting, longer) {
			what = "what takes longer to see"
			for i, s := range settings {
				if strings.HasPrefix(s, longer) { // the longest is enough for all
					setting = longest(s, setting)
					settings[i] = setting
					whats[setting] = whats[s]
				}
			}
		}
		if whats[setting] == nil {
			settings = append(settings, setting)
		}
		if !slices.Contains(whats[setting], what) {
			whats[setting] = append(whats[setting], what)
		}
	}
	for _, setting := range settings {
		line := "Not checked: " + strings.Join(whats[setting], ", ")
		if setting != "" {
			line += " (" + setting + " would allow it)"
		}
		for i, l := range Wrap(znode.Safe(line, 1000), 96) {
			fmt.Fprintf(b, "%s%s\n", strings.Repeat(" ", 2*min(i, 1)), l)
		}
	}
}

// longest returns the longer one of two --for flags.
func longest(a, b string) string {
	if len(a) > len(b) || len(a) == len(b) && a > b {
		return a
	}
	return b
}

// uncheckedText lists what was not checked, for people.
func uncheckedText(b *strings.Builder, us []Unchecked) {
	if len(us) == 0 {
		return
	}
	fmt.Fprint(b, "\nNot checked, in detail:\n")
	for _, u := range us {
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
		for i, l := range Wrap(znode.Safe(line, 1000), 96) {
			fmt.Fprintf(b, "%s%s\n", strings.Repeat(" ", 2+2*min(i, 1)), l)
		}
	}
}
