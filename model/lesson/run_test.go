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

// sample returns a lesson with everything that a lesson can have.
func sample() *lesson.Lesson {
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
		t.Fatalf("%s is refused: %s", in, why)
	}
}

func TestRun(t *testing.T) {
	for choice, want := range []string{"No.", "Right.", "No, not nobody."} {
		l := sample()
		w := newWorld("amber", "birch", "cedar")
		r := w.begin(l)
		v := r.View()
		if v.Part != 1 || v.Parts != 3 || !v.CanNext || v.Text[0] != "amber leads 3, C := (0)." {
			t.Fatalf("part 1: %+v", v)
		}
		if why := r.Input(lesson.Answer, 0); why == "" {
			t.Error("a part without a question takes an answer")
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
			t.Errorf("next without an answer: %q", why)
		}
		input(t, r, lesson.Answer, choice)
		v = r.View()
		if !v.Waiting || v.Do != "Select amber and press d." || v.Target != "amber" || !slices.Equal(v.Keys, []string{"d"}) || v.Chosen != choice || v.Right != -1 || v.Verdict != "" {
			t.Fatalf("answered: %+v", v)
		}
		if r.Input(lesson.Next, 0) == "" || r.Input(lesson.Answer, 0) == "" {
			t.Error("next without the act, or a second answer, is not refused")
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
				t.Errorf("%s is not refused after the end", in)
			}
		}
	}
}

// Roles follow the election until the user has answered, and are fixed from then on.
func TestRolesAreFixedByTheAnswer(t *testing.T) {
	w := newWorld("amber", "birch", "cedar", "delta", "ember")
	r := w.begin(sample())
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

// If something unexpected happens, the part names a wrong candidate, and checks no answer to a
// question that may have become wrong.
func TestCannotGoOn(t *testing.T) {
	const cannot = "This part cannot go on: < restarts it."
	kill := func(n string) func(*world) { return func(w *world) { w.fault(n, model.Killed) } }
	for name, x := range map[string]struct {
		part      int // from 1
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
		l := sample()
		l.Setup.Workers = true
		l.Parts = l.Parts[x.part-1:]
		r := w.begin(l)
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
			t.Errorf("%s: the answer is checked: %+v", name, v)
		}
		if why := r.Input(lesson.Next, 0); why != cannot {
			t.Errorf("%s: next: %q", name, why)
		}
		input(t, r, lesson.Back, 0)
		if sc, ok := r.Setup(); !ok || sc.Cast != 3 || sc.Recipe != "election" || !sc.Workers || !r.View().Preparing {
			t.Errorf("%s: the setup %+v", name, sc)
		}
		w = newWorld("amber", "birch", "cedar", "delta")
		w.rules(func(r *model.Rules) { r.Workers = true })
		r.Start(w.state())
		w.observe = r.Observe
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

// A part that does not fit when the user reaches it needs its setup first.
func TestSetup(t *testing.T) {
	for name, do := range map[string]func(*world){
		"a dead candidate": func(w *world) { w.fault("birch", model.Killed); w.fault("cedar", model.Frozen) },
		"a mistake":        func(w *world) { w.member("cedar", func(m *model.Member) { m.SlowLead = true }) },
		"a recipe":         func(w *world) { w.follow("herd") },
		"nobody":           func(w *world) { w.resign("birch"); w.resign("cedar") },
	} {
		w := newWorld("amber", "birch", "cedar")
		r := w.begin(sample())
		do(w)
		input(t, r, lesson.Next, 0)
		if _, ok := r.Setup(); !ok {
			t.Errorf("%s: no setup is needed: %+v", name, r.View())
		}
		if why := r.Input(lesson.Skip, 0); why != "the lesson is being prepared" {
			t.Errorf("%s: skip: %q", name, why)
		}
		r.Start(w.state()) // without the setup
		if v := r.View(); v.Stuck != "This part cannot go on: < restarts it." || v.Question != "" || r.Input(lesson.Answer, 0) == "" {
			t.Errorf("%s: %+v", name, v)
		}
	}
	w := newWorld("web-1")
	w.stranger("web-2")
	l := sample()
	l.Parts = l.Parts[2:]
	if r := w.begin(l); r.View().Target != "web-1" {
		t.Errorf("target of electop: %+v", r.View())
	}
	w = newWorld()
	w.stranger("web-1")
	if v := w.begin(l).View(); v.Stuck == "" || v.Do != "" {
		t.Errorf("target of a third party: %+v", v)
	}
}

func TestHintsSkipAndBack(t *testing.T) {
	w := newWorld("amber", "birch", "cedar")
	r := w.begin(sample())
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
		t.Error("a third hint is not refused")
	}
	input(t, r, lesson.Back, 0)
	if v := r.View(); v.Part != 1 || v.CanBack || v.Preparing {
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
	input(t, r, lesson.Skip, 0) // the same as next
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
		t.Errorf("the skipped question does not count: %+v", v)
	}
}

// The option with Else is right if no condition of another option came true. Without Else it
// is possible that no option is right.
func TestElse(t *testing.T) {
	for _, withElse := range []bool{true, false} {
		l := oneAct(lesson.Condition{Event: lesson.Joined})
		l.Parts[0].Question = &lesson.Question{Ask: "Who leads?", Right: "Right.", Wrong: "No.", Hints: []string{"A hint."}, Options: []lesson.Option{
			{Text: "nobody", If: &lesson.Condition{Event: lesson.Handoff, To: lesson.Nobody}},
			{Text: "{leader}", Else: true},
		}}
		want := "Right."
		if !withElse {
			l.Parts[0].Question.Options[1] = lesson.Option{Text: "{last}", If: &lesson.Condition{Event: lesson.Handoff, To: lesson.Last}}
			want = "None of these happened."
		}
		w := newWorld("amber", "birch")
		r := w.begin(l)
		input(t, r, lesson.Answer, 1)
		w.join("cedar")
		if v := r.View(); v.Verdict != want || (v.Right == 1) != withElse {
			t.Errorf("with Else %v: %+v", withElse, v)
		}
	}
}

// A condition with Then does not count before the one before it.
func TestThen(t *testing.T) {
	l := oneAct(lesson.Condition{Event: lesson.Joined})
	l.Parts[0].Act.Until = append(l.Parts[0].Act.Until, lesson.Condition{Event: lesson.Left, Who: lesson.Last, Then: true})
	w := newWorld("amber", "birch", "cedar")
	r := w.begin(l)
	w.resign("cedar")
	w.join("delta")
	if v := r.View(); !v.Waiting {
		t.Error("the condition counts before the other one")
	}
	r = w.begin(l)
	w.join("ember")
	w.resign("delta")
	if v := r.View(); v.Waiting {
		t.Errorf("the condition does not count after the other one: %+v", v)
	}
}

// A later change does not change a view.
func TestViewIsImmutable(t *testing.T) {
	w := newWorld("amber", "birch", "cedar")
	r := w.begin(sample())
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

// Everybody who can write to the cluster chooses names.
func TestHostileNames(t *testing.T) {
	w := newWorld()
	w.join("{last}")
	w.join("b\u202ec")
	w.join("\x1b[31m" + strings.Repeat("x", 300))
	r := w.begin(sample())
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
