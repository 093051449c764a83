package lesson_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"electop/model"
	"electop/model/doctor"
	"electop/model/lesson"
	"electop/model/znode"
)

var conditions = []lesson.Condition{
	{Event: lesson.Joined}, {Event: lesson.Joined, Who: lesson.You, Used: true}, {Event: lesson.Left, Who: lesson.Last},
	{Event: lesson.Handoff, Who: lesson.Leader, To: lesson.Second}, {Event: lesson.Handoff, Who: lesson.Leader, Cause: model.CauseExpired},
	{Event: lesson.Handoff, To: lesson.Nobody}, {Event: lesson.Elected, Who: lesson.Second}, {Event: lesson.Acknowledged, Who: lesson.Second},
	{Event: lesson.Ghosted, Who: lesson.Last}, {Event: lesson.AllSettled, Then: true}, {Event: lesson.Done}, {Event: lesson.Believers},
	{Event: lesson.Watches, Who: lesson.AfterMiddle, To: lesson.BeforeMiddle}, {Event: lesson.Recipe, Recipe: "herd"},
	{Event: lesson.DeletionCounted, Who: lesson.Leader, Count: "waiting", Notified: lesson.Third}, {Event: lesson.StaleWrite, Who: lesson.Leader},
	{Event: lesson.GuardRefused, Who: lesson.FrozenOne}, {Event: lesson.Found, Who: lesson.Guidless}, {Event: lesson.GuardOn}, {Event: lesson.Slowed},
}

func anyLesson(t *rapid.T) *lesson.Lesson {
	condition := func(label string) lesson.Condition { return rapid.SampledFrom(conditions).Draw(t, label) }
	texts := rapid.SampledFrom([]string{"Plain.", "{leader}, {seq of next}, {count}, {next seq}.", "{frozen} and {middle}, {timeout}, {ghost}."})
	l := &lesson.Lesson{ID: "any", Title: "Any", About: "drawn", Setup: lesson.Setup{Cast: 3}}
	for range rapid.IntRange(1, 4).Draw(t, "parts") {
		p := lesson.Part{Text: []string{texts.Draw(t, "text")}}
		if rapid.Bool().Draw(t, "acts") {
			p.After = "{winner}, {newcomer}, {silent}, {takeover}, {notified}, {requests}, {bytes}, {stale writes}."
			p.Act = &lesson.Act{Do: "Press s.", Keys: []string{"s"}, Hints: []string{texts.Draw(t, "hint")}}
			p.Act.Target = rapid.SampledFrom([]lesson.Role{"", lesson.Leader, lesson.FrozenOne, lesson.Last}).Draw(t, "target")
			if p.Act.Target != "" {
				p.Act.Fault = rapid.SampledFrom([]string{"resign", "kill", "freeze"}).Draw(t, "fault")
			}
			for range rapid.IntRange(1, 3).Draw(t, "conditions") {
				p.Act.Until = append(p.Act.Until, condition("until"))
			}
			if rapid.Bool().Draw(t, "asks") {
				q := &lesson.Question{Ask: texts.Draw(t, "ask"), Right: "Right.", Wrong: "No.", Hints: []string{texts.Draw(t, "question's hint")}}
				for range rapid.IntRange(1, 4).Draw(t, "options") {
					c := condition("if")
					c.Then = false
					q.Options = append(q.Options, lesson.Option{Text: "It is so.", If: &c})
				}
				q.Options = append(q.Options, lesson.Option{Text: "It is not.", Else: true})
				p.Question = q
			}
		}
		l.Parts = append(l.Parts, p)
	}
	return l
}

func TestViewsStayConsistentAndLetTheUserContinue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld("amber", "birch", "cedar", "delta")
		l := anyLesson(t)
		r := lesson.Begin(l, 1, 1)
		r.Start(w.state())
		w.observe = func(s *doctor.State, es []model.Event) {
			before := r.View()
			r.Observe(s, es)
			checkObserved(t, before, r.View())
		}
		for range rapid.IntRange(5, 60).Draw(t, "steps") {
			if n := rapid.IntRange(0, 18).Draw(t, "what"); n < 14 {
				w.anyEvent(t, n)
			} else {
				anyInput(t, w, r)
			}
			checkView(t, r.View())
		}
		for n := 0; !r.View().Done; n++ {
			if n > 3*len(l.Parts) {
				t.Fatalf("%d skips did not complete the lesson: %+v", n, r.View())
			}
			if why := r.Input(lesson.Skip, 0); why != "" {
				t.Fatalf("skip is refused: %s", why)
			}
			if _, ok := r.Setup(); ok {
				r.Start(w.state())
			}
		}
	})
}

func checkObserved(t *rapid.T, before, after lesson.View) {
	switch {
	case after.Part != before.Part, after.Chosen != before.Chosen, after.Done != before.Done, after.Skipped && !before.Skipped:
		t.Fatalf("an observation moved the lesson from %+v to %+v", before, after)
	case before.CanNext && !after.CanNext, !before.Waiting && after.Waiting && after.Question != "":
		t.Fatalf("an observation reset CanNext, or began a wait without an answer: from %+v to %+v", before, after)
	case after.Right >= 0 && before.Right < 0 && !before.Waiting:
		t.Fatalf("got a right option without a wait: %+v", after)
	}
}

func checkView(t *rapid.T, v lesson.View) {
	if v.Part < 1 || v.Part > v.Parts || v.Waiting && v.Do == "" || v.Right >= len(v.Options) || v.Chosen >= len(v.Options) {
		t.Fatalf("got an inconsistent view %+v", v)
	}
	for _, text := range slices.Concat(v.Text, v.Options, []string{v.Question, v.Do, v.Happened, v.Feedback, v.Hint, v.Stuck}) {
		if strings.ContainsAny(text, "{}") || znode.Safe(text, 4096) != text {
			t.Fatalf("got text %q, want it safe and without braces", text)
		}
	}
	if !v.Done && !v.CanNext && !v.Waiting && v.Question == "" && v.Stuck == "" {
		t.Fatalf("the user cannot continue: %+v", v)
	}
}

func (w *world) anyEvent(t *rapid.T, what int) {
	name := "amber"
	if len(w.children) > 0 {
		name = string(rapid.SampledFrom(w.children).Draw(t, "candidate").Data.Bytes)
	}
	alive := w.members[name] != nil
	switch {
	case what == 0:
		w.join(rapid.SampledFrom([]string{"amber", "ember", "fjord", "you", "\x1b"}).Draw(t, "new"))
	case what == 1 && alive:
		w.resign(name)
	case what == 2 && alive:
		w.fault(name, rapid.SampledFrom([]model.Fault{model.Frozen, model.Killed, model.Partitioned}).Draw(t, "fault"))
	case what == 3:
		w.expire(name)
	case what == 4 && alive:
		w.thaw(name)
	case what == 5:
		w.follow(rapid.SampledFrom([]string{"election", "herd"}).Draw(t, "recipe"))
	case what == 6:
		w.rules(func(r *model.Rules) { r.Fenced = !r.Fenced })
	case what == 7 && alive:
		resource := rapid.SampledFrom([]model.Resource{model.Counter, model.Tokens}).Draw(t, "resource")
		w.write(name, resource, rapid.Bool().Draw(t, "fenced"), rapid.Bool().Draw(t, "refused"))
	case what == 8 && alive:
		w.member(name, func(m *model.Member) { m.SlowLead, m.NoGuid = !m.SlowLead, rapid.Bool().Draw(t, "guid") })
	case what == 9:
		w.put(&model.Pace{At: w.at, Delay: rapid.SampledFrom([]time.Duration{0, time.Second}).Draw(t, "delay")})
	case what == 10 && alive:
		w.create(name, w.members[name].Session)
	case what == 11:
		w.at = w.at.Add(time.Duration(rapid.IntRange(-3600, 3600).Draw(t, "clock")) * time.Second)
	case what == 12:
		w.put(&model.Connection{At: w.at, Link: rapid.SampledFrom([]model.Link{model.Connected, model.Disconnected, model.Expired}).Draw(t, "link"), Session: 1})
	case what == 13:
		w.children, w.next = nil, 0
		w.put(&model.Read{At: w.tick(time.Millisecond), Presence: model.Absent})
	}
}

func anyInput(t *rapid.T, w *world, r *lesson.Run) {
	in := rapid.SampledFrom([]lesson.Input{lesson.Next, lesson.Hint, lesson.Skip, lesson.Back, lesson.Answer, "jump"}).Draw(t, "input")
	before := r.View()
	why := r.Input(in, rapid.IntRange(-1, 5).Draw(t, "choice"))
	if _, ok := r.Setup(); ok {
		r.Start(w.state())
	}
	after := r.View()
	switch {
	case why != "" && after.Part != before.Part, after.Part > before.Part+1, after.Part < before.Part-1:
		t.Fatalf("%s (%s) moved the lesson from %+v to %+v", in, why, before, after)
	case in == lesson.Skip && !before.Done && why != "":
		t.Fatalf("skip: %s", why)
	case in == lesson.Next && before.CanNext != (why == ""):
		t.Fatalf("next: got refusal %q, want a refusal only if CanNext is false: %+v", why, before)
	case in == lesson.Hint && before.Hints > 0 && !before.Done && (why != "" || after.Hints != before.Hints-1):
		t.Fatalf("hint: got refusal %q and view %+v, want no refusal and one hint fewer", why, after)
	}
}
