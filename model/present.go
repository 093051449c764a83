package model

import (
	"maps"
	"slices"

	"electop/model/znode"
)

// Observations returns observations that show a new journal the election as it is
// now: a later part of a recording begins with them. What happened before (handoffs,
// reigns, totals) is not in them; since when a child was seen is the time of the last
// read.
func (s *State) Observations() (out []Observation) {
	add := func(o Observation) { out = append(out, o) }
	link := s.Link
	if !s.DownSince.IsZero() { // what was connected is known no longer, only until when
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
		if m := s.bySession[session]; s.MemberWith(session) == nil { // it departed before its znode
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

// read returns one read that shows all children.
func (s *State) read() *Read {
	r := &Read{At: s.ReadAt, Presence: Present, Parent: s.Parent, Full: true}
	for _, c := range s.Queue.All() {
		r.New = append(r.New, c.Znode)
	}
	for _, c := range s.Ignored {
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

// read returns a read that shows the acknowledgement as it is.
func (z *ackZnode) read() *Ack {
	a := &Ack{At: z.At, Sent: z.sent, Path: z.Path, Presence: z.Presence, Session: z.Session, Data: z.Data}
	if z.Znode != "" && !z.ByData {
		a.Data = znode.NewData(AckData(z.Znode, z.Fence))
	}
	return a
}
