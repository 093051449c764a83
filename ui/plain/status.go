package plain

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
)

// headline says who leads and how many wait.
func headline(s *doctor.State) string {
	path := znode.Safe(s.Path, 0)
	if s.Leader() != nil {
		return fmt.Sprintf("%s: %s, %s", path, leads(s), waiting(s))
	}
	return path + ": " + noLeader(s)
}

// leads says how far the first contender has the role, where nobody else is said to
// have it.
func leads(s *doctor.State) string {
	who := Who(s.Leader())
	if words := s.Reservation(); words != "" {
		return who + " " + words
	}
	lead := "lead"
	if s.Dialect != nil && s.Dialect.Lock {
		lead = "hold"
	}
	if others := s.Holders() - 1; others > 0 {
		return who + " and " + units.Count(others, "other", "others") + " " + lead
	}
	return who + " " + lead + "s"
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
	statusTable(&b, s)
	for _, r := range s.Risks {
		fmt.Fprintln(&b, "\n"+RiskText(Who(r.Candidate), r, s.At))
	}
	if why := s.NoLeader(); s.NextSequenceKnown && why != model.Membership && !s.ElectionUnseen() {
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

func statusTable(b *strings.Builder, s *doctor.State) {
	if s.Queue.Len() == 0 {
		return
	}
	fmt.Fprintln(b)
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	asked, inferred := s.Table != nil, " (inferred)"
	columns, who := "", "CANDIDATE"
	if s.NoLeader() == model.Membership {
		who = "MEMBER"
	}
	if asked {
		columns, inferred = "ADDRESS\tSERVER\t", ""
	}
	fmt.Fprintf(t, "SEQ\t%s\tSESSION\t%sAGE\tWATCHES%s\n", who, columns, inferred)
	for i, c := range s.Queue.All() {
		session, where := "-", ""
		if c.Session != 0 {
			session = znode.Hex(c.Session)
		}
		if asked {
			address, server := "-", "-"
			if conn, on, _ := s.Client(c); conn != nil {
				address, server = znode.Safe(conn.Addr, 0), znode.Safe(on, 0)
			}
			where = address + "\t" + server + "\t"
		}
		age, exact := c.Age(s.At)
		about := "~"
		if exact {
			about = ""
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s%s%s\t%s\n", number(c), c.Label(), session, where, about, units.Age(age), watchText(s, i))
	}
	t.Flush() // into memory
}

// number is a candidate's sequence as a table shows it.
func number(c *dialect.Candidate) string {
	if !c.HasSequence {
		return "-"
	}
	return fmt.Sprint(c.Sequence)
}

// watchText says what the contender at position i watches, and how that is known.
func watchText(s *doctor.State, i int) string {
	edge := s.Edge(i)
	w, waits := s.Recipe.Watches(s.Queue, i)
	if !waits {
		return "-"
	}
	want := child(s.Queue.At(w))
	switch edge.State {
	case doctor.Verified:
		return want + " verified"
	case doctor.MissingWatch:
		return want + " MISSING"
	case doctor.WrongWatch:
		return safeList(edge.Watched) + " WRONG, should be " + want
	}
	if s.Table != nil {
		want += " inferred"
	}
	return want
}

// child is a short name for a contender: its sequence, if it has one.
func child(c *dialect.Candidate) string {
	if !c.HasSequence {
		return znode.Safe(c.Name, 0)
	}
	return fmt.Sprint(c.Sequence)
}
