// Package phrase has the words for the state of an election: why there is no leader, what state
// the leader is in, and why a leader stopped. The screen, the plain text and the metrics get the words
// here, so they use the same words.
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

// Entry has the words for one situation.
type Entry struct {
	Sentence string          // without the full stop
	Row      string          // for a row of a list
	Cell     string          // for a narrow column
	Severity doctor.Severity // "" if the situation needs no attention
}

// Could describes which programs could lead, and why none may lead now: for example, Patroni is paused.
func Could(s *doctor.State) string {
	could := s.Standbys()
	switch text := doctor.Could("lead", could); {
	case could.ShutDown:
		return "the system was shut down"
	case could.Off != "":
		return text + "; " + could.Off
	default:
		return text
	}
}

// OutsideZnodes describes what the znodes outside of the election show, one sentence a line.
func OutsideZnodes(s *doctor.State) (lines []string) {
	could := s.Standbys()
	if could.Missing {
		lines = append(lines, "The leader is not a member: "+znode.Safe(could.Entry, 0)+" does not exist.")
	} else if could.LeaderProgram.State != "" {
		lines = append(lines, fmt.Sprintf("The leader's own state is %q.", could.LeaderProgram.State))
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

// Who returns a candidate's label. It adds the sequence number, if any, unless the label is the znode's name.
func Who(c *dialect.Candidate) string {
	label := Label(c)
	if c == nil || label == c.Name || !c.HasSequence {
		return label
	}
	return fmt.Sprintf("%s (%d)", label, c.Sequence)
}

// Stems maps a name's stem to the text that [Brief] writes before the number. For other stems, Brief writes n_.
var Stems = map[string]string{"read-": "read-", "write-": "write-"}

// Brief returns a short name of a candidate's znode: n_12, read-3.
func Brief(c *dialect.Candidate) string {
	if c.HasSequence {
		return cmp.Or(Stems[dialect.Stem(c.Name)], "n_") + fmt.Sprint(c.Sequence)
	}
	return znode.Safe(znode.Base(c.Name), 20)
}

// NumberOrName returns a candidate's sequence number, or the znode's name if there is none; "another" for nil.
func NumberOrName(c *dialect.Candidate) string {
	switch {
	case c == nil:
		return "another"
	case c.HasSequence:
		return fmt.Sprint(c.Sequence)
	}
	return znode.Safe(c.Name, 20)
}

// Watchers describes who watches the first contender's znode. The text may be "".
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

// Names joins the first names, at most limit, and counts the others.
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
