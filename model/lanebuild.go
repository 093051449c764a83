package model

import (
	"cmp"
	"slices"
	"time"

	"electop/model/dialect"
	"electop/model/session"
)

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
	left := b.departed(most)
	more := b.queued(most)
	for _, h := range s.lanes.holds {
		if x := b.znodes[h.of.ID()]; x != nil {
			if x.holds == nil {
				x.holds = b.room.holds.of(2)
			}
			x.holds = append(x.holds, h)
		}
	}
	return b.lanes(more, left)
}

// departed adds third-party clients that left, the last ones of those that had the role
// and of the others, and returns how many it leaves out.
func (b *laneBuilder) departed(most int) (more int) {
	leaders, others := most, most
	for i := range slices.Backward(b.State.lanes.left) {
		d := &b.State.lanes.left[i]
		room := &others
		if d.led && !d.at.Before(b.State.lanes.holdsFrom) {
			room = &leaders
		}
		if *room--; *room < 0 {
			more++
			continue
		}
		b.put(b.owner("", d.of), tenancy{of: d.of, end: d.at, cause: d.cause})
	}
	return more
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
	sessions map[uint64]*sketch // for the notices; nil where there are none
	room     laneRoom

	// Of the lane that is made.
	changes        []change
	present, holds []bool
}

// sketch is what belongs to one lane.
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
	x := b.room.sketches.one()
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
		x.znodes = b.room.tenancies.of(1)
	}
	x.znodes = append(x.znodes, z)
}

// owner returns the sketch of the lane of a znode: that of our member, by its ID, or its own.
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

func (b *laneBuilder) lanes(more, left int) *Lanes {
	out := &Lanes{More: more, Left: left, Until: b.At, Cut: b.State.lanes.leftFrom, Writes: b.State.lanes.writes, Gaps: b.State.lanes.gaps}
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
