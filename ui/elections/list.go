package elections

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/units"
	"electop/ui/input"
	"electop/ui/plain"
)

type list struct {
	Filter   string
	Selected string // path of the selected election
	Rows     []Row
	Index    int // index of the selected row

	order int // index in orders

	search *Search
	found  []plain.Found // the elections of search, sorted by path
}

func (l *list) update(watched []Watched, search *Search) {
	if l.search != search {
		l.search, l.found = search, nil
		if search != nil {
			l.found = slices.Clone(search.Elections)
			slices.SortStableFunc(l.found, func(a, b plain.Found) int { return cmp.Compare(a.State.Path, b.State.Path) })
		}
	}
	want := strings.ToLower(l.Filter)
	add := func(r Row) {
		if want == "" || slices.ContainsFunc(r.words(), func(t string) bool { return strings.Contains(strings.ToLower(t), want) }) {
			l.Rows = append(l.Rows, r)
		}
	}
	l.Rows = l.Rows[:0]
	seen := make(map[string]bool, len(watched))
	for i := range watched {
		v := &watched[i]
		seen[v.Path] = true
		add(Row{Path: v.Path, Watched: v, number: i + 1})
	}
	for i := range l.found {
		if e := &l.found[i]; !seen[e.State.Path] && !e.State.Roleless() {
			add(Row{Path: e.State.Path, Found: e})
		}
	}
	l.sort()
	i := l.at(l.Selected)
	if i < 0 {
		i = l.Index
	}
	l.selectRow(i)
}

func (l *list) at(path string) int {
	return slices.IndexFunc(l.Rows, func(r Row) bool { return r.Path == path })
}

// Path is the clickable target of an election's row.
type Path string

// Click selects the clicked election, and reports whether it was selected before.
func (l *list) Click(spot any) (again bool) {
	path, ok := spot.(Path)
	i := l.at(string(path))
	if !ok || i < 0 {
		return false
	}
	again = l.Index == i
	l.selectRow(i)
	return again
}

func (l *list) selectRow(i int) {
	l.Index = max(0, min(i, len(l.Rows)-1))
	if len(l.Rows) > 0 {
		l.Selected = l.Rows[l.Index].Path
	}
}

// Row returns the selected election, nil if there is none.
func (l *list) Row() *Row {
	if len(l.Rows) == 0 {
		return nil
	}
	return &l.Rows[l.Index]
}

// Move moves the selection.
func (v *Panel) Move(do input.Command) {
	v.selectRow(input.Moved(do, v.Index, len(v.Rows)-1, v.page))
}

var orders = []struct {
	name string
	by   func(a, b Row) int
}{
	{"", func(a, b Row) int { return doctor.Graver(phrase.Trouble(a.State()), phrase.Trouble(b.State())) }},
	{"number", func(a, b Row) int { return 0 }},
	{"path", func(a, b Row) int { return cmp.Compare(a.Path, b.Path) }},
	{"waiting", func(a, b Row) int { return cmp.Compare(waiting(b), waiting(a)) }},
}

// Sort switches to the next order of the rows and returns its name, "" for the first order.
func (v *Panel) Sort() string {
	v.order = (v.order + 1) % len(orders)
	return orders[v.order].name
}

func (l *list) sort() {
	roleless := func(r Row) int { return map[bool]int{true: 1}[r.State().Roleless()] }
	by := func(a, b Row) int { return cmp.Or(roleless(a)-roleless(b), orders[l.order].by(a, b)) }
	firstFound := slices.IndexFunc(l.Rows, func(r Row) bool { return r.Watched == nil })
	if firstFound < 0 {
		firstFound = len(l.Rows)
	}
	slices.SortStableFunc(l.Rows[:firstFound], by)
	slices.SortStableFunc(l.Rows[firstFound:], by)
}

// State returns the state of the election.
func (r *Row) State() *doctor.State {
	if r.Found != nil {
		return r.Found.State
	}
	return r.Watched.State
}

func stale(s *doctor.State) bool { return !s.DownSince.IsZero() && s.Link.Link != model.Connected }

func (r *Row) words() []string {
	s, none := r.State(), phrase.NoLeader(r.State())
	out := []string{r.Path, s.System(), phrase.Label(s.Leader()), none.Sentence, none.Cell, string(phrase.Trouble(r.State()))}
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

// waiting counts the waiting candidates or, in an election without a queue, the standbys; -1: unknown.
func waiting(r Row) int {
	if r.Found != nil {
		return r.Found.Visible()
	}
	s := r.Watched.State
	return plain.Found{State: s, Waiting: plain.Waiting(s)}.Visible()
}

// Search is the progress of a search for elections. It is immutable.
type Search struct {
	plain.Discovery
	Running bool
	Err     string    // why the search failed, "" if it did not
	Next    time.Time // when the next search begins, if the list is on the screen then
}
