package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"electop/model/dialect"
	"electop/ui/input"
	"electop/ui/rows"
	"electop/ui/term"
)

func TestJoin(t *testing.T) {
	for name, want := range map[string][]string{
		"join":          {"electop campaign /election -s 192.168.7.20:2181 --name YOU", "kazoo (Python)", "open to the network", "not kill them"},
		"join-loopback": {"electop campaign", "Only programs on this machine"},
		"join-nowhere":  {"no address for other programs"},
	} {
		for _, size := range [][2]int{{80, 24}, {120, 36}, {200, 50}} {
			text := ansi.Strip(stage(scenes()[name](), size[0], size[1], term.Mono).drawn)
			for _, w := range want {
				if !strings.Contains(text, w) {
					t.Errorf("%s at %v does not say %q:\n%s", name, size, w, text)
				}
			}
		}
	}
	// None is cut, however long.
	sc := scenes()["join"]()
	sc.o.Invitations[1].Line = strings.Repeat("word ", 200) + "finis"
	if text := ansi.Strip(stage(sc, 200, 50, term.Mono).drawn); !strings.Contains(text, "finis") {
		t.Errorf("a long line is cut:\n%s", text)
	}
	// A line that fits is not broken: it is there to be pasted.
	d := stage(scenes()["join"](), 200, 50, term.Mono)
	if line := d.o.Invitations[1].Line; !strings.Contains(ansi.Strip(d.drawn), line) {
		t.Errorf("broken though it fits: %s\n%s", line, ansi.Strip(d.drawn))
	}
	for mode, want := range map[string]string{ModeReplay: "nobody can join", ModeLive: "electop campaign /election"} {
		m, _, _ := stagedWith(nil, mode)
		keys(t, m, "J")
		says(t, m, want)
		keys(t, m, "esc")
		if m.d.modes.Now() != input.ModeNormal {
			t.Errorf("esc leads to mode %v", m.d.modes.Now())
		}
	}
}

// Each of 300 is on a screen of 120x36 at once, and as many as fit on smaller
// ones; the selection goes through all of them.
func TestGridShowsAll(t *testing.T) {
	sc := scenes()["grid"]()
	d := stage(sc, 120, 36, term.Mono)
	text := ansi.Strip(d.drawn)
	for _, c := range sc.world.state().Queue {
		if !strings.Contains(text, fmt.Sprintf("%3d", c.Sequence)) {
			t.Errorf("%s is not on the screen", c.Name)
		}
	}
	if text := ansi.Strip(stage(sc, 80, 24, term.Mono).drawn); !strings.Contains(text, "1-255 of 300") {
		t.Errorf("on a small screen there are not as many as fit:\n%s", text)
	}
	for _, size := range [][2]int{{60, 20}, {80, 24}, {120, 36}, {200, 50}} {
		d := stage(sc, size[0], size[1], term.Mono)
		for range d.candidates.Rows.Len() {
			c := d.candidates.Rows.At(d.candidates.Index).Candidate
			lines := strings.Split(ansi.Strip(d.drawn), "\n")
			chosen := lines[size[1]-4]
			if !strings.Contains(chosen, fmt.Sprintf("n_%d", c.Sequence)) {
				t.Fatalf("at %v row %d: the selected %s is not told: %q", size, d.candidates.Index, c.Name, chosen)
			}
			if !strings.Contains(ansi.Strip(d.drawn), ">") {
				t.Fatalf("at %v row %d is not in view", size, d.candidates.Index)
			}
			if d.candidates.Index == d.candidates.Rows.Len()-1 {
				break
			}
			d.key(press("j"))
			d.dirty = true
			d.redraw()
		}
		if d.candidates.Index != 299 {
			t.Errorf("at %v j ends at %d", size, d.candidates.Index)
		}
	}
}

// The selection in the grid is a candidate, and left and right go by columns.
func TestGridSelection(t *testing.T) {
	w := class(300)
	src := &source{world: w}
	m := New(Options{Source: src, Renderer: plainRenderer(), Now: func() time.Time { return w.now }})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
	keys(t, m, "z", "j", "j", "right")
	rows := m.d.candidates.Index - 2
	keys(t, m, "right")
	if want := 2 + 2*rows; m.d.candidates.Index != want || rows < 20 {
		t.Fatalf("selected is %d, want %d", m.d.candidates.Index, want)
	}
	before := m.d.candidates.Selected
	w.leave(w.state().Queue[0].Name)
	m.Update(present(src, false))
	if m.d.candidates.Selected != before || m.d.candidates.Rows.At(m.d.candidates.Index).Ref() != before {
		t.Errorf("the selection moved from %+v to %+v", before, m.d.candidates.Selected)
	}
	keys(t, m, "left", "left", "left", "left")
	if m.d.candidates.Index >= rows {
		t.Errorf("left ends at %d", m.d.candidates.Index)
	}
	keys(t, m, "esc")
	if m.d.zoomed {
		t.Error("esc does not zoom out")
	}
	says(t, m, "Recipe", "Handoffs")
	at := m.d.candidates.Index
	keys(t, m, "right")
	if m.d.candidates.Index != at {
		t.Error("right moves in a list of rows")
	}
	// A few candidates fit as rows.
	m, _, _ = stagedWith(nil, ModeDemo)
	keys(t, m, "z")
	says(t, m, "watches", "amber")
	if strings.Contains(screen(m), "Handoffs") {
		t.Error("another panel is in view")
	}
	keys(t, m, "z")
	says(t, m, "Handoffs")
}

// In the past esc zooms out first, and is live again after that.
func TestZoomInThePast(t *testing.T) {
	m, _, _, _ := stagedPast(nil)
	keys(t, m, "p", "z", "esc")
	if m.d.zoomed || m.d.modes.Now() != input.ModePast {
		t.Fatalf("zoomed %v, mode %v", m.d.zoomed, m.d.modes.Now())
	}
	keys(t, m, "esc")
	if m.d.modes.Now() != input.ModeNormal {
		t.Errorf("mode %v", m.d.modes.Now())
	}
}

// There are addresses only for those from elsewhere: one of ours that has just
// come, and is in no table yet, makes no column for them.
func TestGuests(t *testing.T) {
	if !rows.HasGuests(guests().state()) {
		t.Error("guests whose address is known are none")
	}
	w := five(dialect.Election())
	w.j.Apply(w.table())
	w.join("guid-n_", "fjord", 0xa6)
	if rows.HasGuests(w.state()) {
		t.Error("one whose address is not known is a guest")
	}
}
