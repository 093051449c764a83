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
	for _, line := range phrase.Beside(s) {
		fmt.Fprintln(&b, line)
	}
	statusTable(&b, s)
	risksText(&b, s)
	if words := phrase.Watchers(s); words != "" && !s.Group() {
		fmt.Fprintf(&b, "\n%s.\n", words)
	}
	for i, f := range s.Findings {
		if i == 0 {
			fmt.Fprintln(&b)
		}
		fmt.Fprintln(&b, title(f))
	}
	if s.NextSequenceKnown && !s.Group() && !s.ElectionUnseen() {
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
	if s.Group() {
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

// status is the object that `electop status --json` prints.
type status struct {
	Format       int         `json:"format"`
	Path         string      `json:"path"`
	System       *string     `json:"system"`
	Server       *string     `json:"server"`
	ObservedAt   *string     `json:"observed_at"`
	Parent       *parent     `json:"parent"`
	NextSequence *uint32     `json:"next_sequence"`
	Leader       *string     `json:"leader"`
	Ack          *string     `json:"ack"` // the acknowledgement znode, if it exists
	Candidates   []candidate `json:"candidates"`
	Ignored      []string    `json:"ignored"`
	Kind         string      `json:"kind"`    // election, lock, registry or unknown
	First        *queued     `json:"first"`   // who is first in the queue and does not lead, and why
	Members      []string    `json:"members"` // of a group, in which there are no candidates
	Leaderless   *leaderless `json:"leaderless"`
	Standbys     []string    `json:"standbys"` // who could take over and stands in no queue; null: not visible
	SystemEpoch  *string     `json:"system_epoch"`
	LeaderState  *string     `json:"leader_state"` // how far it leads
	Findings     []finding   `json:"findings"`
	LeaderSince  *[2]*string `json:"leader_since"` // the bounds of when it became the first
	Watchers     *watchers   `json:"leader_watchers"`
	// What the znodes beside the election say, where its system has such znodes.
	Programs []dialect.Program `json:"programs,omitempty"`
	LedLast  *model.LedLast    `json:"led_last,omitempty"`
	Backlog  *model.Backlog    `json:"backlog,omitempty"`
}

// watchers are the sessions that watch the leader's znode; the numbers are null where
// that is not known.
type watchers struct {
	Total      *int    `json:"total"`
	Candidates *int    `json:"candidates"`
	Others     *int    `json:"others"`
	Why        *string `json:"why"` // the numbers are not known, or may be larger
}

// watchersOf returns nil where there is no candidate.
func watchersOf(s *doctor.State) *watchers {
	w := s.LeaderWatchers()
	switch {
	case s.First() == nil:
		return nil
	case w == nil:
		return &watchers{Why: text(s.WatchersUnknown())}
	}
	total, others := w.Total(), len(w.Others)
	return &watchers{&total, &w.Candidates, &others, text(w.Why)}
}

type parent struct {
	Czxid    string `json:"czxid"`
	Cversion int32  `json:"cversion"`
	Children int32  `json:"children"`
}

type candidate struct {
	Znode string `json:"znode"`
	seq
	Session *string `json:"session"`
	Name    *string `json:"name"` // who it is, as far as its system's naming shows
	data
	Czxid      *string  `json:"czxid"`
	CreatedAt  *string  `json:"created_at"`
	Address    *string  `json:"address"` // host:port of the client
	Server     *string  `json:"server"`  // the member that it is connected to
	Role       string   `json:"role"`    // leader or waiting
	Watches    *string  `json:"watches"`
	WatchState string   `json:"watch_state"` // unknown: inferred from the recipe
	Watched    []string `json:"watched"`     // what the servers say it watches
	ExpiresMS  *float64 `json:"expires_within_ms"`
	Epoch      *int64   `json:"ensemble_epoch,omitempty"`
	Connected  *bool    `json:"connected"`          // false: address and server are the last known
	TimeoutMS  *float64 `json:"session_timeout_ms"` // null: no server listed its connection
	HeardMS    *float64 `json:"heard_within_ms"`    // null: no server said when its session expires
	SilentMS   *float64 `json:"silent_ms"`          // at least; null: it is not at risk
	Risk       *string  `json:"risk"`               // why it is at risk; null: it is not
}

// Status returns the status object of a state.
func Status(s *doctor.State) any { return statusOf(s) }

func statusOf(s *doctor.State) status {
	out := status{
		Format:      Format,
		Path:        s.Path,
		LeaderState: text(string(s.Lead())),
		System:      text(s.System()),
		Server:      text(s.Link.Server),
		ObservedAt:  known(s.At),
		Kind:        string(s.Dialect.Kind()),
		First:       firstOf(s),
		Leaderless:  leaderlessOf(s), Standbys: standbysOf(s), SystemEpoch: text(s.Epoch()), Watchers: watchersOf(s),
		Programs: s.Standbys().Programs, LedLast: s.LedLast(), Backlog: s.Backlog(),
		Candidates: make([]candidate, 0, s.Queue.Len()),
		Members:    []string{},
		Ignored:    make([]string, 0, len(s.Ignored)),
		Findings:   findingsOf(s.Findings),
	}
	if s.Phase == model.Live && s.Parent.Czxid != 0 { // an election that is a single znode has no parent
		out.Parent = &parent{znode.Hex(uint64(s.Parent.Czxid)), s.Parent.Cversion, s.Parent.Children}
	}
	if s.NextSequenceKnown {
		out.NextSequence = &s.NextSequence
	}
	if s.Ack.Presence == model.Present || s.Ack.Presence == model.Denied {
		out.Ack = text(s.Ack.Path)
	}
	holders := s.Holders()
	for i, c := range s.Queue.All() {
		if s.Group() {
			out.Members = append(out.Members, znode.Join(s.Path, c.Name))
			continue
		}
		out.Candidates = append(out.Candidates, candidateOf(s, i, holders))
	}
	if l := s.Leader(); l != nil {
		out.Leader = text(znode.Join(s.Path, l.Name))
		if r, ok := s.Reign(); ok {
			out.LeaderSince = &[2]*string{known(r.Earliest), known(r.Latest)}
		}
	}
	for _, c := range s.Ignored {
		out.Ignored = append(out.Ignored, znode.Join(s.Path, c.Name))
	}
	return out
}

func candidateOf(s *doctor.State, i, holders int) candidate {
	c := s.Queue.At(i)
	e := candidate{
		Znode:      znode.Join(s.Path, c.Name),
		seq:        sequence(c),
		Session:    sessionID(c),
		Name:       name(c),
		data:       content(c.Data, c.Unread),
		CreatedAt:  known(c.Ctime),
		Role:       "waiting",
		WatchState: string(doctor.Unverified),
		Watched:    []string{},
	}
	e.place(s, c, i)
	if !c.Unread {
		e.Czxid = text(znode.Hex(uint64(c.Czxid)))
	}
	if i < holders {
		e.Role = "leader"
	}
	if w, ok := s.Recipe.Watches(s.Queue, i); ok {
		e.Watches = text(znode.Join(s.Path, s.Queue.At(w).Name))
	}
	return e
}

// place fills in what the servers report about the contender at position i.
func (e *candidate) place(s *doctor.State, c *dialect.Candidate, i int) {
	edge := s.Edge(i)
	e.WatchState = string(edge.State)
	for _, name := range edge.Watched {
		e.Watched = append(e.Watched, znode.Join(s.Path, name))
	}
	x, listed := s.Client(c)
	if x.Conn != nil {
		e.Address, e.Server = text(x.Conn.Addr), text(x.Server)
	}
	if listed || s.Tracked.Absent(c.Session) {
		e.Connected = &listed
	}
	if timeout := s.Tracked.Timeout(c.Session); timeout > 0 {
		e.TimeoutMS = millis(&timeout)
	}
	if heard := s.Tracked.Heard(c.Session); !heard.IsZero() {
		e.HeardMS = within(s.At, heard)
	}
	if r := s.Risk(c); r != nil {
		e.ExpiresMS, e.Epoch = within(r.By, s.At), epoch(r)
		e.SilentMS, e.Risk = riskOf(s.Path, r, s.At).SilentMS, text(r.Evidence)
	}
}

// queued is the contender at the head of a queue in which nobody is said to lead,
// and why it is not said to.
type queued struct {
	Znode   string  `json:"znode"`
	Name    *string `json:"name"`
	Session *string `json:"session"`
	Why     string  `json:"why"`
}

// firstOf is the head of the queue where it does not lead, nil else.
func firstOf(s *doctor.State) *queued {
	c, why := s.First(), s.NoLeader()
	if c == nil || why == "" || s.Group() {
		return nil
	}
	return &queued{znode.Join(s.Path, c.Name), name(c), sessionID(c), string(why)}
}

// leaderless is since when nobody leads, and how that is known.
type leaderless struct {
	Since   string `json:"since"`
	KnownBy string `json:"known_by"` // watched, znodes, or found: nobody has led since then at the latest
}

func leaderlessOf(s *doctor.State) *leaderless {
	v, ok := s.Vacancy()
	if !ok || s.ElectionUnseen() {
		return nil
	}
	by := string(v.Known)
	if v.Known == model.VacancyFound {
		by = "found"
	}
	return &leaderless{stamp(v.Since), by}
}

// standbysOf are those who could take over without standing in a queue, nil where that
// is not visible.
func standbysOf(s *doctor.State) []string {
	could := s.Standbys()
	if !could.Listed {
		return nil
	}
	return append([]string{}, could.Names...)
}

// waiting says how many wait, or who could take over where there is no queue.
func waiting(s *doctor.State) string {
	if s.Dialect != nil && s.Dialect.Single {
		return doctor.Could("take over", s.Standbys())
	}
	return fmt.Sprintf("%d waiting", Waiting(s))
}

// leaderCell is the leader in a table, or why there is none.
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

// Waiting is how many contenders of an election do not hold the role.
func Waiting(s *doctor.State) int {
	return s.Queue.Len() - s.Holders()
}
