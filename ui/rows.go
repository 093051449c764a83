package ui

import (
	"slices"
	"strings"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/znode"
)

// row is a line of the candidates panel: a contender with its position in the
// queue, or a member of ours that has no znode (position -1). A contender of
// ours has both.
type row struct {
	candidate *dialect.Candidate
	member    *model.Member
	position  int
}

// ref is a row's identity. Of a row that is a member, the member counts: it
// may lose its znode, and get another.
type ref struct {
	member string
	znode  dialect.ID
}

func (r row) ref() ref {
	var id ref
	if r.member != nil {
		id.member = r.member.ID
	}
	if r.candidate != nil {
		id.znode = r.candidate.ID()
	}
	return id
}

// name is what to call the row.
func (r row) name() string {
	switch {
	case r.candidate != nil:
		return r.candidate.Label()
	case r.member != nil:
		return znode.Safe(r.member.Name, nameMax)
	}
	return ""
}

const nameMax = 64

// rows are what can be selected in a state, in the order of the screen: the
// queue, then the members without a znode. It is made once a state, not once
// a frame.
type rows struct {
	state    *doctor.State
	filter   string
	matching []int // positions in the queue; nil without a filter
	homeless []*model.Member
	held     map[uint64]*model.Message // the next message held for each session
	guests   bool                      // there are contenders from elsewhere whose address is known
}

func newRows(s *doctor.State, filter string) rows {
	r := rows{state: s, filter: filter, homeless: s.Homeless(), held: heldFor(s), guests: hasGuests(s)}
	if filter == "" {
		return r
	}
	want := strings.ToLower(filter)
	r.matching = []int{}
	for i, c := range s.Queue {
		if matches(c, want) {
			r.matching = append(r.matching, i)
		}
	}
	r.homeless = slices.DeleteFunc(slices.Clone(r.homeless), func(m *model.Member) bool {
		return !strings.Contains(strings.ToLower(znode.Safe(m.Name, nameMax)+" "+znode.Safe(m.ID, nameMax)), want)
	})
	return r
}

// matches reports whether a filter, in lower case, is in the label, the
// znode's name or the session. It is asked of each candidate of each state, so
// it does the cheap things first.
func matches(c *dialect.Candidate, want string) bool {
	if strings.Contains(strings.ToLower(c.Name), want) {
		return true
	}
	if len(c.Data.Bytes) > 0 && strings.Contains(strings.ToLower(c.Label()), want) {
		return true
	}
	return c.Session != 0 && strings.Trim(want, "x0123456789abcdef") == "" && strings.Contains(znode.Hex(c.Session), want)
}

// queued is how many rows are contenders.
func (r *rows) queued() int {
	if r.matching != nil {
		return len(r.matching)
	}
	if r.state == nil {
		return 0
	}
	return len(r.state.Queue)
}

func (r *rows) len() int { return r.queued() + len(r.homeless) }

// at returns row i, the zero row if there is none.
func (r *rows) at(i int) row {
	n := r.queued()
	switch {
	case i < 0 || i >= r.len():
		return row{position: -1}
	case i >= n:
		return row{member: r.homeless[i-n], position: -1}
	}
	if r.matching != nil {
		i = r.matching[i]
	}
	c := r.state.Queue[i]
	return row{candidate: c, member: r.state.Member(c), position: i}
}

// find returns the row with that identity, -1 if it is not shown. near is
// where it was last: the search of a long queue mostly ends there.
func (r *rows) find(id ref, near int) int {
	if same(r.at(near).ref(), id) {
		return near
	}
	if id.member != "" {
		for i, m := range r.homeless {
			if m.ID == id.member {
				return r.queued() + i
			}
		}
		if m := memberNamed(r.state, id.member); m != nil && m.Session != 0 {
			return r.search(func(c *dialect.Candidate) bool { return c.Session == m.Session })
		}
	}
	if id.znode == (dialect.ID{}) {
		return -1
	}
	return r.search(func(c *dialect.Candidate) bool { return c.Czxid == id.znode.Czxid && c.Name == id.znode.Name })
}

func same(have, want ref) bool {
	if want.member != "" {
		return have.member == want.member
	}
	return have != (ref{}) && have.znode == want.znode
}

// search returns the first contender that is shown and is meant.
func (r *rows) search(meant func(*dialect.Candidate) bool) int {
	if r.matching != nil {
		return slices.IndexFunc(r.matching, func(i int) bool { return meant(r.state.Queue[i]) })
	}
	return slices.IndexFunc(r.state.Queue, meant)
}

func memberNamed(s *doctor.State, id string) *model.Member {
	for _, m := range s.Members {
		if m.ID == id {
			return m
		}
	}
	return nil
}
