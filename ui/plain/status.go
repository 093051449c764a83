package plain

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/units"
	"electop/model/znode"
)

// headline says who leads and how many wait.
func headline(s *doctor.State) string {
	return znode.Safe(s.Path, 0) + ": " + stateWords(s)
}

// stateWords is headline without the path.
func stateWords(s *doctor.State) string {
	if s.Leader() != nil {
		text := phrase.RoleHolders(s, phrase.Who) + ", "
		if r, ok := s.Reign(); ok && s.Holders() == 1 && s.Lead() == doctor.Leads {
			text += phrase.Led(r, s.At) + "; "
		}
		return text + waiting(s)
	}
	return phrase.NoLeader(s).Sentence
}

// StatusText is a state, for people.
func StatusText(s *doctor.State) string {
	var b strings.Builder
	fmt.Fprintln(&b, headline(s))
	if system := System(s); system != "" {
		fmt.Fprint(&b, system)
		if epoch := s.Epoch(); epoch != "" {
			fmt.Fprintf(&b, ", epoch %s", epoch)
		}
		if s.Acknowledged() || s.Ack.Presence == model.Denied || s.Ack.Presence == model.Present && !s.Ack.ByData {
			fmt.Fprintf(&b, ", acknowledged in %s", znode.Safe(s.Ack.Path, 0))
		}
		fmt.Fprintln(&b)
	}
	for _, line := range phrase.Beside(s) {
		fmt.Fprintln(&b, line)
	}
	statusTable(&b, s)
	risksText(&b, s)
	if words := phrase.Watchers(s); words != "" && !isGroup(s) {
		fmt.Fprintf(&b, "\n%s.\n", words)
	}
	for i, f := range s.Findings {
		if i == 0 {
			fmt.Fprintln(&b)
		}
		fmt.Fprintln(&b, title(f))
	}
	if s.NextSequenceKnown && !isGroup(s) && !s.ElectionUnseen() {
		fmt.Fprintf(&b, "\nThe next volunteer gets %d.\n", s.NextSequence)
	}
	if n := len(s.Ignored); n > 0 && !s.ElectionUnseen() {
		fmt.Fprintf(&b, "%s.\n", units.Count(n, "other child is not a candidate", "other children are not candidates"))
	}
	if s.Queue.Len() > 0 && s.Table != nil {
		uncheckedText(&b, NotChecked(s))
	}
	return b.String()
}

// risksText says which sessions are about to expire, and when.
func risksText(b *strings.Builder, s *doctor.State) {
	for _, r := range s.Risks {
		fmt.Fprintln(b, "\n"+phrase.Risk(phrase.Who(r.Candidate), r, s.At, phrase.Who))
	}
}

func statusTable(b *strings.Builder, s *doctor.State) {
	if s.Queue.Len() == 0 {
		return
	}
	fmt.Fprintln(b)
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	asked, inferred := s.Table != nil, " (inferred)"
	columns, who := "", "CANDIDATE"
	if isGroup(s) {
		who = "MEMBER"
	}
	if asked {
		columns, inferred = "ADDRESS\tSERVER\tHEARD\t", ""
	}
	fmt.Fprintf(t, "SEQ\t%s\tSESSION\t%sAGE\tWATCHES%s\n", who, columns, inferred)
	for i, c := range s.Queue.All() {
		number, session, where := "-", "-", ""
		if c.HasSequence {
			number = fmt.Sprint(c.Sequence)
		}
		if c.Session != 0 {
			session = znode.Hex(c.Session)
		}
		if asked {
			address, server := "-", "-"
			if x, listed := s.Client(c); x.Conn != nil {
				address, server = znode.Safe(x.Conn.Addr, 0), znode.Safe(x.Server, 0)
				if !listed {
					server = "not connected, last to " + server
				}
			} else if s.Tracked.Absent(c.Session) {
				server = "not connected"
			}
			heard := "-"
			if at := s.Tracked.Heard(c.Session); !at.IsZero() {
				heard = "≤ " + units.AtMost(s.At.Sub(at)) + " ago"
			}
			where = address + "\t" + server + "\t" + heard + "\t"
		}
		age, exact := c.Age(s.At)
		about := "~"
		if exact {
			about = ""
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s%s%s\t%s\n", number, c.Label(), session, where, about, units.Age(age), watchText(s, i))
	}
	t.Flush() // into memory
}

// watched are the znodes that a contender watches, those of the queue by their numbers.
func watched(s *doctor.State, e doctor.Edge) string {
	names := slices.Clone(e.Watched)
	for i, name := range names {
		if at := s.Queue.Index(func(c *dialect.Candidate) bool { return c.Name == name }); at >= 0 {
			names[i] = phrase.Numbered(s.Queue.At(at))
		}
	}
	return safeList(names)
}

// watchText says what the contender at position i watches, and how that is known.
func watchText(s *doctor.State, i int) string {
	edge := s.Edge(i)
	w, waits := s.Recipe.Watches(s.Queue, i)
	if !waits {
		return "-"
	}
	want := phrase.Numbered(s.Queue.At(w))
	switch edge.State {
	case doctor.Verified:
		return want + " verified"
	case doctor.MissingWatch:
		return want + " MISSING"
	case doctor.OtherWatch:
		return watched(s, edge) + ", should be " + want
	case doctor.WrongWatch:
		return watched(s, edge) + " WRONG, should be " + want
	}
	if s.Table != nil {
		want += " inferred"
	}
	return want
}
