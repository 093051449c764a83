package elections

import (
	"cmp"
	"slices"

	"electop/model"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/units"
	"electop/ui/wording"
)

// An order of the elections watched, and of those found.
type order struct {
	name string // "" for the first one
	by   func(a, b Row) int
}

// orders are those to choose from. It is never written.
var orders = []order{
	{"", func(a, b Row) int { return doctor.Graver(a.trouble(), b.trouble()) }},
	{"number", func(a, b Row) int { return 0 }},
	{"path", func(a, b Row) int { return cmp.Compare(a.Path, b.Path) }},
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
	part := slices.IndexFunc(l.Rows, func(r Row) bool { return r.Watched == nil })
	if part < 0 {
		part = len(l.Rows)
	}
	slices.SortStableFunc(l.Rows[:part], by)
	slices.SortStableFunc(l.Rows[part:], by)
}

// State is the state of the election.
func (r *Row) State() *doctor.State {
	if r.Found != nil {
		return r.Found.State
	}
	return r.Watched.State
}

// trouble is how grave what is wrong in the election is, "" for nothing.
func (r *Row) trouble() doctor.Severity { return phrase.Trouble(r.State()) }

// stale reports whether an election that is watched has no connection.
func stale(s *doctor.State) bool { return !s.DownSince.IsZero() && s.Link.Link != model.Connected }

// words are what the filter finds an election by: what its row shows.
func (r *Row) words() []string {
	s, none := r.State(), phrase.NoLeader(r.State())
	out := []string{r.Path, wording.System(s), phrase.Label(s.Leader()), none.Sentence, none.Cell, string(r.trouble())}
	if none.Cell == phrase.None {
		out = append(out, "no leader")
	}
	if len(s.Findings) > 0 {
		out = append(out, units.Count(len(s.Findings), "finding", "findings"))
	}
	if len(s.Risks) > 0 {
		out = append(out, "at risk")
	}
	if stale(s) {
		out = append(out, "stale")
	}
	return out
}

// waiting is how many wait, or could take over where there is no queue; -1 where that is not visible.
func waiting(r Row) int {
	if r.Found != nil {
		return r.Found.Visible()
	}
	s := r.Watched.State
	return s.Queue.Len() - wording.Holders(s)
}
