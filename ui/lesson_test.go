package ui

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/lesson"
	"electop/ui/input"
	"electop/ui/term"
)

// stagedLesson is a demo with a tutor.
func stagedLesson(tu *tutor, w, h int) (Model, *source, *allow) {
	world := five(dialect.Election()).wait(time.Minute)
	src := &source{world: world, dirty: make(chan struct{}, 1)}
	acts := &allow{done: make(chan Action, 9)}
	now := world.now
	m := New(Options{Source: src, Actions: acts, Mode: ModeDemo, Tutor: tu, Theme: term.Mono, Renderer: plainRenderer(), Now: func() time.Time { return now }})
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	return m, src, acts
}

// The keys of a lesson reach the tutor, and those of the election the election.
func TestLessonKeys(t *testing.T) {
	tu := teaching(asked)
	m, _, acts := stagedLesson(tu, 120, 36)
	keys(t, m, "2", " ", "H", ">", "<")
	want := []string{"answer 1", "next 0", "hint 0", "skip 0", "back 0"}
	if !slices.Equal(tu.inputs, want) {
		t.Errorf("the tutor hears %q, want %q", tu.inputs, want)
	}
	keys(t, m, "x")
	if a := <-acts.done; a.Kind != Kill || a.Target != "amber" {
		t.Errorf("x does %+v", a)
	}
	// Several in one message are each heard.
	tu.inputs = nil
	m.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("1H>")})
	if want := []string{"answer 0", "hint 0", "skip 0"}; !slices.Equal(tu.inputs, want) {
		t.Errorf("the tutor hears %q, want %q", tu.inputs, want)
	}
	tu.inputs = nil
	keys(t, m, "4")
	if len(tu.inputs) != 0 {
		t.Errorf("an answer that there is not: %q", tu.inputs)
	}
	says(t, m, "there are 3 answers to choose from")
	tu.why = "answer \x1bfirst"
	keys(t, m, " ")
	if got := statusLine(m); !strings.Contains(got, `answer \x1bfirst`) {
		t.Errorf("why not is not said: %q", got)
	}
	// Esc does not leave it, nor does typing a filter answer it.
	tu.inputs = nil
	keys(t, m, "esc", "esc", "/", "1", " ", "esc")
	if !tu.on || tu.left || len(tu.inputs) != 0 {
		t.Errorf("on %v, left %v, heard %q", tu.on, tu.left, tu.inputs)
	}
}

func TestNoLesson(t *testing.T) {
	m, _, _ := stagedLesson(&tutor{entries: entries()}, 120, 36)
	for _, k := range []string{" ", "1", "9", "H", ">", "<"} {
		keys(t, m, k)
		if got := statusLine(m); !strings.Contains(got, "no lesson is running: L opens the menu") {
			t.Errorf("%q says %q", k, got)
		}
	}
	m, _, _ = stagedWith(&allow{}, ModeDemo)
	keys(t, m, "L")
	if got := statusLine(m); !strings.Contains(got, "lessons need the demo: electop lesson") || m.d.modes.Now() != input.ModeNormal {
		t.Errorf("L without lessons says %q", got)
	}
}

// What the tutor has to say is drawn when it says so, and only then.
func TestLessonIsHeard(t *testing.T) {
	tu := teaching(func(v *lesson.View) { asked(v); acting(v); v.Chosen = 1 })
	m, src, _ := stagedLesson(tu, 120, 36)
	says(t, m, "Lesson 3 of 11: The handoff", "part 2 of 5", "> 2 birch, who watches amber", " x  Select amber and press x")
	before := m.d.frames
	m.Update(refreshMsg{states: []*doctor.State{src.State()}})
	if m.d.frames != before {
		t.Error("a frame is drawn for nothing")
	}
	asked(&tu.view)
	foretold(&tu.view)
	m.Update(refreshMsg{states: []*doctor.State{src.State()}})
	if m.d.frames != before+1 {
		t.Errorf("%d frames are drawn", m.d.frames-before)
	}
	says(t, m, "✗ 1 ember, who came last", "✓ 2 birch", "✓ amber's session expired", "It was birch", "space go on")
	tu.view.Done = true
	m.Update(refreshMsg{states: []*doctor.State{src.State()}})
	says(t, m, "Lesson complete.")
	tu.on = false
	m.Update(refreshMsg{states: []*doctor.State{src.State()}})
	if strings.Contains(screen(m), "Lesson 3") {
		t.Errorf("the lesson is shown after its end:\n%s", screen(m))
	}
	says(t, m, "Handoffs")
}

// Who is to be acted on is pointed at, until it has happened, and not at
// another moment.
func TestLessonPoints(t *testing.T) {
	tu := teaching(acting)
	m, src, _ := stagedLesson(tu, 120, 36)
	if got := m.d.lesson().Target(); got != "amber" {
		t.Errorf("pointed at is %q", got)
	}
	last := strings.Split(screen(m), "\n")[35]
	if !strings.Contains(last, "x kill") || strings.Index(last, "x kill") > strings.Index(last, "s spawn") {
		t.Errorf("the key to press is not among the first: %q", last)
	}
	foretold(&tu.view)
	tu.view.Do, tu.view.Keys, tu.view.Target = "", nil, ""
	m.Update(refreshMsg{states: []*doctor.State{src.State()}})
	if got := m.d.lesson().Target(); got != "" {
		t.Errorf("afterwards pointed at is %q", got)
	}
	w, p := travelled()
	d := New(Options{Source: &source{world: w}, Past: p, Tutor: teaching(acting), Renderer: plainRenderer(), Now: func() time.Time { return w.now }})
	d.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
	keys(t, d, "p")
	if d.d.lesson().Target() != "" || strings.Contains(screen(d), "Lesson") {
		t.Error("the lesson of now is shown at another moment")
	}
	says(t, d, "Handoffs")
	keys(t, d, "p")
	says(t, d, "Lesson 3 of 11")
}

// A lesson takes what its text needs and at most half of the screen; what does
// not fit can be turned to, and what is to be done is said all the same.
func TestLessonFits(t *testing.T) {
	for _, size := range [][2]int{{60, 20}, {80, 24}, {120, 36}, {200, 50}} {
		tu := teaching(asked)
		m, src, _ := stagedLesson(tu, size[0], size[1])
		says(t, m, "lowest number") // it begins at its beginning
		acting(&tu.view)
		tu.view.Chosen = 1
		m.Update(refreshMsg{states: []*doctor.State{src.State()}})
		says(t, m, "Waiting for this to happen") // what is new is in view
		says(t, m, "press x", "amber", "birch", "Lesson 3")
		for y, line := range strings.Split(screen(m), "\n") {
			if strings.Contains(line, "Lesson 3") && y < size[1]/2-1 {
				t.Errorf("at %v the lesson begins on line %d:\n%s", size, y, screen(m))
			}
		}
		// All of it can be read.
		seen := map[string]bool{}
		for _, k := range []string{"", "pgup", "pgup", "pgup", "pgup", "pgup", "pgdown", "pgdown"} {
			if k != "" {
				keys(t, m, k)
			}
			for _, want := range []string{"lowest number", "Who leads next?", "1 ember", "3 whoever", "without closing"} {
				seen[want] = seen[want] || strings.Contains(screen(m), want)
			}
		}
		if len(seen) != 5 || slices.Contains([]bool{seen["lowest number"], seen["Who leads next?"], seen["1 ember"], seen["3 whoever"], seen["without closing"]}, false) {
			t.Errorf("at %v some of it cannot be read: %v\n%s", size, seen, screen(m))
		}
	}
}

func TestLessonMenu(t *testing.T) {
	tu := &tutor{entries: entries()}
	m, src, _ := stagedLesson(tu, 120, 36)
	keys(t, m, "L")
	says(t, m, "2 of 11 done", "3    The handoff", "1  ✓ Volunteer", "What lesson 3 is about", "their history")
	if m.d.course.Selected != "l03" {
		t.Errorf("selected is %q, want the first that is not done", m.d.course.Selected)
	}
	// Progress made elsewhere does not move the selection.
	tu.entries = slices.Clone(tu.entries)
	tu.entries[2].Done = true
	m.Update(refreshMsg{states: []*doctor.State{src.State()}})
	says(t, m, "3 of 11 done")
	keys(t, m, "j", "j", "k")
	cmd := m.d.key(press("enter"))
	if m.d.modes.Now() != input.ModeNormal || cmd == nil {
		t.Fatalf("enter leads to mode %v", m.d.modes.Now())
	}
	m.d.dirty = true
	m.d.redraw()
	says(t, m, "starting a new election")
	// Another one cannot be begun meanwhile.
	keys(t, m, "L", "enter")
	says(t, m, "its election is not ready yet")
	tu.on, tu.view = true, teaching(asked).view
	keys(t, m, "esc")
	m.Update(cmd())
	if !slices.Equal(tu.started, []string{"l04"}) {
		t.Errorf("started were %q", tu.started)
	}
	says(t, m, "Lesson 3 of 11", "new election started")

	// The last row ends it; the menu is the one way.
	keys(t, m, "L")
	if m.d.course.Selected != "l03" {
		t.Errorf("selected is %q, want the one that is on", m.d.course.Selected)
	}
	says(t, m, "no lesson: leave the current one", "on now")
	keys(t, m, "G", "enter")
	if !tu.left || m.d.course.On || m.d.modes.Now() != input.ModeNormal {
		t.Errorf("left %v, on %v, mode %v", tu.left, m.d.course.On, m.d.modes.Now())
	}
	keys(t, m, "L")
	if strings.Contains(screen(m), "no lesson:") {
		t.Error("there is no lesson to leave")
	}
}

func TestLessonFails(t *testing.T) {
	tu := &tutor{entries: entries(), err: errors.New("lesson l03: no\x1b server")}
	m, _, _ := stagedLesson(tu, 120, 36)
	keys(t, m, "L", "enter")
	if got := statusLine(m); !strings.Contains(got, `lesson: lesson l03: no\x1b server`) {
		t.Errorf("status line: %q", got)
	}
	keys(t, m, "L", "enter")
	if len(tu.started) != 2 {
		t.Error("it cannot be tried again")
	}
}

// Space goes from a lesson that is through to the next.
func TestNextLesson(t *testing.T) {
	tu := teaching(func(v *lesson.View) { v.Done = true })
	m, _, _ := stagedLesson(tu, 120, 36)
	says(t, m, "space next lesson")
	keys(t, m, " ")
	if !slices.Equal(tu.started, []string{"l04"}) || len(tu.inputs) != 0 {
		t.Errorf("started were %q, inputs %q", tu.started, tu.inputs)
	}
	tu.view.ID = "l11"
	m.d.hearTutor()
	keys(t, m, " ")
	if len(tu.started) != 1 {
		t.Errorf("after the last comes %q", tu.started[1])
	}
	says(t, m, "this was the last lesson")
}

// Beginning a lesson lets a held picture go: it is about what happens now.
func TestLessonIsLive(t *testing.T) {
	tu := &tutor{entries: entries()}
	m, _, _ := stagedLesson(tu, 120, 36)
	keys(t, m, "p")
	if m.d.paused == nil {
		t.Fatal("not paused")
	}
	keys(t, m, "z", "L", "enter")
	if m.d.paused != nil || m.d.zoomed {
		t.Errorf("held %v, zoomed %v", m.d.paused != nil, m.d.zoomed)
	}
}

// Whatever is pressed in whatever order, with a past and lessons: no frame is
// too large, and the main screen is in the past exactly if the user is.
func TestAnyKeysTaught(t *testing.T) {
	var all []string
	for _, b := range input.Bindings(false) {
		if b.Do != input.CmdQuit && b.Do != input.CmdSuspend {
			all = append(all, b.Keys()...)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		w, p := travelled()
		tu := teaching(asked)
		tu.on = rapid.Bool().Draw(t, "lesson")
		src := &wallSource{source{world: w, dirty: make(chan struct{}, 1)}, nil, searched(false)}
		if rapid.Bool().Draw(t, "several") {
			src.others = []*world{verifiedAt("/other")}
		}
		o := Options{Source: src, Actions: &allow{}, Mode: ModeDemo, Past: p, Tutor: tu, Invitations: []Invitation{{Program: "x", Line: "\x1by"}}, Renderer: plainRenderer(), Now: func() time.Time { return w.now }}
		if rapid.Bool().Draw(t, "replay") {
			r := &player{tape: *p, at: 3, end: w.now}
			o.Mode, o.Past, o.Actions, src.others = ModeReplay, r, r, nil
		}
		m := New(o)
		m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
		var late []tea.Cmd
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.SampledFrom([]string{"key", "key", "key", "key", "answer", "answer", "size", "teach", "join"}).Draw(t, "step") {
			case "key":
				if cmd := m.d.key(press(rapid.SampledFrom(all).Draw(t, "key"))); cmd != nil {
					late = append(late, cmd)
				}
			case "answer":
				if n := len(late); n > 0 {
					i := rapid.IntRange(0, n-1).Draw(t, "which")
					cmd := late[i]
					late = slices.Delete(late, i, i+1)
					if next := m.d.update(cmd()); next != nil {
						late = append(late, next)
					}
				}
			case "size":
				m.Update(tea.WindowSizeMsg{Width: rapid.IntRange(0, 200).Draw(t, "w"), Height: rapid.IntRange(0, 70).Draw(t, "h")})
			case "teach":
				rapid.SampledFrom([]func(*lesson.View){asked, acting, foretold}).Draw(t, "view")(&tu.view)
				m.Update(present(src, false))
			case "join":
				w.join("guid-n_", "more", 0xbb)
				m.Update(present(src, false))
			}
			m.d.dirty = true
			m.d.redraw()
			ground := m.d.modes
			for range 10 {
				ground.Close()
			}
			if m.d.journey.On != (ground.Now() == input.ModePast) {
				t.Fatalf("%+v, past %v", m.d.modes, m.d.journey.On)
			}
			if m.d.journey.On && m.d.paused == nil {
				t.Fatal("in the past, and live")
			}
			for _, line := range strings.Split(m.View(), "\n") {
				if ansi.StringWidth(line) > m.d.w || controls(ansi.Strip(line)) {
					t.Fatalf("bad line on %d cells: %q", m.d.w, line)
				}
			}
			if lines := strings.Split(m.View(), "\n"); m.d.w > 0 && m.d.h > 0 && len(lines) != m.d.h {
				t.Fatalf("%d lines on %d", len(lines), m.d.h)
			}
		}
	})
}

// The list of faults marks what the lesson wants, in the list of whom it wants
// it done to, and else names that one.
func TestLessonFault(t *testing.T) {
	tu := teaching(func(v *lesson.View) {
		acting(v)
		v.Keys, v.Fault, v.Target = []string{"X", "enter"}, string(LoseReply), "birch"
	})
	w := five(dialect.Election()).wait(time.Minute)
	m := New(Options{Source: &source{world: w}, Actions: &allow{}, Mode: ModeDemo, Tutor: tu, Theme: term.Mono, Renderer: plainRenderer(), Now: func() time.Time { return w.now }})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
	keys(t, m, "X")
	says(t, m, "Faults of amber", "The lesson is about birch: esc, and select it first.")
	if strings.Contains(screen(m), "»    lose reply") {
		t.Error("it is marked in the list of another candidate")
	}
	keys(t, m, "esc", "j", "X")
	says(t, m, "Faults of birch", "»    lose reply")
	tu.view.Done = true
	m.Update(tickMsg{})
	m.Update(present(&source{world: w}, false))
	if strings.Contains(screen(m), "»    lose reply") {
		t.Errorf("it is marked when it is done:\n%s", screen(m))
	}
}
