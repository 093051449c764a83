package lesson_test

import (
	"slices"
	"testing"
	"time"

	"electop/model"
	"electop/model/lesson"
)

type act = func(*world)

func join(name string) act { return func(w *world) { w.join(name) } }

func resign(names ...string) act {
	return func(w *world) {
		for _, name := range names {
			w.resign(name)
		}
	}
}

func expire(name string, f model.Fault) act {
	return func(w *world) { w.fault(name, f); w.expire(name) }
}

func member(name string, f func(*model.Member)) act {
	return func(w *world) { w.member(name, f) }
}

func suspended(m *model.Member) { m.Belief = model.Suspended }

func secondZnode(name string) act { return func(w *world) { w.create(name, w.members[name].Session) } }

func follow(recipe string) act { return func(w *world) { w.follow(recipe) } }

func guard(on bool) act {
	return func(w *world) { w.rules(func(r *model.Rules) { r.Fenced = on }) }
}

func pace(p model.Pace) act { return func(w *world) { p.At = w.at; w.put(&p) } }

func write(name string, r model.Resource, fenced, refused bool) act {
	return func(w *world) { w.write(name, r, fenced, refused) }
}

var conditionTests = []struct {
	c      lesson.Condition
	before act // before the part begins, nil for nothing
	yes    act
	no     []act
}{
	{lesson.Condition{Event: lesson.Joined}, nil, join("ember"), []act{resign("delta")}},
	{lesson.Condition{Event: lesson.Joined, Who: lesson.You}, nil, join("you"), []act{join("ember")}},
	{lesson.Condition{Event: lesson.Joined, Used: true}, nil, func(w *world) { w.next = 2; w.join("ember") }, []act{join("ember")}},
	{
		lesson.Condition{Event: lesson.Joined, Who: lesson.FrozenOne}, expire("amber", model.Frozen), func(w *world) { w.thaw("amber"); w.join("amber") },
		[]act{join("ember")},
	},
	{lesson.Condition{Event: lesson.Left, Who: lesson.Last}, nil, resign("delta"), []act{resign("amber"), join("ember")}},
	{lesson.Condition{Event: lesson.Handoff, Who: lesson.Leader, To: lesson.Second}, nil, resign("amber"), []act{resign("birch")}},
	{
		lesson.Condition{Event: lesson.Handoff, Who: lesson.Leader, Cause: model.CauseExpired}, nil, expire("amber", model.Killed),
		[]act{resign("amber"), func(w *world) { w.fault("amber", model.Killed) }},
	},
	{lesson.Condition{Event: lesson.Handoff, To: lesson.Nobody}, resign("delta", "cedar", "birch"), resign("amber"), nil},
	{lesson.Condition{Event: lesson.Elected, Who: lesson.SlowOne}, member("birch", func(m *model.Member) { m.SlowLead = true }), resign("amber"), nil},
	{lesson.Condition{Event: lesson.Elected, Who: lesson.Second}, nil, nil, []act{resign("amber")}},
	{lesson.Condition{Event: lesson.Acknowledged, Who: lesson.Second}, nil, resign("amber"), []act{resign("birch")}},
	{lesson.Condition{Event: lesson.Ghosted, Who: lesson.Last}, nil, secondZnode("delta"), []act{secondZnode("cedar"), join("ember")}},
	{
		lesson.Condition{Event: lesson.AllSettled}, member("delta", func(m *model.Member) { m.Belief = model.Volunteering }), (*world).settle,
		[]act{func(w *world) { w.pass(time.Second) }},
	},
	{
		lesson.Condition{Event: lesson.Found, Who: lesson.Last}, nil, member("delta", func(m *model.Member) { m.StepOn.Found = true }),
		[]act{member("delta", func(m *model.Member) { m.StepOn.Name = "3" })},
	},
	{lesson.Condition{Event: lesson.Believes, Who: lesson.Leader, Belief: model.Suspended}, nil, member("amber", suspended), []act{member("birch", suspended)}},
	{lesson.Condition{Event: lesson.Watches, Who: lesson.Newcomer, To: lesson.Last}, nil, join("ember"), []act{resign("birch")}},
	{lesson.Condition{Event: lesson.Watches, Who: lesson.AfterMiddle, To: lesson.BeforeMiddle}, nil, resign("cedar"), []act{resign("birch")}},
	{lesson.Condition{Event: lesson.Believers}, nil, expire("amber", model.Frozen), []act{expire("amber", model.Killed)}},
	{lesson.Condition{Event: lesson.Recipe, Recipe: "herd"}, nil, follow("herd"), []act{follow("election")}},
	{lesson.Condition{Event: lesson.GuardOn}, nil, guard(true), nil},
	{lesson.Condition{Event: lesson.GuardOff}, guard(true), guard(false), nil},
	{lesson.Condition{Event: lesson.Slowed}, nil, pace(model.Pace{Delay: time.Second}), []act{pace(model.Pace{})}},
	{lesson.Condition{Event: lesson.FullSpeed}, pace(model.Pace{Steps: true}), pace(model.Pace{}), []act{pace(model.Pace{Delay: time.Second})}},
	{
		lesson.Condition{Event: lesson.DeletionCounted, Who: lesson.Leader, Count: "1", Notified: lesson.Second}, nil, resign("amber"),
		[]act{resign("birch"), func(w *world) { w.follow("herd"); w.resign("amber") }},
	},
	{lesson.Condition{Event: lesson.DeletionCounted, Who: lesson.Leader, Count: "waiting"}, follow("herd"), resign("amber"), nil},
	{
		lesson.Condition{Event: lesson.StaleWrite, Who: lesson.FrozenOne}, replaceFrozenLeader, write("amber", model.Counter, false, false),
		[]act{write("birch", model.Counter, false, false), write("amber", model.Counter, true, true)},
	},
	{
		lesson.Condition{Event: lesson.GuardRefused, Who: lesson.FrozenOne}, replaceFrozenLeader, write("amber", model.Counter, true, true),
		[]act{write("amber", model.Tokens, true, true), write("amber", model.Counter, false, false)},
	},
	{
		lesson.Condition{Event: lesson.TokenRefused, Who: lesson.FrozenOne}, replaceFrozenLeader, write("amber", model.Tokens, false, true),
		[]act{write("amber", model.Tokens, false, false)},
	},
}

func TestConditions(t *testing.T) {
	seen := make(map[lesson.Event]bool)
	for _, x := range conditionTests {
		try := func(act act) bool {
			w := newWorld("amber", "birch", "cedar", "delta")
			if x.before != nil {
				x.before(w)
			}
			l := oneAct(x.c)
			l.Parts[0].Setup.Recipe = w.state().Recipe.Name()
			r := w.begin(l)
			if v := r.View(); !v.Waiting || v.Stuck != "" {
				t.Errorf("%+v: got view %+v, want it waiting", x.c, v)
			}
			act(w)
			return r.View().Happened != ""
		}
		if x.yes != nil && !try(x.yes) {
			t.Errorf("%+v was not met", x.c)
		}
		for i, no := range x.no {
			if try(no) {
				t.Errorf("%+v was met after no[%d]", x.c, i)
			}
		}
		seen[x.c.Event] = true
	}
	for _, e := range lesson.Events() {
		if !seen[e] && e != lesson.Done {
			t.Errorf("conditionTests has no test of event %q", e)
		}
	}
}

func replaceFrozenLeader(w *world) {
	fence := func(name string) {
		w.member(name, func(m *model.Member) { m.Fence = w.children[w.index(name)].Czxid })
	}
	fence("amber")
	w.fault("amber", model.Frozen)
	w.expire("amber")
	fence("birch")
}

func oneAct(c lesson.Condition) *lesson.Lesson {
	return &lesson.Lesson{ID: "one", Title: "One", About: "one act", Setup: lesson.Setup{Cast: 4}, Parts: []lesson.Part{{
		Text: []string{"Text."}, After: "Done.",
		Act: &lesson.Act{Do: "Press s.", Keys: []string{"s", "h", "w"}, Hints: []string{"A hint."}, Until: []lesson.Condition{c}},
	}}}
}

func TestEventsBeforeThePartDoNotCount(t *testing.T) {
	w := newWorld("amber", "birch", "cedar")
	w.member("birch", func(m *model.Member) { m.SlowLead = true })
	w.member("amber", func(m *model.Member) { m.Ending = model.Resigning })
	w.drop("amber")
	w.join("delta") // the journal holds Joined until birch acknowledges, at most for model.AckWait
	w.pass(10 * time.Millisecond)
	l := oneAct(lesson.Condition{Event: lesson.Joined})
	l.Parts[0].Text[0] = "{slow}"
	r := w.begin(l)
	w.events = nil
	w.pass(1100 * time.Millisecond)
	if !slices.ContainsFunc(w.events, func(e model.Event) bool { _, ok := e.Body.(model.Joined); return ok }) {
		t.Fatalf("got events %+v, want a Joined that the journal held back", w.events)
	}
	if v := r.View(); !v.Waiting {
		t.Errorf("joined before the part began: got view %+v, want it waiting", v)
	}
	w.join("ember")
	if v := r.View(); v.Waiting {
		t.Errorf("joined after the part began: got view %+v, want the wait to end", v)
	}
}
