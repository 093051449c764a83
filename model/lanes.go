package model

import (
	"cmp"
	"slices"
	"time"

	"electop/model/dialect"
	"electop/model/session"
)

// Lanes shows what each candidate did over time, as far as it is known: of our own members
// what they believed and which fault they had, and of everybody where its znode was. It
// is derived from what the journal keeps of each change, so it is the same live, in
// time travel and in a replay: a lane at a time equals the state at that time.
type Lanes struct {
	// All are the lanes in the order in which their znodes were created; members that never
	// had one are last.
	All []*Lane
	// More counts the contenders in the queue that have no lane here.
	More int
	// From is since when nothing is missing, zero: from the beginning.
	From time.Time
	// Notices are the last notifications that the embedded server sent, of whole
	// deletions, at most [NoticesMax], oldest first.
	Notices []Notice
	// Writes are the last attempts of leaders' workers, oldest first.
	Writes []Tried
	// Gaps are the times in which nothing was observed, oldest first. What the lanes say
	// then of znodes was so before.
	Gaps []Gap
}

// NoticesMax bounds [Lanes.Notices]: a herd of 300 gets as many at each handoff.
const NoticesMax = 4096

// Gap is a time in which the election was not observed; To is zero while it lasts.
type Gap struct{ From, To time.Time }

// Lane is one candidate over time: a member of ours with all znodes that it had, or one
// znode of a third-party client.
type Lane struct {
	Member string // [Member.ID], "" for a third-party client
	Name   string // of the member; not safe to show
	// From is since when the lane is known; zero: from the beginning.
	From      time.Time
	Stretches []Stretch   // oldest first; the last one has not ended
	Znodes    []LaneZnode // oldest first
}

// Stretch is a time in which nothing changed in a lane, up to the next one.
type Stretch struct {
	From time.Time
	Standing
}

// Standing describes a candidate at one time.
type Standing struct {
	Place Place // of its znode
	// Belief and Fault are what a member said last; both are "" of a third-party
	// client, whose belief is not visible, and before the member came.
	Belief Belief
	Fault  Fault
	// Departed says that the member is not among ours any more. What it said last is
	// still in Belief and Fault.
	Departed bool
}

// Place is where the znode of a candidate is.
type Place string

const (
	NoZnode Place = ""
	Queued  Place = "queued" // it exists
	Holds   Place = "holds"  // it has the role: see [State.Holders]
)

// LaneZnode is a znode of a candidate.
type LaneZnode struct {
	*dialect.Candidate
	// End is when it was deleted, zero while it exists, and Cause why, as far as known.
	End   time.Time
	Cause Cause
}

// Notice is a notification that the embedded server sent to the watcher of a znode.
type Notice struct {
	At       time.Time // when the znode was deleted
	From, To int       // indexes in [Lanes.All]; -1: it has no lane
}

// At returns what the candidate was at t, false before the lane is known.
func (l *Lane) At(t time.Time) (Standing, bool) {
	if t.Before(l.From) {
		return Standing{}, false
	}
	i, found := slices.BinarySearchFunc(l.Stretches, t, func(s Stretch, t time.Time) int { return s.From.Compare(t) })
	if !found {
		i--
	}
	if i < 0 {
		return Standing{}, true
	}
	return l.Stretches[i].Standing, true
}

// Over reports whether nothing will happen in the lane any more: there is neither a
// znode nor a member.
func (l *Lane) Over() bool {
	last := l.Last()
	return last.Place == NoZnode && (l.Member == "" || last.Departed)
}

// Last returns what the candidate is now.
func (l *Lane) Last() Standing {
	if n := len(l.Stretches); n > 0 {
		return l.Stretches[n-1].Standing
	}
	return Standing{}
}

// Lanes returns the lanes of our members and of those that have the role, of the first
// contenders in the queue, and of those that left last, most of each: most of those that
// had the role, and of the others.
func (s *State) Lanes(most int) *Lanes {
	b := laneBuilder{State: s, all: make([]*sketch, 0, 2*most), members: make(map[string]*sketch, len(s.Members)), znodes: make(map[dialect.ID]*sketch, 2*most)}
	if len(s.Wakes) > 0 {
		b.sessions = make(map[uint64]*sketch, 2*most)
	}
	for _, t := range s.lanes.turns {
		x := b.member(t.id, t.name)
		x.turns = append(x.turns, t)
	}
	for _, m := range s.Members {
		b.member(m.ID, m.Name).present = m
	}
	for _, d := range s.lanes.ours {
		b.put(b.owner(d.member, d.of), tenancy{of: d.of, end: d.at, cause: d.cause})
	}
	b.departed(most)
	more := b.queued(most)
	for _, h := range s.lanes.holds {
		if x := b.znodes[h.of.ID()]; x != nil {
			if x.holds == nil {
				x.holds = b.holds.of(2)
			}
			x.holds = append(x.holds, h)
		}
	}
	return b.lanes(more)
}

// departed adds third-party clients that left, the last ones of those that had the role
// and of the others.
func (b *laneBuilder) departed(most int) {
	leaders, others := most, most
	for i := range slices.Backward(b.State.lanes.left) {
		d := &b.State.lanes.left[i]
		room := &others
		if d.led && !d.at.Before(b.State.lanes.holdsFrom) {
			room = &leaders
		}
		if *room--; *room >= 0 {
			b.put(b.owner("", d.of), tenancy{of: d.of, end: d.at, cause: d.cause})
		}
	}
}

// queued adds the contenders that are to have a lane, and returns how many it leaves out.
func (b *laneBuilder) queued(most int) (more int) {
	n := b.Holders()
	whole := min(max(most, n), b.Queue.Len())
	var added map[int]bool // of those after the first ones
	put := func(i int, c *dialect.Candidate) {
		owner := ""
		if m := b.Member(c); m != nil {
			owner = m.ID
			b.member(m.ID, m.Name)
		}
		b.put(b.owner(owner, c), tenancy{of: c, holds: i < n})
	}
	for i, c := range b.Queue.All() {
		if i == whole {
			break
		}
		put(i, c)
	}
	add := func(i int) {
		if i >= whole && !added[i] {
			if added == nil {
				added = make(map[int]bool)
			}
			added[i] = true
			put(i, b.Queue.At(i))
		}
	}
	if whole == b.Queue.Len() {
		return 0
	}
	for _, m := range b.bySession {
		if i, ok := b.positionOf(m); ok {
			add(i)
		}
	}
	for _, h := range b.State.lanes.holds { // they had the role, and others are before them now
		if whole > 0 && dialect.Compare(b.Recipe, h.of, b.Queue.At(whole-1)) <= 0 {
			continue // it is among the first ones, or has left, as most have
		}
		if i, ok := Position(b.Recipe, b.Queue, h.of); ok && b.Queue.At(i).ID() == h.of.ID() {
			add(i)
		}
	}
	return b.Queue.Len() - whole - len(added)
}

// laneBuilder puts together what belongs to each lane.
type laneBuilder struct {
	*State
	all      []*sketch
	members  map[string]*sketch
	znodes   map[dialect.ID]*sketch
	sessions map[uint64]*sketch // for the notices; nil if there are none
	changes  []change           // of the lane that is made

	// Room for what is made many times: there are lanes in each frame of a screen.
	sketches  chunk[sketch]
	tenancies chunk[tenancy]
	holds     chunk[hold]
	rows      chunk[Lane]
	znodeRoom chunk[LaneZnode]
	stretches chunk[Stretch]
	flags     chunk[bool]
}

// sketch has what belongs to one lane.
type sketch struct {
	member, name string
	present      *Member
	turns        []*turn
	znodes       []tenancy
	holds        []hold
	index        int
}

// tenancy is the time of one znode: from when it was seen to end, zero while it
// exists.
type tenancy struct {
	of    *dialect.Candidate
	end   time.Time
	cause Cause
	holds bool // now
}

func (b *laneBuilder) add() *sketch {
	x := b.sketches.one()
	b.all = append(b.all, x)
	return x
}

func (b *laneBuilder) member(id, name string) *sketch {
	x := b.members[id]
	if x == nil {
		x = b.add()
		x.member = id
		b.members[id] = x
	}
	x.name = cmp.Or(name, x.name)
	return x
}

func (b *laneBuilder) put(x *sketch, z tenancy) {
	if x.znodes == nil {
		x.znodes = b.tenancies.of(1)
	}
	x.znodes = append(x.znodes, z)
}

// owner returns the sketch of a znode's lane: our member's, by its ID, or its own.
func (b *laneBuilder) owner(member string, c *dialect.Candidate) *sketch {
	var x *sketch
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
	for _, cut := range []time.Time{b.State.lanes.holdsFrom, b.State.lanes.leftFrom, b.State.lanes.oursFrom, b.State.lanes.turnsFrom} {
		out.From = session.Later(out.From, cut)
	}
	created := func(x *sketch) int64 {
		first := int64(1) << 62
		for _, z := range x.znodes {
			first = min(first, z.of.Czxid)
		}
		return first
	}
	slices.SortStableFunc(b.all, func(x, y *sketch) int {
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
	wakes, notified := b.Wakes, 0
	for i := len(wakes) - 1; i >= 0; i-- {
		if notified += len(wakes[i].Notified); notified > NoticesMax {
			wakes = wakes[i+1:]
			break
		}
	}
	out.Notices = make([]Notice, 0, min(notified, NoticesMax))
	for _, w := range wakes {
		from := -1
		if w.Candidate != nil {
			if x := b.znodes[w.Candidate.ID()]; x != nil {
				from = x.index
			}
		}
		for _, session := range w.Notified {
			n := Notice{At: wall(w.Deleted), From: from, To: -1}
			if w.Deleted.IsZero() {
				n.At = wall(w.At)
			}
			if x := b.sessions[session]; x != nil {
				n.To = x.index
			}
			out.Notices = append(out.Notices, n)
		}
	}
	return out
}

// causes puts into the lanes why leaders' znodes were deleted, as the handoffs have it.
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

// change is a change of one side of a lane: what its member says, or of one of its znodes
// whether it exists, or has the role.
type change struct {
	at    time.Time
	turn  *turn
	znode int
	holds bool // it is about the role
	on    bool
}

// laneState is a lane at one time: what its member says, and each of its znodes.
type laneState struct {
	self    selfReport
	present []bool
	holds   []bool
}

func (n *laneState) apply(c *change) {
	switch {
	case c.turn != nil:
		n.self = c.turn.is
	case c.holds:
		n.holds[c.znode] = c.on
	default:
		n.present[c.znode] = c.on
	}
}

func (n *laneState) standing() Standing {
	s := Standing{Belief: n.self.belief, Fault: n.self.fault, Departed: n.self.gone}
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

// lane makes the lane of a sketch: it begins with what was before the first change,
// and applies the changes in their order.
func (b *laneBuilder) lane(x *sketch) *Lane {
	log := &b.State.lanes
	l := b.rows.one()
	*l = Lane{Member: x.member, Name: x.name, From: log.holdsFrom}
	n := len(x.znodes)
	now := laneState{present: b.flags.of(n)[:n], holds: b.flags.of(n)[:n]}
	changes := b.changes[:0]
	if x.member != "" {
		l.From = session.Later(l.From, session.Later(log.turnsFrom, log.oursFrom))
		switch {
		case len(x.turns) > 0:
			now.self = x.turns[0].was
		case x.present != nil:
			now.self = selfReport{belief: x.present.Belief, fault: x.present.Fault}
		case len(x.znodes) > 0: // it departed before the oldest turn, and its znode is there still
			if m := b.Member(x.znodes[len(x.znodes)-1].of); m != nil {
				now.self = selfReport{m.Belief, m.Fault, true}
			}
		}
		for _, t := range x.turns {
			changes = append(changes, change{at: t.at, turn: t})
		}
	}
	slices.SortStableFunc(x.znodes, func(a, b tenancy) int { return a.of.SeenAt.Compare(b.of.SeenAt) })
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
	for len(changes) > 0 && !changes[0].at.After(l.From) { // that is how it begins
		now.apply(&changes[0])
		changes = changes[1:]
	}
	l.Stretches = b.stretches.of(len(changes) + 1)
	if first := now.standing(); first != (Standing{}) {
		l.Stretches = append(l.Stretches, Stretch{l.From, first})
	}
	for i, c := range changes {
		now.apply(&c)
		if i+1 < len(changes) && changes[i+1].at.Equal(c.at) {
			continue // they are one moment
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

// chunk is room for values that are made one after the other.
type chunk[T any] struct{ left []T }

// of returns an empty slice with room for n.
func (c *chunk[T]) of(n int) []T {
	if n > len(c.left) {
		c.left = make([]T, max(n, 32))
	}
	out := c.left[:0:n]
	c.left = c.left[n:]
	return out
}

// one returns a zero value.
func (c *chunk[T]) one() *T { return &c.of(1)[:1][0] }
