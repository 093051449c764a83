package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/ui/term"
)

// disordered is an election whose names and sessions are in another order than the queue.
func disordered() *world {
	w := newWorld("/election", dialect.Election(), true).connect().read(nil, nil)
	for i, name := range []string{"delta", "Amber", "echo", "birch", "cedar"} {
		w.wait(time.Second).join("guid-n_", name, uint64(0x50-i*7%5))
	}
	return w.wait(time.Minute)
}

func stagedMixed(t *testing.T) (Model, *source) {
	t.Helper()
	w := disordered()
	src := &source{world: w, dirty: make(chan struct{}, 1)}
	m := New(Options{Source: src, Actions: &allow{}, Theme: term.Mono, Renderer: plainRenderer(), Now: func() time.Time { return w.now }})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
	return m, src
}

// names are those of the rows, from the top.
func names(m Model) string {
	var out []string
	for i := range m.d.candidates.Rows.Len() {
		out = append(out, m.d.candidates.Rows.At(i).Name())
	}
	return strings.Join(out, " ")
}

// Each press takes the next order and says which; the selection stays on its candidate, and
// the marks stay true.
func TestSort(t *testing.T) {
	m, src := stagedMixed(t)
	keys(m, "j") // Amber, the second in the queue
	const queue = "delta Amber echo birch cedar"
	for i, c := range []struct{ says, names string }{
		{"not the queue: by name", "Amber birch cedar delta echo"},
		{"not the queue: by age, newest first", "cedar birch echo Amber delta"},
		{"not the queue: by session", ""},
		{"not the queue: by trouble", queue},
		{"in the order of the queue", queue},
		{"not the queue: by name", "Amber birch cedar delta echo"},
	} {
		keys(m, "o")
		says(t, m, c.says)
		if got := names(m); c.names != "" && got != c.names {
			t.Errorf("order %d: %s, want %s", i, got, c.names)
		}
		if got := m.d.candidates.Row().Name(); got != "Amber" {
			t.Errorf("order %d: selected is %s", i, got)
		}
		for _, line := range inside(m, "Candidates") {
			leads, next := strings.Contains(line, "☆"), strings.Contains(line, "next") && !strings.Contains(line, "volunteer")
			if strings.Contains(line, "delta") != leads || strings.Contains(line, "Amber") != next {
				t.Errorf("order %d: %q", i, line)
			}
			if strings.Contains(line, "birch") && !strings.Contains(line, "↑ 14") {
				t.Errorf("order %d: %q does not watch 14", i, line)
			}
		}
		if sorted := c.names != queue || i == 3; strings.Contains(screen(m), "▴") == sorted {
			t.Errorf("order %d: a sign says that the row above is watched: %v", i, !sorted)
		}
	}
	// It goes on by name: a filter narrows it, who comes has a place in it, and who is
	// selected and leaves makes room for the next in it.
	src.world.join("guid-n_", "beech", 0x99)
	m.Update(refreshMsg{states: []*doctor.State{src.State()}})
	if got := names(m); got != "Amber beech birch cedar delta echo" {
		t.Errorf("one more: %s", got)
	}
	src.world.leave(m.d.candidates.Row().Candidate.Name)
	m.Update(refreshMsg{states: []*doctor.State{src.State()}})
	if got := m.d.candidates.Row().Name(); got != "beech" {
		t.Errorf("after Amber left %s is selected", got)
	}
	keys(m, "/", "e", "c", "enter")
	if got := names(m); got != "beech echo" {
		t.Errorf("filtered: %s", got)
	}
	says(t, m, "not the queue: by name", "/ec", "2 of 5")
	keys(m, "G")
	if got := m.d.candidates.Row().Name(); got != "echo" {
		t.Errorf("the last is %s", got)
	}
}

// Every order has each candidate once.
func TestSortKeepsAll(t *testing.T) {
	m, _ := stagedMixed(t)
	want := strings.Fields(names(m))
	slices.Sort(want)
	for range 10 {
		keys(m, "o")
		got := strings.Fields(names(m))
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s has %q", m.d.candidates.Order(), got)
		}
	}
}

// Trouble comes first: a candidate that is at risk, then faults.
func TestSortByTrouble(t *testing.T) {
	w := disordered()
	name := func(i int) string { return w.state().Queue.At(i).Name }
	w.cast("echo", name(2), model.Waiting, func(m *model.Member) { m.Fault = model.Frozen; m.FaultAt = w.now })
	src := &source{world: w, dirty: make(chan struct{}, 1)}
	m := New(Options{Source: src, Actions: &allow{}, Mode: ModeDemo, Theme: term.Mono, Renderer: plainRenderer(), Now: func() time.Time { return w.now }})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
	keys(m, "o", "o", "o", "o")
	if got := names(m); got != "echo delta Amber birch cedar" {
		t.Errorf("by trouble: %s", got)
	}
}

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
	if got := m.d.candidates.Order(); got != "" {
		t.Errorf("the candidates are sorted by %s", got)
	}
}
