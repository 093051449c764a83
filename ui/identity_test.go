package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
	"pgregory.net/rapid"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/ui/input"
	"electop/ui/rows"
	"electop/ui/term"
)

// The frozen leader whose session expires stays selected without its znode,
// and with the next one.
func TestSelectionFollowsMember(t *testing.T) {
	m, src, _ := stagedWith(&allow{}, ModeDemo)
	w := src.world
	refresh := func() { m.Update(refreshMsg{states: []*doctor.State{src.State()}}) }
	w.cast("amber", amberZ, model.Leading, func(m *model.Member) { m.Fault, m.FaultAt = model.Frozen, w.now })
	refresh()
	w.wait(5 * time.Second).leave(amberZ)
	refresh()
	r := m.d.candidates.Rows.At(m.d.candidates.Index)
	if r.Member == nil || r.Member.ID != "amber" || r.Candidate != nil {
		t.Fatalf("selected after its expiry: %+v", r)
	}
	a, why := m.d.action(Freeze, "")
	if a != (Action{Election: "/election", Kind: Freeze, Target: "amber", Arg: ArgThaw}) || why != "" {
		t.Errorf("f means %+v, %q", a, why)
	}
	z := w.join("guid-n_", "amber", 0xf1)
	w.cast("amber", z, model.Waiting, func(m *model.Member) { m.Session, m.Znode, m.Fault = 0xf1, z, model.NoFault })
	refresh()
	if r := m.d.candidates.Rows.At(m.d.candidates.Index); r.Candidate == nil || r.Candidate.Name != z {
		t.Errorf("selected after it volunteered again: %+v", r)
	}
}

// A name that comes again is another candidate.
func TestSelectionIsNotAName(t *testing.T) {
	w := newWorld("/e", nil, false).connect().read(nil, nil)
	a, b := w.join("n_", "a", 1), w.join("n_", "b", 2)
	src := &source{world: w}
	now := w.now
	m := New(Options{Source: src, Renderer: plainRenderer(), Now: func() time.Time { return now }})
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	m.Update(press("j"))
	before := m.d.candidates.Selected
	if before.Znode.Name != b {
		t.Fatalf("selected %+v", before)
	}
	w.leave(b)
	m.Update(refreshMsg{states: []*doctor.State{w.state()}})
	if m.d.candidates.Selected.Znode.Name != a {
		t.Errorf("the neighbour is not selected: %+v", m.d.candidates.Selected)
	}
}

// Whatever is pressed and whatever happens, nothing panics, no frame is too
// large, and a selected candidate stays selected while it exists and passes
// the filter.
func TestAnyKeysAnyStates(t *testing.T) {
	all := scenes()
	names := slices.Sorted(maps.Keys(all))
	var keys []string
	for _, b := range input.Bindings(false) {
		keys = append(keys, b.Keys()...)
	}
	keys = append(keys, "a", "m", "0", " ", "é", "alt+x")
	rapid.Check(t, func(t *rapid.T) {
		w := five(dialect.Election())
		if rapid.Bool().Draw(t, "herd") {
			w = five(dialect.Herd())
		}
		src := &wallSource{source: source{world: w}}
		if rapid.Bool().Draw(t, "several") {
			src.others, src.walk = []*world{all["second"]().others[0], all["astray"]().world}, searched(true)
		}
		mode := rapid.SampledFrom([]string{ModeLive, ModeDemo, ModeReplay}).Draw(t, "mode")
		m := New(Options{Source: src, Actions: &allow{}, Mode: mode, Renderer: plainRenderer(), Now: func() time.Time { return w.now }})
		m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
		foreign := false
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			before, path := m.d.candidates.Selected, m.d.path
			moves := false
			switch rapid.SampledFrom([]string{"key", "key", "key", "join", "leave", "fault", "link", "wait", "size", "scene"}).Draw(t, "step") {
			case "key":
				k := rapid.SampledFrom(keys).Draw(t, "key")
				m.Update(press(k))
				moves = true
			case "join":
				w.join(rapid.SampledFrom([]string{"n_", "guid-n_", "\x1b[2Jn_"}).Draw(t, "prefix"), rapid.StringN(0, 8, 20).Draw(t, "data"), rapid.Uint64Range(0, 9).Draw(t, "session"))
			case "leave":
				if have := slices.Sorted(maps.Keys(w.children)); len(have) > 0 {
					w.leave(rapid.SampledFrom(have).Draw(t, "who"))
				}
			case "fault":
				id := rapid.SampledFrom([]string{"amber", "birch", "new"}).Draw(t, "member")
				w.cast(id, "", rapid.SampledFrom([]model.Belief{model.Leading, model.Waiting, model.Lost, model.Suspended}).Draw(t, "belief"), func(m *model.Member) {
					m.Fault = rapid.SampledFrom([]model.Fault{model.NoFault, model.Killed, model.Frozen}).Draw(t, "fault")
					m.FaultAt, m.Step, m.StepAt = w.now, model.Step(rapid.IntRange(0, 9).Draw(t, "step")), w.now
				})
			case "link":
				if rapid.Bool().Draw(t, "up") {
					w.connect()
				} else {
					w.lose("gone\x1b")
				}
			case "wait":
				w.wait(time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "wait")))
				m.Update(tickMsg{m.d.gen})
			case "size":
				m.Update(tea.WindowSizeMsg{Width: rapid.IntRange(0, 200).Draw(t, "w"), Height: rapid.IntRange(0, 70).Draw(t, "h")})
			case "scene":
				m.Update(refreshMsg{states: []*doctor.State{all[rapid.SampledFrom(names).Draw(t, "scene")]().world.state()}})
				foreign = true
			}
			if !foreign {
				m.Update(present(src, false))
			}
			foreign = false
			if lines := strings.Split(m.View(), "\n"); m.d.h > 0 && m.d.w > 0 && len(lines) != m.d.h {
				t.Fatalf("%d lines on %d", len(lines), m.d.h)
			}
			for _, line := range strings.Split(ansi.Strip(m.View()), "\n") {
				if ansi.StringWidth(line) > m.d.w || controls(line) {
					t.Fatalf("bad line on %d cells: %q", m.d.w, line)
				}
			}
			if moves || before == (rows.Ref{}) || m.d.path != path {
				continue
			}
			if i := m.d.candidates.Rows.Find(before, 0); i >= 0 && !rows.Same(m.d.candidates.Selected, before) && m.d.candidates.Rows.At(i).Ref() != m.d.candidates.Selected {
				t.Fatalf("selection moved from %+v to %+v, row %d", before, m.d.candidates.Selected, i)
			}
			if n := m.d.candidates.Rows.Len(); n > 0 && m.d.candidates.Rows.At(m.d.candidates.Index).Ref() != m.d.candidates.Selected {
				t.Fatalf("row %d of %d is not the selected %+v", m.d.candidates.Index, n, m.d.candidates.Selected)
			}
		}
	})
}

// Only what is in the window is asked for: a frame of a long queue costs no
// more than one of a short one.
func TestOnlyTheWindowIsDrawn(t *testing.T) {
	asked := 0
	w := crowd(2000)
	s := copied(w.state())
	s.Recipe = counting{s.Recipe, &asked}
	d := stage(scenes()["crowd"](), 120, 36, term.Dark)
	d.latest = &s
	d.reselect()
	asked = 0
	redrawn(d)
	if asked > 200 {
		t.Errorf("one frame asks %d times who watches whom", asked)
	}
}

type counting struct {
	dialect.Recipe
	asked *int
}

func (c counting) Watches(q []*dialect.Candidate, i int) (int, bool) {
	*c.asked++
	return c.Recipe.Watches(q, i)
}

// The frame of an election, and what a new state of it costs in all.
func BenchmarkFrame(b *testing.B) {
	for _, n := range []int{5, 10000} {
		stage := func(filter string) (Model, *doctor.State) {
			w := crowd(n)
			for name := range w.children {
				w.cast("one", name, model.Waiting, nil) // a member, so that there are some to look for
				break
			}
			src := &source{world: w}
			now := w.now
			m := New(Options{Source: src, Renderer: profileRenderer(termenv.TrueColor), Theme: term.Dark, Now: func() time.Time { return now }})
			m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
			m.Update(press("G"))
			m.d.setFilter(filter)
			return m, src.State()
		}
		b.Run(fmt.Sprintf("%d/draw", n), func(b *testing.B) {
			m, _ := stage("")
			b.ReportAllocs()
			for b.Loop() {
				m.d.dirty = true
				m.d.redraw()
			}
		})
		for _, filter := range []string{"", "node9"} {
			b.Run(fmt.Sprintf("%d/refresh/filter=%s", n, filter), func(b *testing.B) {
				m, s := stage(filter)
				one, two := copied(s), copied(s)
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					m.Update(refreshMsg{states: [][]*doctor.State{{&one}, {&two}}[i%2]})
				}
			})
		}
	}
}

// One that lost its znode, and then went, leaves the selection to who stands in
// its place in the queue, not to the last of all.
func TestSelectionAfterHomeless(t *testing.T) {
	w := five(dialect.Election()).wait(time.Minute)
	src := &source{world: w}
	m := New(Options{Source: src, Mode: ModeDemo, Actions: &allow{}, Renderer: plainRenderer(), Now: func() time.Time { return w.now }})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
	keys(t, m, "j")
	w.leave(birchZ).cast("birch", "", model.Waiting, func(m *model.Member) { m.Znode, m.Session = "", 0 })
	m.Update(present(src, false))
	if r := m.d.candidates.Rows.At(m.d.candidates.Index); r.Position != -1 || r.Name() != "birch" {
		t.Fatalf("selected is %s", r.Name())
	}
	w.j.Apply(&model.Cast{At: w.now, Member: model.Member{ID: "birch"}, Gone: true})
	m.Update(present(src, false))
	if r := m.d.candidates.Rows.At(m.d.candidates.Index); r.Name() != "cedar" {
		t.Errorf("selected is %s, want cedar", r.Name())
	}
}
