package model

import (
	"slices"
	"time"

	"electop/model/session"
)

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
	l := b.room.lanes.one()
	*l = Lane{Member: x.member, Name: x.name, From: log.holdsFrom}
	b.present, b.holds = zeroed(b.present, len(x.znodes)), zeroed(b.holds, len(x.znodes))
	now := laneState{present: b.present, holds: b.holds}
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
	l.Znodes = b.room.znodes.of(len(x.znodes))
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
	l.Stretches = b.room.stretches.of(len(changes) + 1)
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
