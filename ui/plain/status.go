package plain

import (
	"cmp"
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

func headline(s *doctor.State) string {
	return znode.Safe(s.Path, 0) + ": " + stateWords(s)
}

func stateWords(s *doctor.State) string {
	if s.Leader() != nil && s.Holders() > 1 && s.Kind() == dialect.KindShared {
		return phrase.Content(s)
	}
	if s.Leader() != nil {
		text := phrase.RoleHolders(s, phrase.Who) + ", "
		if r, ok := s.Reign(); ok && s.Holders() == 1 && s.Lead() == doctor.Leads {
			text += phrase.Led(r, s.At) + "; "
		}
		return text + waiting(s)
	}
	return phrase.NoLeader(s).Sentence
}

// StatusText returns the text that `electop status` prints.
func StatusText(s *doctor.State) string {
	var b strings.Builder
	fmt.Fprintln(&b, headline(s))
	if system := s.System(); system != "" {
		fmt.Fprint(&b, system)
		if epoch := s.Epoch(); epoch != "" {
			fmt.Fprintf(&b, ", epoch %s", epoch)
		}
		if s.Acknowledged() || s.Ack.Presence == model.Denied || s.Ack.Presence == model.Present && !s.Ack.ByData {
			fmt.Fprintf(&b, ", acknowledged in %s", znode.Safe(s.Ack.Path, 0))
		}
		fmt.Fprintln(&b)
	}
	for _, line := range phrase.OutsideZnodes(s) {
		fmt.Fprintln(&b, line)
	}
	statusTable(&b, s)
	risksText(&b, s)
	if words := phrase.Watchers(s); words != "" && !s.Roleless() {
		fmt.Fprintf(&b, "\n%s.\n", words)
	}
	for i, f := range s.Findings {
		if i == 0 {
			fmt.Fprintln(&b)
		}
		fmt.Fprintln(&b, title(f))
	}
	if s.NextSequenceKnown && s.Dialect != nil && s.Dialect.Elects() && !dialect.Queueless(s.Recipe) {
		fmt.Fprintf(&b, "\nThe next %s gets number %d.\n", phrase.RoleOf(s).One, s.NextSequence)
	}
	for _, id := range s.Waiters() {
		address := "unknown address"
		if x := s.Tracked.Client(id); x.Conn != nil {
			address = znode.Safe(x.Conn.Addr, 0)
		}
		fmt.Fprintf(&b, "watches the znode: %s, %s\n", znode.Hex(id), address)
	}
	if n := len(s.Ignored); n > 0 && !s.ElectionUnseen() && !s.Roleless() {
		fmt.Fprintf(&b, "%s.\n", units.Count(n, "other child is not a candidate", "other children are not candidates"))
	}
	if s.Queue.Len() > 0 && s.Table != nil {
		uncheckedText(&b, NotChecked(s))
	}
	return b.String()
}

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
	withServers, inferred := s.Table != nil, " (inferred)"
	columns, who := "", strings.ToUpper(phrase.RoleOf(s).One)
	if s.Kind() == dialect.KindQueue {
		fmt.Fprintf(t, "SEQ\tITEM\tAGE\n")
		for i, c := range s.Queue.All() {
			if i == dialect.FirstItems {
				break
			}
			age := "?"
			if d, _ := c.Age(s.At); c.Joined || c.Czxid != 0 {
				age = units.Age(d)
			}
			fmt.Fprintf(t, "%d\t%s\t%s\n", c.Sequence, c.Label(), age)
		}
		t.Flush()
		return
	}
	if withServers {
		columns, inferred = "ADDRESS\tSERVER\tLAST CONTACT\t", ""
	}
	last := "WATCHES" + inferred
	if s.Kind() == dialect.KindCommit {
		last = "VOTE"
	}
	fmt.Fprintf(t, "SEQ\t%s\tSESSION\t%sAGE\t%s\n", who, columns, last)
	for i, c := range s.Queue.All() {
		number, session, where := "-", "-", ""
		if c.HasSequence {
			number = fmt.Sprint(c.Sequence)
		}
		if c.Session != 0 {
			session = znode.Hex(c.Session)
		}
		if withServers {
			address, server := "-", "-"
			if x, listed := s.Client(c); x.Conn != nil {
				address, server = znode.Safe(x.Conn.Addr, 0), znode.Safe(x.Server, 0)
				if !listed {
					server = "not connected, last server " + server
				}
			} else if c.Session != 0 && s.Tracked.Absent(c.Session) {
				server = "not connected"
			}
			contact := "-"
			if at := s.Tracked.AliveAfter(c.Session); !at.IsZero() {
				contact = "≤ " + units.AtMost(s.At.Sub(at)) + " ago"
			}
			where = address + "\t" + server + "\t" + contact + "\t"
		}
		age, exact := c.Age(s.At)
		about := "~"
		if exact {
			about = ""
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s%s%s\t%s\n", number, c.Label(), session, where, about, units.Age(age), lastCell(s, i))
	}
	t.Flush()
}

func watched(s *doctor.State, e doctor.Edge) string {
	names := slices.Clone(e.Watched)
	for i, name := range names {
		if at := s.Queue.Index(func(c *dialect.Candidate) bool { return c.Name == name }); at >= 0 {
			names[i] = phrase.NumberOrName(s.Queue.At(at))
		}
	}
	return safeList(names)
}

func lastCell(s *doctor.State, i int) string {
	edge := s.Edge(i)
	if s.Kind() == dialect.KindCommit {
		c := s.Queue.At(i)
		if c.Unread || c.Data.Denied {
			return "?"
		}
		return cmp.Or(znode.Safe(c.Vote(), 12), "-")
	}
	if words := phrase.Release(s, s.Queue.At(i)); words != "" {
		return words
	}
	if e := phrase.Standing(s, i); i > 0 && e.Row != "" {
		return e.Row
	}
	w, waits := s.Recipe.Watches(s.Queue, i)
	if !waits {
		return "-"
	}
	want := phrase.NumberOrName(s.Queue.At(w))
	switch edge.State {
	case doctor.Verified:
		return want + " verified"
	case doctor.MissingWatch:
		return "MISSING, should be " + want
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

// Status returns the object that `electop status --json` prints.
func Status(s *doctor.State) Object {
	candidates, members, holders := make([]Object, 0, s.Queue.Len()), []string{}, s.Holders()
	for i, c := range s.Queue.All() {
		if s.Roleless() {
			members = append(members, znode.Join(s.Path, c.Name))
			continue
		}
		candidates = append(candidates, candidateOf(s, i, holders))
	}

	var parent Object
	if s.Phase == model.Live && s.Parent.Czxid != 0 { // Czxid is 0 for an election that is a single znode
		parent = Object{"czxid", znode.Hex(uint64(s.Parent.Czxid)), "cversion", s.Parent.Cversion, "children", s.Parent.Children}
	}
	var since *[2]*string
	if r, ok := s.Reign(); ok && s.Leader() != nil {
		since = &[2]*string{known(r.Earliest), known(r.Latest)}
	}
	return Object{
		"format", Format,
		"path", s.Path,
		"system", text(s.System()),
		"server", text(s.Link.Server),
		"observed_at", known(s.At),
		"parent", parent,
		"next_sequence", When(s.NextSequenceKnown, s.NextSequence),
		"leader", znodePath(s.Path, s.Leader()),
		"ack", When((s.Ack.Presence == model.Present || s.Ack.Presence == model.Denied) && s.Ack.Path != "", s.Ack.Path), // null: the znode is not known to exist
		"candidates", candidates,
		"ignored", each(s.Ignored, func(c *dialect.Candidate) string { return znode.Join(s.Path, c.Name) }),
		"kind", s.Kind(),
		"first", firstOf(s),
		"members", members, // the children, if the election's kind has neither a leader nor a lock
		"leaderless", leaderlessOf(s),
		"standbys", standbysOf(s),
		"system_epoch", text(s.Epoch()),
		"leader_state", text(string(s.Lead())), // null: nobody is known to lead
		"findings", each(s.Findings, findingOf),
		"leader_since", since, // bounds of the beginning of the reign
		"leader_watchers", watchersOf(s),
		"programs?", s.Standbys().Programs,
		"led_last?", s.LedLast(),
		"backlog?", s.Backlog(),
		"waiters?", each(s.Waiters(), znode.Hex), // sessions that watch a barrier
	}
}

func watchersOf(s *doctor.State) Object {
	w := s.LeaderWatchers()
	switch {
	case s.First() == nil:
		return nil
	case w == nil:
		return Object{"total", nil, "candidates", nil, "others", nil, "why", text(s.WatchersUnknown())}
	}
	return Object{"total", w.Total(), "candidates", w.Candidates, "others", len(w.Others), "why", text(w.Why)} // why there may be more watchers
}

func candidateOf(s *doctor.State, i, holders int) Object {
	c, edge := s.Queue.At(i), s.Edge(i)
	role := "waiting"
	if i < holders {
		role = "leader"
	}
	var watches, address, server *string
	if w, ok := s.Recipe.Watches(s.Queue, i); ok {
		watches = znodePath(s.Path, s.Queue.At(w))
	}
	x, listed := s.Client(c)
	if x.Conn != nil {
		address, server = text(x.Conn.Addr), text(x.Server)
	}
	var expires, silent *float64
	var epoch *int64
	var risk *string
	if r := s.Risk(c); r != nil {
		expires, epoch = When(!r.By.IsZero(), within(r.By, s.At)), When(!r.By.IsZero(), r.Epoch)
		silent, risk = silence(r, s.At), text(r.Evidence)
	}
	timeout, heard := s.Tracked.Timeout(c.Session), s.Tracked.AliveAfter(c.Session)
	out := Object{
		"znode", znode.Join(s.Path, c.Name),
		"sequence", sequence(c),
		"session", sessionID(c),
		"name", name(c), // null: only the znode's name is known
	}
	out = append(out, content("data", c)...)
	return append(out,
		"czxid", When(!c.Unread, znode.Hex(uint64(c.Czxid))),
		"created_at", known(c.Ctime),
		"address", address, // host:port of the client
		"server", server,
		"role", role,
		"watches", watches, // according to the recipe
		"watch_state", edge.State,
		"watched", each(edge.Watched, func(name string) string { return znode.Join(s.Path, name) }), // according to the servers
		"expires_within_ms", expires,
		"ensemble_epoch?", epoch,
		"connected", When(listed || s.Tracked.Absent(c.Session), listed), // if not true, address and server may be outdated
		"session_timeout_ms", When(timeout > 0, millis(timeout)), // null: unknown
		"heard_within_ms", When(!heard.IsZero(), within(s.At, heard)), // upper bound; null: unknown
		"silent_ms", silent, // lower bound; null: unknown or not at risk
		"risk", risk, // evidence of the risk; null: not at risk
		"standing?", phrase.Standing(s, i).Row, // words for the first candidate or a rival while nobody is known to lead
	)
}

func firstOf(s *doctor.State) Object {
	c, why := s.First(), s.NoLeader()
	if c == nil || why == "" || s.Roleless() {
		return nil
	}
	return Object{"znode", znode.Join(s.Path, c.Name), "name", name(c), "session", sessionID(c), "why", why}
}

// leaderlessOf returns nil for no known vacancy. A vacancy may begin before "since", unless known_by is "watched".
func leaderlessOf(s *doctor.State) Object {
	v, ok := s.Vacancy()
	if !ok || s.ElectionUnseen() {
		return nil
	}
	by := string(v.Known)
	if v.Known == model.VacancyFound {
		by = "found"
	}
	return Object{"since", stamp(v.Since), "known_by", by}
}

func standbysOf(s *doctor.State) []string {
	standbys := s.Standbys()
	if !standbys.Listed {
		return nil
	}
	return list(standbys.Names)
}

func waiting(s *doctor.State) string {
	if s.Dialect != nil && s.Dialect.Single {
		return doctor.Could("take over", s.Standbys())
	}
	return fmt.Sprintf("%d waiting", Waiting(s))
}

func leaderCell(s *doctor.State) string {
	e, who := phrase.NoLeader(s), phrase.Who(s.First())
	switch others := s.Holders() - 1; {
	case e.Cell == phrase.None && s.First() != nil:
		return e.Cell + "; first: " + who
	case e.Cell == phrase.None && s.Dialect != nil && s.Dialect.Vacancy() > 0:
		return e.Cell + "; " + phrase.Could(s)
	case s.Single && s.NoLeader() == model.UnknownKind:
		return e.Cell + "; its owner: " + who
	case e.Cell != "":
		return e.Cell
	case phrase.Lead(s).Sentence != "":
		return who + " (" + phrase.Lead(s).Sentence + ")"
	case others > 0:
		return who + " and " + units.Count(others, "other", "others")
	}
	return who
}

// Waiting returns the number of candidates that do not hold the role.
func Waiting(s *doctor.State) int {
	return s.Queue.Len() - s.Holders()
}
