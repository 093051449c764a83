package model

import (
	"maps"
	"slices"
	"time"

	"electop/model/dialect"
	"electop/model/session"
	"electop/model/units"
	"electop/model/znode"
)

// Phase is the state of the election's parent. A single znode is [Live] after it was read, even if it does not exist.
type Phase string

const (
	Unseen    Phase = "unseen"    // not read yet
	NoParent  Phase = "absent"    // the path does not exist
	Forbidden Phase = "forbidden" // the ACL forbids listing the children
	Live      Phase = "live"
)

// State is an election at one time; it is immutable, and shares slices with other states.
type State struct {
	Path    string
	Recipe  dialect.Recipe
	Dialect *dialect.Dialect // nil: not recognised
	At      time.Time        // the latest time of an observation
	ReadAt  time.Time        // the time of the last successful read; zero: none yet
	Phase   Phase

	Link       Connection
	Follow     *Follow   // nil if not reported
	Reconnects int       // counts the connections after the first
	DownSince  time.Time // when the connection was lost; zero while connected, and before the first connection

	Parent  znode.Parent
	Queue   dialect.Queue        // the contenders, in the recipe's order
	Ignored []*dialect.Candidate // the other children, by name
	// Rivals may lead beside the first contender, according to the rule of their library.
	Rivals  []dialect.Rival
	Leaving bool   // the participants of a double barrier are leaving it
	Flows   []Flow // of a queue, oldest first
	// Unsettled reports whether the state lacks received deletions of znodes of the leader's session.
	Unsettled bool
	// NextSequence is the number of the next candidate's znode, if it is known.
	NextSequence      uint32
	NextSequenceKnown bool

	Members []*Member // by ID
	// Ack is an acknowledgement that names the leader, otherwise any other. AckPaths has the path of each acknowledgement.
	Ack      AckState
	AckPaths []string
	// Directories has the last reads of the directories of [State.Around] and [State.Counted], by path.
	Directories map[string]*Directory
	EpochChange *EpochChanged // the last change between two reads in one connection, nil for none
	Returned    []*Returned   // oldest first

	// Table has the answers in the last round of requests to the servers, nil for no round. Answers
	// has the last answer of each server to each request.
	Table, Answers *session.Table
	Tracked        session.View // what the servers reported about sessions

	// These six fields have the last elements, oldest first.
	Steps     []StepTaken         // at most [StepsMax]
	Deletions []*ReportedDeletion // at most [HistoryMax]
	Waves     []*Wave             // at most [WavesMax]
	Exchanges []Exchange          // at most [ExchangesMax]
	Handoffs  []*Handoff          // at most [HistoryMax]
	Reigns    []Reign             // at most [HistoryMax]

	Pace       *Pace // nil if not reported
	Work       Work
	Properties Properties
	Totals     Totals

	// ParentRead reports whether Parent exists and was read.
	ParentRead, Single, AckExpected bool

	role
	notified    map[uint64]int // see [State.Notified]
	crowded     bool           // a session owns several contenders, or a contender has no session
	bySession   map[uint64]*Member
	unexplained []uint64 // sessions of former leaders whose [Cause] may still be corrected, sorted
	acks        []ackZnode
	watchers    *Watchers // at the last request for watches
	notes       map[string]*Ack
	vacancy     Vacancy // valid while the queue is empty
	lanes       laneLog
}

// Kind returns the kind of the children.
func (s *State) Kind() dialect.Kind { return s.Dialect.Kind() }

// Waiters returns the sessions that watch a barrier's path according to the last answers about watches, sorted.
// Curator's clients still watch a deleted path, but do not wait.
func (s *State) Waiters() []uint64 {
	if s.watchers == nil || s.Kind() != dialect.KindBarrier || s.Phase != Live {
		return nil
	}
	return s.watchers.Others
}

const nextMax = 32

// Next returns at most nextMax contenders that get the role when all holders have left.
func (s *State) Next() []*dialect.Candidate {
	n := 1
	if s.Kind() == dialect.KindShared {
		n = nextMax
	}
	var waiting []*dialect.Candidate
	for i := s.Holders(); i < min(s.Queue.Len(), s.Holders()+n); i++ {
		waiting = append(waiting, s.Queue.At(i))
	}
	return waiting[:s.Recipe.Holders(dialect.QueueOf(waiting))]
}

// Acknowledged reports whether the acknowledgement names the leader.
func (s *State) Acknowledged() bool {
	l := s.Leader()
	return l != nil && s.Ack.Names(l)
}

// Member returns the member whose session owns c, or nil. [State.Members] may no longer have that
// member.
func (s *State) Member(c *dialect.Candidate) *Member {
	if c == nil || c.Session == 0 {
		return nil
	}
	return s.bySession[c.Session]
}

// Client returns the last connection of c's session; listed is false if the servers no longer list it.
func (s *State) Client(c *dialect.Candidate) (x session.Conn, listed bool) {
	if c == nil || c.Session == 0 {
		return x, false
	}
	return s.Tracked.Last(c.Session)
}

// MemberWith returns the member that has that session now, or nil.
func (s *State) MemberWith(session uint64) *Member {
	return s.memberIf(func(m *Member) bool { return m.Session == session })
}

// MemberByID returns the member with that ID, or nil.
func (s *State) MemberByID(id string) *Member {
	return s.memberIf(func(m *Member) bool { return m.ID == id })
}

func (s *State) memberIf(is func(*Member) bool) *Member {
	if i := slices.IndexFunc(s.Members, is); i >= 0 {
		return s.Members[i]
	}
	return nil
}

// Ours reports whether the session belongs to a member, maybe a departed member.
func (s *State) Ours(session uint64) bool { return s.bySession[session] != nil }

// Candidate returns the contender with that identity and its position in the queue, nil
// and -1 if there is none.
func (s *State) Candidate(id dialect.ID) (c *dialect.Candidate, position int) {
	if i, ok := dialect.Find(s.Dialect, s.Recipe, s.Queue, id); ok {
		return s.Queue.At(i), i
	}
	return nil, -1
}

// positionOf can miss the znode if the recipe's order depends on more than names.
func (s *State) positionOf(m *Member) (int, bool) {
	if m.Znode == "" {
		return 0, false
	}
	c := &dialect.Candidate{Znode: znode.Znode{Name: m.Znode, Session: m.Session}}
	s.Dialect.Interpret(c)
	i, _ := Position(s.Recipe, s.Queue, c)
	for ; i < s.Queue.Len() && s.Queue.At(i).Sequence == c.Sequence; i++ {
		if s.Queue.At(i).Name == m.Znode && s.Queue.At(i).Session == m.Session {
			return i, true
		}
	}
	return 0, false
}

// WithoutZnode returns the members without a znode in the queue.
func (s *State) WithoutZnode() []*Member {
	found := len(s.Members)*16 < s.Queue.Len()
	for _, m := range s.Members {
		if found = found && m.Session != 0; found {
			_, found = s.positionOf(m)
		}
	}
	if found || len(s.Members) == 0 {
		return nil
	}
	owned := make(map[uint64]bool, len(s.Members))
	for _, c := range s.Queue.All() {
		if s.bySession[c.Session] != nil {
			owned[c.Session] = true
		}
	}
	var out []*Member
	for _, m := range s.Members {
		if m.Session == 0 || !owned[m.Session] {
			out = append(out, m)
		}
	}
	return out
}

// Broken describes the broken invariants.
func (s *State) Broken() []string {
	var broken []string
	if n := s.Properties.AwakeDoubles; n > 0 {
		broken = append(broken, "two awake leaders, "+units.Count(n, "time", "times"))
	}
	if n := s.Totals.MissedCreates + s.Totals.MissedDeletes; n > 0 {
		broken = append(broken, units.Count(n, "change", "changes")+" missed")
	}
	if n := s.Totals.Unknown; n > 0 {
		broken = append(broken, "an unknown number of changes missed, "+units.Count(n, "time", "times"))
	}
	if n := s.Properties.Ghosts; n > 0 {
		broken = append(broken, units.Count(n, "ghost", "ghosts")+": a session owns two candidates")
	}
	return broken
}

// Snapshot is the whole state. It is the first event, and the last event about each gap.
type Snapshot struct{ State *State }

func (Snapshot) EventBody() {}

// Sessions returns the sessions that the servers' tables should cover, sorted.
func (s *State) Sessions() []uint64 {
	out := make([]uint64, 0, s.Queue.Len()+len(s.unexplained))
	for _, c := range s.Queue.All() {
		if c.Session != 0 {
			out = append(out, c.Session)
		}
	}
	out = append(out, s.unexplained...)
	slices.Sort(out)
	return slices.Compact(out)
}

// Hosts returns the hosts whose connections the tables should list completely.
func (s *State) Hosts() []string {
	var out []string
	if c := s.First(); c != nil && c.Session != 0 {
		if conn := s.Tracked.Client(c.Session).Conn; conn != nil {
			out = append(out, session.HostOf(conn.Addr))
		}
	}
	for _, x := range s.Returned {
		out = append(out, x.Host)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Observations returns observations from which a new journal computes the present state, without
// histories, totals and older answers of servers.
func (s *State) Observations() (out []Observation) {
	add := func(o Observation) { out = append(out, o) }
	link := s.Link
	if !s.DownSince.IsZero() { // the lost connection's timeout and round trip are not known
		add(&Connection{At: s.DownSince, Link: Connected, Server: link.Server, Session: link.Session})
		add(&Connection{At: s.DownSince, Link: Disconnected, Server: link.Server, Session: link.Session})
	}
	if !link.At.IsZero() {
		add(&link)
	}
	naming := &Switch{At: s.At, Recipe: s.Recipe.Name(), Dialect: noDialect}
	if s.Dialect != nil {
		naming.Dialect = s.Dialect.ID
		if s.Dialect.Recipe == s.Recipe {
			naming.Recipe = ""
		}
	}
	add(naming)
	if s.Follow != nil {
		add(s.Follow)
	}
	if s.Work.Rules != (Rules{}) {
		rules := s.Work.Rules
		add(&rules)
	}
	for _, session := range slices.Sorted(maps.Keys(s.bySession)) {
		if m := s.bySession[session]; s.MemberWith(session) == nil { // a departed member, whose znode may still exist
			add(&Cast{At: s.At, Member: *m})
			add(&Cast{At: s.At, Member: *m, Gone: true})
		}
	}
	for _, m := range s.Members {
		add(&Cast{At: s.At, Member: *m})
	}
	if !s.ReadAt.IsZero() {
		add(s.read())
	}
	if s.Phase == Forbidden {
		add(&Read{At: s.At, Presence: Denied})
	}
	for i := range s.acks {
		if z := &s.acks[i]; !z.At.IsZero() {
			add(z.read())
		}
	}
	for _, path := range slices.Sorted(maps.Keys(s.Directories)) {
		add(s.Directories[path])
	}
	for _, path := range slices.Sorted(maps.Keys(s.notes)) {
		add(s.notes[path])
	}
	if s.Pace != nil {
		add(s.Pace)
	}
	if s.Table != nil {
		add(s.Table)
	}
	if !s.At.IsZero() {
		add(&Advance{At: s.At})
	}
	return out
}

func (s *State) read() *Read {
	r := &Read{At: s.ReadAt, Presence: Present, Parent: s.Parent, Full: true}
	for _, c := range append(s.Queue.Slice(), s.Ignored...) {
		r.New = append(r.New, c.Znode)
	}
	switch {
	case s.Single:
		r.Full, r.Parent, r.Single = false, znode.Parent{}, true
		if len(r.New) == 0 {
			r.Presence = Absent
		}
	case !s.ParentRead:
		r.Presence, r.Full = Absent, false
	}
	return r
}

func (z *ackZnode) read() *Ack {
	a := &Ack{At: z.At, Sent: z.sent, Path: z.Path, Presence: z.Presence, Session: z.Session, Data: z.Data}
	if z.Znode != "" && !z.ByData {
		a.Data = znode.NewData(AckData(z.Znode, z.Fence))
	}
	return a
}

// Row is a contender with its position in the queue, or a member without a znode (position -1).
type Row struct {
	Candidate *dialect.Candidate
	Member    *Member
	Position  int
}

// Ref identifies a row independently of its position, and of a member's present znode.
type Ref struct {
	Member string // the ID of the member
	Znode  dialect.ID
}

// Ref returns the identity of the row.
func (r Row) Ref() Ref {
	var id Ref
	if r.Member != nil {
		id.Member = r.Member.ID
	}
	if r.Candidate != nil {
		id.Znode = r.Candidate.ID()
	}
	return id
}

// Same reports whether want and have identify the same row.
func (want Ref) Same(have Ref) bool {
	if want.Member != "" {
		return have.Member == want.Member
	}
	return want != (Ref{}) && have.Znode == want.Znode
}

// Name returns the name of the row.
func (r Row) Name() string {
	switch {
	case r.Candidate != nil:
		return r.Candidate.Label()
	case r.Member != nil:
		return znode.Safe(r.Member.Name, znode.NameMax)
	}
	return ""
}

// LeaderRow returns the row of the leader, an empty row if nobody leads.
func (s *State) LeaderRow() Row {
	l := s.Leader()
	if l == nil {
		return Row{Position: -1}
	}
	return Row{Candidate: l, Member: s.Member(l)}
}
