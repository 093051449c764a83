package ui

import (
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"electop/model/doctor"
	"electop/ui/input"
	"electop/ui/term"
)

// stagedWall is a dashboard on several elections.
func stagedWall(acts Actions, walk *Walk, worlds ...*world) (Model, *wallSource, *time.Time) {
	src := &wallSource{source{world: worlds[0], dirty: make(chan struct{}, 1)}, worlds[1:], walk}
	now := worlds[0].now
	m := New(Options{Source: src, Actions: acts, Theme: term.Mono, Renderer: plainRenderer(), Now: func() time.Time { return now }})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
	return m, src, &now
}

func screen(m Model) string { return ansi.Strip(m.View()) }

func keys(t *testing.T, m Model, ks ...string) {
	t.Helper()
	for _, k := range ks {
		doing(t, m, k)
	}
}

// Each election keeps its selection, filter and scrolling while another is on
// the screen, and through new states.
func TestElectionsKeepTheirPlaces(t *testing.T) {
	m, src, _ := stagedWall(nil, nil, verified(), readers(), verifiedAt("/services/stock/leader"))
	keys(t, m, "j", "j", "/", "b", "i", "l", "enter")
	first := m.d.candidates.Selected
	if first.Znode.Name == "" || m.d.candidates.Filter != "bil" {
		t.Fatalf("selected %+v, filter %q", first, m.d.candidates.Filter)
	}
	keys(t, m, ")", "j")
	second := m.d.candidates.Selected
	if m.d.path != "/locks/inventory" || m.d.candidates.Filter != "" || second == first {
		t.Fatalf("the next election: %s, filter %q, selected %+v", m.d.path, m.d.candidates.Filter, second)
	}
	if !strings.Contains(screen(m), "/locks/inventory  (2/3)") {
		t.Errorf("the header does not say which of how many:\n%s", screen(m))
	}
	// The first one changes meanwhile: its leader goes.
	q := src.world.state().Queue
	src.world.leave(q[0].Name)
	m.Update(present(src, false))
	if m.d.path != "/locks/inventory" || m.d.candidates.Selected != second {
		t.Errorf("another election's change moved this one: %s %+v", m.d.path, m.d.candidates.Selected)
	}
	keys(t, m, "(")
	if m.d.path != "/services/billing/leader" || m.d.candidates.Filter != "bil" || m.d.candidates.Selected != first {
		t.Errorf("back at %s, filter %q, selected %+v, want %+v", m.d.path, m.d.candidates.Filter, m.d.candidates.Selected, first)
	}
	if len(m.d.candidates.Rows.State.Queue) != 4 {
		t.Errorf("it shows %d contenders, want the 4 that are left", len(m.d.candidates.Rows.State.Queue))
	}
	keys(t, m, "(")
	if m.d.path != "/services/stock/leader" {
		t.Errorf("before the first comes %s", m.d.path)
	}
	// The one on the screen is watched no more.
	src.others = src.others[:1]
	m.Update(present(src, false))
	if m.d.path != "/locks/inventory" || m.d.candidates.Selected != second {
		t.Errorf("after it went: %s, %+v", m.d.path, m.d.candidates.Selected)
	}
}

// Enter on an election that was found has it watched, and shows it when its
// state is there, in whichever order these come.
func TestOpenFromTheWall(t *testing.T) {
	for _, stateFirst := range []bool{false, true} {
		acts := &allow{done: make(chan Action, 1)}
		m, src, _ := stagedWall(acts, searched(false), verified())
		keys(t, m, "e", "/", "n", "i", "g", "h", "t", "enter")
		if text := screen(m); !strings.Contains(text, "/tasks/nightly") || strings.Contains(text, "/controller") {
			t.Fatalf("the filter shows:\n%s", text)
		}
		cmd := m.d.key(press("enter"))
		done := cmd()
		want := Action{Kind: Open, Election: "/services/billing/leader", Target: "/tasks/nightly"}
		if got := <-acts.done; got != want {
			t.Errorf("enter does %+v, want %+v", got, want)
		}
		opened := func() { src.others = []*world{verifiedAt("/tasks/nightly")}; m.Update(present(src, false)) }
		if stateFirst {
			opened()
			m.Update(done)
		} else {
			m.Update(done)
			if m.d.modes.Now() != input.ModeElections {
				t.Error("the wall was left before there was anything to show")
			}
			opened()
		}
		if m.d.path != "/tasks/nightly" || m.d.modes.Now() != input.ModeNormal {
			t.Errorf("state first %v: shown is %s in mode %v", stateFirst, m.d.path, m.d.modes.Now())
		}
		keys(t, m, "e")
		if i := m.d.elections.Index; m.d.elections.Rows[i].Watched == nil {
			t.Error("the one that is watched is listed as found still")
		}
	}
}

func TestOpenFails(t *testing.T) {
	acts := &allow{err: errRefused}
	m, src, _ := stagedWall(acts, searched(false), verified())
	keys(t, m, "e", "G", "enter")
	if got := statusLine(m); !strings.Contains(got, "open /tasks/nightly: refused by") {
		t.Errorf("status line: %q", got)
	}
	src.others = []*world{verifiedAt("/tasks/nightly")}
	m.Update(present(src, false))
	if m.d.path != "/services/billing/leader" {
		t.Errorf("what failed is shown later: %s", m.d.path)
	}
}

// The first look at the wall has elections looked for, a later one only by its
// key; where that cannot be, it says why.
func TestWallLooks(t *testing.T) {
	acts := &allow{done: make(chan Action, 1)}
	m, src, _ := stagedWall(acts, nil, verified())
	want := Action{Kind: Discover, Election: "/services/billing/leader"}
	keys(t, m, "e")
	if len(acts.done) != 1 || <-acts.done != want {
		t.Error("nobody looks for elections")
	}
	src.walk = searched(true)
	m.Update(present(src, false))
	if text := screen(m); !strings.Contains(text, "searching below /   1312 znodes read, 4 denied") || !strings.Contains(text, "1 watched, 5 found") {
		t.Errorf("progress:\n%s", text)
	}
	keys(t, m, "esc", "e")
	if len(acts.done) != 0 {
		t.Error("it is looked for again, unasked")
	}
	keys(t, m, "r")
	if len(acts.done) != 1 || <-acts.done != want {
		t.Error("r does not look again")
	}
	src.walk = searched(false)
	m.Update(present(src, false))
	if text := screen(m); !strings.Contains(text, "stopped early: 20000 znodes were read") {
		t.Errorf("the bound is not told:\n%s", text)
	}
	m, _, _ = stagedWall(nil, nil, verified())
	keys(t, m, "e")
	if text := screen(m); !strings.Contains(text, "Can't search for other elections: read-only") {
		t.Errorf("without actions:\n%s", text)
	}
}

// The selection on the wall is a path: rows that come in front of it do not
// move it.
func TestWallSelectionIsAPath(t *testing.T) {
	k := searched(true)
	m, src, _ := stagedWall(nil, k, verified())
	keys(t, m, "e", "G")
	if m.d.elections.Selected != "/tasks/nightly" {
		t.Fatalf("selected %s", m.d.elections.Selected)
	}
	more := *k
	more.Found = append([]FoundElection{{Path: "/a"}, {Path: "/b"}, {Path: "/z"}}, more.Found...)
	src.walk = &more
	m.Update(present(src, false))
	if r := m.d.elections.Rows[m.d.elections.Index]; r.Path != "/tasks/nightly" {
		t.Errorf("selected is now %s", r.Path)
	}
}

// A wall counts down and grows stale for each election on its own.
func TestWallIsLive(t *testing.T) {
	m, src, now := stagedWall(nil, nil, atRisk(), several()[2])
	*now = src.world.now
	keys(t, m, "e")
	if text := screen(m); !strings.Contains(text, "at risk ≤ 9 s") || !strings.Contains(text, "stale") {
		t.Fatalf("the wall:\n%s", text)
	}
	*now = now.Add(2 * time.Second)
	m.Update(tickMsg{m.d.gen})
	if text := screen(m); !strings.Contains(text, "at risk ≤ 7 s") {
		t.Errorf("two seconds later:\n%s", text)
	}
}

// What is paused is all of it.
func TestPauseHoldsAllElections(t *testing.T) {
	m, src, _ := stagedWall(nil, nil, verified(), verifiedAt("/services/stock/leader"))
	keys(t, m, "p")
	w := src.others[0]
	w.leave(w.state().Queue[0].Name)
	m.Update(present(src, false))
	keys(t, m, ")")
	if n := len(m.d.shown().Queue); n != 5 {
		t.Errorf("the other one went on: %d contenders", n)
	}
	keys(t, m, "p")
	if n := len(m.d.shown().Queue); n != 4 {
		t.Errorf("live it has %d contenders", n)
	}
}

// A large wall costs what is in view.
func BenchmarkWall(b *testing.B) {
	k := &Walk{Root: "/"}
	for i := range 5000 {
		k.Found = append(k.Found, FoundElection{Path: "/e/" + strings.Repeat("x", i%30) + uuid(i), System: "Curator LeaderLatch"})
	}
	m, _, _ := stagedWall(nil, k, verified())
	m.Update(press("e"))
	b.ReportAllocs()
	for b.Loop() {
		m.d.dirty = true
		m.d.redraw()
	}
}

var _ Wall = (*wallSource)(nil)
var _ = doctor.Info
