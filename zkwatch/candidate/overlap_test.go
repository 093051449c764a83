package candidate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// An overlap is a time in which several were leading, or working, at once.
type overlap struct {
	what     deed
	from, to time.Time
	names    []string
}

func (o overlap) length() time.Duration { return o.to.Sub(o.from) }

// overlaps returns all since a moment, in the order of their beginning. One that
// is frozen is left out meanwhile: it believes until it thaws, as a paused
// process does.
func (w *witness) overlaps(what deed, since time.Time) (found []overlap) {
	w.mu.Lock()
	moments := slices.Clone(w.moments)
	w.mu.Unlock()
	slices.SortStableFunc(moments, func(a, b moment) int { return a.at.Compare(b.at) })
	type count struct{ does, frozen int }
	counts := make(map[string]*count)
	var present overlap
	step := func(at time.Time) {
		var names []string
		for name, c := range counts {
			if c.does > 0 && c.frozen == 0 {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		switch {
		case len(names) >= 2 && present.names == nil:
			present = overlap{what: what, from: at, names: names}
		case len(names) < 2 && present.names != nil:
			if present.to = at; at.After(since) {
				found = append(found, present)
			}
			present = overlap{}
		}
	}
	for _, m := range moments {
		c := counts[m.name]
		if c == nil {
			c = new(count)
			counts[m.name] = c
		}
		switch m.what {
		case what:
			c.does += m.by
		case frozen:
			c.frozen += m.by
		}
		step(m.at)
	}
	if present.names != nil { // and it goes on
		present.to = time.Now()
		found = append(found, present)
	}
	return found
}

// judge fails the test for each time since a moment that two were leading, or
// working, for longer than scheduling explains. It returns the longest, if any.
func (w *witness) judge(t *testing.T, since time.Time) (longest time.Duration) {
	t.Helper()
	told := false
	for _, o := range append(w.overlaps(leading, since), w.overlaps(working, since)...) {
		longest = max(longest, o.length())
		if o.length() <= scheduling {
			continue
		}
		story := ""
		if !told { // of the others nobody reads at first
			told, story = true, "\n"+w.around(o)
		}
		t.Errorf("%v at once for %v, from %v on: %v%s", o.what, o.length().Round(time.Millisecond), o.from.Sub(w.start).Round(time.Millisecond), o.names, story)
	}
	return longest
}

// around is what happened shortly before and in an overlap, line by line.
func (w *witness) around(o overlap) string {
	const before = 10 * time.Second
	w.mu.Lock()
	defer w.mu.Unlock()
	notes := slices.Clone(w.notes)
	for _, m := range w.moments {
		verb := "begins"
		if m.by < 0 {
			verb = "ends"
		}
		notes = append(notes, note{m.at, fmt.Sprintf("%s %s: %v", m.name, verb, m.what)})
	}
	slices.SortStableFunc(notes, func(a, b note) int { return a.at.Compare(b.at) })
	var b strings.Builder
	for _, n := range notes {
		if n.at.After(o.from.Add(-before)) && !n.at.After(o.to) {
			fmt.Fprintf(&b, "%8v  %s\n", n.at.Sub(w.start).Round(time.Millisecond), n.text)
		}
	}
	return b.String()
}

func TestWitness(t *testing.T) {
	at := time.Now()
	after := func(ms int) time.Time { return at.Add(time.Duration(ms) * time.Millisecond) }
	w := newWitness()
	w.moments = []moment{
		{after(0), "a", leading, +1}, {after(100), "a", leading, -1},
		{after(90), "b", leading, +1}, {after(200), "b", leading, -1}, // 10 ms with a
		{after(210), "c", working, +1}, {after(300), "d", working, +1}, {after(450), "c", working, -1}, {after(500), "d", working, -1}, // 150 ms
		{after(600), "e", leading, +1}, {after(700), "e", frozen, +1}, {after(800), "f", leading, +1}, {after(900), "e", frozen, -1}, {after(930), "e", leading, -1}, // 30 ms
		{after(940), "f", leading, -1},
	}
	var got []string
	for _, what := range []deed{leading, working} {
		for _, o := range w.overlaps(what, at) {
			got = append(got, fmt.Sprint(what, o.names, o.length()))
		}
	}
	want := []string{"leading [a b] 10ms", "leading [e f] 30ms", "working [c d] 150ms"}
	if !slices.Equal(got, want) {
		t.Errorf("overlaps %q, want %q", got, want)
	}
	if got := w.overlaps(leading, after(500)); len(got) != 1 {
		t.Errorf("since 500 ms: %v", got)
	}
}
