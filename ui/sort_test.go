package ui

import (
	"slices"
	"testing"

	"electop/ui/term"
)

// The list of elections has orders of its own. Its selection is a path.
func TestSortElections(t *testing.T) {
	m := stage(scenes()["wall"](), 120, 36, term.Mono)
	list := func() (watched, all []string) {
		for _, r := range m.d.elections.Rows {
			if all = append(all, r.Path); r.Watched != nil {
				watched = append(watched, r.Path)
			}
		}
		return watched, all
	}
	first, found := list()
	at := m.d.elections.Row().Path
	keys(m, "o")
	says(t, m, "sorted by path")
	if watched, _ := list(); !slices.IsSorted(watched) {
		t.Errorf("by path: %q", watched)
	}
	keys(m, "o")
	says(t, m, "sorted by trouble")
	watched, all := list()
	if calm := watched[len(watched)-1]; m.d.views[m.d.views.at(calm)].shown().NoLeader() != "" || len(all) != len(found) {
		t.Errorf("by trouble: %q", watched)
	}
	for i, r := range m.d.elections.Rows[len(watched):] {
		if i > 0 && r.Found.Findings > 0 && m.d.elections.Rows[len(watched)+i-1].Found.Findings == 0 && m.d.elections.Rows[len(watched)+i-1].Found.Leader != "" {
			t.Errorf("%s is below one without trouble", r.Path)
		}
	}
	keys(m, "o", "o")
	if watched, _ := list(); !slices.Equal(watched, first) {
		t.Errorf("as at first: %q, want %q", watched, first)
	}
	if got := m.d.elections.Row().Path; got != at {
		t.Errorf("selected was %s, and is %s", at, got)
	}
}
