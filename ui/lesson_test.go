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

func dashboardWithLesson(runner *fakeRunner, w, h int) (Model, *source, *fakeActions) {
	acts := &fakeActions{done: make(chan action.Action, 9)}
	m, src, _ := dashboardOn(five(dialect.Election()).wait(time.Minute), acts, Options{Mode: ModeDemo, Lessons: runner})
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	return m, src, acts
}

func TestLessonKeys(t *testing.T) {
	runner := thirdLesson(questioning)
	m, _, acts := dashboardWithLesson(runner, 120, 36)
	keys(m, "2", " ", "H", ">", "<")
	want := []string{"answer 1", "next 0", "hint 0", "skip 0", "back 0"}
	if !slices.Equal(runner.inputs, want) {
		t.Errorf("the runner gets %q, want %q", runner.inputs, want)
	}
	keys(m, "x")
	if a := <-acts.done; a.Kind != action.Kill || a.Target != "amber" {
		t.Errorf("x: got action %+v, want kill on amber", a)
	}
	runner.inputs = nil
	m.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("1H>")})
	if want := []string{"answer 0", "hint 0", "skip 0"}; !slices.Equal(runner.inputs, want) {
		t.Errorf("the runner gets %q, want %q", runner.inputs, want)
	}
	runner.inputs = nil
	keys(m, "4")
	if len(runner.inputs) != 0 {
		t.Errorf("an answer that does not exist: the runner gets %q, want nothing", runner.inputs)
	}
	shows(t, m, "there are 3 answers to choose from")
	runner.why = "answer \x1bfirst"
	keys(m, " ")
	statusShows(t, m, `answer \x1bfirst`)
	runner.inputs = nil
	keys(m, "esc", "esc", "/", "1", " ", "esc")
	if !runner.on || runner.left || len(runner.inputs) != 0 {
		t.Errorf("got on %v, left %v, inputs %q; want true, false and no inputs", runner.on, runner.left, runner.inputs)
	}
}

func TestAnswerInTheFooter(t *testing.T) {
	for name, x := range map[string]struct {
		change func(*lesson.View)
		offers bool
	}{
		"open":     {questioning, true},
		"skipped":  {func(v *lesson.View) { questioning(v); acting(v); v.Chosen = -1 }, false},
		"finished": {func(v *lesson.View) { answered(v); v.Chosen = -1 }, false},
	} {
		m, _, _ := dashboardWithLesson(thirdLesson(x.change), 120, 36)
		if got := footerLine(m); strings.Contains(got, "1-3 answer") != x.offers {
			t.Errorf("%s: got footer %q, want an answer offered: %v", name, got, x.offers)
		}
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
	if got := statusLine(m); !strings.Contains(got, "lessons need the demo: start electop lesson") || front(m) != onMain {
		t.Errorf("L without a runner: got status line %q, want a refusal", got)
	}
}

func TestLessonIsDrawnWhenItChanges(t *testing.T) {
	runner := thirdLesson(func(v *lesson.View) { questioning(v); acting(v); v.Chosen = 1 })
	m, src, _ := dashboardWithLesson(runner, 120, 36)
	shows(t, m, "Lesson 3 of 11: The handoff", "part 2 of 5", "> 2 birch, who watches amber", " x  Your turn. Select amber and press x")
	runner.view.Acted = true
	m.Update(refreshMsg{states: []*doctor.State{src.State()}})
	shows(t, m, " x  Select amber and press x", "Waiting for this to happen.")
	runner.view.Held = true
	m.Update(refreshMsg{states: []*doctor.State{src.State()}})
	shows(t, m, "Messages are held: press . or ]")
	showsNot(t, m, "Waiting for this")
	before := m.d.frames
	m.Update(refreshMsg{states: []*doctor.State{src.State()}})
	if m.d.frames != before {
		t.Error("a frame is drawn without a change")
	}
	questioning(&runner.view)
	answered(&runner.view)
	m.Update(refreshMsg{states: []*doctor.State{src.State()}})
	if m.d.frames != before+1 {
		t.Errorf("got %d frames after a change, want 1", m.d.frames-before)
	}
	shows(t, m, "✗ 1 ember, who came last", "✓ 2 birch", "✓ amber's session expired", "It was birch", "space go on")
	if text := screen(m); strings.Index(text, "It was birch") > strings.Index(text, "amber's session expired") {
		t.Error("the feedback comes after the explanation")
	}
	runner.view.Done = true
	m.Update(refreshMsg{states: []*doctor.State{src.State()}})
	shows(t, m, "Lesson complete.")
	runner.on = false
	m.Update(refreshMsg{states: []*doctor.State{src.State()}})
	showsNot(t, m, "Lesson 3")
	shows(t, m, "Handoffs")
}

func TestLessonMarksItsCandidate(t *testing.T) {
	runner := thirdLesson(acting)
	m, src, _ := dashboardWithLesson(runner, 120, 36)
	const pointed = "│»★◂╮  12  amber "
	showsNot(t, m, pointed) // the mark of the selection replaces the lesson's mark
	keys(m, "j")
	shows(t, m, pointed)
	last := footerLine(m)
	if !strings.Contains(last, "x kill") || strings.Index(last, "x kill") > strings.Index(last, "s spawn") {
		t.Errorf("got footer %q, want x kill before s spawn", last)
	}
	answered(&runner.view)
	runner.view.Do, runner.view.Keys = "", nil
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

func TestLessonFits(t *testing.T) {
	for _, size := range [][2]int{{60, 20}, {80, 24}, {120, 36}, {200, 50}} {
		runner := thirdLesson(questioning)
		m, src, _ := dashboardWithLesson(runner, size[0], size[1])
		shows(t, m, "lowest number")
		acting(&runner.view)
		runner.view.Chosen = 1
		m.Update(refreshMsg{states: []*doctor.State{src.State()}})
		shows(t, m, "Your turn.")
		shows(t, m, "press x", "amber", "birch", "Lesson 3")
		for y, line := range lines(m) {
			if strings.Contains(line, "Lesson 3") && y < size[1]/2-1 && size[0] >= mainscreen.WideFrom && size[0] < mainscreen.ThirdColumnFrom {
				t.Errorf("at %v the lesson begins on line %d, want it in the lower half:\n%s", size, y, screen(m))
			}
		}
		keys(m, "pgup", "pgup", "pgup", "pgup", "pgup")
		shows(t, m, "lowest number")
	}
}

func TestLessonMenu(t *testing.T) {
	runner := &fakeRunner{entries: elevenLessons()}
	m, src, _ := dashboardWithLesson(runner, 120, 36)
	keys(m, "L")
	shows(t, m, "2 of 11 done", "3    The handoff", "1  ✓ Volunteer", "What lesson 3 is about", "their history")
	if got := marked(m, "Lessons"); !strings.HasPrefix(got, "3 ") {
		t.Errorf("got %q selected, want the first lesson that is not done", got)
	}
	runner.entries = slices.Clone(runner.entries)
	runner.entries[2].Done = true
	m.Update(refreshMsg{states: []*doctor.State{src.State()}})
	shows(t, m, "3 of 11 done")
	if got := marked(m, "Lessons"); !strings.HasPrefix(got, "3  ✓ ") {
		t.Errorf("got %q selected, want the third lesson, done", got)
	}
	keys(m, "j", "j", "k")
	cmd := pressed(m, "enter")
	if front(m) != onMain || cmd == nil {
		t.Fatalf("enter: got %s in front, want the main screen and a command", front(m))
	}
	shows(t, m, "starting a new election")
	runner.on, runner.view = true, thirdLesson(questioning).view
	m.Update(cmd())
	if !slices.Equal(runner.started, []string{"l04"}) {
		t.Errorf("got started lessons %q, want l04", runner.started)
	}
	shows(t, m, "Lesson 3 of 11", "new election started")

	keys(m, "L")
	if got := marked(m, "Lessons"); !strings.HasPrefix(got, "3 ") {
		t.Errorf("got %q selected, want the running lesson", got)
	}
	shows(t, m, "no lesson: leave the current one", "on now")
	keys(m, "G", "enter")
	if !runner.left || front(m) != onMain {
		t.Errorf("got left %v and %s in front, want no lesson on the main screen", runner.left, front(m))
	}
	showsNot(t, m, "Lesson 3")
	keys(m, "L")
	showsNot(t, m, "no lesson:") // no lesson is running
}

func TestLessonFails(t *testing.T) {
	runner := &fakeRunner{entries: elevenLessons(), err: errors.New("lesson l03: no\x1b server")}
	m, _, _ := dashboardWithLesson(runner, 120, 36)
	keys(m, "L", "enter")
	statusShows(t, m, `lesson: lesson l03: no\x1b server`)
	keys(m, "L", "enter")
	if len(runner.started) != 2 {
		t.Errorf("got starts %q, want two", runner.started)
	}
}

func TestNextLesson(t *testing.T) {
	runner := thirdLesson(func(v *lesson.View) { v.Done = true })
	m, src, _ := dashboardWithLesson(runner, 120, 36)
	shows(t, m, "space next lesson")
	keys(m, " ")
	if !slices.Equal(runner.started, []string{"l04"}) || len(runner.inputs) != 0 {
		t.Errorf("got started lessons %q and inputs %q, want l04 and no input", runner.started, runner.inputs)
	}
	runner.view.Number = 11
	m.Update(present(src, false))
	keys(m, " ")
	if len(runner.started) != 1 {
		t.Errorf("after the last lesson: got started lesson %q, want none", runner.started[1])
	}
	shows(t, m, "this was the last lesson")
}

func TestLessonEndsPauseAndZoom(t *testing.T) {
	runner := &fakeRunner{entries: elevenLessons()}
	m, _, _ := dashboardWithLesson(runner, 120, 36)
	keys(m, "p", "z")
	shows(t, m, "PAUSED")
	showsNot(t, m, "Handoffs")
	keys(m, "L", "enter")
	showsNot(t, m, "PAUSED")
	shows(t, m, "Handoffs")
}

func TestAnyKeysWithLessons(t *testing.T) {
	var all []string
	for _, b := range input.Bindings(false) {
		if b.Do != input.CmdQuit && b.Do != input.CmdSuspend {
			all = append(all, b.Keys()...)
		}
	}
	headerShowsPast := func(m Model) bool {
		line := headerLine(m)
		return strings.Contains(line, "LIVE -") || strings.Contains(line, "REPLAY") && !strings.Contains(line, "●")
	}
	rapid.Check(t, func(t *rapid.T) {
		w, p := withPast()
		runner := thirdLesson(questioning)
		runner.on = rapid.Bool().Draw(t, "lesson")
		src := &multiSource{source{world: w, dirty: make(chan struct{}, 1)}, nil, searched(false)}
		if rapid.Bool().Draw(t, "several") {
			src.others = []*world{verifiedAt("/other")}
		}
		o := Options{
			Source: src, Actions: &fakeActions{}, Mode: ModeDemo, Past: p, Lessons: runner,
			Invitations: []overlay.Invitation{{Program: "x", Line: "\x1by"}}, Renderer: plainRenderer(), Now: func() time.Time { return w.now },
		}
		if rapid.Bool().Draw(t, "replay") {
			r := &fakeRecording{fakePast: *p, at: 3, end: w.now}
			o.Mode, o.Past, o.Actions, src.others = ModeReplay, r, r, nil
		}
		m := New(o)
		size := tea.WindowSizeMsg{Width: 100, Height: 30}
		m.Update(size)
		var late []tea.Cmd
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.SampledFrom([]string{"key", "key", "key", "key", "command", "command", "size", "lesson", "join"}).Draw(t, "step") {
			case "key":
				if cmd := pressed(m, rapid.SampledFrom(all).Draw(t, "key")); cmd != nil {
					late = append(late, cmd)
				}
			case "command":
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
			case "lesson":
				rapid.SampledFrom([]func(*lesson.View){questioning, acting, answered}).Draw(t, "view")(&runner.view)
				m.Update(present(src, false))
			case "join":
				before, past := screen(m), headerShowsPast(m)
				w.join("guid-n_", "more", 0xbb)
				m.Update(present(src, false))
				if past && before != screen(m) {
					t.Fatalf("a new candidate changed the past: before\n%s\nafter\n%s", before, screen(m))
				}
			}
			checkSize(t, m, size)
			if size.Width < mainscreen.MinWidth || size.Height < mainscreen.MinHeight {
				continue
			}
			if in := front(m); (in == onMain || in == inPast) && o.Mode != ModeReplay && headerShowsPast(m) != (in == inPast) {
				t.Fatalf("got %s in front, unlike the header:\n%s", in, screen(m))
			}
		}
		m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
		before := headerShowsPast(m)
		for front(m) != onMain && front(m) != inPast {
			m.Update(press("esc"))
		}
		if o.Mode != ModeReplay && (before != (front(m) == inPast)) {
			t.Fatalf("after esc: got %s in front; the header showed the past before: %v\n%s", front(m), before, screen(m))
		}
	})
}

func TestFaultOfTheLessonIsMarked(t *testing.T) {
	runner := thirdLesson(func(v *lesson.View) {
		acting(v)
		v.Keys, v.Fault, v.Target = []string{"X", "enter"}, string(action.LoseReply), "birch"
	})
	w := five(dialect.Election()).wait(time.Minute)
	m, _, _ := dashboardOn(w, &fakeActions{}, Options{Mode: ModeDemo, Lessons: runner})
	keys(m, "X")
	shows(t, m, "Faults of amber", "Press esc and select birch first: this step is about it.")
	showsNot(t, m, "»    lose reply")
	keys(m, "esc", "j", "X")
	shows(t, m, "Faults of birch", "»    lose reply")
	runner.view.Done = true
	m.Update(present(&source{world: w}, false))
	showsNot(t, m, "»    lose reply")
}

func TestSpaceScrollsBeforeTheNextPart(t *testing.T) {
	for _, size := range [][2]int{{60, 20}, {80, 24}} {
		runner := thirdLesson(func(v *lesson.View) { questioning(v); acting(v); v.Chosen = 1 })
		m, src, _ := dashboardWithLesson(runner, size[0], size[1])
		words := func(what string) string {
			var s []string
			for i := range 60 {
				s = append(s, what+string(rune('a'+i/26))+string(rune('a'+i%26)))
			}
			return strings.Join(s, " ")
		}
		answered(&runner.view)
		runner.view.Do, runner.view.Keys, runner.view.CanNext = "", nil, true
		runner.view.Happened, runner.view.Feedback = words("event"), words("feedback")
		m.Update(refreshMsg{states: []*doctor.State{src.State()}})
		shows(t, m, "feedbackaa")
		seen := ""
		for range 20 {
			seen += screen(m)
			keys(m, " ")
			if len(runner.inputs) > 0 {
				break
			}
		}
		if !slices.Equal(runner.inputs, []string{"next 0"}) {
			t.Errorf("%v: the runner gets %q, want next", size, runner.inputs)
		}
		for _, word := range strings.Fields(runner.view.Happened + " " + runner.view.Feedback) {
			if !strings.Contains(seen, word) {
				t.Fatalf("%v: space skips %q:\n%s", size, word, screen(m))
			}
		}
	}
}

func TestLessonHidesEarlierDeletions(t *testing.T) {
	for _, fresh := range []bool{false, true} {
		w := notifying(dialect.Election(), 100*time.Millisecond, 0xa2)
		runner := thirdLesson(questioning)
		if fresh {
			runner.view.Began = w.now
		}
		m, _, _ := dashboardOn(w, &fakeActions{}, Options{Mode: ModeDemo, Lessons: runner})
		m.Update(tea.WindowSizeMsg{Width: 120, Height: 46})
		if shown := strings.Contains(screen(m), "n_12 was deleted"); shown == fresh {
			t.Errorf("lesson began after the deletion of n_12: %v: got deletion shown %v, want %v:\n%s", fresh, shown, !fresh, screen(m))
		}
	}
}
