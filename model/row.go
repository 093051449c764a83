package model

import (
	"electop/model/dialect"
	"electop/model/znode"
)

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

// Same reports whether have identifies the row of want.
func (want Ref) Same(have Ref) bool {
	if want.Member != "" {
		return have.Member == want.Member
	}
	return have != (Ref{}) && have.Znode == want.Znode
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
