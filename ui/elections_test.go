package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"electop/ui/action"
	"electop/ui/elections"
)

func dashboardOfSeveral(acts Actions, search *elections.Search, worlds ...*world) (Model, *multiSource, *time.Time) {
	src := &multiSource{source{world: worlds[0], dirty: make(chan struct{}, 1)}, worlds[1:], search}
	m, _, now := dashboardOn(worlds[0], acts, Options{Source: src})
	return m, src, now
}

func TestElectionsKeepSelectionAndFilter(t *testing.T) {
	m, src, _ := dashboardOfSeveral(nil, nil, verified(), readers(), verifiedAt("/services/stock/leader"))
	keys(m, "j", "j", "/", "b", "i", "l", "enter")
	first := selected(m)
	if first != "14 billing-3:8080" || !strings.Contains(screen(m), "/bil  5 of 5") {
		t.Fatalf("got %s selected, want 14 billing-3:8080 among the filtered:\n%s", first, screen(m))
	}
	keys(m, "e", "j", "enter", "j")
	second := selected(m)
	if second != "13 10.0.3.22" {
		t.Fatalf("got %s selected, want 13 10.0.3.22", second)
	}
	shows(t, m, "/locks/inventory  (2/3)")
	showsNot(t, m, "/bil")
	q := src.world.state().Queue.Slice()
	src.world.leave(q[0].Name)
	m.Update(present(src, false))
	if shownPath(m) != "/locks/inventory" || selected(m) != second {
		t.Errorf("after a change of another election: got %s with %s selected, want /locks/inventory with %s", shownPath(m), selected(m), second)
	}
	keys(m, "e", "k", "enter")
	if shownPath(m) != "/services/billing/leader" || selected(m) != first {
		t.Errorf("back: got %s with %s selected, want /services/billing/leader with %s", shownPath(m), selected(m), first)
	}
	shows(t, m, "/bil  4 of 4")
	keys(m, "e", "j", "j", "enter")
	src.others = src.others[:1]
	m.Update(present(src, false))
	if shownPath(m) != "/locks/inventory" || selected(m) != second {
		t.Errorf("the election on the screen is gone: got %s with %s selected, want /locks/inventory with %s", shownPath(m), selected(m), second)
	}
}

func TestOpenFoundElection(t *testing.T) {
	for i := range 4 {
		stateFirst, paused := i%2 == 1, i >= 2
		acts := &fakeActions{done: make(chan action.Action, 1)}
		m, src, _ := dashboardOfSeveral(acts, searched(false), verified())
		if paused {
			keys(m, "p")
		}
		keys(m, "e", "/", "n", "i", "g", "h", "t", "enter")
		if text := screen(m); !strings.Contains(text, "/tasks/nightly") || strings.Contains(text, "/controller") {
			t.Fatalf("the filter does not show only /tasks/nightly:\n%s", text)
		}
		cmd := pressed(m, "enter")
		if cmd == nil {
			t.Fatalf("paused %v: enter does nothing: %s", paused, statusLine(m))
		}
		done := cmd()
		want := action.Action{Kind: action.Open, Election: "/services/billing/leader", Target: "/tasks/nightly"}
		if got := <-acts.done; got != want {
			t.Errorf("enter: got action %+v, want %+v", got, want)
		}
		opened := func() { src.others = []*world{verifiedAt("/tasks/nightly")}; m.Update(present(src, false)) }
		if stateFirst {
			opened()
			m.Update(done)
		} else {
			m.Update(done)
			if front(m) != "Elections" {
				t.Error("the list was closed before the election had a state")
			}
			opened()
		}
		if shownPath(m) != "/tasks/nightly" || front(m) != onMain {
			t.Errorf("state first %v: got %s, %s in front, want /tasks/nightly on the main screen", stateFirst, shownPath(m), front(m))
		}
		keys(m, "e")
		if got := marked(m, "Elections"); !strings.HasPrefix(got, "2   /tasks/nightly ") {
			t.Errorf("got line %q, want the opened election as the second watched one", got)
		}
	}
}

func TestOpenFails(t *testing.T) {
	acts := &fakeActions{err: errRefused}
	m, src, _ := dashboardOfSeveral(acts, searched(false), verified())
	keys(m, "e", "G", "enter")
	statusShows(t, m, "open /tasks/nightly: refused by")
	src.others = []*world{verifiedAt("/tasks/nightly")}
	m.Update(present(src, false))
	keys(m, "esc", "esc")
	if shownPath(m) != "/services/billing/leader" {
		t.Errorf("got election %s on the screen, want /services/billing/leader", shownPath(m))
	}
}

func TestListStartsOnlyTheFirstSearch(t *testing.T) {
	acts := &fakeActions{done: make(chan action.Action, 1)}
	m, src, _ := dashboardOfSeveral(acts, nil, verified())
	want := action.Action{Kind: action.Discover, Election: "/services/billing/leader"}
	keys(m, "e")
	if len(acts.done) != 1 || <-acts.done != want {
		t.Error("e starts no search")
	}
	src.search = searched(true)
	m.Update(present(src, false))
	shows(t, m, "searching below /   1312 znodes read, 4 denied", "1 watched, 5 found")
	keys(m, "esc", "e")
	if len(acts.done) != 0 {
		t.Error("e starts a second search")
	}
	keys(m, "r")
	if len(acts.done) != 1 || <-acts.done != want {
		t.Error("r starts no search")
	}
	src.search = searched(false)
	m.Update(present(src, false))
	shows(t, m, "stopped early: limit of znodes reached")
	m, _, _ = dashboardOfSeveral(nil, nil, verified())
	keys(m, "e")
	shows(t, m, "Can't search for other elections: read-only")
}

func TestListingIsReported(t *testing.T) {
	acts := &fakeActions{}
	m, src, _ := dashboardOfSeveral(acts, nil, verified())
	pressAndReport := func(all ...string) {
		for _, key := range all {
			keys(m, key)
			if cmd := m.d.reportListing(); cmd != nil {
				sent(m, cmd())
			}
		}
	}
	pressAndReport("e", "esc")
	if len(acts.listed) > 0 {
		t.Errorf("before the first search: got Listing %q, want none", acts.listed)
	}
	src.search = searched(false)
	m.Update(present(src, false))
	pressAndReport("e", "?", "esc", "esc", "j", "e", "esc")
	if want := []string{"on", "off", "on", "off"}; !slices.Equal(acts.listed, want) {
		t.Errorf("got Listing %q, want %q", acts.listed, want)
	}
}

func TestNextSearchIsShown(t *testing.T) {
	k := searched(false)
	k.Stopped = ""
	m, _, _ := dashboardOfSeveral(&fakeActions{done: make(chan action.Action, 1)}, k, verified())
	keys(m, "e")
	if len(m.d.doer.actions.(*fakeActions).done) != 0 {
		t.Error("e starts a second search")
	}
	shows(t, m, "1312 znodes read, 4 denied   next search at 12:31:07 ")
}

func TestListOfElectionsCountsDown(t *testing.T) {
	m, src, now := dashboardOfSeveral(nil, nil, atRisk(), several()[2])
	*now = src.world.now
	keys(m, "e")
	shows(t, m, "at risk ≤ 9 s", "stale")
	*now = now.Add(2 * time.Second)
	drawNow(m)
	shows(t, m, "at risk ≤ 7 s")
}

func TestPauseHoldsAllElections(t *testing.T) {
	m, src, _ := dashboardOfSeveral(nil, nil, verified(), verifiedAt("/services/stock/leader"))
	keys(m, "p")
	w := src.others[0]
	w.leave(w.state().Queue.At(0).Name)
	m.Update(present(src, false))
	keys(m, "e", "j", "enter")
	if n := len(queue(m)); n != 5 {
		t.Errorf("the other election: got %d candidates, want the 5 at the pause", n)
	}
	keys(m, "p")
	if n := len(queue(m)); n != 4 {
		t.Errorf("the other election live: got %d candidates, want 4", n)
	}
}

var _ MultiSource = (*multiSource)(nil)

func TestOpenIsRefused(t *testing.T) {
	m, _, _ := dashboardOfSeveral(nil, searched(false), verified())
	keys(m, "e", "G", "enter")
	statusShows(t, m, "Can't open /tasks/nightly: read-only")
	keys(m, "/", "z", "z", "enter", "enter")
	if got := statusLine(m); !strings.Contains(got, "open: no election is selected") || front(m) != "Elections" {
		t.Errorf("got status line %q, %s in front; want a refusal in the list", got, front(m))
	}
}
