package lesson_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"electop/model"
	"electop/model/lesson"
	"electop/model/znode"
)

// course is a lesson with all that a lesson can have.
func course() *lesson.Lesson {
	return &lesson.Lesson{
		ID: "sample", Title: "Sample", About: "everything", Scene: lesson.Scene{Cast: 3},
		Parts: []lesson.Part{
			{Text: []string{"{leader} leads {count}, C := {{{seq of leader}}."}},
			{
				Text:  []string{"{leader} leads, {next} is next."},
				After: "{winner} leads after {leader}: {notified}, {requests}, {bytes}.",
				Question: &lesson.Question{
					Ask: "Who follows {leader}?", Right: "Right.", Wrong: "No.", Hints: []string{"First {next}.", "Second."},
					Options: []lesson.Option{
						{Text: "{last}", If: &lesson.Condition{Event: lesson.Handoff, Who: lesson.Leader, To: lesson.Last}},
						{Text: "{next}", If: &lesson.Condition{Event: lesson.Handoff, Who: lesson.Leader, To: lesson.Second}},
						{Text: "nobody", Else: true, Wrong: "No, not nobody."},
					},
				},
				Act: &lesson.Act{
					Do: "Select {leader} and press d.", Keys: []string{"d"}, Target: lesson.Leader, Hints: []string{"Press d."},
					Until: []lesson.Condition{{Event: lesson.Handoff, Who: lesson.Leader}, {Event: lesson.Woke, Who: lesson.Leader}},
				},
			},
			{
				Text: []string{"Now one freezes."}, After: "{leader} was frozen.",
				Act: &lesson.Act{
					Do: "Select {leader} and press f.", Keys: []string{"f"}, Target: lesson.Leader, Hints: []string{"f."},
					Until: []lesson.Condition{{Event: lesson.Frozen, Who: lesson.Leader}},
				},
			},
		},
	}
}

func input(t *testing.T, r *lesson.Run, in lesson.Input, choice int) {
	t.Helper()
	if why := r.Input(in, choice); why != "" {
		t.Fatalf("%s is not taken: %s", in, why)
	}
}

func TestRun(t *testing.T) {
	for choice, want := range []string{"No.", "Right.", "No, not nobody."} {
		l := course()
		if err := l.Check(); err != nil {
			t.Fatal(err)
		}
		w := newWorld("amber", "birch", "cedar")
		r := w.play(l)
		v := r.View()
		if v.Part != 1 || v.Parts != 3 || !v.CanNext || v.Text[0] != "amber leads 3, C := {0}." {
			t.Fatalf("part 1: %+v", v)
		}
		if why := r.Input(lesson.Answer, 0); why == "" {
			t.Error("an answer to nothing")
		}
		input(t, r, lesson.Next, 0)
		v = r.View()
		if v.Question != "Who follows amber?" || !slices.Equal(v.Options, []string{"cedar", "birch", "nobody"}) || v.CanNext || v.Do != "" || v.Target != "" || v.Chosen != -1 || v.Right != -1 {
			t.Fatalf("part 2: %+v", v)
		}
		for _, bad := range []int{-1, 3} {
			if why := r.Input(lesson.Answer, bad); why != "answer with 1 to 3" {
				t.Errorf("answer %d: %q", bad, why)
			}
		}
		if why := r.Input(lesson.Next, 0); !strings.Contains(why, "1 to 3") {
			t.Errorf("on without an answer: %q", why)
		}
		input(t, r, lesson.Answer, choice)
		v = r.View()
		if !v.Waiting || v.Do != "Select amber and press d." || v.Target != "amber" || !slices.Equal(v.Keys, []string{"d"}) || v.Chosen != choice || v.Right != -1 || v.Verdict != "" {
			t.Fatalf("answered: %+v", v)
		}
		if r.Input(lesson.Next, 0) == "" || r.Input(lesson.Answer, 0) == "" {
			t.Error("on without the act, or answered twice")
		}
		w.resign("amber")
		v = r.View()
		if v.Waiting || !v.CanNext || v.Right != 1 || v.Verdict != want || v.Chosen != choice {
			t.Fatalf("after the act: %+v", v)
		}
		if v.Happened != "birch leads after amber: 1 candidate, 3 requests, 300 bytes." {
			t.Errorf("happened: %q", v.Happened)
		}
		input(t, r, lesson.Next, 0)
		if v = r.View(); v.Target != "birch" || !v.Waiting {
			t.Fatalf("part 3: %+v", v)
		}
		w.fault("birch", model.Frozen)
		input(t, r, lesson.Next, 0)
		if v = r.View(); !v.Done || v.Skipped || v.CanNext || v.Happened != "birch was frozen." {
			t.Errorf("the end: %+v", v)
		}
		for _, in := range []lesson.Input{lesson.Next, lesson.Hint, lesson.Skip, lesson.Answer} {
			if why := r.Input(in, 0); why == "" {
				t.Errorf("%s after the end", in)
			}
		}
	}
}

// Without workers a lesson about them says what it lacks, until they are back.
func TestWorkersAreOff(t *testing.T) {
	w := newWorld("amber", "birch", "cedar")
	w.rules(func(r *model.Rules) { r.Workers = true })
	l := course()
	l.Scene.Workers = true
	l.Parts = l.Parts[2:]
	r := w.play(l)
	w.rules(func(r *model.Rules) { r.Workers = false })
	if v := r.View(); !strings.Contains(v.Stuck, "Press w") || !v.Waiting {
		t.Errorf("off: %+v", v)
	}
	w.rules(func(r *model.Rules) { r.Workers = true })
	if v := r.View(); v.Stuck != "" {
		t.Errorf("on again: %q", v.Stuck)
	}
	l.Scene.Workers = false
	r = w.play(l)
	w.rules(func(r *model.Rules) { r.Workers = false })
	if v := r.View(); v.Stuck != "" {
		t.Errorf("nobody needs them: %q", v.Stuck)
	}
}

// Who is meant follows the election until the student has answered, and stands
// from then on.
func TestWhoIsMeant(t *testing.T) {
	w := newWorld("amber", "birch", "cedar", "delta", "ember")
	r := w.play(course())
	input(t, r, lesson.Next, 0)
	w.resign("amber")
	v := r.View()
	if v.Question != "Who follows birch?" || v.Options[1] != "cedar" {
		t.Errorf("before the answer: %+v", v)
	}
	if !strings.Contains(v.Stuck, "before you answered") {
		t.Errorf("acted first: %q", v.Stuck)
	}
	input(t, r, lesson.Answer, 1)
	w.resign("delta")
	v = r.View()
	if v.Question != "Who follows birch?" || v.Options[1] != "cedar" || v.Target != "birch" {
		t.Errorf("after the answer: %+v", v)
	}
	if !strings.Contains(v.Stuck, "You chose delta; this step needs birch") || !v.Waiting {
		t.Errorf("another one resigned: %+v", v)
	}
	w.resign("birch")
	if v = r.View(); v.Right != 1 || v.Verdict != "Right." || v.Stuck != "" {
		t.Errorf("the verdict: %+v", v)
	}

	// Without cedar, who is one of the answers, it is another question.
	for _, gone := range []func(*world){
		func(w *world) { w.resign("cedar") },
		func(w *world) { w.fault("cedar", model.Killed) },
	} {
		w = newWorld("amber", "birch", "cedar", "delta")
		l := course()
		l.Parts = l.Parts[1:]
		r = w.play(l)
		w.resign("amber")
		input(t, r, lesson.Answer, 1)
		gone(w)
		if v = r.View(); !strings.Contains(v.Stuck, "cedar") || !strings.Contains(v.Stuck, "so the question no longer fits. Press <") {
			t.Errorf("an answer is gone: %q", v.Stuck)
		}
		w.resign("birch")
		if v = r.View(); !v.Waiting || v.Right != -1 {
			t.Errorf("judged all the same: %+v", v)
		}
		input(t, r, lesson.Back, 0)
		if v = r.View(); v.Question == "" || v.Chosen != -1 || strings.Contains(v.Stuck, "changes") {
			t.Errorf("begun again: %+v", v)
		}
	}
}

// A part that can no longer be completed says so, and can be started again.
func TestStuck(t *testing.T) {
	at3 := func(w *world) *lesson.Run {
		r := w.play(course())
		for range 2 {
			input(t, r, lesson.Next, 0)
			if r.View().Question != "" {
				input(t, r, lesson.Skip, 0)
				input(t, r, lesson.Skip, 0)
			}
			if r.View().Part == 3 {
				break
			}
		}
		if v := r.View(); v.Part != 3 || !v.Waiting || !v.Skipped {
			t.Fatalf("part 3: %+v", v)
		}
		return r
	}
	w := newWorld("amber", "birch", "cedar")
	r := at3(w)
	w.resign("amber")
	v := r.View()
	if !v.Waiting || !strings.Contains(v.Stuck, "amber resigned. This step needs something else.") || !strings.Contains(v.Stuck, "<") {
		t.Fatalf("the target is gone: %+v", v)
	}
	input(t, r, lesson.Back, 0)
	if v = r.View(); v.Part != 3 || v.Target != "birch" || v.Stuck != "" {
		t.Fatalf("begun again: %+v", v)
	}
	w.fault("birch", model.Frozen)
	if v = r.View(); v.Waiting || !v.CanNext {
		t.Errorf("and done: %+v", v)
	}
	input(t, r, lesson.Back, 0)
	if v = r.View(); v.Part != 2 || v.Chosen != -1 {
		t.Errorf("back from the third part: %+v", v)
	}

	// Another end of the leader than the one that is waited for.
	w = newWorld("amber", "birch", "cedar")
	r = w.play(oneAct(lesson.Condition{Event: lesson.Handoff, Who: lesson.Leader, Cause: model.CauseExpired}))
	w.resign("amber")
	if v = r.View(); !strings.Contains(v.Stuck, "amber no longer leads: it resigned. Press <") {
		t.Errorf("resigned instead: %q", v.Stuck)
	}
	input(t, r, lesson.Back, 0)
	w.fault("birch", model.Killed)
	w.expire("birch")
	if v = r.View(); v.Waiting || v.Stuck != "" {
		t.Errorf("killed then: %+v", v)
	}

	for _, x := range []struct {
		c      lesson.Condition
		before func(*world)
		act    func(*world)
		want   string
	}{
		{
			c:    lesson.Condition{Event: lesson.Left, Who: lesson.Last, Cause: model.CauseExpired},
			act:  func(w *world) { w.resign("cedar") },
			want: "cedar is gone: it resigned. Press <",
		},
		{
			c:    lesson.Condition{Event: lesson.Elected, Who: lesson.Second},
			act:  func(w *world) { w.resign("amber") },
			want: "birch has acknowledged. Press <",
		},
		{
			c:      lesson.Condition{Event: lesson.StaleWrite, Who: lesson.FrozenOne},
			before: deposed,
			act: func(w *world) {
				w.member("amber", func(m *model.Member) { m.Fault, m.Belief, m.Znode = model.NoFault, model.Volunteering, "" })
			},
			want: "amber no longer believes that it leads. Press <",
		},
	} {
		w = newWorld("amber", "birch", "cedar")
		if x.before != nil {
			x.before(w)
		}
		r = w.play(oneAct(x.c))
		if v = r.View(); !v.Waiting || v.Stuck != "" {
			t.Errorf("%s: %+v", x.c.Event, v)
		}
		x.act(w)
		if v = r.View(); !v.Waiting || !strings.HasPrefix(v.Stuck, x.want) {
			t.Errorf("%s: %q", x.c.Event, v.Stuck)
		}
	}

	// A dead candidate whose znode still exists.
	w = newWorld("amber", "birch", "cedar")
	w.fault("amber", model.Killed)
	l := oneAct(lesson.Condition{Event: lesson.Frozen, Who: lesson.Leader})
	l.Parts[0].Act.Target = lesson.Leader
	r = w.play(l)
	if v = r.View(); !strings.Contains(v.Stuck, "amber is dead") || v.Target != "amber" {
		t.Errorf("a dead one: %+v", v)
	}
	w.expire("amber")
	if v = r.View(); v.Stuck != "" || v.Target != "birch" {
		t.Errorf("after its session: %+v", v)
	}

	// A third-party candidate leads.
	w = newWorld()
	w.stranger("web-1")
	r = w.play(l)
	if v = r.View(); !strings.Contains(v.Stuck, "web-1 belongs to another program") || v.Target != "" {
		t.Errorf("a stranger: %+v", v)
	}

	// The queue is empty.
	w = newWorld()
	r = w.play(course())
	if v = r.View(); v.Text[0] != "nobody leads 0, C := {nobody}." {
		t.Errorf("nobody: %+v", v)
	}
	input(t, r, lesson.Next, 0)
	if v = r.View(); !strings.Contains(v.Stuck, "press s") {
		t.Errorf("nobody: %q", v.Stuck)
	}
	w.join("amber")
	w.join("birch")
	if v = r.View(); v.Stuck != "" || v.Question != "Who follows amber?" {
		t.Errorf("two came: %+v", v)
	}
}

func TestHintsSkipAndBack(t *testing.T) {
	w := newWorld("amber", "birch", "cedar")
	r := w.play(course())
	if why := r.Input(lesson.Back, 0); why != "this is the first part" {
		t.Errorf("back from the first part: %q", why)
	}
	input(t, r, lesson.Next, 0)
	for i, want := range []string{"First birch.", "Second."} {
		input(t, r, lesson.Hint, 0)
		if v := r.View(); v.Hint != want || v.Hints != 1-i {
			t.Errorf("hint %d: %q, %d left", i+1, v.Hint, v.Hints)
		}
	}
	if why := r.Input(lesson.Hint, 0); why == "" {
		t.Error("a third hint")
	}
	input(t, r, lesson.Back, 0)
	input(t, r, lesson.Next, 0)
	if v := r.View(); v.Hint != "" || v.Hints != 2 || v.Skipped {
		t.Errorf("there again: %+v", v)
	}

	// Only the question is skipped: what happens is still explained.
	input(t, r, lesson.Skip, 0)
	if v := r.View(); !v.Waiting || !v.Skipped || v.Target != "amber" {
		t.Errorf("the question skipped: %+v", v)
	}
	w.resign("amber")
	if v := r.View(); v.Right != 1 || v.Verdict != "" || v.Chosen != -1 || v.Happened == "" {
		t.Errorf("without an answer: %+v", v)
	}
	input(t, r, lesson.Skip, 0) // only read: the same as on
	input(t, r, lesson.Skip, 0)
	if v := r.View(); !v.Done || !v.Skipped || v.Stuck != "This lesson is not complete: parts 2 and 3 were skipped. < goes back." {
		t.Errorf("all skipped: %+v", v)
	}
	input(t, r, lesson.Back, 0)
	if v := r.View(); v.Done || v.Part != 3 || !v.Waiting {
		t.Errorf("back from the end: %+v", v)
	}
	w.fault("birch", model.Frozen)
	input(t, r, lesson.Next, 0)
	if v := r.View(); !v.Done || !v.Skipped || !strings.Contains(v.Stuck, ": part 2 was skipped.") {
		t.Errorf("the question is skipped still: %+v", v)
	}
}

// What no other answer says is right if none of them came true; without such
// an answer it may be that none is.
func TestNoneOfThem(t *testing.T) {
	for _, otherwise := range []bool{true, false} {
		l := oneAct(lesson.Condition{Event: lesson.Joined})
		l.Parts[0].Question = &lesson.Question{Ask: "Who leads?", Right: "Right.", Wrong: "No.", Hints: []string{"A hint."}, Options: []lesson.Option{
			{Text: "nobody", If: &lesson.Condition{Event: lesson.Handoff, To: lesson.Nobody}},
			{Text: "{leader}", Else: true},
		}}
		want := "Right."
		if !otherwise {
			l.Parts[0].Question.Options[1] = lesson.Option{Text: "{last}", If: &lesson.Condition{Event: lesson.Handoff, To: lesson.Last}}
			want = "None of these happened."
		}
		if err := l.Check(); err != nil {
			t.Fatal(err)
		}
		w := newWorld("amber", "birch")
		r := w.play(l)
		input(t, r, lesson.Answer, 1)
		w.join("cedar")
		if v := r.View(); v.Verdict != want || (v.Right == 1) != otherwise {
			t.Errorf("otherwise %v: %+v", otherwise, v)
		}
	}
}

// Conditions that must hold one after the other, and several times.
func TestThenAndTimes(t *testing.T) {
	l := oneAct(lesson.Condition{Event: lesson.Joined, Times: 2})
	l.Parts[0].Act.Until = append(l.Parts[0].Act.Until, lesson.Condition{Event: lesson.Counted, Then: true})
	w := newWorld("amber")
	r := w.play(l)
	w.table()
	w.join("birch")
	w.table()
	w.join("cedar")
	if v := r.View(); !v.Waiting {
		t.Fatal("a table from before counts")
	}
	w.lateTable(time.Minute) // asked before, answered after
	if v := r.View(); !v.Waiting {
		t.Fatal("a table that was asked for before counts")
	}
	w.table()
	if v := r.View(); v.Waiting {
		t.Error("the table after it does not count")
	}
}

// Views are values: what comes later does not change one.
func TestViewIsImmutable(t *testing.T) {
	w := newWorld("amber", "birch", "cedar")
	r := w.play(course())
	input(t, r, lesson.Next, 0)
	v := r.View()
	text, options := v.Text[0], slices.Clone(v.Options)
	w.resign("amber")
	input(t, r, lesson.Answer, 0)
	w.pass(time.Second)
	if v.Text[0] != text || !slices.Equal(v.Options, options) || v.Chosen != -1 {
		t.Errorf("changed: %+v", v)
	}
	if n := testing.AllocsPerRun(100, func() { r.View() }); n != 0 {
		t.Errorf("a view that has not changed costs %v allocations", n)
	}
}

// Names come from anybody who can write to the cluster.
func TestHostileNames(t *testing.T) {
	w := newWorld()
	w.join("{last}")
	w.join("b\u202ec")
	w.join("\x1b[31m" + strings.Repeat("x", 300))
	r := w.play(course())
	input(t, r, lesson.Next, 0)
	v := r.View()
	for _, text := range slices.Concat(v.Text, v.Options, []string{v.Question}) {
		if znode.Safe(text, 1000) != text || len(text) > 200 {
			t.Errorf("%q", text)
		}
	}
	if !strings.Contains(v.Question, "{last}") {
		t.Errorf("a name was filled in: %q", v.Question)
	}
}
