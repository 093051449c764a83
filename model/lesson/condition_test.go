package lesson_test

import (
	"slices"
	"testing"
	"time"

	"electop/model"
	"electop/model/lesson"
)

// Each condition comes true by what it is about, once, and by nothing that only
// looks like it.
func TestConditions(t *testing.T) {
	for _, x := range []struct {
		c      lesson.Condition
		before func(w *world) // to be in place
		yes    func(w *world)
		no     []func(w *world)
	}{
		{
			c:   lesson.Condition{Event: lesson.Joined},
			yes: func(w *world) { w.join("ember") },
			no:  []func(*world){func(w *world) { w.resign("delta") }},
		},
		{
			c:   lesson.Condition{Event: lesson.Joined, Who: lesson.You},
			yes: func(w *world) { w.join("you") },
			no:  []func(*world){func(w *world) { w.join("ember") }},
		},
		{
			c:   lesson.Condition{Event: lesson.Joined, Used: true},
			yes: func(w *world) { w.next = 2; w.join("ember") },
			no:  []func(*world){func(w *world) { w.join("ember") }},
		},
		{
			c:      lesson.Condition{Event: lesson.Joined, Who: lesson.FrozenOne},
			before: func(w *world) { w.fault("amber", model.Frozen); w.expire("amber") },
			yes:    func(w *world) { w.thaw("amber"); w.join("amber") },
			no:     []func(*world){func(w *world) { w.join("ember") }},
		},
		{
			c:   lesson.Condition{Event: lesson.Left, Who: lesson.Last},
			yes: func(w *world) { w.resign("delta") },
			no:  []func(*world){func(w *world) { w.resign("amber") }, func(w *world) { w.join("ember") }},
		},
		{
			c:   lesson.Condition{Event: lesson.Handoff, Who: lesson.Leader, To: lesson.Second},
			yes: func(w *world) { w.resign("amber") },
			no:  []func(*world){func(w *world) { w.resign("birch") }},
		},
		{
			c:   lesson.Condition{Event: lesson.Handoff, Who: lesson.Leader, Cause: model.CauseExpired},
			yes: func(w *world) { w.fault("amber", model.Killed); w.expire("amber") },
			no:  []func(*world){func(w *world) { w.resign("amber") }, func(w *world) { w.fault("amber", model.Killed) }},
		},
		{
			c: lesson.Condition{Event: lesson.Handoff, To: lesson.Nobody},
			before: func(w *world) {
				for _, n := range []string{"delta", "cedar", "birch"} {
					w.resign(n)
				}
			},
			yes: func(w *world) { w.resign("amber") },
		},
		{
			c:      lesson.Condition{Event: lesson.Elected, Who: lesson.SlowOne},
			before: func(w *world) { w.member("birch", func(m *model.Member) { m.SlowLead = true }) },
			yes:    func(w *world) { w.resign("amber") },
		},
		{
			c:  lesson.Condition{Event: lesson.Elected, Who: lesson.Second},
			no: []func(*world){func(w *world) { w.resign("amber") }},
		},
		{
			c:   lesson.Condition{Event: lesson.Acknowledged, Who: lesson.Second},
			yes: func(w *world) { w.resign("amber") },
			no:  []func(*world){func(w *world) { w.resign("birch") }},
		},
		{
			c:   lesson.Condition{Event: lesson.Ghosted, Who: lesson.Last},
			yes: func(w *world) { w.create("delta", w.members["delta"].Session) },
			no:  []func(*world){func(w *world) { w.create("cedar", w.members["cedar"].Session) }, func(w *world) { w.join("ember") }},
		},
		{
			c:      lesson.Condition{Event: lesson.AllSettled},
			before: func(w *world) { w.member("delta", func(m *model.Member) { m.Belief = model.Volunteering }) },
			yes:    func(w *world) { w.settle() },
			no:     []func(*world){func(w *world) { w.pass(time.Second) }},
		},
		{
			c:   lesson.Condition{Event: lesson.Found, Who: lesson.Last},
			yes: func(w *world) { w.member("delta", func(m *model.Member) { m.StepOn.Found = true }) },
			no:  []func(*world){func(w *world) { w.member("delta", func(m *model.Member) { m.StepOn.Name = "3" }) }},
		},
		{
			c:   lesson.Condition{Event: lesson.Believes, Who: lesson.Leader, Belief: model.Suspended},
			yes: func(w *world) { w.member("amber", func(m *model.Member) { m.Belief = model.Suspended }) },
			no:  []func(*world){func(w *world) { w.member("birch", func(m *model.Member) { m.Belief = model.Suspended }) }},
		},
		{
			c:   lesson.Condition{Event: lesson.Watches, Who: lesson.Newcomer, To: lesson.Last},
			yes: func(w *world) { w.join("ember") },
			no:  []func(*world){func(w *world) { w.resign("birch") }},
		},
		{
			c:   lesson.Condition{Event: lesson.Watches, Who: lesson.AfterMiddle, To: lesson.BeforeMiddle},
			yes: func(w *world) { w.resign("cedar") },
			no:  []func(*world){func(w *world) { w.resign("birch") }},
		},
		{
			c:   lesson.Condition{Event: lesson.Believers},
			yes: func(w *world) { w.fault("amber", model.Frozen); w.expire("amber") },
			no:  []func(*world){func(w *world) { w.fault("amber", model.Killed); w.expire("amber") }},
		},
		{
			c:   lesson.Condition{Event: lesson.Recipe, Recipe: "herd"},
			yes: func(w *world) { w.follow("herd") },
			no:  []func(*world){func(w *world) { w.follow("election") }},
		},
		{
			c:   lesson.Condition{Event: lesson.GuardOn},
			yes: func(w *world) { w.rules(func(r *model.Rules) { r.Fenced = true }) },
		},
		{
			c:      lesson.Condition{Event: lesson.GuardOff},
			before: func(w *world) { w.rules(func(r *model.Rules) { r.Fenced = true }) },
			yes:    func(w *world) { w.rules(func(r *model.Rules) { r.Fenced = false }) },
		},
		{
			c:   lesson.Condition{Event: lesson.Slowed},
			yes: func(w *world) { w.put(&model.Pace{At: w.at, Delay: time.Second}) },
			no:  []func(*world){func(w *world) { w.put(&model.Pace{At: w.at}) }},
		},
		{
			c:      lesson.Condition{Event: lesson.FullSpeed},
			before: func(w *world) { w.put(&model.Pace{At: w.at, Steps: true}) },
			yes:    func(w *world) { w.put(&model.Pace{At: w.at}) },
			no:     []func(*world){func(w *world) { w.put(&model.Pace{At: w.at, Delay: time.Second}) }},
		},
		{
			c:   lesson.Condition{Event: lesson.Woke, Who: lesson.Leader, Count: "1", Notified: lesson.Second},
			yes: func(w *world) { w.resign("amber") },
			no:  []func(*world){func(w *world) { w.resign("birch") }, func(w *world) { w.follow("herd"); w.resign("amber") }},
		},
		{
			c:      lesson.Condition{Event: lesson.Woke, Who: lesson.Leader, Count: "waiting"},
			before: func(w *world) { w.follow("herd") },
			yes:    func(w *world) { w.resign("amber") },
		},
		{
			c:      lesson.Condition{Event: lesson.StaleWrite, Who: lesson.FrozenOne},
			before: deposed,
			yes:    func(w *world) { w.write("amber", model.Counter, false, false) },
			no: []func(*world){
				func(w *world) { w.write("birch", model.Counter, false, false) },
				func(w *world) { w.write("amber", model.Counter, true, true) },
			},
		},
		{
			c:      lesson.Condition{Event: lesson.GuardHeld, Who: lesson.FrozenOne},
			before: deposed,
			yes:    func(w *world) { w.write("amber", model.Counter, true, true) },
			no: []func(*world){
				func(w *world) { w.write("amber", model.Tokens, true, true) },
				func(w *world) { w.write("amber", model.Counter, false, false) },
			},
		},
		{
			c:      lesson.Condition{Event: lesson.TokenHeld, Who: lesson.FrozenOne},
			before: deposed,
			yes:    func(w *world) { w.write("amber", model.Tokens, false, true) },
			no:     []func(*world){func(w *world) { w.write("amber", model.Tokens, false, false) }},
		},
	} {
		if err := lesson.CheckCondition(x.c); err != nil {
			t.Errorf("%+v: %v", x.c, err)
		}
		try := func(act func(*world)) bool {
			w := newWorld("amber", "birch", "cedar", "delta")
			if x.before != nil {
				x.before(w)
			}
			// The roles are looked up once, as when a part begins to wait.
			l := oneAct(x.c)
			l.Parts[0].Scene.Recipe = w.state().Recipe.Name()
			r := w.play(l)
			if v := r.View(); !v.Waiting || v.Stuck != "" {
				t.Errorf("%+v: does not wait: %+v", x.c, v)
			}
			act(w)
			return r.View().Happened != ""
		}
		if x.yes != nil && !try(x.yes) {
			t.Errorf("%+v did not come true", x.c)
		}
		for i, no := range x.no {
			if try(no) {
				t.Errorf("%+v came true by %d of what it is not", x.c, i)
			}
		}
		seen[x.c.Event] = true
	}
	for _, e := range lesson.Events() {
		if !seen[e] && e != lesson.Done {
			t.Errorf("no test of %q", e)
		}
	}
}

var seen = make(map[lesson.Event]bool)

// deposed is amber frozen and birch the leader, each with a worker's token.
func deposed(w *world) {
	fence := func(name string) {
		w.member(name, func(m *model.Member) { m.Fence = w.here[w.znode(name)].Czxid })
	}
	fence("amber")
	w.fault("amber", model.Frozen)
	w.expire("amber")
	fence("birch")
}

// oneAct is a lesson with one part, which waits for c.
func oneAct(c lesson.Condition) *lesson.Lesson {
	return &lesson.Lesson{ID: "one", Title: "One", About: "one act", Scene: lesson.Scene{Cast: 4}, Parts: []lesson.Part{{
		Text: []string{"Text."}, After: "Done.",
		Act: &lesson.Act{Do: "Press s.", Keys: []string{"s", "h", "w"}, Hints: []string{"A hint."}, Until: []lesson.Condition{c}},
	}}}
}

// An event that the journal still held back when the part began does not count.
func TestLateEvents(t *testing.T) {
	w := newWorld("amber", "birch", "cedar")
	w.member("birch", func(m *model.Member) { m.SlowLead = true })
	w.member("amber", func(m *model.Member) { m.Ending = model.Resigning })
	w.drop("amber")
	w.join("delta") // waits behind the handoff
	w.tick(10 * time.Millisecond)
	w.put(&model.Advance{At: w.at})
	l := oneAct(lesson.Condition{Event: lesson.Joined})
	l.Parts[0].Text[0] = "{slow}"
	r := w.play(l)
	w.pass(1100 * time.Millisecond)
	if !slices.ContainsFunc(w.events, func(e model.Event) bool { _, ok := e.Body.(model.Joined); return ok }) {
		t.Fatalf("the journal held nothing back: %+v", w.events)
	}
	if v := r.View(); !v.Waiting {
		t.Error("who joined before the part began counts")
	}
	w.join("ember")
	if v := r.View(); v.Waiting {
		t.Error("who joined then does not count")
	}
}
