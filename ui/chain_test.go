package ui

import (
	"strings"
	"testing"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/ui/term"
)

// gutters are the signs at the left of the list, row by row.
func gutters(m Model) (out []string) {
	for _, line := range inside(m, "Candidates") {
		if r := []rune(line); len(r) > 8 && strings.Contains("★☆▴▵ ", string(r[1])) && strings.ContainsAny(string(r[5:9]), "0123456789") {
			out = append(out, string(r[1:4]))
		}
	}
	return out
}

// The chain is drawn in the list: an arrow into each znode that the next candidate
// watches, and a line from who watches. What does not watch its predecessor breaks it.
func TestChainIsDrawn(t *testing.T) {
	for name, c := range map[string]struct {
		scene scene
		want  []string
	}{
		"five":   {scene{world: five(dialect.Election())}, []string{"★◂╮", "▴◂┤", "▴◂┤", "▴◂┤", "▴─╯"}},
		"a herd": {scene{world: five(dialect.Herd())}, []string{"★◂╮", " ─┤", " ─┤", " ─┤", " ─╯"}},
		"alone":  {scene{world: latch("/e/leader", 1)}, []string{"★  "}},
		"two":    {scene{world: latch("/e/leader", 2)}, []string{"★◂╮", "▴─╯"}},
		"one volunteers, and watches nobody yet": {scene{world: five(dialect.Election()).cast("delta", "guid-n_0000000015", model.Volunteering, nil)},
			[]string{"★◂╮", "▴◂┤", "▴─╯", "▴◂╮", "▴─╯"}},
		"filtered": {scene{world: five(dialect.Election()), keys: []string{"/", "e"}}, []string{"★  ", "▴  ", "▴  ", "▴  "}},
	} {
		c.scene.o.Mode = ModeDemo
		if got := gutters(later(c.scene, time.Second)); strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	// Two of these watch wrongly, as all servers said twice.
	wrong := scenes()["doctor"]()
	wrong.keys = nil
	got := gutters(stage(wrong, 200, 60, term.Mono))
	if want := []string{"★◂╮", "▴─╯", "▵◂╮", "▴─╯", "▵  "}; strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("wrong watches: %q, want %q", got, want)
	}
	// A row out of view continues the line.
	m := stage(scenes()["crowd"](), 80, 24, term.Mono)
	keys(m, "G")
	if got := gutters(m); len(got) < 3 || got[0] != "▴◂┤" || got[len(got)-1] != "▴─╯" {
		t.Errorf("the end of a crowd: %q", got)
	}
	keys(m, "g")
	if got := gutters(m); len(got) < 3 || got[0] != "★◂╮" || got[len(got)-1] != "▴◂┤" {
		t.Errorf("its beginning: %q", got)
	}
}
