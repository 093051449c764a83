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
		ID: "sample", Title: "Sample", About: "everything", Setup: lesson.Setup{Cast: 3},
		Parts: []lesson.Part{
			{Text: []string{"{leader} leads {count}, C := ({seq of leader})."}},
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
					Do: "Select {leader} and press d.", Keys: []string{"d"}, Target: lesson.Leader, Fault: "resign", Hints: []string{"Press d."},
					Until: []lesson.Condition{{Event: lesson.Handoff, Who: lesson.Leader}, {Event: lesson.Woke, Who: lesson.Leader}},
				},
			},
			{
				Text: []string{"Now one freezes."}, After: "{leader} was frozen.",
				Act: &lesson.Act{
					Do: "Select {leader} and press f.", Keys: []string{"f"}, Target: lesson.Leader, Fault: "freeze", Hints: []string{"f."},
					Until: []lesson.Condition{{Event: lesson.Done}},
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
		w := newWorld("amber", "birch", "cedar")
		r := w.play(l)
		v := r.View()
		if v.Part != 1 || v.Parts != 3 || !v.CanNext || v.Text[0] != "amber leads 3, C := (0)." {
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

// Who is meant follows the election until the student has answered, and stays from then on.
func TestWhoIsMeant(t *testing.T) {
	w := newWorld("amber", "birch", "cedar", "delta", "ember")
	r := w.play(course())
	input(t, r, lesson.Next, 0)
	w.resign("amber")
	if v := r.View(); v.Question != "Who follows birch?" || v.Options[1] != "cedar" || v.Stuck != "" {
		t.Errorf("before the answer: %+v", v)
	}
	input(t, r, lesson.Answer, 1)
	w.resign("birch")
	if v := r.View(); v.Question != "Who follows birch?" || v.Right != 1 || v.Verdict != "Right." || v.Stuck != "" {
		t.Errorf("the verdict: %+v", v)
	}
}

// Whatever happens besides what a part asks for, it names a wrong candidate, and judges no
// answer that the question may not be about any more.
func TestCannotGoOn(t *testing.T) {
	const cannot = "This part cannot go on: < restarts it."
	kill := func(n string) func(*world) { return func(w *world) { w.fault(n, model.Killed) } }
	for name, x := range map[string]struct {
		part      int // that it is done in, from 1
		do        func(*world)
		want      string
		continues bool
	}{
		"another act on the target":         {2, kill("amber"), cannot, false},
		"the target's session expires":      {2, func(w *world) { w.expire("amber") }, cannot, false},
		"a candidate that the answers name": {2, kill("cedar"), "You chose cedar; this step needs amber. " + cannot, false},
		"any other":                         {2, kill("delta"), "You chose delta; this step needs amber. " + cannot, false},
		"another leaves":                    {2, func(w *world) { w.drop("delta") }, cannot, false},
		"one joins":                         {2, func(w *world) { w.stranger("web-1") }, cannot, false},
		"another recipe":                    {2, func(w *world) { w.follow("herd") }, cannot, false},
		"workers off":                       {2, func(w *world) { w.rules(func(r *model.Rules) { r.Workers = false }) }, cannot, false},
		"time passes":                       {2, func(w *world) { w.pass(time.Minute) }, "", true},
		"another act, nothing asked":        {3, kill("amber"), cannot, false},
		"a wrong candidate, nothing asked":  {3, kill("cedar"), "You chose cedar; this step needs amber.", true},
		"one joins, nothing asked":          {3, func(w *world) { w.join("fjord") }, "", true},
	} {
		w := newWorld("amber", "birch", "cedar", "delta")
		w.rules(func(r *model.Rules) { r.Workers = true })
		l := course()
		l.Setup.Workers = true
		l.Parts = l.Parts[x.part-1:]
		r := w.play(l)
		if x.part == 2 {
			input(t, r, lesson.Answer, 1)
		}
		x.do(w)
		v := r.View()
		if v.Stuck != x.want || v.Waiting != x.continues || (v.Do != "") != x.continues || v.Right >= 0 || v.CanNext {
			t.Errorf("%s: %+v", name, v)
		}
		if x.continues {
			continue
		}
		w.resign("amber")
		if v = r.View(); v.Right >= 0 || v.CanNext {
			t.Errorf("%s: judged all the same: %+v", name, v)
		}
		if why := r.Input(lesson.Next, 0); why != cannot {
			t.Errorf("%s: next: %q", name, why)
		}
		input(t, r, lesson.Back, 0)
		if sc, ok := r.Setup(); !ok || sc.Cast != 3 || sc.Recipe != "election" || !sc.Workers || !r.View().Setting {
			t.Errorf("%s: the setup %+v", name, sc)
		}
		w = newWorld("amber", "birch", "cedar", "delta")
		w.rules(func(r *model.Rules) { r.Workers = true })
		r.Start(w.state())
		w.told = r.Observe
		if x.part == 2 {
			input(t, r, lesson.Answer, 1)
			w.resign("amber")
		} else {
			w.fault("amber", model.Frozen)
		}
		if v = r.View(); v.Part != 1 || v.Happened == "" || v.Stuck != "" || x.part == 2 && v.Right != 1 {
			t.Errorf("%s: restarted: %+v", name, v)
		}
	}
}

// A part that does not fit when the student reaches it needs its setup first.
func TestSetup(t *testing.T) {
	for name, do := range map[string]func(*world){
		"a dead candidate": func(w *world) { w.fault("birch", model.Killed); w.fault("cedar", model.Frozen) },
		"a mistake":        func(w *world) { w.member("cedar", func(m *model.Member) { m.SlowLead = true }) },
		"a recipe":         func(w *world) { w.follow("herd") },
		"nobody":           func(w *world) { w.resign("birch"); w.resign("cedar") },
	} {
		w := newWorld("amber", "birch", "cedar")
		r := w.play(course())
		do(w)
		input(t, r, lesson.Next, 0)
		if _, ok := r.Setup(); !ok {
			t.Errorf("%s: no setup is needed: %+v", name, r.View())
		}
		if why := r.Input(lesson.Skip, 0); why != "the lesson is being prepared" {
			t.Errorf("%s: skip: %q", name, why)
		}
		r.Start(w.state()) // as it was
		if v := r.View(); v.Stuck != "This part cannot go on: < restarts it." || v.Question != "" || r.Input(lesson.Answer, 0) == "" {
			t.Errorf("%s: %+v", name, v)
		}
	}
	w := newWorld("web-1")
	w.stranger("web-2")
	l := course()
	l.Parts = l.Parts[2:]
	if r := w.play(l); r.View().Target != "web-1" {
		t.Errorf("ours: %+v", r.View())
	}
	w = newWorld()
	w.stranger("web-1")
	if v := w.play(l).View(); v.Stuck == "" || v.Do != "" {
		t.Errorf("electop cannot act on it: %+v", v)
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
	if v := r.View(); v.Part != 1 || v.CanBack || v.Setting {
		t.Errorf("back from the second part: %+v", v)
	}
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
	if v := r.View(); !v.Done || !v.Skipped || v.Stuck != "This lesson is not complete. Skipped: part 2, part 3. < goes back." {
		t.Errorf("all skipped: %+v", v)
	}
	input(t, r, lesson.Back, 0)
	r.Start(w.state())
	if v := r.View(); v.Done || v.Part != 3 || !v.Waiting {
		t.Errorf("back from the end: %+v", v)
	}
	w.fault("birch", model.Frozen)
	input(t, r, lesson.Next, 0)
	if v := r.View(); !v.Done || !v.Skipped || !strings.Contains(v.Stuck, "Skipped: part 2.") {
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
		w := newWorld("amber", "birch")
		r := w.play(l)
		input(t, r, lesson.Answer, 1)
		w.join("cedar")
		if v := r.View(); v.Verdict != want || (v.Right == 1) != otherwise {
			t.Errorf("otherwise %v: %+v", otherwise, v)
		}
	}
}

// A condition that must come after another.
func TestThen(t *testing.T) {
	l := oneAct(lesson.Condition{Event: lesson.Joined})
	l.Parts[0].Act.Until = append(l.Parts[0].Act.Until, lesson.Condition{Event: lesson.Left, Who: lesson.Last, Then: true})
	w := newWorld("amber", "birch", "cedar")
	r := w.play(l)
	w.resign("cedar")
	w.join("delta")
	if v := r.View(); !v.Waiting {
		t.Error("it came before")
	}
	r = w.play(l)
	w.join("ember")
	w.resign("delta")
	if v := r.View(); v.Waiting {
		t.Errorf("it came after: %+v", v)
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
