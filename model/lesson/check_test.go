package lesson_test

import (
	"strings"
	"testing"

	"electop/model/lesson"
)

func TestCheck(t *testing.T) {
	for want, spoil := range map[string]func(*lesson.Lesson){
		"title: missing": func(l *lesson.Lesson) { l.Title = "" },
		`recipe: unknown recipe "lottery"`: func(l *lesson.Lesson) {
			*until(l) = lesson.Condition{Event: lesson.Recipe, Recipe: "lottery"}
		},
		`scene: unknown recipe "lottery"`:       func(l *lesson.Lesson) { l.Parts[0].Scene.Recipe = "lottery" },
		"part 1: text: missing":                 func(l *lesson.Lesson) { l.Parts[0].Text = nil },
		"unknown placeholder {boss}":            func(l *lesson.Lesson) { l.Parts[0].Text[0] = "{boss}" },
		"missing } before":                      func(l *lesson.Lesson) { l.Parts[0].Text[0] = "{leader" },
		"{winner} is not known yet":             func(l *lesson.Lesson) { l.Parts[1].Question.Ask = "{winner}" },
		"it needs do, and its part needs after": func(l *lesson.Lesson) { l.Parts[1].After = "" },
		"it needs until: what to wait for":      func(l *lesson.Lesson) { l.Parts[1].Act.Until = nil },
		"unknown target":                        func(l *lesson.Lesson) { l.Parts[2].Act.Target = "boss" },
		"fault and target need each other":      func(l *lesson.Lesson) { l.Parts[2].Act.Fault = "" },
		"its part has no act to answer it":      func(l *lesson.Lesson) { l.Parts[1].Act, l.Parts[1].After = nil, "" },
		"it needs ask, right and wrong":         func(l *lesson.Lesson) { l.Parts[1].Question.Right = "" },
		"needs either if or else":               func(l *lesson.Lesson) { l.Parts[1].Question.Options[0].If = nil },
		"then is for acts":                      func(l *lesson.Lesson) { l.Parts[1].Question.Options[0].If.Then = true },
		`until: unknown event "fire"`:           func(l *lesson.Lesson) { until(l).Event = "fire" },
		`found: unknown who "boss"`:             func(l *lesson.Lesson) { *until(l) = lesson.Condition{Event: lesson.Found, Who: "boss"} },
		"found: needs who":                      func(l *lesson.Lesson) { *until(l) = lesson.Condition{Event: lesson.Found} },
		"done: has no cause":                    func(l *lesson.Lesson) { until(l).Cause = "expired" },
		`wake: unknown count "some"`: func(l *lesson.Lesson) {
			*until(l) = lesson.Condition{Event: lesson.Woke, Who: lesson.Leader, Count: "some"}
		},
		`believes: unknown belief "hopeful"`: func(l *lesson.Lesson) {
			*until(l) = lesson.Condition{Event: lesson.Believes, Who: lesson.Leader, Belief: "hopeful"}
		},
	} {
		l := course()
		spoil(l)
		if err := l.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
	if err := course().Check(); err != nil {
		t.Error(err)
	}
}

func until(l *lesson.Lesson) *lesson.Condition { return &l.Parts[2].Act.Until[0] }
