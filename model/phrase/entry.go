// Package phrase has the words for the state of an election: why there is no leader, how far the
// first candidate leads, and why a leader stopped. Each situation has one [Entry]. The screen, the
// plain text and the metrics use that entry, so they use the same words. An entry has a severity,
// and no colour.
package phrase

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/session"
	"electop/model/units"
	"electop/model/znode"
)

// Entry is the wording of one situation.
type Entry struct {
	Sentence string          // without the full stop
	Row      string          // for the row of the candidate in the list
	Cell     string          // for a narrow column
	Severity doctor.Severity // "" if the situation needs no attention
}

// Could names the programs that could lead, or describes why none may.
func Could(s *doctor.State) string {
	could := s.Standbys()
	switch text := doctor.Could("lead", could); {
	case could.ShutDown:
		return "it was shut down"
	case could.Off != "":
		return text + "; " + could.Off
	default:
		return text
	}
}

// Beside returns sentences about what the znodes beside an election show.
func Beside(s *doctor.State) (lines []string) {
	could := s.Standbys()
	if could.Missing {
		lines = append(lines, "The leader is no member: "+znode.Safe(could.Entry, 0)+" does not exist.")
	} else if could.Own.State != "" {
		lines = append(lines, fmt.Sprintf("The leader's own state is %q.", could.Own.State))
	}
	if last := s.LedLast(); last != nil {
		lines = append(lines, doctor.LastWords(last)+", according to "+znode.Safe(last.Path, 0)+".")
	}
	if b := s.Backlog(); b != nil {
		lines = append(lines, doctor.BacklogWords(b)+".")
	}
	return lines
}

// Label returns the label of a candidate, "nobody" for nil.
func Label(c *dialect.Candidate) string {
	if c == nil {
		return "nobody"
	}
	return c.Label()
}

// Who names a candidate by its label and its sequence number.
func Who(c *dialect.Candidate) string {
	label := Label(c)
	if c == nil || label == c.Name || !c.HasSequence {
		return label
	}
	return fmt.Sprintf("%s (%d)", label, c.Sequence)
}

// Stems has the beginnings of names that [Brief] keeps. Brief replaces other beginnings with n_.
var Stems = map[string]string{"read-": "read-", "write-": "write-"}

// Brief returns the name of a candidate's znode as the recipe writes it: n_12, read-3.
func Brief(c *dialect.Candidate) string {
	if c.HasSequence {
		return cmp.Or(Stems[dialect.Stem(c.Name)], "n_") + fmt.Sprint(c.Sequence)
	}
	return znode.Safe(znode.Base(c.Name), 20)
}

// Numbered returns a candidate's sequence number, otherwise its znode's name; "another" for nil.
func Numbered(c *dialect.Candidate) string {
	switch {
	case c == nil:
		return "another"
	case c.HasSequence:
		return fmt.Sprint(c.Sequence)
	}
	return znode.Safe(c.Name, 20)
}

// Watchers describes who watches the leader's znode, "" if only the next candidate does, or if the
// watchers are unknown.
func Watchers(s *doctor.State) string {
	w := s.LeaderWatchers()
	if w == nil || len(w.Others) == 0 && (w.Candidates < 2 || s.Kind() == dialect.KindShared) {
		return ""
	}
	others, role := "other ", RoleOf(s)
	words := units.Count(w.Candidates, role.One, role.Many) + " and "
	if s.Single {
		others, words = "", ""
	}
	words += units.Count(len(w.Others), others+"session", others+"sessions")
	on := make(map[string]int)
	for _, id := range w.Others {
		host := "an unknown host"
		if x := s.Tracked.Client(id); x.Conn != nil {
			host = session.HostOf(x.Conn.Addr)
		}
		on[host]++
	}
	hosts := slices.SortedFunc(maps.Keys(on), func(a, b string) int { return cmp.Or(on[b]-on[a], cmp.Compare(a, b)) })
	for i, host := range hosts[:min(len(hosts), 4)] {
		hosts[i] = fmt.Sprintf("%s (%d)", znode.Safe(host, 64), on[host])
	}
	if words += " watch the " + role.Holder + "'s znode"; len(hosts) > 0 {
		words += ", from " + Names(hosts, 4)
	}
	if w.Why != "" {
		words += "; there may be more: " + w.Why
	}
	return words
}

// Names lists the first names of list, at most limit of them, and counts the rest.
func Names(list []string, limit int) string {
	var out []string
	for i, n := range list {
		if i == limit {
			out = append(out, fmt.Sprintf("and %d more", len(list)-limit))
			break
		}
		out = append(out, znode.Safe(n, 0))
	}
	return strings.Join(out, ", ")
}
