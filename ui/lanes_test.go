package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"electop/model"
	"electop/model/dialect"
	"electop/model/history"
	"electop/model/phrase"
	"electop/ui/action"
	"electop/ui/leadership"
	"electop/ui/mainscreen"
	"electop/ui/term"
)

// band are the lanes of the panel of handoffs as text, without the line with the times.
func band(m Model) (all []string) {
	for _, line := range inside(m, "Handoffs") {
		if strings.Contains(line, "┴") {
			return all
		}
		all = append(all, line)
	}
	return all
}

// times is the line with the times, without the playhead.
func times(m Model) string {
	for _, line := range inside(m, "Handoffs") {
		if strings.Contains(line, "┴") {
			return line
		}
	}
	return ""
}

// tick of the axis: where a time stands in the line.
func column(m Model, clock string) int { return strings.Index(times(m), "┴"+clock) }

// Going back changes neither the lanes nor their scale, live and in a recording of which the
// future is known: the playhead moves over all that happened.
func TestTheBandIsWhole(t *testing.T) {
	replay, r := stagedReplay()
	r.end = r.moments[len(r.moments)-1].At
	look(replay)
	m, _, _, _ := stagedPast(&allow{})
	saysNot(t, m, "▲")
	for _, c := range []struct {
		Model
		clock string
		keys  []string
	}{{replay, "12:00:00", []string{" ", "left", "left", "home", "end", " "}}, {m, "12:01:00", []string{"p", "left", ".", "end"}}} {
		whole, at := band(c.Model), column(c.Model, c.clock)
		if len(whole) != 6 || at < 0 {
			t.Fatalf("there are %d lanes:\n%s", len(whole), screen(c.Model))
		}
		for _, k := range c.keys {
			keys(c.Model, k)
			if got := band(c.Model); !slices.Equal(got, whole) || column(c.Model, c.clock) != at {
				t.Errorf("after %q the band is\n%s\nbefore\n%s", k, screen(c.Model), strings.Join(whole, "\n"))
			}
			says(t, c.Model, "▲")
		}
	}
	// At a moment that is not on the axis it moves, and its scale stays.
	between := func() int { return column(m, "12:01:15") - column(m, "12:01:00") }
	wide := between()
	keys(m, "home")
	says(t, m, "▲11:59")
	keys(m, "end")
	if got := between(); got != wide {
		t.Errorf("a quarter of a minute takes %d columns, before %d", got, wide)
	}
}

// The keys of time work in a recording at once, and none of them speaks of lessons.
func TestReplayKeys(t *testing.T) {
	m, r := stagedReplay()
	keys(m, "left")
	if !r.stopped || r.at != 2 || front(m) != inPast {
		t.Fatalf("left leaves it at %d, stopped %v:\n%s", r.at, r.stopped, screen(m))
	}
	says(t, m, "joined fjord (17)", "space play")
	keys(m, " ")
	if r.stopped || m.d.past.journey.On {
		t.Errorf("space does not play it on: stopped %v", r.stopped)
	}
	says(t, m, "space pause")
	keys(m, " ")
	if !r.stopped || !m.d.past.journey.On {
		t.Errorf("space does not pause it: stopped %v", r.stopped)
	}
	keys(m, "]", "]", "[")
	if want := []string{action.ArgFaster, action.ArgFaster, action.ArgSlower}; !slices.Equal(r.paces, want) {
		t.Errorf("its speed was changed by %q, want %q", r.paces, want)
	}
	for _, k := range []string{" ", "]", "[", "H", "1", ">", "<", "L"} {
		keys(m, k)
		for _, word := range []string{"no lesson is running", "menu", "go on"} {
			if strings.Contains(statusLine(m), word) {
				t.Errorf("%q says %s", k, statusLine(m))
			}
		}
	}
	keys(m, "x")
	if got := statusLine(m); !strings.Contains(got, "this is") {
		t.Errorf("x says %q", got)
	}
}

// The past is played in its own time, up to its end.
func TestThePastIsPlayed(t *testing.T) {
	m, _, p, now := stagedPast(&allow{})
	began := p.moments[0].At
	keys(m, "p", "home", " ")
	says(t, m, "space pause", "▶")
	pass := func(d time.Duration) {
		*now = now.Add(d)
		for cmd := sent(m, tickMsg{m.d.gen}); cmd != nil; {
			cmd = sent(m, cmd())
		}
	}
	pass(30 * time.Second)
	says(t, m, "▲"+began.Add(30*time.Second).Format("15:04:05"), "the earliest moment kept")
	pass(61 * time.Second)
	says(t, m, "joined fjord (17)")
	keys(m, "]", "]")
	says(t, m, "x4")
	keys(m, " ")
	pass(time.Minute)
	says(t, m, "joined fjord (17)")
	saysNot(t, m, "▶")
	keys(m, " ")
	pass(time.Minute)
	keys(m, " ")
	says(t, m, "this is the last moment")
}

// The mouse moves the playhead: with each cell that it is dragged over, and no further
// when the button is released.
func TestDragThePlayhead(t *testing.T) {
	m, _, _, _ := stagedPast(&allow{})
	y := m.d.screen.At.Panel[mainscreen.Handoffs].Y + 2
	drag := func(x, y int, action tea.MouseAction) {
		for cmd := sent(m, tea.MouseMsg{X: x, Y: y, Action: action, Button: tea.MouseButtonLeft}); cmd != nil; {
			cmd = sent(m, cmd())
		}
	}
	moment := func(x int) time.Time {
		at, ok := m.d.canvas.SpotAt(x, y).(leadership.Moment)
		if !ok {
			t.Fatalf("no moment in column %d", x)
		}
		return time.Time(at)
	}
	drag(80, y, tea.MouseActionPress)
	for x := 80; x > 12; x -= 4 {
		want := moment(x)
		drag(x, y, tea.MouseActionMotion)
		j := &m.d.past.journey
		if !j.On || j.At.At.After(want) && !j.At.First {
			t.Fatalf("column %d: on %v, at %v, after %v", x, j.On, j.At.At, want)
		}
	}
	at := m.d.past.journey.At.N
	drag(12, y, tea.MouseActionRelease)
	drag(100, y, tea.MouseActionMotion)
	if got := m.d.past.journey.At.N; got != at {
		t.Errorf("after the button is released it goes to %d", got)
	}
}

// The scale is finer and coarser, in the past and live, and never hides the playhead.
func TestScale(t *testing.T) {
	m, _, _, _ := stagedPast(&allow{})
	for _, past := range []bool{false, true} {
		if past {
			keys(m, "p", "left")
		}
		var changed []bool
		for _, k := range strings.Split("+++---------", "") {
			before := times(m)
			keys(m, k)
			changed = append(changed, before != times(m))
			if past && !strings.Contains(screen(m), "▲") {
				t.Fatalf("after %s there is no playhead:\n%s", k, screen(m))
			}
		}
		if slices.Contains(changed[:6], false) || changed[len(changed)-1] {
			t.Errorf("past %v: the scale changed %v", past, changed)
		}
	}
}

// At each moment the status line and the list know the same handoffs.
func TestMomentAndListAgree(t *testing.T) {
	w := newWorld("/election", dialect.Election(), true)
	tape := history.NewTimeline(model.Config{Path: "/election", Recipe: dialect.Election(), AckPath: w.ack, AckExpected: true}, 0)
	w.apply = func(o model.Observation) { tape.Apply(o) }
	w.connect().read(nil, nil)
	var names []string
	for i, who := range []string{"amber", "birch", "cedar", "delta"} {
		w.wait(time.Second)
		names = append(names, w.join("guid-n_", who, uint64(0xa1+i)))
	}
	w.wait(time.Millisecond).acked(names[0])
	w.wait(time.Second).leave(names[0])
	w.wait(200 * time.Millisecond).leave(names[1]) // before birch has acknowledged
	w.wait(3 * time.Millisecond).acked(names[2])
	w.wait(time.Second).leave(names[2])
	w.wait(3 * time.Millisecond).acked(names[3])
	now := w.now.Add(7 * time.Second)
	m := New(Options{Source: tapeSource{tape}, Past: kept{tape}, Theme: term.Mono, Renderer: plainRenderer(), Now: func() time.Time { return now }})
	m.Update(tea.WindowSizeMsg{Width: 140, Height: 40})
	keys(m, "p", "home")
	listed, seen := 0, 0
	for range 40 {
		s := m.d.shown()
		for _, h := range s.Handoffs[min(listed, len(s.Handoffs)):] {
			if want := "handoff " + phrase.Who(h.From) + " -> " + phrase.Who(h.To); !strings.Contains(statusLine(m), want) {
				t.Errorf("%q is new in the list, the status line says %q", want, statusLine(m))
			}
			seen++
		}
		if len(s.Handoffs) == listed && strings.Contains(statusLine(m), "handoff ") {
			t.Errorf("nothing is new in the list, the status line says %q", statusLine(m))
		}
		listed = len(s.Handoffs)
		keys(m, ".")
	}
	if seen != 4 {
		t.Errorf("%d handoffs were seen", seen)
	}
}

// Lanes that have no room come into view by scrolling, after them the older handoffs.
func TestScrollLanes(t *testing.T) {
	m := stage(laneScenes()["lanes-crowd"](), 120, 36, term.Mono)
	first := band(m)
	says(t, m, "+475 more")
	keys(m, "j", "j", "j")
	if got := band(m); slices.Equal(got, first) || len(got) != len(first) {
		t.Errorf("j does not scroll the lanes:\n%s", screen(m))
	}
	keys(m, "g")
	if got := band(m); !slices.Equal(got, first) {
		t.Errorf("g does not go back to the first:\n%s", screen(m))
	}
}

// A moment so long ago that the changes since are not all kept is drawn as far as it is
// known then, and the panel says so.
func TestALongTimeAgo(t *testing.T) {
	w, p := five(dialect.Election()), &tape{}
	p.take(w)
	for i := range 5000 {
		w.wait(20*time.Millisecond).cast("birch", birchZ, []model.Belief{model.Suspended, model.Waiting}[i%2], nil)
	}
	p.take(w)
	m, _, _ := stagedOn(w, nil, Options{Past: p})
	keys(m, "p")
	saysNot(t, m, "is not drawn")
	keys(m, "home")
	says(t, m, "what came later is not drawn", "▲", "amber  ")
	if got := band(m); len(got) != 5 || !strings.Contains(got[0], "█") {
		t.Errorf("the lanes are\n%s", strings.Join(got, "\n"))
	}
}
