package model

import (
	"cmp"
	"slices"
	"time"

	"electop/model/dialect"
	"electop/model/session"
	"electop/model/znode"
)

// Lanes shows candidates over time: the places of their znodes, and the beliefs and faults of members.
type Lanes struct {
	// All are in the order of their first znodes; members without znodes are last.
	All  []*Lane
	More int       // counts the contenders that have no lane
	From time.Time // the lanes are complete from then on; zero: from the beginning
	// Notices are the last notifications of the embedded server about deletions, at most [NoticesMax],
	// oldest first. For each deletion, Notices has all notifications or none.
	Notices []Notice
	Writes  []Tried // the last attempts of leaders' workers to write, oldest first
	Gaps    []Gap   // oldest first
}

// NoticesMax bounds [Lanes.Notices]. A herd of 300 candidates gets some 300 notifications at each
// handoff.
const NoticesMax = 4096

// Gap is a time in which the election was not observed; To is zero while the gap lasts.
type Gap struct{ From, To time.Time }

// Lane is one candidate over time: a member with all its znodes, or one znode of a third-party
// client.
type Lane struct {
	Member string // [Member.ID], "" for a third-party client
	Name   string // of the member; not safe for a terminal

	From      time.Time   // the lane is known from then on; zero: from the beginning
	Stretches []Stretch   // oldest first; the last stretch has not ended
	Znodes    []LaneZnode // oldest first
}

// Stretch is a time in which a lane did not change.
type Stretch struct {
	From time.Time
	Standing
}

// Standing describes a candidate at one time.
type Standing struct {
	Place Place // of its znode
	// Belief and Fault are "" before the member's first report, and for a third-party client.
	Belief   Belief
	Fault    Fault
	Departed bool // the member is no longer in [State.Members]
}

// Place is the place of a candidate's znode.
type Place string

const (
	NoZnode Place = ""
	Queued  Place = "queued" // without the role
	Holds   Place = "holds"  // with the role: see [State.Holders]
)

// LaneZnode is a znode of a candidate.
type LaneZnode struct {
	*dialect.Candidate
	End   time.Time // zero while the znode exists
	Cause Cause     // "" or [CauseUnknown] if not known
}

// Notice is a notification of the embedded server to a watcher of a deleted znode.
type Notice struct {
	At       time.Time // of the deletion, or of its report
	Arrived  time.Time // zero: the notification has not arrived
	From, To int       // indexes in [Lanes.All]: the znode's lane and the watcher's lane; -1: none
}

// WronglyLeads reports whether, at the time now, m wrongly believes that it leads: see [WrongAfter].
func (s *State) WronglyLeads(m *Member, now time.Time) bool {
	believes, _ := m.believes()
	leader := s.Member(s.Leader())
	if s.NoLeader() == MixedClients {
		leader = s.Member(s.First()) // the first contender leads, and another may too
	}
	return believes && (leader == nil || leader.ID != m.ID) && now.Sub(m.StepAt) >= WrongAfter
}

// At returns the candidate's standing at t, and whether the lane is known at t.
func (l *Lane) At(t time.Time) (Standing, bool) {
	i := l.index(t)
	if i < 0 {
		return Standing{}, !t.Before(l.From)
	}
	return l.Stretches[i].Standing, !t.Before(l.From)
}

func (l *Lane) index(t time.Time) int {
	i, found := slices.BinarySearchFunc(l.Stretches, t, func(s Stretch, t time.Time) int { return s.From.Compare(t) })
	if !found {
		i--
	}
	return i
}

// WrongAfter is how long a new belief may contradict the queue before the belief counts as wrong. A new
// leader can begin to lead before electop has read the new queue.
const WrongAfter = time.Second

// Wrong reports whether at t the member wrongly believed that it led: see [WrongAfter].
func (l *Lane) Wrong(t time.Time) bool {
	i := l.index(t)
	if i < 0 {
		return false
	}
	s := l.Stretches[i]
	if s.Belief != Leading || s.Place == Holds || s.Fault == Killed || s.Departed {
		return false
	}
	for i > 0 && l.Stretches[i-1].Belief == Leading {
		i--
	}
	began := l.Stretches[i].From
	return began.Equal(l.From) || t.Sub(began) >= WrongAfter
}

// Over reports whether the candidate's znode and member are gone.
func (l *Lane) Over() bool {
	last := l.Last()
	return last.Place == NoZnode && (l.Member == "" || last.Departed)
}

// Last returns the candidate's present standing.
func (l *Lane) Last() Standing {
	if n := len(l.Stretches); n > 0 {
		return l.Stretches[n-1].Standing
	}
	return Standing{}
}

// Lanes returns the lanes. The parameter most bounds each of three groups: the last third-party leaders that left, the
// others that left, and the present third-party contenders that never had the role.
func (s *State) Lanes(most int) *Lanes {
	b := laneBuilder{
		State: s, all: make([]*laneParts, 0, 2*most),
		members: make(map[string]*laneParts, len(s.Members)), znodes: make(map[dialect.ID]*laneParts, 2*most),
	}
	if len(s.Deletions) > 0 {
		b.sessions = make(map[uint64]*laneParts, 2*most)
	}
	for _, t := range s.lanes.reports {
		x := b.member(t.id, t.name)
		x.reports = append(x.reports, t)
	}
	for _, m := range s.Members {
		b.member(m.ID, m.Name).present = m
	}
	for _, d := range s.lanes.ours {
		b.put(b.owner(d.member, d.of), znodeTime{of: d.of, end: d.at, cause: d.cause})
	}
	b.departed(most)
	more := b.queued(most)
	for _, h := range s.lanes.holds {
		if x := b.znodes[h.of.ID()]; x != nil {
			if x.holds == nil {
				x.holds = b.holdRoom.of(2)
			}
			x.holds = append(x.holds, h)
		}
	}
	return b.lanes(more)
}

func (b *laneBuilder) departed(most int) {
	leaders, others := most, most
	for i := range slices.Backward(b.State.lanes.left) {
		d := &b.State.lanes.left[i]
		room := &others
		if d.led && !d.at.Before(b.State.lanes.holdsFrom) {
			room = &leaders
		}
		if *room--; *room >= 0 {
			b.put(b.owner("", d.of), znodeTime{of: d.of, end: d.at, cause: d.cause})
		}
	}
}

func (b *laneBuilder) queued(most int) (more int) {
	n := b.Holders()
	front := min(max(most, n), b.Queue.Len())
	var added map[int]bool // the positions with a lane, from front on
	put := func(i int, c *dialect.Candidate) {
		owner := ""
		if m := b.Member(c); m != nil {
			owner = m.ID
			b.member(m.ID, m.Name)
		}
		b.put(b.owner(owner, c), znodeTime{of: c, holds: i < n})
	}
	for i, c := range b.Queue.All() {
		if i == front {
			break
		}
		put(i, c)
	}
	add := func(i int) {
		if i >= front && !added[i] {
			if added == nil {
				added = make(map[int]bool)
			}
			added[i] = true
			put(i, b.Queue.At(i))
		}
	}
	if front == b.Queue.Len() {
		return 0
	}
	for _, m := range b.bySession {
		if i, ok := b.positionOf(m); ok {
			add(i)
		}
	}
	for _, h := range b.State.lanes.holds { // former holders that are not among the first contenders
		if front > 0 && dialect.Compare(b.Recipe, h.of, b.Queue.At(front-1)) <= 0 {
			continue // h.of was added before, or has left
		}
		if i, ok := Position(b.Recipe, b.Queue, h.of); ok && b.Queue.At(i).ID() == h.of.ID() {
			add(i)
		}
	}
	return b.Queue.Len() - front - len(added)
}

type laneBuilder struct {
	*State
	all      []*laneParts
	members  map[string]*laneParts
	znodes   map[dialect.ID]*laneParts
	sessions map[uint64]*laneParts // for the notices; nil: no notices
	changes  []change              // storage, used again for each lane

	partsRoom   chunk[laneParts]
	timeRoom    chunk[znodeTime]
	holdRoom    chunk[hold]
	laneRoom    chunk[Lane]
	znodeRoom   chunk[LaneZnode]
	stretchRoom chunk[Stretch]
	flagRoom    chunk[bool]
}

type laneParts struct {
	member, name string
	present      *Member
	reports      []*reportChange
	znodes       []znodeTime
	holds        []hold
	index        int
}

type znodeTime struct {
	of    *dialect.Candidate
	end   time.Time
	cause Cause
	holds bool // has the role now
}

func (b *laneBuilder) add() *laneParts {
	x := b.partsRoom.one()
	b.all = append(b.all, x)
	return x
}

func (b *laneBuilder) member(id, name string) *laneParts {
	x := b.members[id]
	if x == nil {
		x = b.add()
		x.member = id
		b.members[id] = x
	}
	x.name = cmp.Or(name, x.name)
	return x
}

func (b *laneBuilder) put(x *laneParts, z znodeTime) {
	if x.znodes == nil {
		x.znodes = b.timeRoom.of(1)
	}
	x.znodes = append(x.znodes, z)
}

func (b *laneBuilder) owner(member string, c *dialect.Candidate) *laneParts {
	var x *laneParts
	if member != "" {
		x = b.member(member, "")
	} else if x = b.znodes[c.ID()]; x == nil {
		x = b.add()
	}
	b.znodes[c.ID()] = x
	if c.Session != 0 && b.sessions != nil {
		b.sessions[c.Session] = x
	}
	return x
}

func (b *laneBuilder) lanes(more int) *Lanes {
	out := &Lanes{More: more, Writes: b.Work.Last, Gaps: b.State.lanes.gaps}
	for _, cut := range []time.Time{b.State.lanes.holdsFrom, b.State.lanes.leftFrom, b.State.lanes.oursFrom, b.State.lanes.reportsFrom} {
		out.From = session.Later(out.From, cut)
	}
	created := func(x *laneParts) int64 {
		first := int64(1) << 62
		for _, z := range x.znodes {
			first = min(first, z.of.Czxid)
		}
		return first
	}
	slices.SortStableFunc(b.all, func(x, y *laneParts) int {
		return cmp.Or(cmp.Compare(created(x), created(y)), cmp.Compare(x.member, y.member))
	})
	out.All = make([]*Lane, 0, len(b.all))
	for i, x := range b.all {
		x.index = i
		out.All = append(out.All, b.lane(x))
		if x.present != nil && x.present.Session != 0 && b.sessions != nil {
			b.sessions[x.present.Session] = x
		}
	}
	b.causes(out.All)
	deletions, notified := b.Deletions, 0
	for i := len(deletions) - 1; i >= 0; i-- {
		if notified += len(deletions[i].Notified); notified > NoticesMax {
			deletions = deletions[i+1:]
			break
		}
	}
	out.Notices = make([]Notice, 0, min(notified, NoticesMax))
	arrivals := b.State.heldArrivals()
	for _, w := range deletions {
		from := -1
		if w.Candidate != nil {
			if x := b.znodes[w.Candidate.ID()]; x != nil {
				from = x.index
			}
		}
		for _, session := range w.Notified {
			n := Notice{At: wallClock(w.Deleted), From: from, To: -1}
			if w.Deleted.IsZero() {
				n.At = wallClock(w.At)
			}
			if x := b.sessions[session]; x != nil {
				n.To = x.index
			}
			n.Arrived = n.At
			if at, ok := arrivals[noticeKey{session, w.Znode}]; ok {
				n.Arrived = at
			}
			out.Notices = append(out.Notices, n)
		}
	}
	return out
}

type noticeKey struct {
	session uint64
	znode   string
}

func (s *State) heldArrivals() map[noticeKey]time.Time {
	out := map[noticeKey]time.Time{}
	put := func(m *Message, at time.Time) {
		if m.Op == Notification && m.Event == "deleted" {
			out[noticeKey{m.Session, znode.Base(m.Path)}] = at
		}
	}
	for i := range s.Exchanges {
		if x := &s.Exchanges[i]; x.Dropped || x.Fault != NoFault {
			put(&x.Message, time.Time{})
		} else {
			put(&x.Message, x.Left)
		}
	}
	if s.Pace != nil {
		for i := range s.Pace.Held {
			put(&s.Pace.Held[i], time.Time{})
		}
	}
	return out
}

func (b *laneBuilder) causes(all []*Lane) {
	for _, h := range b.Handoffs {
		if h.From == nil || h.Cause == CauseUnknown || b.znodes[h.From.ID()] == nil {
			continue
		}
		znodes := all[b.znodes[h.From.ID()].index].Znodes
		for i := range znodes {
			if z := &znodes[i]; z.ID() == h.From.ID() && !z.End.IsZero() {
				z.Cause = h.Cause
			}
		}
	}
}

type change struct {
	at     time.Time
	report *reportChange // nil: a change of a znode
	znode  int           // an index in laneParts.znodes
	holds  bool
	on     bool
}

type laneState struct {
	report  memberReport
	present []bool
	holds   []bool
}

func (n *laneState) apply(c *change) {
	switch {
	case c.report != nil:
		n.report = c.report.is
	case c.holds:
		n.holds[c.znode] = c.on
	default:
		n.present[c.znode] = c.on
	}
}

func (n *laneState) standing() Standing {
	s := Standing{Belief: n.report.belief, Fault: n.report.fault, Departed: n.report.gone}
	for i, there := range n.present {
		switch {
		case there && n.holds[i]:
			s.Place = Holds
		case there && s.Place == NoZnode:
			s.Place = Queued
		}
	}
	return s
}

func (b *laneBuilder) lane(x *laneParts) *Lane {
	log := &b.State.lanes
	l := b.laneRoom.one()
	*l = Lane{Member: x.member, Name: x.name, From: log.holdsFrom}
	n := len(x.znodes)
	now := laneState{present: b.flagRoom.of(n)[:n], holds: b.flagRoom.of(n)[:n]}
	changes := b.changes[:0]
	if x.member != "" {
		l.From = session.Later(l.From, session.Later(log.reportsFrom, log.oursFrom))
		switch {
		case len(x.reports) > 0:
			now.report = x.reports[0].was
		case x.present != nil:
			now.report = memberReport{belief: x.present.Belief, fault: x.present.Fault}
		case len(x.znodes) > 0: // the log dropped all reports of the departed member
			if m := b.Member(x.znodes[len(x.znodes)-1].of); m != nil {
				now.report = memberReport{m.Belief, m.Fault, true}
			}
		}
		for _, t := range x.reports {
			changes = append(changes, change{at: t.at, report: t})
		}
	}
	slices.SortStableFunc(x.znodes, func(a, b znodeTime) int { return a.of.SeenAt.Compare(b.of.SeenAt) })
	l.Znodes = b.znodeRoom.of(len(x.znodes))
	for i, z := range x.znodes {
		l.Znodes = append(l.Znodes, LaneZnode{z.of, z.end, z.cause})
		changes = append(changes, change{at: z.of.SeenAt, znode: i, on: true})
		id, begun := z.of.ID(), false
		for _, h := range x.holds {
			if h.of.ID() != id {
				continue
			}
			if !begun {
				now.holds[i], begun = !h.on, true
			}
			changes = append(changes, change{at: h.at, znode: i, holds: true, on: h.on})
		}
		if !begun {
			now.holds[i] = z.holds
		}
		if !z.end.IsZero() {
			changes = append(changes, change{at: z.end, znode: i})
		}
	}
	b.changes = changes
	slices.SortStableFunc(changes, func(a, b change) int { return a.at.Compare(b.at) })
	for len(changes) > 0 && !changes[0].at.After(l.From) {
		now.apply(&changes[0])
		changes = changes[1:]
	}
	l.Stretches = b.stretchRoom.of(len(changes) + 1)
	if first := now.standing(); first != (Standing{}) {
		l.Stretches = append(l.Stretches, Stretch{l.From, first})
	}
	for i, c := range changes {
		now.apply(&c)
		if i+1 < len(changes) && changes[i+1].at.Equal(c.at) {
			continue
		}
		st := now.standing()
		n := len(l.Stretches)
		if n > 0 && l.Stretches[n-1].Standing == st || n == 0 && st == (Standing{}) {
			continue
		}
		l.Stretches = append(l.Stretches, Stretch{c.at, st})
	}
	return l
}

// chunk allocates many values of a type at once.
type chunk[T any] struct{ left []T }

func (c *chunk[T]) of(n int) []T {
	if n > len(c.left) {
		c.left = make([]T, max(n, 32))
	}
	out := c.left[:0:n]
	c.left = c.left[n:]
	return out
}

func (c *chunk[T]) one() *T { return &c.of(1)[:1][0] }
