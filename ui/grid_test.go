package ui

import (
	"fmt"
	"strings"
	"testing"

	"electop/model/dialect"
	"electop/ui/term"
)

func TestJoin(t *testing.T) {
	// None is cut, however long.
	sc := scenes()["join"]()
	sc.o.Invitations[1].Line = strings.Repeat("word ", 200) + "finis"
	says(t, stage(sc, 200, 50, term.Mono), "finis")
	// A line that fits is not broken: it is there to be pasted.
	sc = scenes()["join"]()
	says(t, stage(sc, 200, 50, term.Mono), sc.o.Invitations[1].Line)
	for mode, want := range map[string]string{ModeReplay: "nobody can join", ModeLive: "electop campaign /election"} {
		m, _, _ := stagedWith(nil, mode)
		keys(m, "J")
		says(t, m, want)
		keys(m, "esc")
		if front(m) != onMain {
			t.Errorf("esc leads to %s", front(m))
		}
	}
}

// Each of 300 is on a screen of 120x36 at once; the selection goes through all of them.
func TestGridShowsAll(t *testing.T) {
	sc := scenes()["grid"]()
	all := sc.world.state().Queue.Slice()
	m := stage(sc, 120, 36, term.Mono)
	if n := signsIn(m, "○") + signsIn(m, "▴") + signsIn(m, "★") + signsIn(m, "❄") + signsIn(m, "✗"); n != len(all) {
		t.Errorf("%d cells for %d candidates:\n%s", n, len(all), screen(m))
	}
	for _, size := range [][2]int{{60, 20}, {120, 36}} {
		m := stage(sc, size[0], size[1], term.Mono)
		keys(m, "g")
		for i, c := range append(all, all[len(all)-1]) { // at the end j stays
			if got := chosen(m); !strings.Contains(got, fmt.Sprintf("n_%d", c.Sequence)) {
				t.Fatalf("at %v after %d times j: the last line is %q, want that of %s", size, i, got, c.Name)
			}
			if n := signsIn(m, ">"); n != 1 {
				t.Fatalf("at %v after %d times j: %d cells are marked:\n%s", size, i, n, screen(m))
			}
			m.Update(press("j"))
		}
	}
}

// The key z zooms in and out. In the past esc zooms out first, and is live again after that.
func TestZoom(t *testing.T) {
	m, _, _, _ := stagedPast(nil)
	keys(m, "z")
	says(t, m, "watches", "birch") // a few candidates fit as rows
	saysNot(t, m, "Handoffs")
	keys(m, "z")
	says(t, m, "Handoffs")
	keys(m, "p", "z")
	saysNot(t, m, "Handoffs")
	keys(m, "esc")
	says(t, m, "Handoffs")
	if front(m) != inPast {
		t.Fatalf("esc leads to %s", front(m))
	}
	keys(m, "esc")
	if front(m) != onMain {
		t.Errorf("esc leads to %s", front(m))
	}
}

// There are addresses only for those from elsewhere: one of ours that has just
// come, and is in no table yet, makes no column for them.
func TestGuests(t *testing.T) {
	says(t, later(scene{world: guests()}, 0), "client", "10.0.")
	w := five(dialect.Election())
	w.j.Apply(w.table())
	w.join("guid-n_", "fjord", 0xa6)
	saysNot(t, later(scene{world: w, o: Options{Mode: ModeDemo}}, 0), "client")
}
