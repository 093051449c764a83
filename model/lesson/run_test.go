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
					Until: []lesson.Condition{{Event: lesson.Handoff, Who: lesson.Leader}, {Event: lesson.DeletionCounted, Who: lesson.Leader}},
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
		t.Fatalf("input %s is refused: %s", in, why)
	}
}

func TestRun(t *testing.T) {
	for choice, want := range []string{"No.", "Right.", "No, not nobody."} {
		l := sample()
		w := newWorld("amber", "birch", "cedar")
		r := w.begin(l)
		v := r.View()
		if v.Part != 1 || v.Parts != 3 || !v.CanNext || v.Text[0] != "amber leads 3, C := (0)." {
			t.Fatalf("got view of part 1 %+v, want its text filled in", v)
		}
		if why := r.Input(lesson.Answer, 0); why == "" {
			t.Error("an answer to a part without a question is not refused")
		}
		input(t, r, lesson.Next, 0)
		v = r.View()
		if v.Question != "Who follows amber?" || !slices.Equal(v.Options, []string{"cedar", "birch", "nobody"}) || v.CanNext ||
			v.Do != "" || v.Target != "" || v.Chosen != -1 || v.Right != -1 {
			t.Fatalf("got view of part 2 %+v, want the question and no act", v)
		}
		for _, bad := range []int{-1, 3} {
			if why := r.Input(lesson.Answer, bad); why != "answer with 1 to 3" {
				t.Errorf("answer %d: got refusal %q, want answer with 1 to 3", bad, why)
			}
		}
		if why := r.Input(lesson.Next, 0); !strings.Contains(why, "1 to 3") {
			t.Errorf("next without an answer: got refusal %q, want 1 to 3 in it", why)
		}
		input(t, r, lesson.Answer, choice)
		v = r.View()
		if !v.Waiting || v.Do != "Select amber and press d." || v.Target != "amber" || !slices.Equal(v.Keys, []string{"d"}) ||
			v.Chosen != choice || v.Right != -1 || v.Feedback != "" {
			t.Fatalf("after the answer: got view %+v, want the act and no feedback", v)
		}
		if r.Input(lesson.Next, 0) == "" || r.Input(lesson.Answer, 0) == "" {
			t.Error("next without the act, or a second answer, is not refused")
		}
		w.resign("amber")
		v = r.View()
		if v.Waiting || !v.CanNext || v.Right != 1 || v.Feedback != want || v.Chosen != choice {
			t.Fatalf("after the act: got view %+v, want option 1 right, feedback %q", v, want)
		}
		if v.Happened != "birch leads after amber: 1 candidate, 3 requests, 300 bytes." {
			t.Errorf("got explanation %q, want the handoff and its cost", v.Happened)
		}
		input(t, r, lesson.Next, 0)
		if v = r.View(); v.Target != "birch" || !v.Waiting {
			t.Fatalf("got view of part 3 %+v, want it waiting for birch", v)
		}
		w.fault("birch", model.Frozen)
		input(t, r, lesson.Next, 0)
		if v = r.View(); !v.Done || v.Skipped || v.CanNext || v.Happened != "birch was frozen." {
			t.Errorf("got view %+v at the end, want the lesson complete", v)
		}
		for _, in := range []lesson.Input{lesson.Next, lesson.Hint, lesson.Skip, lesson.Answer} {
			if why := r.Input(in, 0); why == "" {
				t.Errorf("%s is not refused after the end", in)
			}
		}
	}
}

func TestRolesAreFixedByTheAnswer(t *testing.T) {
	w := newWorld("amber", "birch", "cedar", "delta", "ember")
	r := w.begin(sample())
	input(t, r, lesson.Next, 0)
	w.resign("amber")
	if v := r.View(); v.Question != "Who follows birch?" || v.Options[1] != "cedar" || v.Stuck != "" {
		t.Errorf("before the answer: got view %+v, want birch as the leader", v)
	}
	input(t, r, lesson.Answer, 1)
	w.resign("birch")
	if v := r.View(); v.Question != "Who follows birch?" || v.Right != 1 || v.Feedback != "Right." || v.Stuck != "" {
		t.Errorf("after the handoff: got view %+v, want the same roles and the feedback", v)
	}
}

func TestEventsDuringTheWait(t *testing.T) {
	const cannot = "This part cannot go on: < restarts it."
	kill := func(n string) func(*world) { return func(w *world) { w.fault(n, model.Killed) } }
	for name, x := range map[string]struct {
		part      int // from 1
		do        func(*world)
		want      string
		continues bool
	}{
		"another act on the target":        {2, kill("amber"), "Not part of this step: kill. " + cannot, false},
		"the target's session expires":     {2, func(w *world) { w.expire("amber") }, "amber left. " + cannot, false},
		"a candidate that no answer names": {2, kill("cedar"), "You chose cedar; this step needs amber. " + cannot, false},
		"a candidate that an answer names": {2, kill("delta"), "You chose delta; this step needs amber. " + cannot, false},
		"a candidate leaves":               {2, func(w *world) { w.drop("delta") }, "delta left. " + cannot, false},
		"a third-party candidate joins":    {2, func(w *world) { w.joinThirdParty("web-1") }, "Another candidate joined. " + cannot, false},
		"another recipe":                   {2, func(w *world) { w.follow("herd") }, "The recipe has changed (h). " + cannot, false},
		"workers off": {
			2, func(w *world) { w.rules(func(r *model.Rules) { r.Workers = false }) }, "The workers' rules have changed (w). " + cannot, false,
		},
		"time passes":                    {2, func(w *world) { w.pass(time.Minute) }, "", true},
		"another act, no question":       {3, kill("amber"), "Not part of this step: kill. " + cannot, false},
		"a wrong candidate, no question": {3, kill("cedar"), "You chose cedar; this step needs amber.", true},
		"a candidate joins, no question": {3, func(w *world) { w.join("fjord") }, "", true},
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
			t.Errorf("%s: got view %+v, want Stuck %q, waiting %v", name, v, x.want, x.continues)
		}
		if x.continues {
			continue
		}
		w.resign("amber")
		if v = r.View(); v.Right >= 0 || v.CanNext {
			t.Errorf("%s: got view %+v, want no feedback", name, v)
		}
		if why := r.Input(lesson.Next, 0); why != cannot {
			t.Errorf("%s: next: got refusal %q, want %q", name, why, cannot)
		}
		input(t, r, lesson.Back, 0)
		if sc, ok := r.Setup(); !ok || sc.Cast != 3 || sc.Recipe != "election" || !sc.Workers || !r.View().Preparing {
			t.Errorf("%s: restarted: got setup %+v, %v, want 3 candidates with workers", name, sc, ok)
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
			t.Errorf("%s: restarted: got view %+v, want part 1 with its explanation", name, v)
		}
	}
}

func TestObserveBeforeStart(t *testing.T) {
	w := newWorld("amber", "birch", "cedar")
	r := lesson.Begin(sample(), 1, 1)
	w.observe = r.Observe
	for range 2 {
		if v := r.View(); !v.Preparing {
			t.Errorf("got view %+v, want it being prepared", v)
		}
		w.join("delta")
	}
}

func TestUndoneAct(t *testing.T) {
	l := sample()
	l.Parts = l.Parts[2:]
	l.Parts[0].Act.Until = []lesson.Condition{{Event: lesson.Handoff, Who: lesson.Leader}}
	w := newWorld("amber", "birch", "cedar")
	r := w.begin(l)
	if v := r.View(); v.Acted {
		t.Errorf("got view %+v, want no act yet", v)
	}
	w.fault("amber", model.Frozen)
	if v := r.View(); !v.Acted || !v.Waiting {
		t.Errorf("amber is frozen: got view %+v, want it waiting for the effect", v)
	}
	w.thaw("amber")
	if v := r.View(); v.Acted || !v.Waiting {
		t.Errorf("amber has thawed: got view %+v, want it waiting for the act", v)
	}

	l = oneAct(lesson.Condition{Event: lesson.Recipe, Recipe: "herd"})
	l.Parts[0].Act.Keys = []string{"h"}
	l.Parts[0].Act.Until = append(l.Parts[0].Act.Until, lesson.Condition{Event: lesson.AllSettled, Then: true})
	w = newWorld("amber", "birch", "cedar")
	r = w.begin(l)
	for _, recipe := range []string{"herd", "election"} {
		w.put(&model.Switch{At: w.tick(time.Millisecond), Recipe: recipe})
	}
	w.settle()
	if v := r.View(); v.Acted || !v.Waiting {
		t.Errorf("herd and back: got view %+v, want it waiting for the herd", v)
	}
	w.follow("herd")
	if v := r.View(); v.Waiting {
		t.Errorf("herd again: got view %+v, want the wait to end", v)
	}
}

func TestSlowMotion(t *testing.T) {
	l := sample()
	l.Parts = l.Parts[1:2]
	l.Parts[0].After = "Takeover: {takeover}. Notified: {notified}."
	w := newWorld("amber", "birch", "cedar")
	r := w.begin(l)
	input(t, r, lesson.Answer, 1)
	for _, x := range []struct {
		pace model.Pace
		held bool
	}{{model.Pace{Steps: true}, false}, {model.Pace{Steps: true, Waiting: 1}, true}, {model.Pace{Delay: time.Second, Waiting: 1}, false}} {
		x.pace.At = w.tick(time.Second)
		w.put(&x.pace)
		if v := r.View(); v.Held != x.held || !v.Waiting {
			t.Errorf("pace %+v: got view %+v, want Held %v", x.pace, v, x.held)
		}
	}
	w.resign("amber")
	if v := r.View(); !strings.HasSuffix(v.Happened, ", in slow motion. Notified: 1 candidate.") || v.Held {
		t.Errorf("got explanation %q, want a takeover in slow motion", v.Happened)
	}
	l.Parts[0].Act.Target, l.Parts[0].Act.Until = lesson.Last, []lesson.Condition{{Event: lesson.DeletionCounted, Who: lesson.Last}}
	w = newWorld("amber", "birch", "cedar")
	r = w.begin(l)
	input(t, r, lesson.Answer, 1)
	w.resign("cedar")
	if v := r.View(); !strings.HasSuffix(v.Happened, "Notified: no candidate.") {
		t.Errorf("got explanation %q, want no candidate notified", v.Happened)
	}
}

func TestElectionChangesBeforeTheAnswer(t *testing.T) {
	w := newWorld("amber", "birch", "cedar")
	l := sample()
	l.Parts = l.Parts[1:]
	r := w.begin(l)
	w.fault("amber", model.Frozen)
	if v := r.View(); v.Stuck != "The election has changed. This part cannot go on: < restarts it." || v.Question != "" {
		t.Errorf("before the answer: got view %+v, want the reason that the election has changed", v)
	}
	w.thaw("amber")
	if v := r.View(); v.Stuck != "" || v.Question == "" {
		t.Errorf("undone: got view %+v, want the question", v)
	}
}

func TestPartWaitsForItsSetup(t *testing.T) {
	for name, do := range map[string]func(*world){
		"faults":                               func(w *world) { w.fault("birch", model.Killed); w.fault("cedar", model.Frozen) },
		"a leader procedure that does not end": func(w *world) { w.member("cedar", func(m *model.Member) { m.SlowLead = true }) },
		"another recipe":                       func(w *world) { w.follow("herd") },
		"nobody but the leader":                func(w *world) { w.resign("birch"); w.resign("cedar") },
	} {
		w := newWorld("amber", "birch", "cedar")
		r := w.begin(sample())
		do(w)
		input(t, r, lesson.Next, 0)
		if _, ok := r.Setup(); !ok {
			t.Errorf("%s: got view %+v, want the part to wait for its setup", name, r.View())
		}
		if why := r.Input(lesson.Skip, 0); why != "the lesson is being prepared" {
			t.Errorf("%s: skip: got refusal %q, want that the lesson is being prepared", name, why)
		}
		r.Start(w.state())
		if v := r.View(); v.Stuck != "This part cannot go on: < restarts it." || v.Question != "" || r.Input(lesson.Answer, 0) == "" {
			t.Errorf("%s: started without the setup: got view %+v, want it stuck", name, v)
		}
	}
	w := newWorld("web-1")
	w.joinThirdParty("web-2")
	l := sample()
	l.Parts = l.Parts[2:]
	if r := w.begin(l); r.View().Target != "web-1" {
		t.Errorf("electop's candidate leads: got view %+v, want web-1 as the target", r.View())
	}
	w = newWorld()
	w.joinThirdParty("web-1")
	if v := w.begin(l).View(); v.Stuck == "" || v.Do != "" {
		t.Errorf("a third-party client leads: got view %+v, want it stuck", v)
	}
}

func TestHintsSkipAndBack(t *testing.T) {
	w := newWorld("amber", "birch", "cedar")
	r := w.begin(sample())
	if why := r.Input(lesson.Back, 0); why != "this is the first part" {
		t.Errorf("back from the first part: got refusal %q, want this is the first part", why)
	}
	input(t, r, lesson.Next, 0)
	for i, want := range []string{"First birch.", "Second."} {
		input(t, r, lesson.Hint, 0)
		if v := r.View(); v.Hint != want || v.Hints != 1-i {
			t.Errorf("hint %d: got %q, %d left, want %q, %d left", i+1, v.Hint, v.Hints, want, 1-i)
		}
	}
	if why := r.Input(lesson.Hint, 0); why == "" {
		t.Error("a third hint is not refused")
	}
	input(t, r, lesson.Back, 0)
	if v := r.View(); v.Part != 1 || v.CanBack || v.Preparing {
		t.Errorf("back from the second part: got view %+v, want the first part", v)
	}
	input(t, r, lesson.Next, 0)
	if v := r.View(); v.Hint != "" || v.Hints != 2 || v.Skipped {
		t.Errorf("again in the second part: got view %+v, want both hints left", v)
	}

	input(t, r, lesson.Skip, 0)
	if v := r.View(); !v.Waiting || !v.Skipped || v.Target != "amber" {
		t.Errorf("the question was skipped: got view %+v, want it waiting for the act", v)
	}
	w.resign("amber")
	if v := r.View(); v.Right != 1 || v.Feedback != "" || v.Chosen != -1 || v.Happened == "" {
		t.Errorf("after the act without an answer: got view %+v, want the explanation and no feedback", v)
	}
	input(t, r, lesson.Skip, 0) // the same as next
	input(t, r, lesson.Skip, 0)
	if v := r.View(); !v.Done || !v.Skipped || v.Stuck != "This lesson is not complete. Skipped: part 2, part 3. < goes back." {
		t.Errorf("both parts were skipped: got view %+v, want both named", v)
	}
	input(t, r, lesson.Back, 0)
	r.Start(w.state())
	if v := r.View(); v.Done || v.Part != 3 || !v.Waiting {
		t.Errorf("back from the end: got view %+v, want part 3 waiting", v)
	}
	w.fault("birch", model.Frozen)
	input(t, r, lesson.Next, 0)
	if v := r.View(); !v.Done || !v.Skipped || !strings.Contains(v.Stuck, "Skipped: part 2.") {
		t.Errorf("part 3 was done: got view %+v, want only part 2 named as skipped", v)
	}
}

func TestOptionWithElse(t *testing.T) {
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
		if v := r.View(); v.Feedback != want || (v.Right == 1) != withElse {
			t.Errorf("with Else %v: got view %+v, want feedback %q", withElse, v, want)
		}
	}
}

func TestConditionWithThen(t *testing.T) {
	l := oneAct(lesson.Condition{Event: lesson.Joined})
	l.Parts[0].Act.Until = append(l.Parts[0].Act.Until, lesson.Condition{Event: lesson.Left, Who: lesson.Last, Then: true})
	w := newWorld("amber", "birch", "cedar")
	r := w.begin(l)
	w.resign("cedar")
	w.join("delta")
	if v := r.View(); !v.Waiting {
		t.Error("the condition with Then counts before the first condition was met")
	}
	r = w.begin(l)
	w.join("ember")
	w.resign("delta")
	if v := r.View(); v.Waiting {
		t.Errorf("got view %+v, want the wait to end: both conditions were met in their order", v)
	}
}

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
		t.Errorf("a later change changed the view %+v", v)
	}
	if n := testing.AllocsPerRun(100, func() { r.View() }); n != 0 {
		t.Errorf("got %v allocations for an unchanged view, want none", n)
	}
}

func TestHostileNamesAndBraces(t *testing.T) {
	w := newWorld()
	w.join("{last}")
	w.join("b\u202ec")
	w.join("\x1b[31m" + strings.Repeat("x", 300))
	r := w.begin(sample())
	input(t, r, lesson.Next, 0)
	v := r.View()
	for _, text := range slices.Concat(v.Text, v.Options, []string{v.Question}) {
		if znode.Safe(text, 1000) != text || len(text) > 200 {
			t.Errorf("got text %q, want it safe and at most 200 bytes", text)
		}
	}
	if !strings.Contains(v.Question, "{last}") {
		t.Errorf("got question %q, want the name {last} in it", v.Question)
	}
}
