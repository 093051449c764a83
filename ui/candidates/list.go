package candidates

import (
	"slices"
	"strings"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/znode"
)

type list struct {
	Rows     List
	Selected model.Ref
	Index    int // of the selected row in Rows
	queuedAt int // row to select if the selected member without a znode is removed
	top      int // first row of the queue in view
	Filter   string
}

// Reselect rebuilds the rows, and selects the same candidate again if it has a row.
func (l *list) Reselect(s *doctor.State) {
	without := l.Index >= l.Rows.Queued()
	l.Rows = newList(s, l.Filter)
	if i := l.Rows.Find(l.Selected, l.Index); i >= 0 {
		l.Index = i
		l.Selected = l.Rows.At(i).Ref() // a member may have a new znode
		if i < l.Rows.Queued() {
			l.queuedAt = i
		}
		return
	}
	switch {
	case without && len(l.Rows.NoZnode) > 0 && !s.Dialect.Elects(): // stay below the queue
		l.Index = max(l.Index, l.Rows.Queued())
	case without:
		l.Index = l.queuedAt
	}
	l.SelectRow(l.Index)
}

// SelectRow selects row i, or the nearest one.
func (l *list) SelectRow(i int) {
	l.Index = max(0, min(i, l.Rows.Len()-1))
	if l.Rows.Len() > 0 { // otherwise Selected stays: its row may return, for example with another filter
		l.Selected, l.queuedAt = l.Row().Ref(), l.Index
	}
}

// Select selects the row with the identity id, if there is one.
func (l *list) Select(id model.Ref) {
	if i := l.Rows.Find(id, l.Index); i >= 0 {
		l.SelectRow(i)
	}
}

// Row returns the selected row, an empty one if there is none.
func (l *list) Row() model.Row { return l.Rows.At(l.Index) }

// List holds the rows of a state: the queue, then the members without a znode.
type List struct {
	State     *doctor.State
	filtered  bool
	matching  dialect.Queue // replaces the queue, if filtered
	NoZnode   []*model.Member
	Held      map[uint64]*model.Message // the next message held for each session
	Addresses bool                      // an address of a third-party candidate is known
}

func newList(s *doctor.State, filter string) List {
	r := List{State: s, NoZnode: s.WithoutZnode(), Held: heldFor(s), Addresses: hasAddresses(s)}
	if filter == "" && s.Kind() != dialect.KindQueue {
		return r
	}
	want := strings.ToLower(filter)
	all := slices.DeleteFunc(s.Queue.Slice(), func(c *dialect.Candidate) bool { return !matches(c, want) })
	if s.Kind() == dialect.KindQueue {
		all = all[:min(len(all), dialect.FirstItems)]
	}
	r.filtered, r.matching = true, dialect.QueueOf(all)
	r.NoZnode = slices.DeleteFunc(slices.Clone(r.NoZnode), func(m *model.Member) bool {
		return !strings.Contains(strings.ToLower(znode.Safe(m.Name, znode.NameMax)+" "+znode.Safe(m.ID, znode.NameMax)), want)
	})
	return r
}

// Queued returns the number of rows from the queue.
func (r *List) Queued() int {
	q := r.Contenders()
	return q.Len()
}

// Contenders returns the candidates of the queue that have rows.
func (r *List) Contenders() dialect.Queue {
	switch {
	case r.filtered:
		return r.matching
	case r.State == nil:
		return dialect.Queue{}
	}
	return r.State.Queue
}

func (r *List) Len() int { return r.Queued() + len(r.NoZnode) }

// At returns row i, or a row with only Position -1 if there is none.
func (r *List) At(i int) model.Row {
	n := r.Queued()
	switch {
	case i < 0 || i >= r.Len():
		return model.Row{Position: -1}
	case i >= n:
		return model.Row{Member: r.NoZnode[i-n], Position: -1}
	}
	c := r.Contenders().At(i)
	if r.filtered {
		_, i = r.State.Candidate(c.ID())
	}
	return model.Row{Candidate: c, Member: r.State.Member(c), Position: i}
}

// Find returns the index of id's row, -1 if there is none.
func (r *List) Find(id model.Ref, near int) int {
	if id == (model.Ref{}) {
		return -1
	}
	if r.At(near).Ref() == id {
		return near
	}
	if id.Znode != (dialect.ID{}) {
		if i := r.rowOf(id.Znode); i >= 0 && id.Same(r.At(i).Ref()) {
			return i
		}
	}
	if id.Member == "" {
		return -1
	}
	for i, m := range r.NoZnode {
		if m.ID == id.Member {
			return r.Queued() + i
		}
	}
	if m := r.State.MemberByID(id.Member); m != nil && m.Session != 0 {
		return r.Contenders().Index(func(c *dialect.Candidate) bool { return c.Session == m.Session })
	}
	return -1
}

func (r *List) rowOf(id dialect.ID) int {
	c, i := r.State.Candidate(id)
	if c == nil || !r.filtered {
		return i
	}
	return r.matching.Index(func(x *dialect.Candidate) bool { return x == c })
}

// matches requires want in lower case.
func matches(c *dialect.Candidate, want string) bool {
	return want == "" || strings.Contains(strings.ToLower(c.Name), want) ||
		len(c.Data.Bytes) > 0 && strings.Contains(strings.ToLower(c.Label()), want) ||
		c.Session != 0 && strings.Trim(want, "x0123456789abcdef") == "" && strings.Contains(znode.Hex(c.Session), want)
}

func hasAddresses(s *doctor.State) bool {
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

func heldFor(s *doctor.State) map[uint64]*model.Message {
	if s.Pace == nil || len(s.Pace.Held) == 0 {
		return nil
	}
	out := make(map[uint64]*model.Message, len(s.Pace.Held))
	for i := len(s.Pace.Held) - 1; i >= 0; i-- { // the first message of a session replaces the others
		out[s.Pace.Held[i].Session] = &s.Pace.Held[i]
	}
	return out
}
