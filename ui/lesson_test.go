package ui

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"pgregory.net/rapid"

	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/lesson"
	"electop/ui/action"
	"electop/ui/input"
	"electop/ui/mainscreen"
	"electop/ui/overlay"
)

// dashboardWithLesson returns the dashboard of a demo with a lesson.
func dashboardWithLesson(tu *fakeRunner, w, h int) (Model, *source, *fakeActions) {
	acts := &fakeActions{done: make(chan action.Action, 9)}
	m, src, _ := dashboardOn(five(dialect.Election()).wait(time.Minute), acts, Options{Mode: ModeDemo, Lessons: tu})
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	return m, src, acts
}

// The keys of a lesson reach the runner, and those of the election the election.
func TestLessonKeys(t *testing.T) {
	tu := thirdLesson(asking)
	m, _, acts := dashboardWithLesson(tu, 120, 36)
	keys(m, "2", " ", "H", ">", "<")
	want := []string{"answer 1", "next 0", "hint 0", "skip 0", "back 0"}
	if !slices.Equal(tu.inputs, want) {
		t.Errorf("the runner gets %q, want %q", tu.inputs, want)
	}
	keys(m, "x")
	if a := <-acts.done; a.Kind != action.Kill || a.Target != "amber" {
		t.Errorf("x does %+v", a)
	}
	// Several in one message are each heard.
	tu.inputs = nil
	m.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("1H>")})
	if want := []string{"answer 0", "hint 0", "skip 0"}; !slices.Equal(tu.inputs, want) {
		t.Errorf("the runner gets %q, want %q", tu.inputs, want)
	}
	tu.inputs = nil
	keys(m, "4")
	if len(tu.inputs) != 0 {
		t.Errorf("an answer that there is not: %q", tu.inputs)
	}
	shows(t, m, "there are 3 answers to choose from")
	tu.why = "answer \x1bfirst"
	keys(m, " ")
	statusShows(t, m, `answer \x1bfirst`)
	// Esc does not leave it, nor does typing a filter answer it.
	tu.inputs = nil
	keys(m, "esc", "esc", "/", "1", " ", "esc")
	if !tu.on || tu.left || len(tu.inputs) != 0 {
		t.Errorf("on %v, left %v, heard %q", tu.on, tu.left, tu.inputs)
	}
}

func TestNoLesson(t *testing.T) {
	m, _, _ := dashboardWithLesson(&fakeRunner{entries: elevenLessons()}, 120, 36)
	for _, k := range []string{" ", "1", "9", "H", ">", "<"} {
		keys(m, k)
		statusShows(t, m, "no lesson is running: L opens the menu")
	}
	m, _, _ = dashboardWith(&fakeActions{}, ModeDemo)
	keys(m, "L")
	if got := statusLine(m); !strings.Contains(got, "lessons need the demo: electop lesson") || front(m) != onMain {
		t.Errorf("L without lessons says %q", got)
	}
}

// What the runner reports is drawn when it changes, and only then: the count
// of frames alone tells a frame from one that is the same.
func TestLessonIsDrawnWhenItChanges(t *testing.T) {
	tu := thirdLesson(func(v *lesson.View) { asking(v); acting(v); v.Chosen = 1 })
	m, src, _ := dashboardWithLesson(tu, 120, 36)
	shows(t, m, "Lesson 3 of 11: The handoff", "part 2 of 5", "> 2 birch, who watches amber", " x  Select amber and press x")
	before := m.d.frames
	m.Update(refreshMsg{states: []*doctor.State{src.State()}})
	if m.d.frames != before {
		t.Error("a frame is drawn for nothing")
	}
	asking(&tu.view)
	answered(&tu.view)
	m.Update(refreshMsg{states: []*doctor.State{src.State()}})
	if m.d.frames != before+1 {
		t.Errorf("%d frames are drawn", m.d.frames-before)
	}
	shows(t, m, "✗ 1 ember, who came last", "✓ 2 birch", "✓ amber's session expired", "It was birch", "space go on")
	tu.view.Done = true
	m.Update(refreshMsg{states: []*doctor.State{src.State()}})
	shows(t, m, "Lesson complete.")
	tu.on = false
	m.Update(refreshMsg{states: []*doctor.State{src.State()}})
	showsNot(t, m, "Lesson 3")
	shows(t, m, "Handoffs")
}

// Who is to be acted on is pointed at, until it has happened, and not at
// another moment.
func TestLessonPoints(t *testing.T) {
	tu := thirdLesson(acting)
	m, src, _ := dashboardWithLesson(tu, 120, 36)
	const pointed = "│»★◂╮  12  amber "
	showsNot(t, m, pointed) // it is selected, and has that mark
	keys(m, "j")
	shows(t, m, pointed)
	last := footerLine(m)
	if !strings.Contains(last, "x kill") || strings.Index(last, "x kill") > strings.Index(last, "s spawn") {
		t.Errorf("the key to press is not among the first: %q", last)
	}
	answered(&tu.view)
	tu.view.Do, tu.view.Keys = "", nil
	m.Update(refreshMsg{states: []*doctor.State{src.State()}})
	shows(t, m, "│ ★◂╮  12  amber ")
	w, p := withPast()
	d, _, _ := dashboardOn(w, nil, Options{Past: p, Lessons: thirdLesson(acting)})
	shows(t, d, "Lesson 3 of 11")
	keys(d, "p", "home", "j")
	showsNot(t, d, "Lesson", "»")
	shows(t, d, "Handoffs", "│ ★◂╮  12  amber ")
	keys(d, "p")
	shows(t, d, "Lesson 3 of 11")
}

// A lesson takes half of the screen at most, or half of the third column; what does not
// fit can be turned to, and what is to be done is said all the same.
func TestLessonFits(t *testing.T) {
	for _, size := range [][2]int{{60, 20}, {80, 24}, {120, 36}, {200, 50}} {
		tu := thirdLesson(asking)
		m, src, _ := dashboardWithLesson(tu, size[0], size[1])
		shows(t, m, "lowest number") // it begins at its beginning
		acting(&tu.view)
		tu.view.Chosen = 1
		m.Update(refreshMsg{states: []*doctor.State{src.State()}})
		shows(t, m, "Waiting for this to happen") // what is new is in view
		shows(t, m, "press x", "amber", "birch", "Lesson 3")
		for y, line := range lines(m) {
			if strings.Contains(line, "Lesson 3") && y < size[1]/2-1 && size[0] < mainscreen.AsideFrom {
				t.Errorf("at %v the lesson begins on line %d:\n%s", size, y, screen(m))
			}
		}
		keys(m, "pgup", "pgup", "pgup", "pgup", "pgup")
		shows(t, m, "lowest number")
	}
}

func TestLessonMenu(t *testing.T) {
	tu := &fakeRunner{entries: elevenLessons()}
	m, src, _ := dashboardWithLesson(tu, 120, 36)
	keys(m, "L")
	shows(t, m, "2 of 11 done", "3    The handoff", "1  ✓ Volunteer", "What lesson 3 is about", "their history")
	if got := marked(m, "Lessons"); !strings.HasPrefix(got, "3 ") {
		t.Errorf("selected is %q, want the first that is not done", got)
	}
	// Progress made elsewhere does not move the selection.
	tu.entries = slices.Clone(tu.entries)
	tu.entries[2].Done = true
	m.Update(refreshMsg{states: []*doctor.State{src.State()}})
	shows(t, m, "3 of 11 done")
	if got := marked(m, "Lessons"); !strings.HasPrefix(got, "3  ✓ ") {
		t.Errorf("selected is %q when it is done", got)
	}
	keys(m, "j", "j", "k")
	cmd := pressed(m, "enter")
	if front(m) != onMain || cmd == nil {
		t.Fatalf("enter leads to %s", front(m))
	}
	shows(t, m, "starting a new election")
	tu.on, tu.view = true, thirdLesson(asking).view
	m.Update(cmd())
	if !slices.Equal(tu.started, []string{"l04"}) {
		t.Errorf("started were %q", tu.started)
	}
	shows(t, m, "Lesson 3 of 11", "new election started")

	// The last row ends it; the menu is the one way.
	keys(m, "L")
	if got := marked(m, "Lessons"); !strings.HasPrefix(got, "3 ") {
		t.Errorf("selected is %q, want the one that is on", got)
	}
	shows(t, m, "no lesson: leave the current one", "on now")
	keys(m, "G", "enter")
	if !tu.left || front(m) != onMain {
		t.Errorf("left %v, in front is %s", tu.left, front(m))
	}
	showsNot(t, m, "Lesson 3")
	keys(m, "L")
	showsNot(t, m, "no lesson:") // there is none to leave
}

func TestLessonFails(t *testing.T) {
	tu := &fakeRunner{entries: elevenLessons(), err: errors.New("lesson l03: no\x1b server")}
	m, _, _ := dashboardWithLesson(tu, 120, 36)
	keys(m, "L", "enter")
	statusShows(t, m, `lesson: lesson l03: no\x1b server`)
	keys(m, "L", "enter")
	if len(tu.started) != 2 {
		t.Error("it cannot be tried again")
	}
}

// Space goes from a lesson that is through to the next.
func TestNextLesson(t *testing.T) {
	tu := thirdLesson(func(v *lesson.View) { v.Done = true })
	m, src, _ := dashboardWithLesson(tu, 120, 36)
	shows(t, m, "space next lesson")
	keys(m, " ")
	if !slices.Equal(tu.started, []string{"l04"}) || len(tu.inputs) != 0 {
		t.Errorf("started were %q, inputs %q", tu.started, tu.inputs)
	}
	tu.view.Number = 11
	m.Update(present(src, false))
	keys(m, " ")
	if len(tu.started) != 1 {
		t.Errorf("after the last comes %q", tu.started[1])
	}
	shows(t, m, "this was the last lesson")
}

// Beginning a lesson lets a held picture go: it is about what happens now.
func TestLessonIsLive(t *testing.T) {
	tu := &fakeRunner{entries: elevenLessons()}
	m, _, _ := dashboardWithLesson(tu, 120, 36)
	keys(m, "p", "z")
	shows(t, m, "PAUSED")
	showsNot(t, m, "Handoffs")
	keys(m, "L", "enter")
	showsNot(t, m, "PAUSED")
	shows(t, m, "Handoffs")
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
	past := func(m Model) bool { // what the header says
		line := headerLine(m)
		return strings.Contains(line, "LIVE -") || strings.Contains(line, "REPLAY") && !strings.Contains(line, "●")
	}
	rapid.Check(t, func(t *rapid.T) {
		w, p := withPast()
		tu := thirdLesson(asking)
		tu.on = rapid.Bool().Draw(t, "lesson")
		src := &multiSource{source{world: w, dirty: make(chan struct{}, 1)}, nil, searched(false)}
		if rapid.Bool().Draw(t, "several") {
			src.others = []*world{verifiedAt("/other")}
		}
		o := Options{Source: src, Actions: &fakeActions{}, Mode: ModeDemo, Past: p, Lessons: tu, Invitations: []overlay.Invitation{{Program: "x", Line: "\x1by"}}, Renderer: plainRenderer(), Now: func() time.Time { return w.now }}
		if rapid.Bool().Draw(t, "replay") {
			r := &fakeRecording{fakePast: *p, at: 3, end: w.now}
			o.Mode, o.Past, o.Actions, src.others = ModeReplay, r, r, nil
		}
		m := New(o)
		size := tea.WindowSizeMsg{Width: 100, Height: 30}
		m.Update(size)
		var late []tea.Cmd
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.SampledFrom([]string{"key", "key", "key", "key", "answer", "answer", "size", "teach", "join"}).Draw(t, "step") {
			case "key":
				if cmd := pressed(m, rapid.SampledFrom(all).Draw(t, "key")); cmd != nil {
					late = append(late, cmd)
				}
			case "answer":
				if n := len(late); n > 0 {
					i := rapid.IntRange(0, n-1).Draw(t, "which")
					cmd := late[i]
					late = slices.Delete(late, i, i+1)
					if next := sent(m, cmd()); next != nil {
						late = append(late, next)
					}
				}
			case "size":
				size = tea.WindowSizeMsg{Width: rapid.IntRange(0, 200).Draw(t, "w"), Height: rapid.IntRange(0, 70).Draw(t, "h")}
				m.Update(size)
			case "teach":
				rapid.SampledFrom([]func(*lesson.View){asking, acting, answered}).Draw(t, "view")(&tu.view)
				m.Update(present(src, false))
			case "join":
				before, held := screen(m), past(m)
				w.join("guid-n_", "more", 0xbb)
				m.Update(present(src, false))
				if held && before != screen(m) {
					t.Fatalf("in the past, and live: before\n%s\nafter\n%s", before, screen(m))
				}
			}
			checkSize(t, m, size)
			if size.Width < mainscreen.MinWidth || size.Height < mainscreen.MinHeight {
				continue
			}
			if in := front(m); (in == onMain || in == inPast) && o.Mode != ModeReplay && past(m) != (in == inPast) {
				t.Fatalf("the keyboard is for %s:\n%s", in, screen(m))
			}
		}
		// The same when all that is in front of it was closed.
		m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
		before := past(m)
		for front(m) != onMain && front(m) != inPast {
			m.Update(press("esc"))
		}
		if o.Mode != ModeReplay && (before != (front(m) == inPast)) {
			t.Fatalf("behind what was open is %s:\n%s", front(m), screen(m))
		}
	})
}

// The list of faults marks the one that the lesson wants if it is about the lesson's
// candidate; otherwise it names that candidate.
func TestLessonFault(t *testing.T) {
	tu := thirdLesson(func(v *lesson.View) {
		acting(v)
		v.Keys, v.Fault, v.Target = []string{"X", "enter"}, string(action.LoseReply), "birch"
	})
	w := five(dialect.Election()).wait(time.Minute)
	m, _, _ := dashboardOn(w, &fakeActions{}, Options{Mode: ModeDemo, Lessons: tu})
	keys(m, "X")
	shows(t, m, "Faults of amber", "The lesson is about birch: esc, and select it first.")
	showsNot(t, m, "»    lose reply") // this is the list of another candidate
	keys(m, "esc", "j", "X")
	shows(t, m, "Faults of birch", "»    lose reply")
	tu.view.Done = true
	m.Update(present(&source{world: w}, false))
	showsNot(t, m, "»    lose reply") // it is done
}

// Space shows the lines that were not in view before it leaves a part, and what is
// added to one is shown from its beginning.
func TestSpaceReadsOn(t *testing.T) {
	for _, size := range [][2]int{{60, 20}, {80, 24}} {
		tu := thirdLesson(func(v *lesson.View) { asking(v); acting(v); v.Chosen = 1 })
		m, src, _ := dashboardWithLesson(tu, size[0], size[1])
		words := func(what string) string {
			var s []string
			for i := range 60 {
				s = append(s, what+string(rune('a'+i/26))+string(rune('a'+i%26)))
			}
			return strings.Join(s, " ")
		}
		answered(&tu.view)
		tu.view.Do, tu.view.Keys, tu.view.CanNext = "", nil, true
		tu.view.Happened, tu.view.Verdict = words("event"), words("verdict")
		m.Update(refreshMsg{states: []*doctor.State{src.State()}})
		shows(t, m, "eventaa")
		seen := ""
		for range 20 {
			seen += screen(m)
			keys(m, " ")
			if len(tu.inputs) > 0 {
				break
			}
		}
		if !slices.Equal(tu.inputs, []string{"next 0"}) {
			t.Errorf("%v: the runner gets %q", size, tu.inputs)
		}
		for _, word := range strings.Fields(tu.view.Happened + " " + tu.view.Verdict) {
			if !strings.Contains(seen, word) {
				t.Fatalf("%v: space passes %q:\n%s", size, word, screen(m))
			}
		}
	}
}

// A lesson does not tell what became of the candidates before it.
func TestLessonBeginsWithoutLeftovers(t *testing.T) {
	for _, fresh := range []bool{false, true} {
		w := notifying(dialect.Election(), 100*time.Millisecond, 0xa2)
		tu := thirdLesson(asking)
		if fresh {
			tu.view.Began = w.now
		}
		m, _, _ := dashboardOn(w, &fakeActions{}, Options{Mode: ModeDemo, Lessons: tu})
		m.Update(tea.WindowSizeMsg{Width: 120, Height: 46})
		told := strings.Contains(screen(m), "n_12 was deleted")
		if told == fresh {
			t.Errorf("began now %v: the deletion of n_12 is told %v:\n%s", fresh, told, screen(m))
		}
	}
}
