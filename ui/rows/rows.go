// Package rows is what can be selected in an election: a [Row] for each
// contender, in the order of the queue, and one for each member of our own cast
// that has no znode.
//
// A row's identity is a [Ref]: a candidate's znode or a member of ours, and
// never the row's number, because rows come and go. A [List] is made once for
// each state, not once for each frame.
package rows

import (
	"slices"
	"strings"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/immutable"
	"electop/model/znode"
)

// Row is a line of the candidates panel: a contender with its position in the
// queue, or a member of ours that has no znode (position -1). A contender of
// ours has both.
type Row struct {
	Candidate *dialect.Candidate
	Member    *model.Member
	Position  int
}

// Ref is a row's identity. Of a row that is a member, the member counts: it
// may lose its znode, and get another.
type Ref struct {
	member string
	Znode  dialect.ID
}

func (r Row) Ref() Ref {
	var id Ref
	if r.Member != nil {
		id.member = r.Member.ID
	}
	if r.Candidate != nil {
		id.Znode = r.Candidate.ID()
	}
	return id
}

// Name is what to call the row.
func (r Row) Name() string {
	switch {
	case r.Candidate != nil:
		return r.Candidate.Label()
	case r.Member != nil:
		return znode.Safe(r.Member.Name, NameMax)
	}
	return ""
}

const NameMax = 64

// FilterMax bounds what can be typed, in runes: more than any name's
// distinctive part.
const FilterMax = 64

// List is what can be selected in a state, in the order of the screen: the
// queue, then the members without a znode. It is made once a state, not once a frame.
type List struct {
	State   *doctor.State
	some    bool          // not all contenders may be shown
	shown   dialect.Queue // those that are, then
	NoZnode []*model.Member
	Held    map[uint64]*model.Message // the next message held for each session
	Guests  bool                      // there are contenders from elsewhere whose address is known
}

// New returns the rows in which filter is.
func New(s *doctor.State, filter string) List {
	r := List{State: s, NoZnode: s.WithoutZnode(), Held: heldFor(s), Guests: HasGuests(s)}
	if filter == "" {
		return r
	}
	want := strings.ToLower(filter)
	r.some, r.shown = true, immutable.ListOf(slices.DeleteFunc(s.Queue.Slice(), func(c *dialect.Candidate) bool { return !matches(c, want) }))
	r.NoZnode = slices.DeleteFunc(slices.Clone(r.NoZnode), func(m *model.Member) bool {
		return !strings.Contains(strings.ToLower(znode.Safe(m.Name, NameMax)+" "+znode.Safe(m.ID, NameMax)), want)
	})
	return r
}

// Whole reports whether the list shows the queue as it is.
func (r *List) Whole() bool { return !r.some }

// Queued is how many rows are contenders.
func (r *List) Queued() int {
	q := r.Contenders()
	return q.Len()
}

// Contenders are those that are shown.
func (r *List) Contenders() dialect.Queue {
	switch {
	case r.some:
		return r.shown
	case r.State == nil:
		return dialect.Queue{}
	}
	return r.State.Queue
}

func (r *List) Len() int { return r.Queued() + len(r.NoZnode) }

// At returns row i, the zero row if there is none.
func (r *List) At(i int) Row {
	n := r.Queued()
	switch {
	case i < 0 || i >= r.Len():
		return Row{Position: -1}
	case i >= n:
		return Row{Member: r.NoZnode[i-n], Position: -1}
	}
	c := r.Contenders().At(i)
	if r.some {
		_, i = r.State.Candidate(c.ID())
	}
	return Row{Candidate: c, Member: r.State.Member(c), Position: i}
}

// Find returns the row with that identity, -1 if it is not shown. A member of ours may
// have two znodes, and so two rows: it is that with the same znode, or the first. near
// is where the row was last: the search mostly ends there.
func (r *List) Find(id Ref, near int) int {
	if id == (Ref{}) {
		return -1
	}
	if r.At(near).Ref() == id {
		return near
	}
	if id.Znode != (dialect.ID{}) {
		if i := r.rowOf(id.Znode); i >= 0 && Same(r.At(i).Ref(), id) {
			return i
		}
	}
	if id.member == "" {
		return -1
	}
	for i, m := range r.NoZnode {
		if m.ID == id.member {
			return r.Queued() + i
		}
	}
	if m := Member(r.State, id.member); m != nil && m.Session != 0 {
		return r.Contenders().Index(func(c *dialect.Candidate) bool { return c.Session == m.Session })
	}
	return -1
}

func Same(have, want Ref) bool {
	if want.member != "" {
		return have.member == want.member
	}
	return have != (Ref{}) && have.Znode == want.Znode
}

// rowOf is the row of the contender with that identity, -1 for none.
func (r *List) rowOf(id dialect.ID) int {
	c, i := r.State.Candidate(id)
	if c == nil || !r.some {
		return i
	}
	return r.shown.Index(func(x *dialect.Candidate) bool { return x == c })
}

// matches reports whether a filter, in lower case, is in the label, the
// znode's name or the session. It does the cheap things first.
func matches(c *dialect.Candidate, want string) bool {
	if want == "" || strings.Contains(strings.ToLower(c.Name), want) {
		return true
	}
	if len(c.Data.Bytes) > 0 && strings.Contains(strings.ToLower(c.Label()), want) {
		return true
	}
	return c.Session != 0 && strings.Trim(want, "x0123456789abcdef") == "" && strings.Contains(znode.Hex(c.Session), want)
}

func Member(s *doctor.State, id string) *model.Member {
	for _, m := range s.Members {
		if m.ID == id {
			return m
		}
	}
	return nil
}

// HasGuests reports whether the address of a contender that is none of ours is
// known.
func HasGuests(s *doctor.State) bool {
	if s.Answers == nil {
		return false
	}
	for _, c := range s.Queue.All() {
		if x, _ := s.Client(c); x.Conn != nil && s.Member(c) == nil {
			return true
		}
	}
	return false
}

// heldFor is the first message that is held for each session.
func heldFor(s *doctor.State) map[uint64]*model.Message {
	if s.Pace == nil || len(s.Pace.Held) == 0 {
		return nil
	}
	out := make(map[uint64]*model.Message, len(s.Pace.Held))
	for i := range s.Pace.Held {
		m := &s.Pace.Held[i]
		if out[m.Session] == nil {
			out[m.Session] = m
		}
	}
	return out
}

// Leader is the row of who leads, an empty one where nobody does.
func Leader(s *doctor.State) Row {
	l := s.Leader()
	if l == nil {
		return Row{Position: -1}
	}
	return Row{Candidate: l, Member: s.Member(l)}
}
