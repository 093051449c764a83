package ui

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"electop/model/doctor"
	"electop/model/znode"
	"electop/ui/clip"
	"electop/ui/plain"
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
				if msg, ok := cmd().(copiedMsg); ok {
					m.Update(msg)
				}
			}
		}
		return last
	}
}

// pathOf is the path in a candidate's JSON.
func pathOf(t *testing.T, text string) string {
	t.Helper()
	var c struct{ Znode string }
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return c.Znode
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
	got := copies("j", "Y")
	if pathOf(t, got) != path(1) {
		t.Errorf("Y copies %s", got)
	}
	says(t, m, "JSON sent to the terminal's clipboard")
	status, err := znode.SafeJSON(plain.Status(s))
	if err != nil || !strings.Contains(string(status), got) {
		t.Errorf("this is not a part of electop status --json: %s", got)
	}
	if got := copies("enter", "y"); got != path(1) {
		t.Errorf("from the inspection: %q", got)
	}
	if got := copies("Y"); pathOf(t, got) != path(1) {
		t.Errorf("from the inspection: %q", got)
	}
	if got := copies("esc", "p", "y"); got != path(1) {
		t.Errorf("while paused: %q", got)
	}
	if got := copies("?", "y"); got != "" {
		t.Errorf("from the help: %q", got)
	}
}

// Of an election the path is copied, or all that electop status --json has.
func TestCopyElection(t *testing.T) {
	m, copies := copying("wall", nil)
	for m.d.elections.Row().Watched == nil {
		copies("k")
	}
	r := m.d.elections.Row()
	if got := copies("y"); got != r.Path {
		t.Errorf("y copies %q, want %q", got, r.Path)
	}
	want, _ := znode.SafeJSON(plain.Status(r.Watched.State))
	if got := copies("Y"); got != string(want) {
		t.Errorf("Y copies %q", got)
	}
	for m.d.elections.Row().Watched != nil {
		copies("j")
	}
	if got := copies("y"); got != m.d.elections.Row().Path {
		t.Errorf("y copies %q of an election that is not watched", got)
	}
	if got := copies("Y"); got != "" {
		t.Errorf("Y copies %q of an election that is not watched", got)
	}
	says(t, m, "copy JSON: only elections that are watched have one")
}

// What cannot be copied is said, with the reason.
func TestCopyRefused(t *testing.T) {
	m, copies := copying("homeless", nil)
	if got := copies("G", "y"); got != "" {
		t.Errorf("%q is copied of a member without a znode", got)
	}
	says(t, m, "has no znode")

	m, copies = copying("group", nil)
	copies("Y")
	says(t, m, "members of a group have a path only")

	m, copies = copying("vacant", nil)
	copies("y")
	says(t, m, "copy path: no candidate is selected")

	m, copies = copying("main", errors.New("\x1b[31mwrite: broken pipe"))
	copies("y")
	says(t, m, `copy path: \x1b[31mwrite: broken pipe`)

	m = stage(scenes()["main"](), 120, 36, term.Mono)
	keys(m, "y")
	says(t, m, "copy path: there is no terminal to send it to")

	// Of a crowd there is too much.
	m, copies = copying("crowd", nil)
	w := scenes()["crowd"]().world
	for range 2000 {
		w.join("guid-n_", "stranger", 0xbeef)
	}
	m.Update(refreshMsg{states: []*doctor.State{w.state()}})
	m.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("e")})
	if got := copies("Y"); got != "" {
		t.Errorf("%d bytes are copied", len(got))
	}
	says(t, m, "too long for a terminal's clipboard")
}

// Names come from the servers: nothing in them is more than text for who pastes them.
func TestCopiesAreSafe(t *testing.T) {
	m, copies := copying("hostile", nil)
	for range m.d.shown().Queue.Len() {
		for _, k := range []string{"y", "Y"} {
			if got := copies(k); got == "" || znode.Safe(got, clip.Max) != got || len(got) > clip.Max {
				t.Errorf("%s copies %q", k, got)
			}
		}
		copies("j")
	}
}
