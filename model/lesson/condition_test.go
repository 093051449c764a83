package lesson_test

import (
	"slices"
	"strings"
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
			c:   lesson.Condition{Event: lesson.Joined, Seq: "new"},
			yes: func(w *world) { w.join("ember") },
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
			c:   lesson.Condition{Event: lesson.Left, Who: lesson.Last, Cause: model.CauseExpired},
			yes: func(w *world) { w.fault("delta", model.Killed); w.expire("delta") },
			no:  []func(*world){func(w *world) { w.resign("delta") }},
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
			c:      lesson.Condition{Event: lesson.Elected, Who: lesson.Second},
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
			c:   lesson.Condition{Event: lesson.AllSettled},
			yes: func(w *world) { w.join("ember") },
		},
		{
			c:   lesson.Condition{Event: lesson.Frozen, Who: lesson.Leader},
			yes: func(w *world) { w.fault("amber", model.Frozen) },
			no:  []func(*world){func(w *world) { w.fault("amber", model.Killed) }, func(w *world) { w.fault("birch", model.Frozen) }},
		},
		{
			c:      lesson.Condition{Event: lesson.Thawed, Who: lesson.FrozenOne},
			before: func(w *world) { w.fault("birch", model.Frozen) },
			yes:    func(w *world) { w.thaw("birch") },
			no:     []func(*world){func(w *world) { w.fault("birch", model.Killed) }},
		},
		{
			c:   lesson.Condition{Event: lesson.Killed, Who: lesson.Leader},
			yes: func(w *world) { w.fault("amber", model.Killed) },
			no:  []func(*world){func(w *world) { w.resign("amber") }},
		},
		{
			c:   lesson.Condition{Event: lesson.Partitioned, Who: lesson.Leader},
			yes: func(w *world) { w.fault("amber", model.Partitioned) },
			no:  []func(*world){func(w *world) { w.fault("amber", model.Frozen) }},
		},
		{
			c:   lesson.Condition{Event: lesson.SlowLead, Who: lesson.Second},
			yes: func(w *world) { w.member("birch", func(m *model.Member) { m.SlowLead = true }) },
			no:  []func(*world){func(w *world) { w.member("cedar", func(m *model.Member) { m.SlowLead = true }) }},
		},
		{
			c:      lesson.Condition{Event: lesson.QuickLead, Who: lesson.SlowOne},
			before: func(w *world) { w.member("birch", func(m *model.Member) { m.SlowLead = true }) },
			yes:    func(w *world) { w.member("birch", func(m *model.Member) { m.SlowLead = false }) },
		},
		{
			c:   lesson.Condition{Event: lesson.NoGuid, Who: lesson.Last},
			yes: func(w *world) { w.member("delta", func(m *model.Member) { m.NoGuid = true }) },
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
			c:   lesson.Condition{Event: lesson.Watches, To: lesson.Last},
			yes: func(w *world) { w.join("ember") },
			no:  []func(*world){func(w *world) { w.resign("birch") }},
		},
		{
			c:   lesson.Condition{Event: lesson.Watches, Who: lesson.AfterMiddle, To: lesson.BeforeMiddle},
			yes: func(w *world) { w.resign("cedar") },
			no:  []func(*world){func(w *world) { w.resign("birch") }},
		},
		{
			c:   lesson.Condition{Event: lesson.Believers, Count: "2"},
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
		{
			c:   lesson.Condition{Event: lesson.Counted, Count: "1"},
			yes: func(w *world) { w.table() },
		},
		{
			c:  lesson.Condition{Event: lesson.Counted, Count: "4"},
			no: []func(*world){func(w *world) { w.table() }},
		},
		{
			c:   lesson.Condition{Event: lesson.Asked, Who: lesson.Last},
			yes: func(w *world) { w.table("delta") },
			no:  []func(*world){func(w *world) { w.pass(time.Second) }},
		},
		{
			c:   lesson.Condition{Event: lesson.Verified},
			yes: func(w *world) { w.table() },
			no:  []func(*world){func(w *world) { w.table("delta") }},
		},
		{
			c:   lesson.Condition{Event: lesson.Verified, Who: lesson.Second},
			yes: func(w *world) { w.table("delta") },
			no:  []func(*world){func(w *world) { w.table("birch") }},
		},
		{
			c:   lesson.Condition{Event: lesson.NotVerified, Who: lesson.Last},
			yes: func(w *world) { w.table("delta") },
			no:  []func(*world){func(w *world) { w.table("birch") }, func(w *world) { w.resign("delta"); w.table() }},
		},
		{
			c:   lesson.Condition{Event: lesson.Unwatched, Who: lesson.Last},
			yes: func(w *world) { w.table() },
		},
		{
			c:  lesson.Condition{Event: lesson.Unwatched, Who: lesson.Leader},
			no: []func(*world){func(w *world) { w.table() }},
		},
	} {
		if err := lesson.CheckCondition(x.c); err != nil {
			t.Errorf("%+v: %v", x.c, err)
		}
		try := func(act func(*world)) int {
			w := newWorld("amber", "birch", "cedar", "delta")
			if x.before != nil {
				x.before(w)
			}
			// The roles are looked up once, as when a part begins to wait.
			l := oneAct(x.c)
			l.Parts[0].Recipe = w.state().Recipe.Name()
			r := w.play(l)
			if v := r.View(); !v.Waiting || v.Stuck != "" {
				t.Errorf("%+v: does not wait: %+v", x.c, v)
			}
			act(w)
			if v := r.View(); v.Waiting {
				return 0
			}
			return 1
		}
		if x.yes != nil && try(x.yes) == 0 {
			t.Errorf("%+v did not come true", x.c)
		}
		for i, no := range x.no {
			if try(no) != 0 {
				t.Errorf("%+v came true by %d of what it is not", x.c, i)
			}
		}
		seen[x.c.Event] = true
	}
	for _, e := range lesson.Events() {
		if !seen[e] {
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

// What led to the state that a lesson began with may be told after it began. It does not
// change what a question is about.
func TestLateNewsIsNoNews(t *testing.T) {
	l := oneAct(lesson.Condition{Event: lesson.Handoff, Who: lesson.Leader})
	l.Parts[0].Question = &lesson.Question{
		Ask: "How many are left?", Right: "Right.", Wrong: "No.", Hints: []string{"Fewer."},
		Options: []lesson.Option{{Text: "{count}", If: &lesson.Condition{Event: lesson.Handoff}}, {Text: "none", Else: true}},
	}
	w := newWorld("amber", "birch")
	w.join("cedar")
	if !slices.ContainsFunc(w.events, func(e model.Event) bool { _, ok := e.Body.(model.Joined); return ok }) {
		t.Fatalf("nobody joined: %+v", w.events)
	}
	r := w.play(l)
	input(t, r, lesson.Answer, 0)
	r.Observe(w.state(), w.events)
	if v := r.View(); v.Stuck != "" || !v.Waiting {
		t.Errorf("who joined before the lesson began: %+v", v)
	}
	w.join("delta")
	if v := r.View(); !strings.Contains(v.Stuck, "delta joined") {
		t.Errorf("who joined then: %+v", v)
	}
}

// oneAct is a lesson with one part, which waits for c.
func oneAct(c lesson.Condition) *lesson.Lesson {
	return &lesson.Lesson{ID: "one", Title: "One", About: "one act", Scene: lesson.Scene{Cast: 4}, Parts: []lesson.Part{{
		Text: []string{"Text."}, After: "Done.",
		Act: &lesson.Act{Do: "Press s.", Keys: []string{"s"}, Hints: []string{"A hint."}, Until: []lesson.Condition{c}},
	}}}
}

// What happened before it was asked for does not count, unless the condition
// says so.
func TestNothingCountsThatWasBefore(t *testing.T) {
	for _, already := range []bool{false, true} {
		w := newWorld("amber", "birch")
		w.rules(func(r *model.Rules) { r.Fenced = true })
		r := w.play(oneAct(lesson.Condition{Event: lesson.GuardOn, Already: already}))
		if v := r.View(); v.Waiting == already {
			t.Errorf("already %v: waiting %v", already, v.Waiting)
		}
		w.rules(func(r *model.Rules) { r.Fenced = false })
		w.rules(func(r *model.Rules) { r.Fenced = true })
		if v := r.View(); v.Waiting || v.Happened != "Done." {
			t.Errorf("already %v, done once more: %+v", already, v)
		}
	}
	// An event that the journal still held back when the part began.
	w := newWorld("amber", "birch", "cedar")
	w.member("birch", func(m *model.Member) { m.SlowLead = true })
	w.member("amber", func(m *model.Member) { m.Ending = model.Resigning })
	w.drop("amber")
	w.join("delta") // waits behind the handoff
	w.tick(10 * time.Millisecond)
	w.put(&model.Advance{At: w.at})
	r := w.play(oneAct(lesson.Condition{Event: lesson.Joined}))
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
