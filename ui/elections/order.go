package elections

import (
	"cmp"
	"slices"

	"electop/model"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/ui/rows"
	"electop/ui/wording"
)

// An order of the elections watched, and of those found.
type order struct {
	name string // "" for the order in which they are watched, and by path
	by   func(a, b Row) int
}

// orders are those to choose from. It is never written.
var orders = []order{
	{},
	{"path", func(a, b Row) int { return cmp.Compare(a.Path, b.Path) }},
	{"trouble", func(a, b Row) int { return cmp.Compare(trouble(b), trouble(a)) }},
	{"waiting", func(a, b Row) int { return cmp.Compare(waiting(b), waiting(a)) }},
}

// Sort takes the next order and names it, "" for the first one.
func (v *Panel) Sort() string {
	v.order = (v.order + 1) % len(orders)
	return orders[v.order].name
}

// sort brings the rows of each part into the order. Equal ones stay as they were.
func (l *list) sort() {
	by := orders[l.order].by
	if by == nil {
		return
	}
	part := slices.IndexFunc(l.Rows, func(r Row) bool { return r.Watched == nil })
	if part < 0 {
		part = len(l.Rows)
	}
	slices.SortStableFunc(l.Rows[:part], by)
	slices.SortStableFunc(l.Rows[part:], by)
}

// trouble is how badly off an election is, 0 for not at all.
func trouble(r Row) int {
	if f := r.Found; f != nil {
		return severity(f.Worst) + nobody(f.NoLeader)
	}
	s := r.Watched.State
	grave := severity(doctor.Worst(s.Findings)) + nobody(phrase.NoLeader(s))
	if _, troubled := wording.ExpiryOf(s, rows.Leader(s)); troubled {
		grave += 10
	}
	if !s.DownSince.IsZero() && s.Link.Link != model.Connected {
		grave += 5
	}
	return grave + min(len(s.Risks), 1)
}

// nobody is how bad it is that nobody leads. In a group nobody is to lead.
func nobody(why phrase.Entry) int {
	if why.Severity == "" {
		return 0
	}
	return 8
}

func severity(s doctor.Severity) int {
	return map[doctor.Severity]int{doctor.Critical: 7, doctor.Warning: 4, doctor.Info: 1}[s]
}

// waiting is how many wait, -1 where that is not visible.
func waiting(r Row) int {
	if r.Found != nil {
		return r.Found.Waiting
	}
	s := r.Watched.State
	return s.Queue.Len() - wording.Holders(s)
}
