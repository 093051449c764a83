package lessons_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"electop/demo/lessons"
	"electop/model/lesson"
)

// Each lesson is gone through on a real election, with the keys and targets
// that it names itself: with the right answers, with wrong ones, and by somebody
// who reads slowly. What is right, the election decides; it must be what
// teachers are told here.
func TestCourse(t *testing.T) {
	all, err := lessons.All()
	must(t, err)
	if len(all) < 11 {
		t.Fatalf("%d lessons", len(all))
	}
	for _, l := range all {
		t.Run(l.ID, func(t *testing.T) {
			t.Parallel() // each has a clock of its own
			enter(t, func(t *testing.T, h *theatre) {
				right := h.play(t, l, student{})
				want := predictions[l.ID]
				if !slices.Equal(right.texts, want) {
					t.Errorf("right are\n%q, want\n%q", right.texts, want)
				}
				again := h.play(t, l, student{answers: right.options, pause: 11 * time.Second})
				for i, v := range again.verdicts {
					if !strings.HasPrefix(v, "Right") {
						t.Errorf("the right answer %d has the verdict %q", i+1, v)
					}
				}
				wrong := h.play(t, l, student{answers: right.options, errs: true, hints: true})
				for i, v := range wrong.verdicts {
					if !strings.HasPrefix(v, "No") {
						t.Errorf("the wrong answer %d has the verdict %q", i+1, v)
					}
				}
				if len(again.verdicts) != len(want) || len(wrong.verdicts) != len(want) || len(want) == 0 {
					t.Errorf("%d and %d verdicts, %d questions", len(again.verdicts), len(wrong.verdicts), len(want))
				}
			})
		})
	}
}

// predictions are the right answers of each lesson.
var predictions = map[string][]string{
	"volunteer":       {"amber, as before", "4, a new one"},
	"chain":           {"that of ember, the last one until now", "none"},
	"handoff":         {"only birch", "cedar"},
	"middle":          {"delta, which is behind it", "when the session of delta has expired, some seconds later"},
	"crash":           {"only some milliseconds", "when the session of birch has expired"},
	"herd":            {"all 7 waiting candidates", "one"},
	"fence":           {"both amber and birch", "it is refused: the check fails", "those to the counter, not those to the outside resource", "it rejoins at the end of the queue", "no, it stops before its session can expire"},
	"guid":            {"one", "two", "nobody"},
	"acknowledgement": {"elected, but not acknowledged"},
	"observers":       {"one", "one"},
	"truth":           {"that of ember", "no, it ended with the connection", "yes"},
}

// student is how somebody goes through a lesson.
type student struct {
	answers []int // that are right, by question; nil: not known yet
	errs    bool  // gives another
	hints   bool  // wants all of them
	pause   time.Duration
}

// played is what came of it.
type played struct {
	options  []int // the right ones, by question
	texts    []string
	verdicts []string
}

// play goes through a lesson.
func (h *theatre) play(t *testing.T, l *lesson.Lesson, by student) (out played) {
	t.Helper()
	h.begin(t, l)
	for part := 1; ; part++ {
		time.Sleep(by.pause)
		v := h.await(t, "it is clear who is meant", func(v lesson.View) bool { return v.Stuck == "" })
		if v.Part != part || v.Parts != len(l.Parts) || v.Done {
			t.Fatalf("%s: part %d of %d, done %v; want %d of %d", l.ID, v.Part, v.Parts, v.Done, part, len(l.Parts))
		}
		h.look(t, v)
		h.hinted(t, by, part)
		if v.Question != "" {
			if v.Do != "" || v.Waiting || v.CanNext {
				t.Errorf("%s, part %d: before the answer: %+v", l.ID, part, v)
			}
			choice := 0
			if by.answers != nil {
				choice = by.answers[len(out.options)]
			}
			if by.errs {
				choice = (choice + 1) % len(v.Options)
			}
			if why := h.input(lesson.Answer, choice); why != "" {
				t.Fatalf("%s, part %d: no answer taken: %s", l.ID, part, why)
			}
			h.hinted(t, by, part)
			v = h.view()
		}
		if l.Parts[part-1].Act != nil {
			if v.Waiting || v.Do == "" { // it may be so already
				h.do(t, v)
			}
			v = h.await(t, "it happens", func(v lesson.View) bool { return !v.Waiting })
			h.look(t, v)
			if v.Happened == "" || v.Stuck != "" || v.Hint != "" {
				t.Errorf("%s, part %d: it happened: %+v", l.ID, part, v)
			}
			t.Logf("%s %d: %s", l.ID, part, v.Happened)
		}
		if v.Question != "" {
			if v.Right < 0 {
				t.Fatalf("%s, part %d: %q: none of %q was right", l.ID, part, v.Question, v.Options)
			}
			out.options = append(out.options, v.Right)
			out.texts = append(out.texts, v.Options[v.Right])
			out.verdicts = append(out.verdicts, v.Verdict)
		}
		if !v.CanNext {
			t.Fatalf("%s, part %d: no way on: %+v", l.ID, part, v)
		}
		if why := h.input(lesson.Next, 0); why != "" {
			t.Fatalf("%s, part %d: %s", l.ID, part, why)
		}
		if v = h.view(); v.Done {
			if part != len(l.Parts) || v.Skipped {
				t.Fatalf("%s is through after part %d, skipped %v", l.ID, part, v.Skipped)
			}
			return out
		}
	}
}

// hinted wants all hints, where a student does, and that they are about what is to be
// done now.
func (h *theatre) hinted(t *testing.T, by student, part int) {
	t.Helper()
	if !by.hints {
		return
	}
	v := h.view()
	if v.Hint != "" || v.Hints == 0 && (v.Waiting || v.Question != "") {
		t.Errorf("%s, part %d: hint %q, and %d more", v.ID, part, v.Hint, v.Hints)
	}
	asks := v.Question != "" && !v.Waiting
	for n := v.Hints; n > 0; n-- {
		if why := h.input(lesson.Hint, 0); why != "" {
			t.Errorf("%s, part %d: no hint: %s", v.ID, part, why)
		}
		if v = h.view(); v.Hint == "" || v.Hints != n-1 {
			t.Errorf("%s, part %d: hint %q, and %d more", v.ID, part, v.Hint, v.Hints)
		}
		if asks && strings.Contains(strings.ToLower(v.Hint), "press ") {
			t.Errorf("%s, part %d: before the answer the hint is %q", v.ID, part, v.Hint)
		}
		h.look(t, v)
	}
	if why := h.input(lesson.Hint, 0); why == "" {
		t.Errorf("%s, part %d: more hints than there are", v.ID, part)
	}
}

// do presses the keys that a view names, one after the other as a student
// would.
func (h *theatre) do(t *testing.T, v lesson.View) {
	t.Helper()
	if len(v.Keys) == 0 {
		t.Fatalf("%s, part %d: no keys: %+v", v.ID, v.Part, v)
	}
	for _, key := range v.Keys {
		time.Sleep(200 * time.Millisecond) // virtual
		h.press(t, key, v.Target, v.Fault)
	}
}
