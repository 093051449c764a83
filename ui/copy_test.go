package ui

import (
	"errors"
	"testing"

	"electop/model/znode"
	"electop/ui/term"
)

// copying is a scene with a clipboard, of which the last text is returned by the function.
func copying(scene string, fails error) (Model, func(keys ...string) string) {
	sc, last := scenes()[scene](), ""
	sc.o.Clipboard = func(text string) error {
		last = text
		return fails
	}
	m := stage(sc, 120, 36, term.Mono)
	return m, func(all ...string) string {
		last = ""
		for _, k := range all {
			if cmd := pressed(m, k); cmd != nil {
				m.Update(cmd())
			}
		}
		return last
	}
}

// What is selected is copied: in the list, in the inspection and at another moment.
func TestCopySelected(t *testing.T) {
	m, copies := copying("main", nil)
	s := m.d.shown()
	path := func(i int) string { return znode.Join(s.Path, s.Queue.At(i).Name) }
	if got := copies("y"); got != path(0) {
		t.Errorf("y copies %q, want %q", got, path(0))
	}
	says(t, m, "path sent to the terminal's clipboard")
	copies("j")
	if got := copies("enter", "y"); got != path(1) {
		t.Errorf("from the inspection: %q", got)
	}
	if got := copies("esc", "p", "y"); got != path(1) {
		t.Errorf("while paused: %q", got)
	}
	if got := copies("?", "y"); got != "" {
		t.Errorf("from the help: %q", got)
	}
}

// Of an election the path is copied.
func TestCopyElection(t *testing.T) {
	m, copies := copying("wall", nil)
	for m.d.elections.Row().Watched == nil {
		copies("k")
	}
	r := m.d.elections.Row()
	if got := copies("y"); got != r.Path {
		t.Errorf("y copies %q, want %q", got, r.Path)
	}
	for m.d.elections.Row().Watched != nil {
		copies("j")
	}
	if got := copies("y"); got != m.d.elections.Row().Path {
		t.Errorf("y copies %q of an election that is not watched", got)
	}
}

// What cannot be copied is said, with the reason.
func TestCopyRefused(t *testing.T) {
	m, copies := copying("homeless", nil)
	if got := copies("G", "y"); got != "" {
		t.Errorf("%q is copied of a member without a znode", got)
	}
	says(t, m, "has no znode")

	m, copies = copying("vacant", nil)
	copies("y")
	says(t, m, "copy the path: no candidate is selected")

	m, copies = copying("main", errors.New("\x1b[31mwrite: broken pipe"))
	copies("y")
	says(t, m, `copy path: \x1b[31mwrite: broken pipe`)

	m = stage(scenes()["main"](), 120, 36, term.Mono)
	keys(m, "y")
	says(t, m, "copy the path: there is no terminal to send it to")
}

// Names come from the servers: nothing in them is more than text for who pastes them.
func TestCopiesAreSafe(t *testing.T) {
	m, copies := copying("hostile", nil)
	for range m.d.shown().Queue.Len() {
		if got := copies("y"); got == "" || znode.Safe(got, clipMax) != got || len(got) > clipMax {
			t.Errorf("y copies %q", got)
		}
		copies("j")
	}
}
